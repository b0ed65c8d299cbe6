import { openGraphSnapshot, openSnapshotReader } from '#store/snapshot-reader.ts';
import type { SnapshotReaderOptions } from '#store/snapshot-reader.ts';
import type { SnapshotReader } from '#store/key-value.ts';
import { PackedRows } from './rows/packed-rows.ts';
import { StateReader } from './state-reader.ts';
import { Snapshots } from './transactions/snapshots.ts';
import type { StatePosition } from './state-reader.ts';

export interface GraphReaderOptions extends Omit<SnapshotReaderOptions, 'environments'> {
  /**
   * Returns the newest applied sequence. Given where the process publishes it; then `refresh` does
   * not read the state while the sequence is the same.
   */
  readonly newestSequence?: () => number;
  /** How many bytes of packed rows the reader may keep in memory; 0 for none. */
  readonly rowMemoryBytes?: number | undefined;
}

/**
 * Opens a reader of the graph in a storage folder, for any thread of any process. Dispose of it to
 * close its environment.
 */
export function openGraphReader(options: GraphReaderOptions): StateReader {
  const { newestSequence, rowMemoryBytes, ...snapshotOptions } = options;
  const snapshot = openSnapshotReader({ ...snapshotOptions, environments: ['graph'] });
  const position =
    newestSequence === undefined ? snapshot : new PublishedPosition(snapshot, newestSequence);
  const rows = rowMemoryBytes === 0 ? undefined : new PackedRows(snapshot, rowMemoryBytes);
  return new StateReader(snapshot, position, rows);
}

/** Opens a reader of the graph whose commits can be held beyond a turn. */
export function openHeldGraphReader(options: Omit<GraphReaderOptions, 'newestSequence'>): {
  readonly reader: StateReader;
  readonly snapshots: Snapshots;
} {
  const { rowMemoryBytes, ...snapshotOptions } = options;
  const state = openGraphSnapshot(snapshotOptions);
  const rows = rowMemoryBytes === 0 ? undefined : new PackedRows(state, rowMemoryBytes);
  const reader = new StateReader(state, state, rows);
  return { reader, snapshots: new Snapshots(reader, state) };
}

/** Reads the state only when a newer sequence was published. */
class PublishedPosition implements StatePosition {
  readonly #snapshot: SnapshotReader;
  readonly #newestSequence: () => number;
  #published = -1;
  #sequence = 0;

  constructor(snapshot: SnapshotReader, newestSequence: () => number) {
    this.#snapshot = snapshot;
    this.#newestSequence = newestSequence;
  }

  refresh(): number {
    const published = this.#newestSequence();
    if (published !== this.#published) {
      // The sequence was read first, so the state that is read next has at least that.
      this.#published = published;
      this.#sequence = this.#snapshot.refresh();
    }
    return this.#sequence;
  }

  get sequence(): number {
    return this.#snapshot.sequence;
  }

  [Symbol.dispose](): void {
    this.#snapshot[Symbol.dispose]();
  }
}
