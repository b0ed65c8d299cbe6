import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from '#base/assert.ts';
import { COMMIT_BYTES_MAX, COMMIT_OPERATIONS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Clock } from '#base/clock.ts';

/**
 * A group takes no more commits once its payloads reach this size. That bounds how long the first
 * commit of a group waits.
 */
const GROUP_BYTES_MAX = 32 * 1024 * 1024;

/** One commit on its way into the log; its last sequence is `first + count - 1`. */
export interface QueuedCommit {
  readonly first: number;
  readonly count: number;
  readonly time: number;
  readonly payload: Uint8Array;
}

export interface CommitQueueOptions {
  readonly clock: Clock;
  readonly lastSequence: number;
  /**
   * Makes a whole group durable, or rejects and leaves no trace of it. Never called while an
   * earlier call is still running.
   */
  readonly write: (group: readonly QueuedCommit[]) => Promise<void>;
}

interface Waiter {
  readonly count: number;
  readonly time: number;
  readonly payload: Uint8Array;
  readonly resolve: (lastSequence: number) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: the part of a log that is the same for every engine. While one group is being
 * written, the commits that arrive collect into the next; a group's commits get their sequences
 * when it starts.
 *
 * When a group fails, everything queued after it is rejected too, since it may build on what
 * failed. The rejections are delivered at the start of a turn of the event loop, the oldest first,
 * so that the handler of the oldest commit runs before any other code. So nobody can append a
 * commit that builds on a lost one without knowing that it is lost.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #listeners = new Set<(lastSequence: number) => void>();
  #waiters: Waiter[] = [];
  #lastSequence: number;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#lastSequence = options.lastSequence;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  append(count: number, payload: Uint8Array, time = this.#options.clock.now()): Promise<number> {
    return new Promise((resolve, reject) => {
      assert(!this.#closed, 'append to a closed log');
      assert(Number.isSafeInteger(count) && count > 0, `a commit of ${count} operations`);
      if (count > COMMIT_OPERATIONS_MAX || payload.length > COMMIT_BYTES_MAX) {
        throw commitTooLarge(count, payload.length);
      }
      this.#waiters.push({ count, time, payload, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    const own = (lastSequence: number): void => listener(lastSequence);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Takes no more commits, and resolves once those already taken are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Everything appended in the same turn shares the first group.
    await Promise.resolve();
    while (this.#waiters.length > 0) {
      const waiters = this.#takeGroup();
      const group = this.#number(waiters);
      try {
        await this.#options.write(group);
      } catch (error) {
        await nextTurn();
        for (const waiter of [...waiters, ...this.#waiters.splice(0)]) waiter.reject(error);
        continue;
      }
      for (const [i, commit] of group.entries()) {
        this.#lastSequence = commit.first + commit.count - 1;
        waiters[i]!.resolve(this.#lastSequence);
      }
      this.#notify();
    }
    this.#running = undefined;
  }

  #takeGroup(): Waiter[] {
    let bytes = 0;
    let taken = 0;
    for (const waiter of this.#waiters) {
      bytes += waiter.payload.length;
      taken++;
      if (bytes >= GROUP_BYTES_MAX) break;
    }
    return this.#waiters.splice(0, taken);
  }

  #number(waiters: readonly Waiter[]): QueuedCommit[] {
    let first = this.#lastSequence + 1;
    return waiters.map(({ count, time, payload }) => {
      const commit = { first, count, time, payload };
      first += count;
      return commit;
    });
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      try {
        listener(this.#lastSequence);
      } catch (error) {
        // An error of a listener must not stop the log: it becomes an uncaught error, and the next
        // listener is still called.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function commitTooLarge(operations: number, bytes: number): Problem {
  return new Problem(
    'payload_too_large',
    `a commit of ${operations} operations in ${bytes} bytes is too large for the commit log`,
    {
      hint: 'Send the operations in several commits.',
      details: { bytes, bytesMax: COMMIT_BYTES_MAX, operationsMax: COMMIT_OPERATIONS_MAX },
    },
  );
}
