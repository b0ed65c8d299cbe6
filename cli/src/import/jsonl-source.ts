import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ImportItem, ImportSource, RejectFormat } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import type { InputRecord, RecordMapping } from './record-mapping.ts';
import { ToldSchema } from './told-schema.ts';
import { SchemaGrowth } from './schema-growth.ts';
import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { CommandFailure } from '../failure.ts';
import { graphOperation } from '@trellis/contract/shapes/graph-operation.ts';

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/**
 * The lines of a text file, without blank ones, in groups as they are read. Line ends may be those
 * of Windows.
 */
export async function* readLines(file: InputFile): AsyncGenerator<Line[], void, undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let rest = '';
  const split = (text: string): Line[] => {
    const lines: Line[] = [];
    for (const line of text.split('\n')) {
      number++;
      const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (trimmed.trim() !== '') lines.push({ text: trimmed, number });
    }
    return lines;
  };
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? utf8.decode() : utf8.decode(chunk, { stream: true });
    } catch (cause) {
      const place = `${file.name}:${number + 1}`;
      throw new CommandFailure(`${place}: not valid UTF-8, here or soon after`, { cause });
    }
  };
  for await (const chunk of file.chunks()) {
    const text = rest + decode(chunk);
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (end >= 0) yield split(text.slice(0, end));
    if (rest.length > NDJSON_LINE_BYTES_MAX) {
      throw new CommandFailure(
        `${file.name}:${number + 1}: a line of more than ${NDJSON_LINE_BYTES_MAX} characters`,
      );
    }
  }
  rest += decode();
  if (rest !== '') yield split(rest);
}

/** The text of the line may not be JSON, so it is a string. */
export const LINES_OF_TEXT: RejectFormat = {
  head: () => '',
  line: ({ place, reason, row }) => `${JSON.stringify({ line: place, reason, text: row })}\n`,
};

/**
 * A file with one JSON object a line: a node each. `known` is the server's schema; types are
 * created and widened as values ask for it when `createSchema`.
 */
export function jsonlSource(
  file: InputFile,
  mapping: RecordMapping,
  { known, createSchema }: { readonly known: SchemaDocument; readonly createSchema: boolean },
): ImportSource {
  const growth = new SchemaGrowth(mapping, known);
  const convert = (column: string, value: unknown): unknown => {
    const field = mapping.fieldName(column);
    const type = mapping.typeOf(column);
    if (type === undefined) growth.observe(field, value);
    else growth.declare(field, type);
    // Neither null nor an empty list tells a type; where the field is not known there is nothing
    // that they could remove.
    return growth.typeOf(field) === undefined ? undefined : value;
  };
  return {
    name: file.name,
    identity: file.identity,
    rejects: LINES_OF_TEXT,
    async *items() {
      for await (const lines of readLines(file)) {
        yield lines.flatMap((line) => itemsOf(line, mapping, convert));
      }
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    takeSchema: () => (createSchema ? growth.take() : undefined),
    locate: (line) => `${file.name}:${line}`,
  };
}

function itemsOf(
  { text, number }: Line,
  mapping: RecordMapping,
  convert: (column: string, value: unknown) => unknown,
): ImportItem[] {
  try {
    const operations = mapping.operations(parseObject(text), convert);
    return operations.map((operation) => ({ place: number, row: text, operation }));
  } catch (error) {
    return [{ place: number, row: text, problem: (error as Error).message }];
  }
}

function parseObject(text: string): InputRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`not valid JSON: ${(error as SyntaxError).message}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('not a JSON object');
  }
  return value as InputRecord;
}

/**
 * A file with one operation of ingestion a line. As in exports, `{"op": "schema", "schema": {...}}`
 * may stand before operations that need it.
 */
export function ndjsonSource(file: InputFile): ImportSource {
  const schema = new ToldSchema();
  return {
    name: file.name,
    identity: file.identity,
    rejects: LINES_OF_TEXT,
    async *items() {
      for await (const lines of readLines(file)) {
        yield lines.map((line) => itemOf(line, schema)).filter((item) => item !== undefined);
      }
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    tellsSchema: true,
    takeSchema: () => schema.take(),
    locate: (line) => `${file.name}:${line}`,
  };
}

/** Undefined of a line that tells of the schema. */
function itemOf({ text, number }: Line, schema: ToldSchema): ImportItem | undefined {
  const faulty = (problem: string): ImportItem => ({ place: number, row: text, problem });
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (isSchemaLine(value)) return void schema.add(value.schema);
  } catch (error) {
    const { message } = error as Error;
    return faulty(error instanceof SyntaxError ? `not valid JSON: ${message}` : message);
  }
  const checked = graphOperation.safeParse(value);
  if (checked.success) return { place: number, row: text, operation: checked.data, json: text };
  const [issue] = checked.error.issues;
  const path = issue?.path.join('.') ?? '';
  return faulty(`${path === '' ? '' : `${path}: `}${issue?.message ?? 'invalid'}`);
}

function isSchemaLine(value: unknown): value is { readonly schema?: unknown } {
  return typeof value === 'object' && value !== null && 'op' in value && value.op === 'schema';
}
