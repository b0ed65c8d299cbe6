import { DB } from '#store/databases.ts';
import { readPlaces } from '#store/batch.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { Overlay, OverlayReader } from '#store/overlay.ts';
import type { StateReader } from '../state-reader.ts';
import type { ReadSnapshot, Snapshot } from './snapshots.ts';

/**
 * What transactions read that run one after the other, each on what those before it have written:
 * one commit, and on top of it what is not committed yet.
 */
export class LineSnapshot implements ReadSnapshot {
  readonly base: Snapshot;
  readonly state: KeyValueReader;
  readonly #overlay = new Overlay();
  readonly #readerOf: (state: KeyValueReader, sequence: number) => StateReader;
  /** Something was written on top. */
  isChanged = false;
  /** What was written changes who may see what: nothing can be read on top of that. */
  hasChangedAccess = false;

  /** `base` is given back with it. */
  constructor(base: Snapshot, readerOf: (state: KeyValueReader, sequence: number) => StateReader) {
    this.base = base;
    this.state = new OverlayReader(base.state, this.#overlay);
    this.#readerOf = readerOf;
  }

  get sequence(): number {
    return this.base.sequence;
  }

  get reader(): StateReader {
    return this.isChanged ? this.#readerOf(this.state, this.sequence) : this.base.reader;
  }

  /** Shows what a transaction has written to those after it. */
  add(payloads: readonly Uint8Array[]): void {
    for (const payload of payloads) {
      if (payload.length === 0) continue;
      this.isChanged = true;
      this.#overlay.add(payload);
      readPlaces(payload, (db) => {
        if (db === DB.access) this.hasChangedAccess = true;
      });
    }
  }

  /** It is given back when the line is over: `base`. */
  release(): void {}
}
