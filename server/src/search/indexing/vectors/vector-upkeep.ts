import type { Clock } from '#base/clock.ts';
import { VECTOR_SAVE_INTERVAL_MS } from '#base/search-limits.ts';
import type { IndexFollower } from '../index-follower.ts';
import type { VectorFiles } from './vector-field.ts';

interface UpkeepPorts {
  readonly clock: Clock;
  readonly vectorFiles: VectorFiles;
}

/** What is done for vectors beside following the log: linking, and saving now and then. */
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

  /** Answers after how many milliseconds a save is due; undefined when there is nothing to save. */
  async saveIfDue(): Promise<number | undefined> {
    if (this.#isSaved || this.#follower.vectorProgress === undefined) return undefined;
    const rest = this.#savedAtMs + VECTOR_SAVE_INTERVAL_MS - this.#ports.clock.now();
    if (rest > 0) return rest;
    await this.save();
    return undefined;
  }

  /** Nothing while vectors are made anew: a part of them would pass for all. */
  async save(): Promise<void> {
    const { vectorProgress, vectors } = this.#follower;
    if (this.#isSaved || vectorProgress === undefined) return;
    this.#isSaved = true;
    this.#savedAtMs = this.#ports.clock.now();
    await this.#ports.vectorFiles.save(vectors.fields, vectorProgress);
  }
}
