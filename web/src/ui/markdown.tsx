import type { MarkedToken, Token, Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';
import { classNames } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';
import { tableText, withWholeTable } from './markdown-tables.ts';
import { type Passage, type PassagePieces, passagePieces } from './markdown-passages.ts';
import { known, markdownTokens } from './markdown-tokens.ts';

interface MarkdownProps {
  readonly text: string;
  /** Replaces `[n]`; where it gives nothing, these letters stay. */
  readonly citation?: ((number: number) => ReactNode) | undefined;
  /** More of it comes: what ends with the beginning of a table is shown as one. */
  readonly isLive?: boolean;
  /** Parts of the text that `passage` shows; in its order, and apart from each other. */
  readonly passages?: readonly Passage[];
  /**
   * Shows words of a passage, by its place in `passages`: it has several pieces where marks begin
   * or end in it, and the last one has `isEnd`.
   */
  readonly passage?: ((at: number, words: ReactNode, isEnd: boolean) => ReactNode) | undefined;
}

/** What is not in the tokens and each of them may need. */
interface View extends Pick<MarkdownProps, 'citation' | 'passage'> {
  readonly pieces: PassagePieces;
}

const NO_PASSAGES: readonly Passage[] = [];

/**
 * Shows what a model wrote. Nothing in it becomes a link, a picture or HTML: a text in the graph
 * may have told the model to write an address that carries away what the model read.
 */
export function Markdown(props: MarkdownProps) {
  const { text, citation, isLive = false, passages = NO_PASSAGES, passage } = props;
  const tokens = useMemo(
    () => markdownTokens(isLive ? withWholeTable(text) : text),
    [text, isLive],
  );
  const pieces = useMemo(() => passagePieces(text, tokens, passages), [text, tokens, passages]);
  return (
    <div dir="auto" className="flex flex-col gap-2.5 wrap-anywhere">
      <Blocks tokens={tokens} view={{ citation, passage, pieces }} />
    </div>
  );
}

interface TokensProps {
  readonly tokens: readonly Token[];
  readonly view: View;
}

function Blocks({ tokens, view }: TokensProps) {
  return known(tokens).map((token, at) => (
    // Parts of a text have no identity but their place; the same below.
    // oxlint-disable-next-line react/no-array-index-key
    <Block key={at} token={token} view={view} />
  ));
}

interface BlockProps {
  readonly token: MarkedToken;
  readonly view: View;
}

function Block({ token, view }: BlockProps) {
  switch (token.type) {
    case 'space':
      return null;
    case 'code':
      return <Code text={token.text} language={token.lang ?? ''} />;
    case 'heading':
      return (
        <p className="font-semibold">
          <Inline tokens={token.tokens} view={view} />
        </p>
      );
    case 'hr':
      return <hr />;
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-2.5 border-l-2 pl-3 text-muted">
          <Blocks tokens={token.tokens} view={view} />
        </blockquote>
      );
    case 'list':
      return <List list={token} view={view} />;
    case 'table':
      return <Table table={token} view={view} />;
    case 'checkbox':
      return <Checkbox isChecked={token.checked} />;
    default:
      return (
        <p className="whitespace-pre-line">
          <Inline tokens={inlineTokensOf(token)} view={view} />
        </p>
      );
  }
}

interface CodeProps {
  readonly text: string;
  readonly language: string;
}

function Code({ text, language }: CodeProps) {
  return (
    <div role="group" aria-label="Code" className="rounded-control border bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b px-3 py-1">
        <span className="min-w-0 truncate font-mono text-xs text-muted">{language}</span>
        <CopyButton text={text} label="Copy code" />
      </div>
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-[13px] whitespace-pre">
        {text}
      </pre>
    </div>
  );
}

/** A text that was not read as Markdown has no tokens but itself. */
function inlineTokensOf(token: MarkedToken): readonly Token[] {
  return 'tokens' in token && token.tokens !== undefined ? token.tokens : [token];
}

interface ListProps {
  readonly list: Tokens.List;
  readonly view: View;
}

function List({ list, view }: ListProps) {
  const Element = list.ordered ? 'ol' : 'ul';
  return (
    <Element
      className={`flex flex-col gap-1 pl-6 ${list.ordered ? 'list-decimal' : 'list-disc'}`}
      {...(list.start !== '' && { start: list.start })}
    >
      {list.items.map((item, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at} className={item.task ? 'list-none' : undefined}>
          <ItemContent tokens={item.tokens} view={view} />
        </li>
      ))}
    </Element>
  );
}

