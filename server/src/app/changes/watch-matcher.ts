import {
  WATCH_LOOKED_BACK_BYTES_MAX,
  WATCH_LOOKED_BACK_COMMITS_MAX,
  WATCH_WRITTEN_KEYS_MAX,
} from '#base/watch-limits.ts';
import { Problem } from '#base/problem.ts';
import { ANY_NODE, ANY_WRITE, ReadIndex } from '#graph/transactions/read-index.ts';
import { RecentWrites } from '#graph/transactions/recent-writes.ts';
import type { SchemaRegistry } from '#graph/schema-registry.ts';
import type { FollowerSlot } from '#log/followers.ts';
import type { LookedBack, WatchedReads, WatchListener } from '#runtime/watches/watch-feed.ts';
import type { CommitWindow } from './commit-window.ts';
import { newerThan } from './find-in-log.ts';

export interface WatchMatcherOptions {
  readonly commits: CommitWindow;
  /** The newest schema. */
  readonly registry: () => SchemaRegistry;
  readonly slot: FollowerSlot;
  readonly listener: WatchListener;
  /** Aborts when the thread ends. */
  readonly signal: AbortSignal;
}

/** Compares each commit with what watches have read: see `WatchFeed`. */
export class WatchMatcher {
  readonly #options: WatchMatcherOptions;
  readonly #index = new ReadIndex();
  /** The commit that each question has read. */
  readonly #since = new Map<number, number>();
  /** Of the commits before what is followed: whoever begins to watch has read one of them. */
  #recent: RecentWrites;
  /** Everything up to it is compared. */
  #position: number;
  #following: Promise<void> | undefined;

  constructor(options: WatchMatcherOptions) {
    this.#options = options;
    this.#position = options.commits.applied.get();
    this.#recent = this.#recentSince(this.#position);
  }

  watch({ question, reads, since }: WatchedReads): void {
    this.#index.set(question, reads);
    this.#since.set(question, since);
    this.#follow();
    if (since < this.#position && this.#hasChangedSince(reads, since)) {
      this.#options.listener.woken([question]);
    }
  }

  unwatch(question: number): void {
    this.#index.delete(question);
    this.#since.delete(question);
  }

  async hasChanged({ reads, after, upTo }: LookedBack): Promise<boolean> {
    if (after >= upTo) return after > upTo;
    const { commits, signal } = this.#options;
    const asked = new ReadIndex();
    asked.set(0, reads);
    const found = new Set<number>();
    let [count, bytes] = [0, 0];
    try {
      for await (const commit of commits.read(after)) {
        if (commit.first > upTo) return false;
        asked.match(commit.payload, found);
        bytes += commit.bytes;
        const isTooFar =
          ++count > WATCH_LOOKED_BACK_COMMITS_MAX || bytes > WATCH_LOOKED_BACK_BYTES_MAX;
        if (found.size > 0 || isTooFar || signal.aborted) return true;
      }
      return false;
    } catch (error) {
      if (isTrimmed(error)) return true;
      throw error;
    }
  }

  #hasChangedSince(reads: WatchedReads['reads'], since: number): boolean {
    const isAny = reads.points.some((point) => point === ANY_WRITE || point === ANY_NODE);
    return isAny || this.#recent.conflict(reads, since) !== undefined;
  }

  #recentSince(sequence: number): RecentWrites {
    return new RecentWrites(sequence, this.#options.registry(), {
      keysMax: WATCH_WRITTEN_KEYS_MAX,
      bytesMax: WATCH_LOOKED_BACK_BYTES_MAX,
    });
  }

  #follow(): void {
    if (this.#following !== undefined) return;
    const { commits, slot, signal } = this.#options;
    this.#begin(commits.applied.get());
    // Another fault ends the thread, and whoever has started it hears of that.
    this.#following = this.#followUntilUnwatched()
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      })
      .finally(() => {
        this.#following = undefined;
        slot.needs(undefined);
      });
  }

  #begin(position: number): void {
    this.#position = position;
    this.#recent = this.#recentSince(position);
    this.#options.slot.needs(position);
  }

  async #followUntilUnwatched(): Promise<void> {
    const { commits, slot, signal } = this.#options;
    while (this.#index.size > 0) {
      await newerThan(commits.applied, this.#position, signal);
      try {
        for await (const commit of commits.read(this.#position)) this.#take(commit);
      } catch (error) {
        if (!isTrimmed(error)) throw error;
        this.#begin(commits.applied.get());
        this.#lose();
      }
      slot.reached(this.#position);
      slot.needs(this.#position);
    }
  }

  #take({ payload, last }: { readonly payload: Uint8Array; readonly last: number }): void {
    const found = new Set<number>();
    this.#index.match(payload, found);
    this.#recent.add(payload, last);
    this.#position = last;
    // What a question has read already, it need not be told of.
    const woken = [...found].filter((question) => (this.#since.get(question) ?? 0) < last);
    if (woken.length > 0) this.#options.listener.woken(woken);
  }

  #lose(): void {
    for (const question of this.#since.keys()) this.#index.delete(question);
    this.#since.clear();
    this.#options.listener.lost();
  }
}

function isTrimmed(error: unknown): boolean {
  return error instanceof Problem && error.code === 'log_trimmed';
}
