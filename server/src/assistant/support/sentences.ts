/** A sentence of an answer as it is shown. */
export interface Sentence {
  /** UTF-16 offsets in the answer, the end excluded: without list signs and the bars of a table. */
  readonly start: number;
  readonly end: number;
  /** As it stands there, with its citations. */
  readonly text: string;
  /** As people read it: without Markdown and citations. */
  readonly plain: string;
  /** The numbers that it cites, each once, in order. */
  readonly cites: readonly number[];
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'sentence' });
/** In some versions the time of Intl.Segmenter is quadratic in the length. */
const SEGMENT_UNITS_MAX = 10_000;
/** How many pieces of a line may be one sentence because a quotation mark is open. */
const QUOTED_PIECES_MAX = 8;
/** How many may be for whatever reason: all that is joined is looked at each time. */
const JOINED_PIECES_MAX = 40;

const CITATION = /\[0*([1-9]\d{0,5})\]/g;
const ONLY_CITATIONS = /^(?:\s*\[\d{1,6}\][.,;:)]?)+\s*$/;
const CITATIONS_FIRST = /^(?:\s*\[\d{1,6}\])+/;
const QUOTE = /^(?:\s{0,3}>\s?)+/;
const ITEM = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)+/;
const FENCE = /^(\s*)(`{3,}(?=[^`]*$)|~{3,})/;
/** A line that is indented by more is no fence. */
const FENCE_INDENT_MAX = 3;
/** The words of an item are indented by so much at least. */
const ITEM_INDENT_MIN = 2;
/** Lines and the row below the names of columns: signs alone. */
const SIGNS_ALONE = /^[\s|:*_=-]+$/;
/** Signs of quotes, lists, tasks and headings before the words of a line. */
const SIGNS = /^\s*(?:>\s?)*\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)*(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?/;
const HEADING = /^(?:>\s?)*\s*#{1,6}\s/;

/**
 * The sentences of a text in Markdown, in order. A line ends a sentence, as it does where answers
 * are shown; a row of a table is one sentence; code and headings without a citation are none.
 * Numbers after the end of a sentence (`It is old. [1]`) are its own.
 */
export function sentencesOf(answer: string): Sentence[] {
  const found: { readonly sentence: Sentence; end: number }[] = [];
  for (const line of linesOf(answer)) {
    const last = found.at(-1);
    if (last !== undefined && ONLY_CITATIONS.test(line.text)) {
      last.end = line.start + line.text.length;
      continue;
    }
    for (const [from, to] of piecesOf(line.text, line.isRow)) {
      const sentence = sentenceAt(answer, line.start + from, line.start + to);
      if (/[\p{L}\p{N}]/u.test(sentence.plain)) found.push({ sentence, end: sentence.end });
    }
  }
  // Once for each, as many lines of citations alone may follow.
  return found.map(({ sentence, end }) =>
    end === sentence.end ? sentence : sentenceAt(answer, sentence.start, end),
  );
}

interface Line {
  readonly start: number;
  readonly text: string;
  readonly isRow: boolean;
}

/** The lines that say something, without the signs before them. */
function* linesOf(answer: string): Generator<Line> {
  let start = 0;
  const code = new FencedCode();
  const lines = answer.split('\n');
  for (const [at, whole] of lines.entries()) {
    const lineStart = start;
    start += whole.length + 1;
    if (code.has(whole)) continue;
    if (whole.trim() !== '' && !SIGNS_ALONE.test(whole)) {
      const line = wordsOfLine(whole, lines[at + 1] ?? '');
      if (line !== undefined) yield { ...line, start: lineStart + line.start };
    }
  }
}

interface Fence {
  readonly signs: string;
  /** Whether it ends with a quote, or an item of a list. */
  readonly isQuoted: boolean;
  readonly isInItem: boolean;
}

/**
 * Which lines are code between fences, as answers are shown (CommonMark 0.31, 4.5): a sentence that
 * is taken for code would never be checked.
 */
class FencedCode {
  #fence: Fence | undefined;
  /** Where the words of the item begin that lines may belong to; 0 outside of lists. */
  #itemIndent = 0;

  /** To be asked of each line, in order. */
  has(line: string): boolean {
    const quote = QUOTE.exec(line)?.[0] ?? '';
    const words = line.slice(quote.length);
    if (this.#fence !== undefined && !isLeft(this.#fence, quote, words)) {
      if (closes(words, this.#fence)) this.#fence = undefined;
      return true;
    }
    const sign = ITEM.exec(words)?.[0].length ?? 0;
    if (sign > 0) this.#itemIndent = sign;
    else if (/^\S/.test(words)) this.#itemIndent = 0;
    const [, { length: indent } = '', signs = ''] = FENCE.exec(words.slice(sign)) ?? [];
    const isFence = signs !== '' && indent <= FENCE_INDENT_MAX + (sign > 0 ? 0 : this.#itemIndent);
    const isInItem = this.#itemIndent > 0 && (sign > 0 || indent >= ITEM_INDENT_MIN);
    this.#fence = isFence ? { signs, isQuoted: quote !== '', isInItem } : undefined;
    return isFence;
  }
}

function isLeft({ isQuoted, isInItem }: Fence, quote: string, words: string): boolean {
  if (words.trim() === '') return false;
  const indent = words.length - words.trimStart().length;
  return (isQuoted && quote === '') || (isInItem && indent < ITEM_INDENT_MIN);
}

function closes(words: string, { signs }: Fence): boolean {
  const closing = words.trim();
  return closing.length >= signs.length && closing === signs.charAt(0).repeat(closing.length);
}

function wordsOfLine(whole: string, next: string): Line | undefined {
  const isCited = /\[\d{1,6}\]/.test(whole);
  if (HEADING.test(whole.trimStart()) && !isCited) return undefined;
  const isRow = whole.trimStart().startsWith('|') || (whole.includes('|') && next.includes('|'));
  // The names of the columns say nothing by themselves.
  if (isRow && !isCited && SIGNS_ALONE.test(next) && next.includes('|')) return undefined;
  const start = (isRow ? /^[\s|]*/ : SIGNS).exec(whole)?.[0].length ?? 0;
  const signs = isRow ? /[\s|]/ : /\s/;
  let end = whole.length;
  while (end > start && signs.test(whole.charAt(end - 1))) end--;
  const text = whole.slice(start, end);
  return text === '' ? undefined : { start, text, isRow };
}

/** Where the sentences of a line begin and end. */
function piecesOf(line: string, isRow: boolean): (readonly [from: number, to: number])[] {
  if (isRow) return [[0, line.length]];
  const pieces = joinedSegments(maskOf(line));
  return withOwnCitations(line, pieces).map(([from, to]) => trimmed(line, from, to));
}

/**
 * Where the sentences of a line of plain text begin and end: short forms, days and quotation marks
 * that are open end none.
 */
export function joinedSegments(masked: string): (readonly [from: number, to: number])[] {
  const pieces: [from: number, to: number][] = [];
  let open = 0;
  let joined = 0;
  for (const [from, to] of segmentsOf(masked)) {
    const last = pieces.at(-1);
    const before = last === undefined ? '' : masked.slice(last[0], last[1]);
    const goesOn = ABBREVIATED.test(before) || isDay(before, masked.slice(from));
    const isOpen = isQuoteOpen(before) && open < QUOTED_PIECES_MAX;
    open = isOpen ? open + 1 : 0;
    if (last !== undefined && (goesOn || isOpen) && joined < JOINED_PIECES_MAX) {
      last[1] = to;
      joined++;
    } else {
      pieces.push([from, to]);
      joined = 0;
    }
  }
  return pieces;
}

/** Numbers that come first are those of the sentence before. */
function withOwnCitations(
  line: string,
  pieces: readonly (readonly [number, number])[],
): (readonly [from: number, to: number])[] {
  const own: [from: number, to: number][] = [];
  for (const [from, to] of pieces) {
    const last = own.at(-1);
    const text = line.slice(from, to);
    const length = CITATIONS_FIRST.exec(text)?.[0].length ?? 0;
    const rest = text.slice(length);
    // "[1] says that" begins with its subject.
    if (last === undefined || length === 0 || /^\s*\p{Ll}/u.test(rest)) {
      own.push([from, to]);
      continue;
    }
    last[1] = from + length;
    if (rest.trim() !== '') own.push([from + length, to]);
  }
  return own;
}

/** The same length, with nothing inside citations, code and addresses that could end a sentence. */
function maskOf(line: string): string {
  return line.replaceAll(/\[\d{1,6}\]|`[^`]*`|https?:\/\/[^\s)\]]+/g, (found) =>
    (found.startsWith('[') ? ')' : 'x').repeat(found.length),
  );
}

function* segmentsOf(text: string): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < text.length; from += SEGMENT_UNITS_MAX) {
    const part = text.slice(from, from + SEGMENT_UNITS_MAX);
    for (const { index, segment } of SEGMENTER.segment(part)) {
      yield [from + index, from + index + segment.length];
    }
  }
}

/** Ends with a short form, or the initial of a name, whose point ends no sentence. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|[Dd]r|Mr|Mrs|Ms|Prof|St|Jr|Sr|Nos?|Nr|Fig|Vol|vol|pp?|cf|ca|approx|resp|vs|etc|bzw|[zZ]|[dDuU]|[BhaA]|Abs|Art|Sec|Inc|Ltd|Corp|Mio|Mrd|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Okt|Nov|Dec|Dez|e\.g|i\.e|M|Mme|Sra?|Dra?|núm|pág)\.\s*$/u;

/** `Am 3. Mai`: the point after a day. */
function isDay(before: string, after: string): boolean {
  return (
    /(?:^|\s)\d{1,2}\.\s*$/.test(before) &&
    /^\p{L}{3,}\.?\s+(?:\d{4})?/u.test(after) &&
    MONTH.test(after)
  );
}
const MONTH = /^(?:jan|feb|mär|mar|apr|mai|maj|may|jun|jul|aug|sep|okt|oct|nov|dez|dec|syys|loka)/i;

function isQuoteOpen(text: string): boolean {
  if ((text.match(/"/g)?.length ?? 0) % 2 === 1) return true;
  const opened = Math.max(text.lastIndexOf('“'), text.lastIndexOf('„'), text.lastIndexOf('«'));
  return opened >= 0 && !/[”“»]/.test(text.slice(opened + 1));
}

function trimmed(line: string, from: number, to: number): readonly [from: number, to: number] {
  const text = line.slice(from, to);
  const before = text.length - text.trimStart().length;
  return [from + before, from + Math.max(before, text.trimEnd().length)];
}

function sentenceAt(answer: string, start: number, end: number): Sentence {
  const text = answer.slice(start, end);
  const cites = [...new Set([...text.matchAll(CITATION)].map(([, digits]) => Number(digits)))];
  return { start, end, text, plain: plainOf(text), cites };
}

/** The words of Markdown, without its signs and the citations in it. */
export function plainOf(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^[\]]{1,1000})\]\((?:[^()\s]{0,2000})\)/g, '$1')
    .replaceAll(/\s?\[\d{1,6}\]/g, '')
    .replaceAll(/<br *\/?>/gi, ' ')
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!|~])/g, '$1')
    .replaceAll(/\*+|~~|`+|(?<![\p{L}\p{N}])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?\| ?/g, ' | ')
    .trim();
}
