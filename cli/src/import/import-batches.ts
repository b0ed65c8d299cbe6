import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { CommandFailure } from '../failure.ts';
import type { ImportItem, ImportSource, ReadProgress, Reject, SourceRow } from './import-source.ts';

/** Operations that are sent in one request and acknowledged together. */
export interface ImportBatch {
  /** In parts. */
  readonly body: readonly Uint8Array[];
  readonly operations: number;
  /** The place of each operation in the source. */
  readonly places: readonly number[];
  /** The row of each operation; none where rows are not skipped. */
  readonly rows: readonly SourceRow[];
  /** Rows that give no operation, since the batch before. */
  readonly rejects: readonly Reject[];
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
/**
 * Where rows are skipped each batch is one commit, of whole rows: a row that the server refuses
 * leaves nothing behind. One of more operations than this goes in several.
 */
const SKIPPING_OPERATIONS_MAX = INGEST_COMMIT_OPERATIONS_MAX;
const BATCH_CHARACTERS_MAX = 16 * 1024 * 1024;
/**
 * So many at a time become bytes: a batch of strings would be moved about by each collection of
 * garbage.
 */
const ENCODED_OPERATIONS = 1_000;

/**
 * Skips the operations that are acknowledged already. Without `isSkipping` it throws at the first
 * place that gives no operation.
 */
export async function* importBatches(
  source: ImportSource,
  { skip, isSkipping }: { readonly skip: number; readonly isSkipping: boolean },
): AsyncGenerator<ImportBatch, void, undefined> {
  const draft = new BatchDraft(source, isSkipping);
  let seen = 0;
  for await (const items of source.items()) {
    for (let at = 0; at < items.length; at++) {
      const item = items[at]!;
      if (item.problem !== undefined) {
        if (!isSkipping) {
          throw new CommandFailure(`${source.locate(item.place)}: ${item.problem}`);
        }
        if (seen >= skip) draft.reject(item.place, item.row ?? '', item.problem);
      } else {
        if (++seen <= skip) continue;
        if (isSkipping && !draft.hasRoom(rowLength(items, at))) yield draft.take();
        draft.add(item);
      }
      const isWithinRow = isSkipping && items[at + 1]?.place === item.place;
      if (draft.isFull && !isWithinRow) yield draft.take();
    }
  }
  if (!draft.isEmpty) yield draft.take();
}

/** The number of operations of the row that begins at the item; 1 within a row. */
function rowLength(items: readonly ImportItem[], at: number): number {
  const place = items[at]?.place;
  if (items[at - 1]?.place === place) return 1;
  let end = at + 1;
  while (items[end]?.place === place) end++;
  return end - at;
}

class BatchDraft {
  readonly #source: ImportSource;
  readonly #isSkipping: boolean;
  readonly #encoder = new TextEncoder();
  #body: Uint8Array[] = [];
  #lines: string[] = [];
  #places: number[] = [];
  #rows: SourceRow[] = [];
  #rejects: Reject[] = [];
  #characters = 0;

  constructor(source: ImportSource, isSkipping: boolean) {
    this.#source = source;
    this.#isSkipping = isSkipping;
  }

  get isEmpty(): boolean {
    return this.#places.length === 0 && this.#rejects.length === 0;
  }

  get isFull(): boolean {
    if (this.#characters >= BATCH_CHARACTERS_MAX) return true;
    if (!this.#isSkipping) return this.#places.length >= BATCH_OPERATIONS_MAX;
    return Math.max(this.#places.length, this.#rejects.length) >= SKIPPING_OPERATIONS_MAX;
  }

  /** Whether so many more operations still make one commit; an empty batch cannot be cut. */
  hasRoom(operations: number): boolean {
    const count = this.#places.length;
    return count === 0 || count + operations <= SKIPPING_OPERATIONS_MAX;
  }

  add(item: ImportItem & { readonly problem?: undefined }): void {
    const line = item.json ?? JSON.stringify(item.operation);
    this.#lines.push(line);
    this.#places.push(item.place);
    if (this.#isSkipping) this.#rows.push(item.row ?? line);
    this.#characters += line.length;
    if (this.#lines.length >= ENCODED_OPERATIONS) this.#encode();
  }

  reject(place: number, row: SourceRow, reason: string): void {
    this.#rejects.push({ place, row, reason });
    this.#characters += typeof row === 'string' ? row.length : row.join('').length;
  }

  take(): ImportBatch {
    this.#encode();
    const batch = {
      body: this.#body,
      operations: this.#places.length,
      places: this.#places,
      rows: this.#rows,
      rejects: this.#rejects,
      schema: this.#places.length === 0 ? undefined : this.#source.takeSchema(),
      progress: this.#source.progress(),
    };
    [this.#body, this.#places, this.#rows, this.#rejects] = [[], [], [], []];
    this.#characters = 0;
    return batch;
  }

  #encode(): void {
    if (this.#lines.length > 0)
      this.#body.push(this.#encoder.encode(`${this.#lines.join('\n')}\n`));
    this.#lines = [];
  }
}
