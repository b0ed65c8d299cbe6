import { Fragment, type ReactNode } from 'react';
import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.ts';

interface MarkdownProps {
  readonly text: string;
  /** In the place of `[n]`; where it gives nothing, these letters stay. */
  readonly citation?: ((number: number) => ReactNode) | undefined;
}

/**
 * What a model wrote. Nothing in it becomes a link, a picture or markup of its own: a text in the graph may have told the model to
 * write an address that carries away what it read.
 */
export function Markdown({ text, citation }: MarkdownProps) {
  return (
    <div dir="auto" className="flex flex-col gap-2.5 wrap-anywhere">
      {markdownBlocks(text).map((block, at) => (
        // What a text is made of has no identity but its place; the same below.
        // oxlint-disable-next-line react/no-array-index-key
        <Block key={at} block={block} citation={citation} />
      ))}
    </div>
  );
}

type Citation = MarkdownProps['citation'];

interface BlockProps {
  readonly block: MarkdownBlock;
  readonly citation: Citation;
}

function Block({ block, citation }: BlockProps) {
  if (block.kind === 'list') {
    const List = block.isOrdered ? 'ol' : 'ul';
    return (
      <List
        className={`flex flex-col gap-1 pl-6 ${block.isOrdered ? 'list-decimal' : 'list-disc'}`}
        {...(block.isOrdered && { start: block.start })}
      >
        {block.items.map((item, at) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at}>{inline(item, citation)}</li>
        ))}
      </List>
    );
  }
  const lines = block.lines.join('\n');
  switch (block.kind) {
    case 'code':
      return (
        <pre
          tabIndex={0}
          className="overflow-x-auto rounded-control border bg-sunken p-3 font-mono text-[13px] whitespace-pre"
        >
          {lines}
        </pre>
      );
    case 'heading':
      return <p className="font-semibold">{inline(lines, citation)}</p>;
    case 'paragraph':
      return <p className="whitespace-pre-line">{inline(lines, citation)}</p>;
  }
}

const MARKS = /(`[^`\n]+`|\*\*[^*]+\*\*|\*(?=\S)[^*\n]+(?<=\S)\*|\[\d{1,6}\])/;

function inline(text: string, citation: Citation): ReactNode {
  return text.split(MARKS).map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>{at % 2 === 0 ? part : marked(part, citation)}</Fragment>
  ));
}

function marked(part: string, citation: Citation): ReactNode {
  if (part.startsWith('`')) {
    return (
      <code className="rounded bg-sunken px-1 font-mono text-[0.93em]">{part.slice(1, -1)}</code>
    );
  }
  if (part.startsWith('**')) return <strong>{inline(part.slice(2, -2), citation)}</strong>;
  if (part.startsWith('*')) return <em>{inline(part.slice(1, -1), citation)}</em>;
  return citation?.(Number(part.slice(1, -1))) ?? part;
}
