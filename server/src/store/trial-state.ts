import { assert } from '#base/assert.ts';
import type { HeldReader } from './held-reader.ts';
import type { KeyValueReader, StateWriter, WriteBatch } from './key-value.ts';
import { OverlaidBatch } from './overlaid-batch.ts';
import { Overlay, OverlayReader } from './overlay.ts';
import { openSnapshotReader, type SnapshotReaderOptions } from './snapshot-reader.ts';

/**
 * A state over one commit of the real one. Its own commits see each other and go nowhere: neither
 * the log nor LMDB gets them, and they are forgotten when it is disposed.
 */
export class TrialState implements StateWriter {
  /** The commit of the real state that all of this is built on. */
  readonly base: HeldReader;
  readonly view: KeyValueReader;
  readonly #close: DisposableStack;
  readonly #overlay = new Overlay();
  #sequence: number;
  #bytes = 0;
  #operations = 0;
  #isBuilding = false;

  private constructor(base: HeldReader, close: DisposableStack) {
    this.base = base;
    this.#close = close;
    this.#sequence = base.sequence;
    this.view = new OverlayReader(base, this.#overlay);
  }

  /** Holds the newest commit until it is disposed: for seconds, not for hours. */
  static open(options: Omit<SnapshotReaderOptions, 'environments'>): TrialState {
    using opening = new DisposableStack();
    const snapshot = opening.use(openSnapshotReader({ ...options, environments: ['graph'] }));
    const base = opening.use(snapshot.hold());
    return new TrialState(base, opening.move());
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** What its commits take together. */
  get size(): { readonly operations: number; readonly bytes: number } {
    return { operations: this.#operations, bytes: this.#bytes };
  }

  async commit<T>(build: (batch: WriteBatch) => T): Promise<{ result: T; sequence: number }> {
    assert(!this.#isBuilding, 'a commit within the construction of another');
    const batch = new OverlaidBatch(this.#overlay, this.#sequence + 1);
    this.#isBuilding = true;
    try {
      const result = build(batch);
      this.#sequence += batch.count;
      this.#operations += batch.count;
      this.#bytes += batch.payload.length;
      return { result, sequence: this.#sequence };
    } catch (error) {
      batch.undo();
      throw error;
    } finally {
      this.#isBuilding = false;
      batch.seal();
    }
  }

  async ready(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close[Symbol.dispose]();
  }
}