/** An item begins on the line of its sign; what follows its first words are blocks below them. */
function ItemContent({ tokens, view }: TokensProps) {
  const first = tokens.findIndex(({ type }) => !['checkbox', 'text', 'paragraph'].includes(type));
  const end = first === -1 ? tokens.length : first;
  return (
    <>
      {known(tokens.slice(0, end)).map((token, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Inline key={at} tokens={inlineTokensOf(token)} view={view} />
      ))}
      {end < tokens.length && (
        <div className="flex flex-col gap-1 pt-1">
          <Blocks tokens={tokens.slice(end)} view={view} />
        </div>
      )}
    </>
  );
}

interface TableProps {
  readonly table: Tokens.Table;
  readonly view: View;
}

/** Scrolls sideways in its own box instead of breaking words. */
function Table({ table, view }: TableProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <div
        role="group"
        aria-label="Table"
        tabIndex={0}
        className="overflow-x-auto rounded-control border bg-surface"
      >
        <table className="min-w-full border-collapse wrap-break-word">
          <thead className="bg-sunken">
            <Row cells={table.header} view={view} />
          </thead>
          <tbody>
            {table.rows.map((cells, at) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Row key={at} cells={cells} view={view} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={() => tableText(table, ',')} label="Copy CSV" />
        <CopyButton text={() => tableText(table, '\t')} label="Copy TSV" />
      </div>
    </div>
  );
}

interface RowProps {
  readonly cells: readonly Tokens.TableCell[];
  readonly view: View;
}

/** A longer text is not squeezed into a column of single words: the table scrolls instead. */
const LONG_CELL_CHARACTERS = 24;
const ALIGNS = { left: 'text-left', center: 'text-center', right: 'text-right' };

function Row({ cells, view }: RowProps) {
  return (
    <tr className="border-b last:border-b-0">
      {cells.map(({ header, align, text, tokens }, at) => {
        const Cell = header ? 'th' : 'td';
        return (
          <Cell
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            className={classNames(
              'max-w-80 px-3 py-1.5 align-top',
              ALIGNS[align ?? 'left'],
              text.length > LONG_CELL_CHARACTERS && 'min-w-48',
            )}
            {...(header && { scope: 'col' })}
          >
            <Inline tokens={tokens} view={view} />
          </Cell>
        );
      })}
    </tr>
  );
}

function Inline({ tokens, view }: TokensProps) {
  return known(tokens).map((token, at) => (
    // oxlint-disable-next-line react/no-array-index-key
    <Mark key={at} token={token} view={view} />
  ));
}

function Mark({ token, view }: BlockProps) {
  switch (token.type) {
    case 'text':
    case 'escape':
    case 'codespan':
      return <Words token={token} view={view} />;
    case 'br':
      return <br />;
    case 'checkbox':
      return <Checkbox isChecked={token.checked} />;
    case 'strong':
    case 'em':
    case 'del': {
      const Element = token.type;
      return (
        <Element>
          <Inline tokens={token.tokens} view={view} />
        </Element>
      );
    }
    default:
      return token.raw;
  }
}

interface WordsProps {
  readonly token: Tokens.Text | Tokens.Escape | Tokens.Codespan;
  readonly view: View;
}

function Words({ token, view: { citation, passage, pieces } }: WordsProps) {
  const words = (text: string): ReactNode => {
    if (token.type === 'text') return <Cited text={text} citation={citation} />;
    if (token.type === 'escape') return text;
    return <code className="rounded bg-sunken px-1 font-mono text-[0.93em]">{text}</code>;
  };
  const cut = passage && pieces.get(token);
  if (cut === undefined) return words(token.text);
  return cut.map(({ text, passage: at, isEnd }, place) => (
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={place}>
      {at === undefined ? words(text) : passage?.(at, words(text), isEnd)}
    </Fragment>
  ));
}

function Checkbox({ isChecked }: { readonly isChecked: boolean }) {
  return (
    <input
      type="checkbox"
      disabled
      checked={isChecked}
      aria-label={isChecked ? 'Done' : 'Not done'}
      className="mr-2 -ml-5"
    />
  );
}

const CITATION = /\[(\d{1,6})\]/;

interface CitedProps extends Pick<MarkdownProps, 'citation'> {
  readonly text: string;
}

function Cited({ text, citation }: CitedProps) {
  return text.split(CITATION).map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>{at % 2 === 0 ? part : (citation?.(Number(part)) ?? `[${part}]`)}</Fragment>
  ));
}
