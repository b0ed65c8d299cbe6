import { graphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { ImportItem, ImportSource } from './import-source.ts';
import type { InputFile } from './input-file.ts';
import { type Line, readLines } from './lines.ts';

/** A file with one operation of ingestion a line. */
export function ndjsonSource(file: InputFile): ImportSource {
  return {
    name: file.name,
    identity: file.identity,
    async *items() {
      for await (const lines of readLines(file)) yield lines.map(itemOf);
    },
    progress: () => ({ done: file.bytesRead, total: file.bytesTotal }),
    takeSchema: () => undefined,
    locate: (line) => `${file.name}:${line}`,
  };
}

function itemOf({ text, number }: Line): ImportItem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { place: number, problem: `not valid JSON: ${(error as SyntaxError).message}` };
  }
  const checked = graphOperation.safeParse(value);
  if (checked.success) return { place: number, operation: checked.data, json: text };
  const [issue] = checked.error.issues;
  const path = issue?.path.join('.') ?? '';
  return {
    place: number,
    problem: `${path === '' ? '' : `${path}: `}${issue?.message ?? 'invalid'}`,
  };
}
