import type { SearchHit } from '@trellis/client/system-search.ts';
import { Notice } from '../../../ui/notice.tsx';

const WORDS_SHOWN = 6;

interface AlsoFoundProps {
  readonly query: string;
  readonly hits: readonly SearchHit[];
}

/** What was found besides the words as they were typed: other spellings, and synonyms. */
export function AlsoFound({ query, hits }: AlsoFoundProps) {
  const words = otherWords(query, hits);
  if (words.length === 0) return null;
  return (
    <Notice tone="info">
      Also found:{' '}
      {words.map((word, i) => (
        <span key={word}>
          {i > 0 && ', '}
          <bdi>{word}</bdi>
        </span>
      ))}
    </Notice>
  );
}

function otherWords(query: string, hits: readonly SearchHit[]): readonly string[] {
  const typed = new Set(wordsOf(query));
  const found = new Set<string>();
  for (const hit of hits) {
    const marked = markedWords(hit);
    for (const { term, origin } of hit.explain?.parts ?? []) {
      if (origin !== 'typo' && origin !== 'synonym') continue;
      // The index has stems: what is read is the word that was marked for it.
      const stem = term.slice(0, Math.max(2, term.length - 1));
      const word = marked.find((one) => one.startsWith(stem)) ?? term;
      if (!typed.has(word)) found.add(word);
    }
  }
  return [...found].slice(0, WORDS_SHOWN);
}

function markedWords({ highlights }: SearchHit): string[] {
  return highlights
    .flatMap(({ snippets }) => snippets)
    .flatMap(({ text, matches }) => matches.map(({ start, end }) => text.slice(start, end)))
    .map((text) => text.toLowerCase());
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
