import type { Clock } from '#base/clock.ts';
import { VECTOR_SAVE_INTERVAL_MS } from '#base/search-limits.ts';
import type { IndexFollower } from '../index-follower.ts';
import type { VectorFiles } from './vector-files.ts';

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

  async saveIfDue(): Promise<void> {
    if (this.#ports.clock.now() - this.#savedAtMs >= VECTOR_SAVE_INTERVAL_MS) await this.save();
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
