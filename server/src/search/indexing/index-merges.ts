import { SEARCH_INLINE_MERGE_DOCUMENTS_MAX, SEARCH_MERGE_TRIES_MAX } from '#base/search-limits.ts';
import { openSegment } from '../text/index-view.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import type { MergeTask, TextIndex } from '../text/text-index.ts';
import { performMerge } from '../text/merge-segments.ts';

export interface MergePorts {
  /** Merges segments elsewhere, while this thread goes on. */
  readonly merge: (task: MergeTask) => Promise<SharedArrayBuffer>;
  readonly openPages: OpenPages | undefined;
  readonly note: (text: string, level?: 'debug') => void;
}

/**
 * Merges segments of an index, one task at a time. Retries a failed task, then gives it up until
 * the segments differ: searches are slower until then, but correct.
 */
export class IndexMerges {
  readonly #index: TextIndex;
  readonly #ports: MergePorts;
  readonly #onDone: () => void;
  #isMerging = false;
  /** Failed attempts of a merge, by the numbers of its segments. */
  readonly #failures = new Map<string, number>();

  /** Calls `onDone` after each task: there may be another one. */
  constructor(index: TextIndex, ports: MergePorts, onDone: () => void) {
    this.#index = index;
    this.#ports = ports;
    this.#onDone = onDone;
  }

  /** Long merges run in another thread; their result is discarded once the signal aborts. */
  startIfDue(isIdle: boolean, signal: AbortSignal): void {
    if (this.#isMerging) return;
    const task = this.#next(isIdle);
    if (task === undefined) return;
    const count = documentsIn(task, this.#ports.openPages);
    if (count <= SEARCH_INLINE_MERGE_DOCUMENTS_MAX) {
      this.#mergeHere(task);
      return;
    }
    this.#isMerging = true;
    this.#ports.note(`the search index merges ${count} documents`, 'debug');
    void this.#mergeElsewhere(task, signal);
  }

  /** A merge that was given up does not stop others. */
  #next(isIdle: boolean): MergeTask | undefined {
    const except = new Set<number>();
    for (;;) {
      const task = this.#index.planMerge(isIdle, except);
      if (task === undefined || !this.#isGivenUp(task)) return task;
      for (const { id } of task.parts) except.add(id);
    }
  }

  #mergeHere(task: MergeTask): void {
    try {
      this.#index.applyMerge(task, performMerge(task, this.#ports.openPages));
    } catch (error) {
      this.#fail(task, error);
    } finally {
      this.#onDone();
    }
  }

  async #mergeElsewhere(task: MergeTask, signal: AbortSignal): Promise<void> {
    try {
      const memory = await this.#ports.merge(task);
      if (signal.aborted) return;
      this.#index.applyMerge(task, memory);
      this.#ports.note('the search index has merged them', 'debug');
    } catch (error) {
      if (!signal.aborted) this.#fail(task, error);
    } finally {
      this.#isMerging = false;
      this.#onDone();
    }
  }

  #fail(task: MergeTask, error: unknown): void {
    const ids = idsOf(task);
    this.#failures.set(ids, (this.#failures.get(ids) ?? 0) + 1);
    const next = this.#isGivenUp(task) ? 'until there are others' : 'yet';
    this.#ports.note(`segments of the search index are not merged ${next}: ${String(error)}`);
  }

  #isGivenUp(task: MergeTask): boolean {
    return (this.#failures.get(idsOf(task)) ?? 0) >= SEARCH_MERGE_TRIES_MAX;
  }
}

function idsOf({ parts }: MergeTask): string {
  return parts.map(({ id }) => id).join();
}

function documentsIn({ parts }: MergeTask, openPages: OpenPages | undefined): number {
  return parts.reduce((sum, part) => sum + openSegment(part, openPages).documents.count, 0);
}
