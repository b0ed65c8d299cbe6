import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CommandFailure } from '../failure.ts';
import type { ImportSource, ReadProgress } from './import-source.ts';

/** Operations that are sent in one request and acknowledged together. */
export interface ImportBatch {
  /** In parts. */
  readonly body: readonly Uint8Array[];
  readonly operations: number;
  /** The place of each operation in the source. */
  readonly places: readonly number[];
  /** To be put before. */
  readonly schema: SchemaDocument | undefined;
  /** How far the source was read when the batch was full. */
  readonly progress: ReadProgress;
}

/**
 * An import is many requests of five commits each, one after the other, and not one stream: each
 * answer says exactly what is durable, which is what progress and resuming are made of, and a
 * request that was lost is sent again as a whole, which every operation of an import allows. The
 * next batch is made while one is on its way, so the server hardly waits.
 */
export const BATCH_OPERATIONS_MAX = 50_000;
const BATCH_CHARACTERS_MAX = 16 * 1024 * 1024;
/**
 * So many at a time become bytes: a batch of strings would be moved about by each collection of
 * garbage.
 */
const ENCODED_OPERATIONS = 1_000;

/**
 * Skips the operations that are acknowledged already. Throws at the first place that gives no
 * operation.
 */
export async function* importBatches(
  source: ImportSource,
  skip: number,
): AsyncGenerator<ImportBatch, void, undefined> {
  const encoder = new TextEncoder();
  let body: Uint8Array[] = [];
  let lines: string[] = [];
  let places: number[] = [];
  let characters = 0;
  let seen = 0;
  const encode = (): void => {
    if (lines.length > 0) body.push(encoder.encode(`${lines.join('\n')}\n`));
    lines = [];
  };
  const take = (): ImportBatch => {
    encode();
    const batch = {
      body,
      operations: places.length,
      places,
      schema: source.takeSchema(),
      progress: source.progress(),
    };
    [body, places, characters] = [[], [], 0];
    return batch;
  };
  for await (const items of source.items()) {
    for (const item of items) {
      if (item.problem !== undefined) {
        throw new CommandFailure(`${source.locate(item.place)}: ${item.problem}`);
      }
      if (++seen <= skip) continue;
      const line = item.json ?? JSON.stringify(item.operation);
      lines.push(line);
      places.push(item.place);
      characters += line.length;
      if (lines.length >= ENCODED_OPERATIONS) encode();
      if (places.length >= BATCH_OPERATIONS_MAX || characters >= BATCH_CHARACTERS_MAX) yield take();
    }
  }
  if (places.length > 0) yield take();
}
