import type { Clock } from '#base/clock.ts';
import {
  SEARCH_BUSY_SAVE_INTERVAL_MS,
  SEARCH_CROWDED_SAVE_INTERVAL_MS,
  SEARCH_SAVE_INTERVAL_MS,
} from '#base/search-limits.ts';
import type { IndexView } from '../text/index-view.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import type { StoredPart, TextIndex } from '../text/text-index.ts';
import type { IndexFollower, IndexProgress } from './index-follower.ts';

/** Where the index is between two starts; and what of it is beyond its budget of memory. */
export interface IndexFiles {
  /** Beyond so much, segments that are in files are read from there, as far as they can be. */
  readonly memoryBytesMax: number;
  /** Undefined where nothing is kept in files. */
  readonly openPages?: OpenPages;
  /** Of what a start would go on from now, from the beginning of its save on; undefined when there is nothing, or it is found to be of no use. */
  savedSequence: number | undefined;
  /** Undefined when there is nothing that the log goes on from. */
  load(): Promise<KeptIndex | undefined>;
  /** Answers which segments of the view are in files now, by their numbers. */
  save(view: IndexView, progress: IndexProgress): Promise<ReadonlySet<number>>;
}

export interface KeptIndex {
  readonly parts: readonly StoredPart[];
  readonly progress: IndexProgress;
}

interface SavePorts {
  readonly clock: Clock;
  readonly files: IndexFiles;
}

interface IndexSavesParts {
  readonly index: TextIndex;
  readonly follower: Pick<IndexFollower, 'progress'>;
}

/**
 * Saves an index now and then, while the thread goes on; also when it never comes to rest, so that a start never has to go
 * through much of the log. What is saved can leave memory.
 */
export class IndexSaves {
  readonly #index: TextIndex;
  readonly #follower: Pick<IndexFollower, 'progress'>;
  readonly #ports: SavePorts;
  readonly #onMoved: () => void;
  #savedAtMs: number;
  #isSaved = true;
  #saving: Promise<void> | undefined;
  #failure: unknown;

  /** `onMoved` is called when less of the index is in memory from the next view on. */
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

  /** Answers after how many milliseconds a save is due; undefined when all is saved, or being saved. */
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

  /** Waits for what is under way. */
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
    const { progress } = this.#follower;
    const saved = await files.save(this.#index.refresh(), progress);
    this.#savedAtMs = clock.now();
    this.#index.keepWithin(files.memoryBytesMax, saved);
  }
}
