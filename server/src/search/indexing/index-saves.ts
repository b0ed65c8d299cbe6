import type { Clock } from '#base/clock.ts';
import {
  SEARCH_BUSY_SAVE_INTERVAL_MS,
  SEARCH_CROWDED_SAVE_INTERVAL_MS,
  SEARCH_SAVE_INTERVAL_MS,
  VECTOR_SAVE_INTERVAL_MS,
} from '#base/search-limits.ts';
import type { IndexView } from '../text/index-view.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import type { StoredPart, TextIndex } from '../text/text-index.ts';
import type { ConnectionPages } from './connections.ts';
import type { IndexFollower, IndexProgress } from './index-follower.ts';
import type { VectorFiles } from './vectors/vector-field.ts';

/** The files of the index: kept between two starts, and read where the index exceeds its memory. */
export interface IndexFiles {
  /** When the index takes more, segments that are in files are read from there. */
  readonly memoryBytesMax: number;
  /** Undefined where nothing is kept in files. */
  readonly openPages?: OpenPages;
  /** Where a restart would continue; set when a save begins, undefined if none is usable. */
  savedSequence: number | undefined;
  /** Undefined if nothing is stored that the log continues. */
  load(): Promise<KeptIndex | undefined>;
  /** Returns the numbers of the segments that are in files now. */
  save(
    view: IndexView,
    progress: IndexProgress,
    connections: ConnectionPages | undefined,
  ): Promise<ReadonlySet<number>>;
}

export interface KeptIndex {
  readonly parts: readonly StoredPart[];
  readonly progress: IndexProgress;
  /** Undefined where some were not counted yet. */
  readonly connections: ConnectionPages | undefined;
}

type Saved = Pick<IndexFollower, 'progress' | 'countedConnections'>;

interface SavePorts {
  readonly clock: Clock;
  readonly files: IndexFiles;
}

interface IndexSavesParts {
  readonly index: TextIndex;
  readonly follower: Saved;
}

/**
 * Saves an index from time to time, busy or idle, so that a start replays little of the log. What
 * is saved can leave memory.
 */
export class IndexSaves {
  readonly #index: TextIndex;
  readonly #follower: Saved;
  readonly #ports: SavePorts;
  readonly #onMoved: () => void;
  #savedAtMs: number;
  #isSaved = true;
  #saving: Promise<void> | undefined;
  #failure: unknown;

  /** Calls `onMoved` when the next view will have less in memory. */
  constructor({ index, follower }: IndexSavesParts, ports: SavePorts, onMoved: () => void) {
    this.#index = index;
    this.#follower = follower;
    this.#ports = ports;
    this.#onMoved = onMoved;
    this.#savedAtMs = ports.clock.now();
  }

  /** There is something new. */
  note(): void {
    this.#isSaved = false;
  }

  /** Milliseconds until a save is due; undefined when all is saved or being saved. */
  startIfDue(isIdle: boolean): number | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isSaved || this.#saving !== undefined) return undefined;
    const rest = this.#savedAtMs + this.#intervalMs(isIdle) - this.#ports.clock.now();
    if (rest > 0) return rest;
    this.#saving = this.#save()
      .catch((error: unknown) => (this.#failure = error))
      .then(() => {
        this.#saving = undefined;
        this.#onMoved();
      });
    return undefined;
  }

  /** Saves the rest. */
  async finish(): Promise<void> {
    await this.settled();
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#isSaved) await this.#save();
  }

  /** Waits for a save under way. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  #intervalMs(isIdle: boolean): number {
    if (this.#index.memoryBytes > this.#ports.files.memoryBytesMax) {
      return SEARCH_CROWDED_SAVE_INTERVAL_MS;
    }
    return isIdle ? SEARCH_SAVE_INTERVAL_MS : SEARCH_BUSY_SAVE_INTERVAL_MS;
  }

  async #save(): Promise<void> {
    const { files, clock } = this.#ports;
    this.#isSaved = true;
    const { progress, countedConnections } = this.#follower;
    const saved = await files.save(this.#index.refresh(), progress, countedConnections);
    this.#savedAtMs = clock.now();
    this.#index.keepWithin(files.memoryBytesMax, saved);
  }
}

interface UpkeepPorts {
  readonly clock: Clock;
  readonly vectorFiles: VectorFiles;
}

/** Work on vectors besides following the log: linking them, and saving from time to time. */
export class VectorUpkeep {
  readonly #follower: IndexFollower;
  readonly #ports: UpkeepPorts;
  #savedAtMs: number;
  #isSaved = true;

  constructor(follower: IndexFollower, ports: UpkeepPorts) {
    this.#follower = follower;
    this.#ports = ports;
    this.#savedAtMs = ports.clock.now();
  }

  /** There may be something new. */
  note(): void {
    this.#isSaved = false;
  }

  /** True while there is more to do. */
  work(): boolean {
    return this.#follower.vectors.work();
  }

  /** Milliseconds until a save is due; undefined when there is nothing to save. */
  async saveIfDue(): Promise<number | undefined> {
    if (this.#isSaved || this.#follower.vectorProgress === undefined) return undefined;
    const rest = this.#savedAtMs + VECTOR_SAVE_INTERVAL_MS - this.#ports.clock.now();
    if (rest > 0) return rest;
    await this.save();
    return undefined;
  }

  /** Does nothing while vectors are rebuilt: a part of them would pass for all. */
  async save(): Promise<void> {
    const { vectorProgress, vectors } = this.#follower;
    if (this.#isSaved || vectorProgress === undefined) return;
    this.#isSaved = true;
    this.#savedAtMs = this.#ports.clock.now();
    await this.#ports.vectorFiles.save(vectors.fields, vectorProgress);
  }
}
