/** Something that is written into a text, after the words before it. */
export interface InsertedMark {
  /** UTF-16 offset in the text. */
  readonly at: number;
  /** Called where it is written: code has no marks. It ends with a bracket. */
  readonly write: () => string;
}

interface InertMarkdownOptions {
  /** In their order. */
  readonly marks?: readonly InsertedMark[];
  /** Numbers in brackets that become footnotes. */
  readonly cited?: ReadonlySet<number>;
}

/**
 * Text of a model or of a user, as Markdown that whoever opens it may trust: links, pictures,
 * addresses and HTML in it are words, whatever reads the file. A text in the graph could make a
 * model write the address of a picture, and a viewer that fetches it would carry away what the
 * model had read. Lists, tables and code stay; headings go below those of two levels.
 *
 * Only a fence at the beginning of a line is taken for code: nothing that a reader of Markdown can
 * see in another way. In other code a backslash may be seen, where it looks like a link.
 */
export function inertMarkdown(text: string, options: InertMarkdownOptions = {}): string {
  const lines: string[] = [];
  const marks = [...(options.marks ?? [])];
  let start = 0;
  let fence: string | undefined;
  for (const line of plainSigns(text).split('\n')) {
    const end = start + line.length;
    const own: InsertedMark[] = [];
    while (marks[0] !== undefined && marks[0].at <= end) own.push(...marks.splice(0, 1));
    if (fence !== undefined) {
      lines.push(line);
      if (closes(line, fence)) fence = undefined;
    } else {
      fence = FENCE.exec(line)?.[0];
      lines.push(fence === undefined ? inertLine(line, start, own, options.cited) : line);
    }
    start = end + 1;
  }
  // Else all that comes after it would be code.
  if (fence !== undefined) lines.push(fence);
  return lines.join('\n');
}

/** The same in one line, such as a title. */
export function inertWords(text: string): string {
  return inert(plainSigns(text).replaceAll(/\s+/g, ' ').trim());
}

const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;

function closes(line: string, fence: string): boolean {
  const signs = line.trim();
  const isIndented = line.length - line.trimStart().length > 3;
  return (
    !isIndented && signs.length >= fence.length && signs === fence.charAt(0).repeat(signs.length)
  );
}

/** The same length, without signs that end a line for some readers, or that a terminal obeys. */
function plainSigns(text: string): string {
  return text.replaceAll('\r', ' ').replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd');
}

function inertLine(
  line: string,
  start: number,
  marks: readonly InsertedMark[],
  cited: ReadonlySet<number> | undefined,
): string {
  let said = '';
  let from = 0;
  const add = (to: number): void => {
    const part = inert(withFootnotes(line.slice(from, to), cited));
    // After a bracket these would make a link, or what a link leads to.
    said += said !== '' && /^[(:]/.test(part) ? `\\${part}` : part;
    from = to;
  };
  for (const { at, write } of marks) {
    let to = Math.max(from, at - start);
    // A backslash belongs to what comes after it.
    while (to > from && line.charAt(to - 1) === '\\') to--;
    add(to);
    said += write();
  }
  add(line.length);
  // A footnote after a "!" would be a picture.
  return withoutHeadings(said.replaceAll('![^', '! [^'));
}

/** Those of the file stand out; lines of signs below words are no headings on the page either. */
function withoutHeadings(line: string): string {
  if (/^ {0,3}=+\s*$/.test(line)) return `\\${line.trim()}`;
  if (/^ {0,3}-+\s*$/.test(line)) return `\n${line}`;
  return line.replace(/^( {0,3})(#{1,6})(?=\s|$)/, (_, indent: string, signs: string) => {
    return indent + '#'.repeat(Math.min(6, signs.length + 2));
  });
}

const CODE_OR_NUMBER = /(?<!`)(`+)(?!`)[^`]*(?<!`)\1(?!`)|\[0*([1-9]\d{0,5})\]/g;

function withFootnotes(words: string, cited: ReadonlySet<number> | undefined): string {
  if (cited === undefined) return words;
  return words.replaceAll(CODE_OR_NUMBER, (found, _code, digits: string | undefined) =>
    digits !== undefined && cited.has(Number(digits)) ? `[^${Number(digits)}]` : found,
  );
}

/**
 * Where a backslash takes the meaning away: in links and in what they lead to, before tags that no
 * backslash is before, and in addresses.
 */
const LIVE = /(?<=\])(?=[(:])|(?=<[a-z/!?])(?<=(?<!\\)(?:\\\\)*)|(?<=:)(?=\/\/)|(?<=www)(?=\.)/gi;

function inert(words: string): string {
  return words.replaceAll(LIVE, '\\');
}
