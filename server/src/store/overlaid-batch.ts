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

  constructor(overlay: Overlay) {
    this.#overlay = overlay;
  }

  get count(): number {
    return this.#encoder.count;
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
