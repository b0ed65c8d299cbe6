/** What a text in Markdown is made of, as far as answers of models use it. */
export type MarkdownBlock =
  | { readonly kind: 'paragraph' | 'heading' | 'code'; readonly lines: string[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      /** The number of its first item. */
      readonly start: number;
      readonly items: string[];
    };

const FENCE = /^\s*(?:`{3,}|~{3,})/;
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;

/** Lists lose their depth, and everything else that is not known is a paragraph: no text is lost. */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  /** What the next line may belong to. */
  let open: MarkdownBlock | undefined;
  const begin = (block: MarkdownBlock) => {
    open = block;
    blocks.push(block);
  };
  for (const line of text.split(/\r?\n/)) {
    if (open?.kind === 'code') {
      if (FENCE.test(line)) open = undefined;
      else open.lines.push(line);
      continue;
    }
    const [, heading] = HEADING.exec(line) ?? [];
    const [, number, item] = ITEM.exec(line) ?? [];
    if (FENCE.test(line)) begin({ kind: 'code', lines: [] });
    else if (line.trim() === '') open = undefined;
    else if (heading !== undefined) {
      blocks.push({ kind: 'heading', lines: [heading] });
      open = undefined;
    } else if (item !== undefined) {
      const last = blocks.at(-1);
      const isOrdered = number !== undefined;
      if (last?.kind === 'list' && last.isOrdered === isOrdered) {
        last.items.push(item);
        open = last;
      } else begin({ kind: 'list', isOrdered, start: Number(number ?? 1), items: [item] });
    } else if (open?.kind === 'list') {
      open.items.push(`${open.items.pop() ?? ''} ${line.trim()}`);
    } else if (open?.kind === 'paragraph') open.lines.push(line);
    else begin({ kind: 'paragraph', lines: [line] });
  }
  return blocks;
}
