import { pipeline } from 'node:stream';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CsvError, type Info, parse } from 'csv-parse';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { parseFieldText } from './field-text.ts';
import type { ImportItem, ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import type { RecordMapping } from './record-mapping.ts';
import { SchemaGrowth } from './schema-growth.ts';

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: Info & { readonly error?: CsvError };
}

/** Rows that go on together. */
const GROUP_ROWS = 1_000;

export interface CsvOptions {
  /** The server's schema. */
  readonly known: SchemaDocument;
  readonly createSchema: boolean;
  readonly delimiter: string;
}

/** A CSV file with headings: a node a row. A column's type is the one of the command line, else of the server, else String. */
export function csvSource(
  file: InputFile,
  mapping: RecordMapping,
  { known, createSchema, delimiter }: CsvOptions,
): ImportSource {
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
  return {
    name: file.name,
    identity: file.identity,
    async *items() {
      let columns: readonly string[] | undefined;
      for await (const rows of readRows(file, delimiter)) {
        if (columns === undefined) {
          columns = checkHeadings(rows.shift()?.record ?? [], mapping, file.name);
          declare(columns);
        }
        const headings = columns;
        yield rows.flatMap((row) => itemsOf(row, headings, mapping, convert));
      }
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    takeSchema: () => (createSchema ? growth.take() : undefined),
    locate: (line) => `${file.name}:${line}`,
  };
}

/** The headings are a row too, the first one. */
async function* readRows(
  file: InputFile,
  delimiter: string,
): AsyncGenerator<ParsedRow[], void, undefined> {
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
  });
  let rows: ParsedRow[] = [];
  try {
    // What goes wrong comes out of the reading end: there is nothing left to do for the callback.
    const parsed: AsyncIterable<ParsedRow> = pipeline(file.chunks(), parser, () => {});
    for await (const row of parsed) {
      rows.push(row);
      if (rows.length < GROUP_ROWS) continue;
      yield rows;
      rows = [];
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new CommandFailure(`${file.name}: ${cause.message}`, { cause });
  }
  if (rows.length > 0) yield rows;
}

function checkHeadings(
  columns: readonly string[],
  mapping: RecordMapping,
  name: string,
): readonly string[] {
  const missing = mapping.namedColumns().filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    const hint = `Its columns are: ${columns.join(', ')}`;
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
  { record, info }: ParsedRow,
  columns: readonly string[],
  mapping: RecordMapping,
  convert: (column: string, value: unknown) => unknown,
): ImportItem[] {
  const place = info.lines;
  if (record.length !== columns.length) {
    return [{ place, problem: `${record.length} cells, but there are ${columns.length} columns` }];
  }
  try {
    const named = Object.fromEntries(columns.map((column, i) => [column, record[i]]));
    const operations = mapping.operations(named, convert);
    return operations.map((operation) => ({ place, operation }));
  } catch (error) {
    return [{ place, problem: (error as Error).message }];
  }
}
