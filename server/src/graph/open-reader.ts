import { openSnapshotReader } from '#store/snapshot-reader.ts';
import type { SnapshotReaderOptions } from '#store/snapshot-reader.ts';
import type { SnapshotReader } from '#store/key-value.ts';
import { StateReader } from './state-reader.ts';
import type { StatePosition } from './state-reader.ts';

export interface GraphReaderOptions extends Omit<SnapshotReaderOptions, 'environments'> {
  /**
   * The newest applied sequence, where the process publishes it: `refresh` then costs nothing while
   * it stands still.
   */
  readonly newestSequence?: () => number;
}

/**
 * A reader of the graph in a storage folder, for any thread of any process. Dispose of it to close
 * its environment.
 */
export function openGraphReader(options: GraphReaderOptions): StateReader {
  const { newestSequence, ...snapshotOptions } = options;
  const snapshot = openSnapshotReader({ ...snapshotOptions, environments: ['graph'] });
  if (newestSequence === undefined) return new StateReader(snapshot, snapshot);
  return new StateReader(snapshot, new PublishedPosition(snapshot, newestSequence));
}

/** Looks at the state only when something was published since. */
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
      // What was published before the look is in what it finds.
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
