import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';
import Papa from 'papaparse';

/** A row of a file: values by the name of their column. */
export type ImportRow = Readonly<Record<string, unknown>>;

export type ImportFormat = 'csv' | 'jsonl';

/** A row as it stands in a file. */
export interface FileRow {
  /** The first row is 1; the header is none. */
  readonly number: number;
  /** What could be read of it, where there is a fault. */
  readonly row: ImportRow;
  /** Why it cannot be read as it is; the rows after it can. */
  readonly fault?: string;
}

/** A file that somebody chose, and its first rows. */
export interface ChosenFile {
  readonly file: File;
  readonly format: ImportFormat;
  readonly rows: readonly FileRow[];
}

export interface RowBatch {
  readonly rows: readonly FileRow[];
  /** How much of the file is read so far. */
  readonly bytesRead: number;
}

/** The longest row or line of JSON: it becomes a line of ingestion. */
export const ROW_CHARACTERS_MAX = NDJSON_LINE_BYTES_MAX;

/** A file that cannot be read any further. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

export function formatOf(fileName: string): ImportFormat {
  return /\.(?:jsonl|ndjson|json)$/i.test(fileName) ? 'jsonl' : 'csv';
}

/** The first rows, for the preview. */
export async function previewRows(
  file: File,
  format: ImportFormat,
  count: number,
): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for await (const batch of readRows(file, format, count)) {
    rows.push(...batch.rows);
    if (rows.length >= count) break;
  }
  return rows.slice(0, count);
}

/**
 * All rows, in batches of at most `batchRows`, read as they are asked for: the file may be larger
 * than the memory of the page. Throws `ImportFileError` where the file cannot be read any further.
 */
export async function* readRows(
  file: File,
  format: ImportFormat,
  batchRows: number,
): AsyncGenerator<RowBatch, void, undefined> {
  let rows: FileRow[] = [];
  for await (const { bytesRead, ...row } of format === 'csv' ? csvRows(file) : jsonRows(file)) {
    rows.push(row);
    if (rows.length < batchRows) continue;
    yield { rows, bytesRead };
    rows = [];
  }
  if (rows.length > 0) yield { rows, bytesRead: file.size };
}

interface ReadRow extends FileRow {
  readonly bytesRead: number;
}

/** The name under which a line is kept that is no object. */
const UNREADABLE_COLUMN = 'Line';

async function* jsonRows(file: File): AsyncGenerator<ReadRow, void, undefined> {
  let number = 0;
  for await (const { text, bytesRead } of linesOf(file)) {
    if (text.trim() === '') continue;
    yield { ...parsedLine(text, ++number), bytesRead };
  }
}

function parsedLine(text: string, number: number): FileRow {
  const unread = { number, row: { [UNREADABLE_COLUMN]: text } };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...unread, fault: `Row ${number} is not JSON` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ...unread, fault: `Row ${number} is not a JSON object` };
  }
  return { number, row: value as ImportRow };
}

/** Quoted fields may hold line breaks, so the rows are split by the parser and not by lines. */
async function* csvRows(file: File): AsyncGenerator<ReadRow, void, undefined> {
  const splitter = new CsvSplitter();
  let header: string[] | undefined;
  let number = 0;
  const named = (row: readonly string[], bytesRead: number): ReadRow | undefined => {
    if (header !== undefined) return { ...namedRow(header, row, ++number), bytesRead };
    header = headerOf(row);
    return undefined;
  };
  for await (const { text, bytesRead } of chunksOf(file)) {
    for (const cells of splitter.push(text)) {
      const row = named(cells, bytesRead);
      if (row !== undefined) yield row;
    }
  }
  for (const cells of splitter.end()) {
    const row = named(cells, file.size);
    if (row !== undefined) yield row;
  }
}

/**
 * How a file separates its cells and its lines: the parser is told, as each piece alone might look
 * otherwise.
 */
