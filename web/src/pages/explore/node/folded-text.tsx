import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { formatCount } from '../../../ui/format.ts';

const CHARACTERS_SHOWN = 600;
const LINES_SHOWN = 14;

interface FoldedTextProps {
  /** What it is the text of, for who hears the button. */
  readonly name: string;
  readonly text: string;
  readonly isCode?: boolean;
}

/** A text with its line breaks and in its own direction; of a long one, the beginning at first. */
export function FoldedText({ name, text, isCode = false }: FoldedTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  const beginning = beginningOf(text);
  const isLong = beginning.length < text.length;
  const shown = isWhole ? text : beginning;
  return (
    <>
      <div
        dir={isCode ? 'ltr' : 'auto'}
        className={classNames(
          'whitespace-pre-wrap wrap-anywhere',
          isCode && 'rounded-control bg-sunken px-2 py-1 font-mono text-[13px]',
        )}
      >
        {shown}
        {isLong && !isWhole && '…'}
      </div>
      {isLong && (
        <Button
          kind="quiet"
          size="small"
          className="mt-1 -ml-2.5"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
          <span className="sr-only">of {name}</span>
        </Button>
      )}
    </>
  );
}

/** Ends at the end of a letter: one may be two units of UTF-16. */
function beginningOf(text: string): string {
  const lines = text.split('\n', LINES_SHOWN + 1);
  const some = lines.length > LINES_SHOWN ? lines.slice(0, LINES_SHOWN).join('\n') : text;
  if (some.length <= CHARACTERS_SHOWN * 1.2) return some;
  return some.slice(0, CHARACTERS_SHOWN).replace(/[\ud800-\udbff]$/, '');
}
