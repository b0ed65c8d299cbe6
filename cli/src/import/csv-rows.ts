import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';

/** One row of a CSV file. */
export interface CsvRow {
  readonly cells: readonly string[];
  /** On which it begins and ends, from 1: quoted cells may have line breaks. */
  readonly firstLine: number;
  readonly line: number;
}

/** A text that is no CSV, at a line of it. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * A row becomes a line of ingestion; after a quote that is not closed, the rest of a file is one.
 */
export const CSV_ROW_CHARACTERS_MAX = NDJSON_LINE_BYTES_MAX;
export const CSV_CELLS_MAX = 10_000;

const QUOTE = '"';
const UNCLOSED_HINT = 'a quote that opens a cell is not closed';

/**
 * Splits text that comes in parts into rows as RFC 4180 has them; lines may also end as on Windows
 * or on old Macs. Lines without anything are left out. A row without a quote, as most are, is split
 * by what the engine has for that, which is much quicker than looking at each character. Keeps no
 * more than one row. Throws `CsvFault`.
 */
export class CsvRows {
  readonly #delimiter: string;
  #rest = '';
  #line = 1;
  /** How lines end; known after the first line. */
  #lineEnd: '\n' | '\r' | undefined;

  /** The delimiter is not empty, and has neither quotes nor line breaks. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** On which the next row begins. */
  get line(): number {
    return this.#line;
  }

  /** The rows that are whole: the last one may go on. */
  push(text: string): CsvRow[] {
    return this.#read(this.#rest + text, false);
  }

  /** The last row, when no line break has ended it. */
  end(): CsvRow[] {
    return this.#read(this.#rest, true);
  }

  #read(text: string, isEnd: boolean): CsvRow[] {
    const rows: CsvRow[] = [];
    this.#lineEnd ??= findLineEnd(text, isEnd);
    if (this.#lineEnd === undefined) this.#keep(text);
    else this.#keep(text.slice(this.#take(text, { isEnd, lineEnd: this.#lineEnd, rows })));
    return rows;
  }

  /** Answers where the row begins that goes on. */
  #take(text: string, { isEnd, lineEnd, rows }: Taking): number {
    let at = 0;
    let quote = text.indexOf(QUOTE);
    while (at < text.length) {
      if (quote >= 0 && quote < at) quote = text.indexOf(QUOTE, at);
      const found = text.indexOf(lineEnd, at);
      if (found < 0 && !isEnd) break;
      const end = found < 0 ? text.length : found;
      if (quote >= 0 && quote < end) {
        const row = new QuotedRow(text, { at, isEnd, line: this.#line, lineEnd }).read(
          this.#delimiter,
        );
        if (row === undefined) break;
        rows.push(this.#checked(row));
        at = row.next;
        this.#line = row.line + 1;
        continue;
      }
      const isWindows = lineEnd === '\n' && text.charCodeAt(end - 1) === 13 && end > at;
      const line = text.slice(at, isWindows ? end - 1 : end);
      const number = this.#line++;
      at = end + 1;
      if (line === '') continue;
      const cells = line.split(this.#delimiter);
      rows.push(this.#checked({ cells, firstLine: number, line: number }));
    }
    return at;
  }

  #checked(row: CsvRow): CsvRow {
    if (row.cells.length <= CSV_CELLS_MAX) return row;
    throw new CsvFault(
      row.firstLine,
      `a row of ${row.cells.length} cells; there may be ${CSV_CELLS_MAX}`,
    );
  }

  #keep(rest: string): void {
    this.#rest = rest;
    if (this.#rest.length <= CSV_ROW_CHARACTERS_MAX) return;
    const why = this.#rest.includes(QUOTE) ? UNCLOSED_HINT : 'there is no line break';
    throw new CsvFault(
      this.#line,
      `a row of more than ${CSV_ROW_CHARACTERS_MAX} characters: ${why}`,
    );
  }
}

/** The first line break outside quotes tells for all; undefined while it is not seen. */
function findLineEnd(text: string, isEnd: boolean): '\n' | '\r' | undefined {
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '\n') return '\n';
    if (character !== '\r') continue;
    if (i + 1 < text.length) return text[i + 1] === '\n' ? '\n' : '\r';
    return isEnd ? '\r' : undefined;
  }
  return isEnd ? '\n' : undefined;
}