interface Dialect {
  readonly delimiter: string;
  readonly newline: '\n' | '\r\n';
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The line of the names tells: names rarely hold delimiters, and quoted ones do not count. */
function dialectOf(text: string): Dialect {
  const unquoted = text.replaceAll(/"[^"]*"/g, '');
  const line = unquoted.split('\n', 1)[0] ?? '';
  const count = (delimiter: string) => line.split(delimiter).length;
  const delimiter = DELIMITERS.toSorted((left, right) => count(right) - count(left))[0] ?? ',';
  return { delimiter, newline: line.endsWith('\r') ? '\r\n' : '\n' };
}

/** Splits a text that comes in pieces into rows of cells. */
class CsvSplitter {
  #dialect: Dialect | undefined;
  #rest = '';
  /**
   * A row that goes on is looked at again when it is twice as long, or else a long one would take
   * for ever.
   */
  #triedCharacters = 0;

  /** The rows that are whole: the last one may go on in the next piece. */
  push(text: string): string[][] {
    const all = this.#rest + text;
    this.#rest = all;
    if (all.length < 2 * this.#triedCharacters) return [];
    const rows = this.#split(all);
    this.#triedCharacters = rows.length > 0 ? 0 : all.length;
    checkLength(this.#rest);
    return rows.filter(hasCells);
  }

  #split(all: string): string[][] {
    if (this.#dialect === undefined && !all.replaceAll(/"[^"]*"?/g, '').includes('\n')) return [];
    const rows: string[][] = [];
    let last: { row: string[]; end: number } | undefined;
    let wholeEnd = 0;
    Papa.parse<string[]>(all, {
      ...this.#dialectOf(all),
      step: ({ data, meta }) => {
        if (last !== undefined) {
          rows.push(last.row);
          wholeEnd = last.end;
        }
        last = { row: data, end: meta.cursor };
      },
    });
    this.#rest = all.slice(wholeEnd);
    return rows;
  }

  end(): string[][] {
    const { data } = Papa.parse<string[]>(this.#rest, this.#dialectOf(this.#rest));
    return data.filter(hasCells);
  }

  #dialectOf(text: string): Dialect {
    this.#dialect ??= dialectOf(text);
    return this.#dialect;
  }
}

/**
 * With a quote that nobody has closed all the rest of a file is one row, and without line breaks
 * one line.
 */
function checkLength(rest: string): void {
  if (rest.length <= ROW_CHARACTERS_MAX) return;
  throw new ImportFileError(
    `A row is longer than ${ROW_CHARACTERS_MAX} characters: is a quote not closed?`,
  );
}

/** An empty line is no row. */
function hasCells(row: readonly string[]): boolean {
  return row.length > 1 || (row[0] ?? '') !== '';
}

function headerOf(row: readonly string[]): string[] {
  const names = row.map((name) => name.trim());
  const empty = names.indexOf('');
  if (empty >= 0) throw new ImportFileError(`Column ${empty + 1} has no name in the first row`);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new ImportFileError(`Two columns are called “${repeated}”`);
  return names;
}

/** Cells beyond the columns are kept by their number. */
function namedRow(header: readonly string[], cells: readonly string[], number: number): FileRow {
  const row = Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
  if (cells.length <= header.length) return { number, row };
  cells.slice(header.length).forEach((cell, at) => {
    row[`Column ${header.length + at + 1}`] = cell;
  });
  const fault = `Row ${number} has ${cells.length} values, and there are ${header.length} columns`;
  return { number, row, fault };
}

async function* linesOf(
  file: File,
): AsyncGenerator<{ text: string; bytesRead: number }, void, undefined> {
  let rest = '';
  for await (const { text, bytesRead } of chunksOf(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    checkLength(rest);
    for (const line of lines) yield { text: line, bytesRead };
  }
  if (rest !== '') yield { text: rest, bytesRead: file.size };
}

async function* chunksOf(
  file: File,
): AsyncGenerator<{ text: string; bytesRead: number }, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array<ArrayBuffer>): string => {
    try {
      const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      if (!text.includes('\0')) return text;
    } catch {
      // Told below, as it is told of the other files that are no text.
    }
    throw new ImportFileError('The file is not text in UTF-8: save it as that and try again');
  };
  let bytesRead = 0;
  for await (const bytes of file.stream()) {
    bytesRead += bytes.length;
    yield { text: decode(bytes), bytesRead };
  }
  yield { text: decode(), bytesRead };
}
