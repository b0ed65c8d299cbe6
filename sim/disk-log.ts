import type { CommitLog, LogRecord } from '../server/src/log/commit-log.ts';
import type { Clock } from '../server/src/base/clock.ts';
import { CommitQueue } from '../server/src/log/commit-queue.ts';
import type { QueuedCommit } from '../server/src/log/commit-queue.ts';
import { storageProblem } from '../server/src/log/log-problem.ts';
import { createMemoryLog, createMemoryMedium } from '../server/src/log/memory-log.ts';
import type { MemoryMedium } from '../server/src/log/memory-log.ts';
import type { ArchiveRule } from '../server/src/log/retention.ts';
import type { Disk } from './disk.ts';
import type { SimulatedProcess } from './process.ts';

/** Small, so that the log of a short run is trimmed again and again. */
const ARCHIVE: ArchiveRule = { ttlMs: 400, bytesMax: 400 };
const SEGMENT_BYTES_MAX = 200;
export const TRIM_INTERVAL_MS = 500;

export interface DiskLogOptions {
  readonly disk: Disk;
  readonly process: SimulatedProcess;
  readonly clock: Clock;
  readonly medium: MemoryMedium;
  /** Acknowledges what is not synced yet, as no log may. */
  readonly isSyncSkipped?: boolean;
}

/** A medium whose log begins after a sequence. */
export function mediumAfter(epoch: string, after: number): MemoryMedium {
  const medium = createMemoryMedium(epoch);
  medium.segments[0]!.last = after;
  return medium;
}

/**
 * A commit log in memory on a simulated disk: a group of commits is durable when its sync is over.
 * When the process is killed before, the disk keeps the first few commits of the group, or none, or
 * all.
 */
export class DiskLog implements CommitLog {
  readonly #options: DiskLogOptions;
  readonly #stored: CommitLog;
  readonly #queue: CommitQueue;
  #unsynced: readonly QueuedCommit[] = [];

  constructor(options: DiskLogOptions) {
    const { medium, clock, process } = options;
    this.#options = options;
    this.#stored = createMemoryLog({
      clock,
      medium,
      archive: ARCHIVE,
      segmentBytesMax: SEGMENT_BYTES_MAX,
    });
    this.#queue = new CommitQueue({
      clock,
      lastSequence: this.#stored.lastSequence,
      write: (group) => this.#write(group),
    });
    process.onEnded(() => this.#tear());
  }

  get epoch(): string {
    return this.#stored.epoch;
  }

  get firstSequence(): number {
    return this.#stored.firstSequence;
  }

  get lastSequence(): number {
    return this.#queue.lastSequence;
  }

  append(count: number, payload: Uint8Array, time?: number): Promise<number> {
    return this.#queue.append(count, payload, time);
  }

  read(from: number): AsyncIterable<LogRecord> {
    return this.#stored.read(from);
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    return this.#queue.onDurable(listener);
  }

  bytesAfter(sequence: number): number {
    return this.#stored.bytesAfter(sequence);
  }

  async trim(keepAfter: number): Promise<void> {
    if (this.#options.process.isAlive) await this.#stored.trim(keepAfter);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
  }

  async #write(group: readonly QueuedCommit[]): Promise<void> {
    const { disk, process, isSyncSkipped = false } = this.#options;
    if (isSyncSkipped) {
      void process.wait(disk.syncMs(), 'syncs late').then(
        () => this.#store(group),
        () => {},
      );
      return;
    }
    this.#unsynced = group;
    try {
      disk.checkRoom();
      await process.wait(disk.syncMs(), 'syncs its log');
      disk.checkRoom();
      await this.#store(group);
    } catch (error) {
      throw storageProblem('appending to the log', error);
    } finally {
      this.#unsynced = [];
    }
  }

  async #store(group: readonly QueuedCommit[]): Promise<void> {
    await Promise.all(
      group.map(({ count, payload, time }) => this.#stored.append(count, payload, time)),
    );
  }

  #tear(): void {
    const group = this.#unsynced;
    this.#unsynced = [];
    if (group.length === 0) return;
    void this.#store(group.slice(0, this.#options.disk.survivors(group.length)));
  }
}
