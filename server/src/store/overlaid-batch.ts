import { assert } from '#base/assert.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { BatchEncoder } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import type { WriteBatch } from './key-value.ts';
import type { OverlayLayer, OverlaySource } from './overlay-table.ts';
import type { Overlay } from './overlay.ts';

/** Smaller memory costs less as garbage than to keep. */
const KEPT_BYTES_MIN = 64 * 1024;
/** As much as the commits in flight may take. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

/** Memory for the payloads of large commits, which is used again. */
export class BatchMemory {
  #spare: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  take(): Uint8Array<ArrayBuffer> | undefined {
    const taken = this.#spare.pop();
    this.#bytes -= taken?.length ?? 0;
    return taken;
  }

  give(memory: Uint8Array<ArrayBuffer>): void {
    if (memory.length < KEPT_BYTES_MIN) return;
    if (this.#bytes + memory.length > KEPT_BYTES_MAX) return releaseMemory(memory);
    this.#bytes += memory.length;
    this.#spare.push(memory);
  }

  release(): void {
    for (const memory of this.#spare) releaseMemory(memory);
    this.#spare = [];
    this.#bytes = 0;
  }
}

/** The batch of one commit. The overlay shows its operations as soon as they are put. */
export class OverlaidBatch implements WriteBatch, OverlaySource {
  readonly #encoder: BatchEncoder;
  readonly #memory: BatchMemory | undefined;
  readonly #overlay: Overlay;
  /** Undefined until the first operation. */
  #layer: OverlayLayer | undefined;
  #isSealed = false;
  #isDropped = false;
  readonly #firstSequence: number;

  /**
   * `firstSequence` is the sequence that the log will give to the first operation. It can be known
   * before, since sequences have no gaps, and since a refused commit makes all later ones be
   * refused. Nobody may use the payload after `drop` when there is a `memory`.
   */
  constructor(overlay: Overlay, firstSequence: number, memory?: BatchMemory) {
    this.#encoder = new BatchEncoder(memory?.take());
    this.#memory = memory;
    this.#overlay = overlay;
    this.#firstSequence = firstSequence;
  }

  get count(): number {
    return this.#encoder.count;
  }

  get nextSequence(): number {
    return this.#firstSequence + this.count;
  }

  get payload(): Uint8Array {
    return this.#encoder.payload;
  }

  /** For the overlay. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#encoder.bytes;
  }

  /** For the overlay. */
  get length(): number {
    return this.#encoder.length;
  }

  /** For the overlay. The memory of a batch that was refused is left to the garbage collector. */
  unused(): void {
    if (this.#isDropped) this.#memory?.give(this.#encoder.bytes);
  }

  put(db: DatabaseNumber, key: Uint8Array, value: Uint8Array): void {
    const layer = this.#openLayer();
    const start = this.#encoder.put(db, key, value);
    this.#overlay.put(layer, db, start, key.length, value.length);
  }

  delete(db: DatabaseNumber, key: Uint8Array): void {
    const layer = this.#openLayer();
    const start = this.#encoder.delete(db, key);
    this.#overlay.delete(layer, db, start, key.length);
  }

  /**
   * Call this when the log has the batch. `last` is the sequence of its last operation, which must
   * be the expected one.
   */
  land(last: number): number {
    assert(last + 1 === this.nextSequence, 'the log gives a commit other sequences than foreseen');
    return last;
  }

  /** Ends the batch: it takes no more operations. */
  seal(): void {
    this.#isSealed = true;
    this.#encoder.releaseReplaced();
  }

  /** Call this when the operations are in the state under the overlay. */
  drop(): void {
    this.#isDropped = true;
    if (this.#layer !== undefined) this.#overlay.drop(this.#layer);
  }

  /** Removes the operations as if they had never been put. */
  undo(): void {
    if (this.#layer !== undefined) this.#overlay.undo(this.#layer);
  }

  #openLayer(): OverlayLayer {
    assert(!this.#isSealed, 'an operation on a batch after its construction');
    this.#layer ??= this.#overlay.open(this);
    return this.#layer;
  }
}
