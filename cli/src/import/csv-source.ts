import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { CsvFault, CsvRows, type CsvRow } from './csv-rows.ts';
import { parseFieldText } from './field-text.ts';
import type { ImportItem, ImportSource, RejectFormat } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import type { RecordMapping } from './record-mapping.ts';
import { SchemaGrowth } from './schema-growth.ts';

/** How much of wrong headings a message shows. */
const SHOWN_CHARACTERS = 2_000;

export interface CsvOptions {
  /** The server's schema. */
  readonly known: SchemaDocument;
  readonly createSchema: boolean;
  readonly delimiter: string;
}

/**
 * A CSV file with headings: a node a row. A column's type is the one of the command line, else of
 * the server, else String.
 */
export function csvSource(
  file: InputFile,
  mapping: RecordMapping,
  { known, createSchema, delimiter }: CsvOptions,
): ImportSource {
  if (delimiter === '' || /["\r\n]/.test(delimiter)) {
    throw new WrongUsage('--delimiter: neither nothing, nor a quote or a line break');
  }
  const growth = new SchemaGrowth(mapping, known);
  const declare = (columns: readonly string[]): void => {
    for (const column of columns.filter((name) => mapping.isField(name))) {
      const field = mapping.fieldName(column);
      growth.declare(field, mapping.typeOf(column) ?? growth.typeOf(field) ?? 'String');
    }
  };
  const convert = (column: string, value: unknown): unknown => {
    const text = String(value);
    if (text === '') return null;
    try {
      const type = growth.typeOf(mapping.fieldName(column)) ?? 'String';
      return parseFieldText(type, text, mapping.listSeparator);
    } catch (error) {
      throw new Error(`${column}: ${(error as Error).message}`, { cause: error });
    }
  };
  let headings: readonly string[] = [];
  return {
    name: file.name,
    identity: file.identity,
    rejects: rejectsOf(delimiter, () => headings),
    async *items() {
      let columns: readonly string[] | undefined;
      for await (const rows of readRows(file, delimiter)) {
        if (columns === undefined) {
          columns = checkHeadings(rows.shift()?.cells ?? [], mapping, file.name);
          declare(columns);
          headings = columns;
        }
        yield rows.flatMap((row) => itemsOf(row, headings, mapping, convert));
      }
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    takeSchema: () => (createSchema ? growth.take() : undefined),
    locate: (line) => `${file.name}:${line}`,
  };
}

/**
 * The line and the reason stand before the cells, as a row may have more of them than there are
 * columns.
 */
function rejectsOf(delimiter: string, headings: () => readonly string[]): RejectFormat {
  const line = (cells: readonly string[]): string => {
    const quoted = (cell: string): string =>
      /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
    return `${cells.map(quoted).join(delimiter)}\n`;
  };
  return {
    head: () => line(['Line', 'Reason', ...headings()]),
    line: ({ place, reason, row }) =>
      line([String(place), reason, ...(typeof row === 'string' ? [row] : row)]),
  };
}

/** The headings are a row too, the first one. */
async function* readRows(
  file: InputFile,
  delimiter: string,
): AsyncGenerator<CsvRow[], void, undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const reader = new CsvRows(delimiter);
  const fail = (line: number, what: string, cause?: unknown): CommandFailure =>
    new CommandFailure(`${file.name}:${line}: ${what}`, { cause });
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? utf8.decode() : utf8.decode(chunk, { stream: true });
    } catch (cause) {
      throw fail(reader.line, 'not valid UTF-8, here or soon after', cause);
    }
  };
  try {
    for await (const chunk of file.chunks()) {
      const text = decode(chunk);
      const nul = text.indexOf('\0');
      if (nul >= 0) {
        // What stands before it is read first: it may have a fault of its own, and says which line
        // this is.
        const before = reader.push(text.slice(0, nul));
        if (before.length > 0) yield before;
        throw fail(reader.line, 'a character 0, which no text has; the file must be in UTF-8');
      }
      const rows = reader.push(text);
      if (rows.length > 0) yield rows;
    }
    yield [...reader.push(decode()), ...reader.end()];
  } catch (error) {
    if (error instanceof CsvFault) throw fail(error.line, error.message, error);
    throw error;
  }
}

function checkHeadings(
  columns: readonly string[],
  mapping: RecordMapping,
  name: string,
): readonly string[] {
  const missing = mapping.namedColumns().filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    const hint = `Its columns are: ${columns.join(', ').slice(0, SHOWN_CHARACTERS)}`;
    throw new WrongUsage(`${name} has no column "${missing.join('", "')}"`, hint);
  }
  const fields = columns.filter((column) => mapping.isField(column));
  const names = fields.map((column) => mapping.fieldName(column));
  const twice = names.find((field, i) => names.indexOf(field) !== i);
  if (twice !== undefined) {
    throw new WrongUsage(
      `${name} has two columns for the field "${twice}"`,
      'Use --rename COLUMN:FIELD.',
    );
  }
  return columns;
}

function itemsOf(
  { cells, line: place }: CsvRow,
  columns: readonly string[],
  mapping: RecordMapping,
  convert: (column: string, value: unknown) => unknown,
): ImportItem[] {
  if (cells.length !== columns.length) {
    const problem = `${cells.length} cells, but there are ${columns.length} columns`;
    return [{ place, row: cells, problem }];
  }
  try {
    const named = Object.fromEntries(columns.map((column, i) => [column, cells[i]]));
    const operations = mapping.operations(named, convert);
    return operations.map((operation) => ({ place, row: cells, operation }));
  } catch (error) {
    return [{ place, row: cells, problem: (error as Error).message }];
  }
}
