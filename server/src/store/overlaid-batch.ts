import { assert } from '#base/assert.ts';
import { BatchEncoder } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import type { WriteBatch } from './key-value.ts';
import type { OverlayLayer } from './overlay-table.ts';
import type { Overlay } from './overlay.ts';

/** The batch of one commit. The overlay shows its operations as soon as they are put. */
export class OverlaidBatch implements WriteBatch {
  readonly #encoder = new BatchEncoder();
  readonly #overlay: Overlay;
  /** Undefined until the first operation. */
  #layer: OverlayLayer | undefined;
  #isSealed = false;
  readonly #firstSequence: number;

  /**
   * `firstSequence` is the sequence that the log will give to the first operation. It can be known
   * before, since sequences have no gaps, and since a refused commit makes all later ones be
   * refused.
   */
  constructor(overlay: Overlay, firstSequence: number) {
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
  }

  /** Call this when the operations are in the state under the overlay. */
  drop(): void {
    if (this.#layer !== undefined) this.#overlay.drop(this.#layer);
  }

  /** Removes the operations as if they had never been put. */
  undo(): void {
    if (this.#layer !== undefined) this.#overlay.undo(this.#layer);
  }

  #openLayer(): OverlayLayer {
    assert(!this.#isSealed, 'an operation on a batch after its construction');
    this.#layer ??= this.#overlay.open(this.#encoder);
    return this.#layer;
  }
}
