import type { LoadSample } from '@trellis/contract/shapes/stats.ts';
import type { Clock } from '#base/clock.ts';
import { LOAD_SAMPLES_KEPT } from '#base/limits.ts';

/** Counters that only rise while the process runs. */
export interface LoadCounters {
  readonly commits: number;
  readonly operations: number;
  readonly calls: number;
}

/** How far the replicas are behind, in operations (specification, section 2.7). */
export interface ReplicaLag {
  readonly currentLag: number;
  readonly averageLag: number;
  readonly emaLag: number;
}

export interface LoadSources {
  readonly clock: Clock;
  counters(): LoadCounters;
  rssBytes(): number;
  diskFreeBytes(): Promise<number | null>;
  /** Undefined where nothing replicates from here. */
  lag(): Promise<ReplicaLag | undefined>;
}

/**
 * The last samples of the load of this process, in memory. Each reads counters that exist anyway.
 */
export class LoadSamples {
  readonly #sources: LoadSources;
  readonly #samples: LoadSample[] = [];
  #before: { readonly atMs: number; readonly counters: LoadCounters };

  constructor(sources: LoadSources) {
    this.#sources = sources;
    this.#before = { atMs: sources.clock.now(), counters: sources.counters() };
  }

  /** Oldest first. */
  get samples(): readonly LoadSample[] {
    return this.#samples;
  }

  /** Call it at intervals. */
  async take(): Promise<void> {
    const { clock, counters: read, rssBytes, diskFreeBytes, lag } = this.#sources;
    const [free, behind] = await Promise.all([diskFreeBytes(), lag()]);
    const { atMs: beforeMs, counters: before } = this.#before;
    const atMs = clock.now();
    const counters = read();
    // The clock may have been set back.
    const seconds = Math.max(1, atMs - beforeMs) / 1_000;
    const rate = (name: keyof LoadCounters): number =>
      Math.max(0, counters[name] - before[name]) / seconds;
    this.#before = { atMs, counters };
    this.#samples.push({
      at: new Date(atMs).toISOString(),
      commitsPerSecond: rate('commits'),
      operationsPerSecond: rate('operations'),
      callsPerSecond: rate('calls'),
      rssBytes: rssBytes(),
      diskFreeBytes: free,
      ...behind,
    });
    if (this.#samples.length > LOAD_SAMPLES_KEPT) this.#samples.shift();
  }
}
