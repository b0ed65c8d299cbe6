import { assert } from '#base/assert.ts';
import { BatchEncoder } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import type { WriteBatch } from './key-value.ts';
import type { OverlayLayer } from './overlay-table.ts';
import type { Overlay } from './overlay.ts';

/** The batch of one commit, whose operations an overlay shows from the moment they are put. */
export class OverlaidBatch implements WriteBatch {
  readonly #encoder = new BatchEncoder();
  readonly #overlay: Overlay;
  /** From the first operation on. */
  #layer: OverlayLayer | undefined;
  #isSealed = false;
  readonly #firstSequence: number;

  /**
   * `firstSequence` is the one that the log will give its first operation: sequences have no gaps,
   * and a commit that is refused takes all that were built after it with it.
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
   * The log has the batch, and `last` is the sequence of its last operation: the one that was
   * foreseen.
   */
  land(last: number): number {
    assert(last + 1 === this.nextSequence, 'the log gives a commit other sequences than foreseen');
    return last;
  }

  /** Takes no more operations. */
  seal(): void {
    this.#isSealed = true;
  }

  /** The operations are in the state that the overlay lies over. */
  drop(): void {
    if (this.#layer !== undefined) this.#overlay.drop(this.#layer);
  }

  /** The operations never happened. */
  undo(): void {
    if (this.#layer !== undefined) this.#overlay.undo(this.#layer);
  }

  #openLayer(): OverlayLayer {
    assert(!this.#isSealed, 'an operation on a batch after its construction');
    this.#layer ??= this.#overlay.open(this.#encoder);
    return this.#layer;
  }
}
