import { setImmediate as callLater } from 'node:timers';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#base/clock.ts';
import {
  SEARCH_INLINE_MERGE_DOCUMENTS_MAX,
  SEARCH_MERGE_TRIES_MAX,
  SEARCH_REBUILD_PUBLISH_INTERVAL_MS,
  SEARCH_REFRESH_INTERVAL_MS,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { ReleasedMemory, type SearchSnapshot } from './search-snapshot.ts';
import { limitsWithin, type MergeTask, releasedBytesMax, TextIndex } from '../text/text-index.ts';
import { type CommitSource, IndexFollower } from './index-follower.ts';
import { type IndexFiles, IndexSaves, VectorUpkeep } from './index-saves.ts';
import type { SegmentThreads } from './rebuild.ts';
import type { TextDesk } from './vectors/vector-indexer.ts';
import type { VectorFieldOptions, VectorFiles } from './vectors/vector-field.ts';
import { openSegment } from '../text/index-view.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import { performMerge } from '../text/merge-segments.ts';

export interface IndexPorts {
  readonly reader: StateReader;
  readonly log: CommitSource & {
    onDurable(listener: (lastSequence: number) => void): () => void;
  };
  /** The places of the two indexes among those who follow the log. */
  readonly text: IndexPosition;
  readonly vector: IndexPosition;
  readonly clock: Clock;
  readonly merge: MergePorts['merge'];
  readonly publish: (snapshot: SearchSnapshot) => void;
  readonly files: IndexFiles;
  /** Collects the garbage of this thread. */
  readonly collect: () => void;
  /** New segments get numbers from here on, which no thread has seen. */
  readonly firstSegment: number;
  readonly vectors: VectorFieldOptions;
  readonly vectorFiles: VectorFiles;
  /** Who asks for texts to be embedded; nobody on a replica. */
  readonly texts: TextDesk;
  readonly note: MergePorts['note'];
  /** Undefined where this thread indexes alone. */
  readonly threads?: SegmentThreads | undefined;
}

/** Keeps an index up with the log until the signal aborts. */
export async function runIndex(ports: IndexPorts, signal: AbortSignal): Promise<void> {
  const { files, firstSegment: firstId } = ports;
  const needs = new LogNeeds(ports);
  const kept = await files.load();
  let keptVectors = await ports.vectorFiles.load();
  let index = new TextIndex(limitsWithin(files.memoryBytesMax), kept?.parts, {
    firstId,
    ...(files.openPages && { openPages: files.openPages }),
  });
  let progress = kept?.progress;
  let keptConnections = kept?.connections;
  const released = new ReleasedMemory(releasedBytesMax(files.memoryBytesMax));
  while (!signal.aborted) {
    try {
      using follower = new IndexFollower({
        ...ports,
        index,
        progress,
        keptConnections,
        keptVectors,
      });
      await new IndexRun(ports, { index, follower, released, needs }).run(signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'log_trimmed') throw error;
      // The log lacks what comes next, so it indexes everything again.
      ports.note('the search index is built anew: it was too far behind the log');
      needs.trimmed();
      index = index.successor();
      progress = undefined;
      keptConnections = undefined;
      keptVectors = undefined;
    }
  }
}

interface IndexRunParts {
  readonly index: TextIndex;
  readonly follower: IndexFollower;
  readonly released: ReleasedMemory;
  readonly needs: LogNeeds;
}

class IndexRun {
  readonly #ports: IndexPorts;
  readonly #follower: IndexFollower;
  readonly #merges: IndexMerges;
  readonly #saves: IndexSaves;
  readonly #released: ReleasedMemory;
  readonly #needs: LogNeeds;
  #collected = 0;
  #wake = (): void => {};
  #publishedAtMs = -Infinity;
  /** What searches have not seen. Fewer segments with the same in them can wait. */
  #unseen: 'nothing' | 'a merge' | 'changes' = 'changes';
  readonly #vectors: VectorUpkeep;

  constructor(ports: IndexPorts, { index, follower, released, needs }: IndexRunParts) {
    this.#released = released;
    this.#needs = needs;
    this.#ports = ports;
    this.#follower = follower;
    this.#saves = new IndexSaves({ index, follower }, ports, () => this.#hasMoved());
    const { openPages } = ports.files;
    this.#merges = new IndexMerges(index, { ...ports, openPages }, () => this.#hasMerged());
    this.#vectors = new VectorUpkeep(follower, ports);
    follower.onBuilt(() => this.#wake());
  }

  async run(signal: AbortSignal): Promise<void> {
    let change = Promise.withResolvers<void>();
    const wake = (this.#wake = (): void => change.resolve());
    const stop = this.#ports.log.onDurable(wake);
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        await this.#gather(signal);
        if (signal.aborted) break;
        // Before it reads the log, so that later changes wake it.
        change = Promise.withResolvers();
        const hasWorked = await this.#follower.work();
        if (hasWorked) {
          this.#unseen = 'changes';
          this.#saves.note();
        }
        // Other threads may still build what this one waits for.
        const isBusy = hasWorked || this.#follower.isBuilding;
        const untilPublished = this.#publishIfDue(isBusy);
        this.#merges.startIfDue(!isBusy, signal);
        this.#ports.texts.serve(this.#follower.vectors, () => this.#hasMoved());
        if (hasWorked) this.#vectors.note();
        const isLinking = this.#vectors.work();
        const untilSaved = this.#saves.startIfDue(!isBusy);
        this.#needs.reached(this.#follower.sequence);
        if (hasWorked || isLinking) {
          // Lets messages in, and merges and saves go on.
          await setImmediate();
          continue;
        }
        if (signal.aborted) break;
        const untilVectorsSaved = await this.#vectors.saveIfDue();
        this.#needs.reached(this.#follower.sequence);
        const untils = [untilPublished, untilSaved, untilVectorsSaved];
        const rest = Math.min(...untils.map((until) => until ?? Infinity));
        const alarm = rest === Infinity ? undefined : setTimeout(wake, rest);
        await change.promise;
        clearTimeout(alarm);
      }
      // Does not wait for a merge: the next start does it again.
      await this.#saves.finish();
      await this.#vectors.save();
      this.#needs.reached(this.#follower.sequence);
    } finally {
      stop();
      signal.removeEventListener('abort', wake);
      await this.#saves.settled();
    }
  }

  /**
   * Lets the commits of a moment come together when searches have just seen a new state: to take in
   * each by itself costs as much processor as to commit it. A commit after a pause waits for none.
   */
  async #gather(signal: AbortSignal): Promise<void> {
    const isUrgent = this.#unseen === 'changes';
    if (isUrgent || this.#follower.isRebuilding || this.#follower.isBuilding) return;
    const rest = this.#publishedAtMs + SEARCH_REFRESH_INTERVAL_MS - this.#ports.clock.now();
    if (rest <= 0) return;
    // A clock may have been set back.
    await pause(Math.min(rest, SEARCH_REFRESH_INTERVAL_MS), undefined, { signal }).catch(
      () => undefined,
    );
  }

  #hasMoved(): void {
    this.#unseen = 'changes';
    this.#wake();
  }

  #hasMerged(): void {
    this.#saves.note();
    if (this.#unseen === 'nothing') this.#unseen = 'a merge';
    this.#wake();
  }

  /**
   * Publishes changes at once when nothing is left to read, all else at intervals. Returns
   * milliseconds until it is due; undefined when there is nothing new.
   */
  #publishIfDue(isBusy: boolean): number | undefined {
    if (this.#unseen === 'nothing') return undefined;
    const now = this.#ports.clock.now();
    // A view is made of what waits to become a segment: while this thread rebuilds, that would be
    // many small ones.
    const interval =
      this.#follower.isRebuilding && !this.#follower.isBuilding
        ? SEARCH_REBUILD_PUBLISH_INTERVAL_MS
        : SEARCH_REFRESH_INTERVAL_MS;
    const rest = this.#publishedAtMs + interval - now;
    const canWait = this.#unseen === 'a merge' || (isBusy && !this.#follower.isUpToDate);
    if (canWait && rest > 0) return rest;
    this.#publishedAtMs = now;
    this.#unseen = 'nothing';
    const snapshot = this.#follower.snapshot();
    const released = this.#released.replace(snapshot.view);
    this.#ports.publish({ ...snapshot, released });
    if (released !== this.#collected) {
      this.#collected = released;
      callLater(this.#ports.collect);
    }
    return undefined;
  }
}

/** The place of an index among the followers of the log: see `FollowerSlot`. */
interface IndexPosition {
  reached(sequence: number): void;
  needs(after: number | undefined): void;
  readonly isDropped: boolean;
}

interface LogNeedsPorts {
  readonly text: IndexPosition;
  readonly vector: IndexPosition;
  readonly files: Saved;
  readonly vectorFiles: Saved;
  readonly note: (text: string) => void;
}

interface Saved {
  savedSequence: number | undefined;
}

interface Index {
  readonly name: string;
  readonly position: IndexPosition;
  readonly files: Saved;
}

/**
 * Publishes how far the indexes are and what they need of the log: what they have not read, and
 * what came after the last save, so that the next start continues from the files.
 */
class LogNeeds {
  readonly #note: (text: string) => void;
  readonly #indexes: readonly Index[];

  constructor({ text, vector, files, vectorFiles, note }: LogNeedsPorts) {
    this.#note = note;
    this.#indexes = [
      { name: 'search index', position: text, files },
      { name: 'index of vectors', position: vector, files: vectorFiles },
    ];
  }

  /** The log no longer has what comes after the save. */
  trimmed(): void {
    for (const { files } of this.#indexes) files.savedSequence = undefined;
  }

  /** Both indexes have everything up to the sequence. */
  reached(sequence: number): void {
    for (const { name, position, files } of this.#indexes) {
      if (position.isDropped) {
        files.savedSequence = undefined;
        this.#note(
          `the log is not kept for the saved ${name}: a start before the next save rebuilds it`,
        );
      }
      position.reached(sequence);
      // Keeps the last indexed record, too: a saved index is compared with the log by it.
      position.needs(Math.max(0, Math.min(sequence, files.savedSequence ?? Infinity) - 1));
    }
  }
}

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