interface Taking {
  readonly isEnd: boolean;
  readonly lineEnd: '\n' | '\r';
  readonly rows: CsvRow[];
}

interface RowPlace {
  readonly at: number;
  readonly isEnd: boolean;
  readonly line: number;
  readonly lineEnd: '\n' | '\r';
}

/** A row that has quotes, cell by cell. */
class QuotedRow {
  readonly #text: string;
  readonly #isEnd: boolean;
  readonly #lineEnd: '\n' | '\r';
  readonly #firstLine: number;
  #at: number;
  #line: number;

  constructor(text: string, { at, isEnd, line, lineEnd }: RowPlace) {
    this.#text = text;
    this.#isEnd = isEnd;
    this.#lineEnd = lineEnd;
    this.#firstLine = line;
    this.#line = line;
    this.#at = at;
  }

  /** Undefined when the row goes on after the text. `next` is where the next row begins. */
  read(delimiter: string): (CsvRow & { readonly next: number }) | undefined {
    const cells: string[] = [];
    for (;;) {
      const isQuoted = this.#text.startsWith(QUOTE, this.#at);
      const cell = isQuoted ? this.#quotedCell() : this.#plainCell(delimiter);
      if (cell === undefined) return undefined;
      cells.push(cell);
      if (cells.length > CSV_CELLS_MAX) break;
      if (this.#text.startsWith(delimiter, this.#at)) {
        this.#at += delimiter.length;
        continue;
      }
      // A delimiter or a line break of several characters may go on after the text.
      if (!this.#isEnd && this.#at + Math.max(2, delimiter.length) > this.#text.length) {
        if (!this.#text.startsWith(this.#lineEnd, this.#at)) return undefined;
      }
      if (this.#lineEnd === '\n' && this.#text.startsWith('\r\n', this.#at)) this.#at++;
      const isAtEnd = this.#at >= this.#text.length;
      if (!isAtEnd && !this.#text.startsWith(this.#lineEnd, this.#at)) {
        throw new CsvFault(this.#line, 'there is something after the quote that closes a cell');
      }
      break;
    }
    return { cells, firstLine: this.#firstLine, line: this.#line, next: this.#at + 1 };
  }

  #quotedCell(): string | undefined {
    const text = this.#text;
    const start = this.#at + 1;
    let hasQuotes = false;
    for (let at = start; ;) {
      const quote = text.indexOf(QUOTE, at);
      if (quote < 0 || (quote + 1 === text.length && !this.#isEnd)) {
        if (quote < 0 && this.#isEnd) throw new CsvFault(this.#firstLine, UNCLOSED_HINT);
        return undefined;
      }
      if (text.startsWith(QUOTE, quote + 1)) {
        hasQuotes = true;
        at = quote + 2;
        continue;
      }
      this.#at = quote + 1;
      const cell = text.slice(start, quote);
      for (let i = cell.indexOf(this.#lineEnd); i >= 0; i = cell.indexOf(this.#lineEnd, i + 1)) {
        this.#line++;
      }
      return hasQuotes ? cell.replaceAll('""', QUOTE) : cell;
    }
  }

  #plainCell(delimiter: string): string | undefined {
    const text = this.#text;
    const start = this.#at;
    const lineBreak = text.indexOf(this.#lineEnd, start);
    if (lineBreak < 0 && !this.#isEnd) return undefined;
    let end = lineBreak < 0 ? text.length : lineBreak;
    if (this.#lineEnd === '\n' && lineBreak > start && text[lineBreak - 1] === '\r') end--;
    const next = text.indexOf(delimiter, start);
    if (next >= 0 && next < end) end = next;
    this.#at = end;
    const cell = text.slice(start, end);
    if (!cell.includes(QUOTE)) return cell;
    throw new CsvFault(
      this.#line,
      'a quote within a cell that has none around it; in quotes it is written twice',
    );
  }
}
