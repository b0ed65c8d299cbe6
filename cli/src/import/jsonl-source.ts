import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { ImportItem, ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { type Line, readLines } from './lines.ts';
import type { InputRecord, RecordMapping } from './record-mapping.ts';
import { SchemaGrowth } from './schema-growth.ts';

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
    return operations.map((operation) => ({ place: number, operation }));
  } catch (error) {
    return [{ place: number, problem: (error as Error).message }];
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
