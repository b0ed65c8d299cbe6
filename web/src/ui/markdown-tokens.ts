import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from 'marked';

/** Longer texts are Markdown up to here; the rest is shown as it was written. */
export const MARKDOWN_CHARACTERS_MAX = 50_000;
/** How deep lists and quotes nest; a deeper one is a line of text with its sign. */
export const MARKDOWN_BLOCK_DEPTH_MAX = 6;
/** How deep emphasis nests; what is deeper keeps its signs. */
export const MARKDOWN_INLINE_DEPTH_MAX = 4;
/**
 * Tables after these cells are lines of text: a short row gets all its cells, so few letters make
 * many.
 */
export const MARKDOWN_TABLE_CELLS_MAX = 5_000;
/** Marks are paired within this many characters: the search for a pair can read all of them. */
const INLINE_CHARACTERS_MAX = 1_000;

/**
 * The parts of a text in Markdown (GFM), read with the lexer of `marked`. Links, pictures and HTML
 * are no parts: they stay text, as written. The work grows with the length of the text, not with
 * its square, whoever wrote it; a text that is still coming in, such as an open fence, is fine.
 */
export function markdownTokens(text: string): readonly MarkedToken[] {
  const end = endOfMarkdown(text);
  const tokens = read(text.slice(0, end));
  if (end < text.length) tokens.push(textToken(text.slice(end)));
  return known(tokens);
}

function read(text: string): Token[] {
  try {
    return [...new BoundedLexer().lex(text)];
  } catch {
    // The lexer fails on some texts, such as one list in a quote. A page without this text is
    // worse.
    return [textToken(text)];
  }
}

/** The lexer has no extensions, so that it makes no other kinds of tokens. */
export function known(tokens: readonly Token[]): readonly MarkedToken[] {
  return tokens as readonly MarkedToken[];
}

function endOfMarkdown(text: string): number {
  if (text.length <= MARKDOWN_CHARACTERS_MAX) return text.length;
  const line = text.lastIndexOf('\n', MARKDOWN_CHARACTERS_MAX);
  return line === -1 ? MARKDOWN_CHARACTERS_MAX : line;
}

function textToken(text: string): Tokens.Text {
  return { type: 'text', raw: text, text };
}

class BoundedLexer extends Lexer {
  #inlineDepth = 0;

  constructor() {
    super({ gfm: true, breaks: true, tokenizer: new PlainTokenizer() });
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth === MARKDOWN_INLINE_DEPTH_MAX) {
      tokens.push(textToken(text));
      return tokens;
    }
    this.#inlineDepth++;
    for (const piece of piecesOf(text)) super.inlineTokens(piece, tokens);
    this.#inlineDepth--;
    return tokens;
  }
}

/** Cut after a line or a word where that is possible. */
function* piecesOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > INLINE_CHARACTERS_MAX) {
    const piece = text.slice(start, start + INLINE_CHARACTERS_MAX);
    const cut = Math.max(piece.lastIndexOf('\n'), piece.lastIndexOf(' ')) + 1;
    const length = cut > 0 ? cut : piece.length;
    yield piece.slice(0, length);
    start += length;
  }
  yield text.slice(start);
}

/**
 * Knows no links, no HTML, and no headings that are underlined: a list that comes in looks like
 * one.
 */
class PlainTokenizer extends Tokenizer {
  #blockDepth = 0;
  #cells = 0;

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(source));
  }

  override list(source: string): Tokens.List | undefined {
    return this.#nested(() => super.list(source));
  }

  override table(source: string): Tokens.Table | undefined {
    if (this.#cells > MARKDOWN_TABLE_CELLS_MAX) return undefined;
    const [match, , delimiters = '', rows = ''] = this.rules.block.table.exec(source) ?? [];
    if (match === undefined) return undefined;
    this.#cells += delimiters.split('|').length * (rows.split('\n').length + 1);
    if (this.#cells <= MARKDOWN_TABLE_CELLS_MAX) return super.table(source);
    // Each line of a paragraph would be tried as the head of a table that has all lines after it.
    const { paragraph } = Lexer.rules.block.normal;
    this.rules = { ...this.rules, block: { ...this.rules.block, paragraph } };
    return undefined;
  }

  override def(): undefined {}
  override html(): undefined {}
  override lheading(): undefined {}
  override link(): undefined {}
  override reflink(): undefined {}
  override autolink(): undefined {}
  override url(): undefined {}
  override tag(): undefined {}

  /** In the cell of a table there is no other way to break a line than this element. */
  override br(source: string): Tokens.Br | undefined {
    const [raw] = /^<br *\/?>/i.exec(source) ?? [];
    return raw === undefined ? super.br(source) : { type: 'br', raw };
  }

  #nested<T>(tokenOf: () => T): T | undefined {
    if (this.#blockDepth === MARKDOWN_BLOCK_DEPTH_MAX) return undefined;
    this.#blockDepth++;
    const token = tokenOf();
    this.#blockDepth--;
    return token;
  }
}
