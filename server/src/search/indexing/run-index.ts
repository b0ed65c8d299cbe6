import type { Clock } from '#base/clock.ts';
import {
  SEARCH_INLINE_MERGE_DOCUMENTS_MAX,
  SEARCH_REBUILD_PUBLISH_INTERVAL_MS,
  SEARCH_REFRESH_INTERVAL_MS,
  SEARCH_SAVE_INTERVAL_MS,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { performMerge } from './perform-merge.ts';
import { Segment } from '../text/segment.ts';
import type { IndexView } from '../text/index-view.ts';
import { TextIndex, type MergeTask, type StoredPart } from '../text/text-index.ts';
import { IndexFollower, type CommitSource, type IndexProgress } from './index-follower.ts';
import type { SearchSnapshot } from './search-snapshot.ts';
import { TEXT_INDEX_LIMITS } from './text-index-limits.ts';

export interface IndexPorts {
  readonly reader: StateReader;
  readonly log: CommitSource & {
    onDurable(listener: (lastSequence: number) => void): () => void;
  };
  readonly clock: Clock;
  /** Merges segments elsewhere, while this thread goes on. */
  readonly merge: (task: MergeTask) => Promise<SharedArrayBuffer>;
  readonly publish: (snapshot: SearchSnapshot) => void;
  readonly files: IndexFiles;
  readonly note: (text: string) => void;
}

/** Where the index is between two starts. */
export interface IndexFiles {
  /** Undefined when there is nothing that the log goes on from. */
  load(): Promise<KeptIndex | undefined>;
  save(view: IndexView, progress: IndexProgress): Promise<void>;
}

export interface KeptIndex {
  readonly parts: readonly StoredPart[];
  readonly progress: IndexProgress;
}

/** Keeps an index up with the log until the signal aborts. */
export async function runIndex(ports: IndexPorts, signal: AbortSignal): Promise<void> {
  const kept = await ports.files.load();
  let index = new TextIndex(TEXT_INDEX_LIMITS, kept?.parts);
  let progress = kept?.progress;
  while (!signal.aborted) {
    try {
      await new IndexRun(ports, index, progress).run(signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'log_trimmed') throw error;
      // What it has not seen is not told any more: it reads everything.
      ports.note('the search index is built anew: it was too far behind the log');
      index = index.successor();
      progress = undefined;
    }
  }
}

function documentsIn({ parts }: MergeTask): number {
  return parts.reduce((sum, { memory }) => sum + new Segment(memory).documents.count, 0);
}

class IndexRun {
  readonly #ports: IndexPorts;
  readonly #index: TextIndex;
  readonly #follower: IndexFollower;
  #publishedAtMs = -Infinity;
  #savedAtMs: number;
  #isSaved = true;
  #isPublished = false;
  #merging: Promise<void> | undefined;
  #failure: unknown;

  constructor(ports: IndexPorts, index: TextIndex, progress: IndexProgress | undefined) {
    this.#ports = ports;
    this.#index = index;
    this.#follower = new IndexFollower({ ...ports, index, progress });
    this.#savedAtMs = ports.clock.now();
  }

  async run(signal: AbortSignal): Promise<void> {
    let change = Promise.withResolvers<void>();
    const wake = (): void => change.resolve();
    const stop = this.#ports.log.onDurable(wake);
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        // Before it looks: what changes from here on wakes it.
        change = Promise.withResolvers();
        const hasWorked = await this.#follower.work();
        if (this.#failure !== undefined) throw this.#failure;
        if (hasWorked) {
          this.#isPublished = false;
          this.#isSaved = false;
        }
        this.#publishIfDue(hasWorked);
        this.#mergeIfDue(!hasWorked, wake);
        if (hasWorked || signal.aborted) continue;
        const rest = await this.#saveIfDue();
        const alarm = rest === undefined ? undefined : setTimeout(wake, rest);
        await change.promise;
        clearTimeout(alarm);
      }
      // A merge that is under way is not waited for: it is done again after the next start.
      await this.#save();
    } finally {
      stop();
      signal.removeEventListener('abort', wake);
    }
  }

  /** At once when it is up with the log; while it is not, every so often. */
  #publishIfDue(isBusy: boolean): void {
    if (this.#isPublished) return;
    const now = this.#ports.clock.now();
    const interval = this.#follower.isRebuilding
      ? SEARCH_REBUILD_PUBLISH_INTERVAL_MS
      : SEARCH_REFRESH_INTERVAL_MS;
    if (isBusy && !this.#follower.isUpToDate && now - this.#publishedAtMs < interval) return;
    this.#publishedAtMs = now;
    this.#isPublished = true;
    this.#ports.publish(this.#follower.snapshot());
  }

  /** Now and then, while nothing else is to be done. Answers after how many milliseconds it is due; undefined when all is saved. */
  async #saveIfDue(): Promise<number | undefined> {
    if (this.#isSaved) return undefined;
    const rest = this.#savedAtMs + SEARCH_SAVE_INTERVAL_MS - this.#ports.clock.now();
    if (rest > 0) return rest;
    return this.#save();
  }

  async #save(): Promise<undefined> {
    if (this.#isSaved) return;
    this.#isSaved = true;
    const { progress } = this.#follower;
    await this.#ports.files.save(this.#index.refresh(), progress);
    this.#savedAtMs = this.#ports.clock.now();
  }

  #mergeIfDue(isIdle: boolean, wake: () => void): void {
    if (this.#merging !== undefined) return;
    const task = this.#index.planMerge(isIdle);
    if (task === undefined) return;
    const apply = (memory: SharedArrayBuffer): void => {
      this.#index.applyMerge(task, memory);
      this.#isPublished = false;
      this.#isSaved = false;
    };
    if (documentsIn(task) <= SEARCH_INLINE_MERGE_DOCUMENTS_MAX) {
      apply(performMerge(task));
      wake();
      return;
    }
    this.#merging = this.#ports
      .merge(task)
      .then(apply, (error: unknown) => (this.#failure = error))
      .then(() => {
        this.#merging = undefined;
        wake();
      });
  }
}
