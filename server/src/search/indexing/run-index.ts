import { setImmediate as callLater } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#base/clock.ts';
import {
  SEARCH_REBUILD_PUBLISH_INTERVAL_MS,
  SEARCH_REFRESH_INTERVAL_MS,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { ReleasedMemory } from '../text/released-memory.ts';
import { TextIndex } from '../text/text-index.ts';
import { type CommitSource, IndexFollower } from './index-follower.ts';
import { IndexMerges, type MergePorts } from './index-merges.ts';
import { type IndexFiles, IndexSaves } from './index-saves.ts';
import type { SegmentThreads } from './range-builds.ts';
import type { SearchSnapshot } from './search-snapshot.ts';
import type { TextDesk } from './vectors/text-desk.ts';
import type { VectorFieldOptions, VectorFiles } from './vectors/vector-field.ts';
import { VectorUpkeep } from './vectors/vector-upkeep.ts';
import { limitsWithin, releasedBytesMax } from './text-index-limits.ts';

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
  /** No thread knows a segment by this number or a greater one. */
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
  const released = new ReleasedMemory(releasedBytesMax(files.memoryBytesMax));
  while (!signal.aborted) {
    try {
      using follower = new IndexFollower({ ...ports, index, progress, keptVectors });
      await new IndexRun(ports, { index, follower, released, needs }).run(signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'log_trimmed') throw error;
      // What it has not seen is not told any more: it reads everything.
      ports.note('the search index is built anew: it was too far behind the log');
      needs.trimmed();
      index = index.successor();
      progress = undefined;
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
  #isPublished = false;
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
        // Before it looks: what changes from here on wakes it.
        change = Promise.withResolvers();
        const hasWorked = await this.#follower.work();
        if (hasWorked) {
          this.#isPublished = false;
          this.#saves.note();
        }
        // Others may be at work, while this thread waits for what they build.
        const isBusy = hasWorked || this.#follower.isBuilding;
        const untilPublished = this.#publishIfDue(isBusy);
        this.#merges.startIfDue(!isBusy, signal);
        this.#ports.texts.serve(this.#follower.vectors, () => this.#hasMoved());
        if (hasWorked) this.#vectors.note();
        const isLinking = this.#vectors.work();
        const untilSaved = this.#saves.startIfDue(!isBusy);
        this.#needs.reached(this.#follower.sequence);
        if (hasWorked || isLinking) {
          // Messages come in between, and what is being merged or saved goes on.
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
      // A merge that is under way is not waited for: it is done again after the next start.
      await this.#saves.finish();
      await this.#vectors.save();
      this.#needs.reached(this.#follower.sequence);
    } finally {
      stop();
      signal.removeEventListener('abort', wake);
      await this.#saves.settled();
    }
  }

  #hasMoved(): void {
    this.#isPublished = false;
    this.#wake();
  }

  #hasMerged(): void {
    this.#saves.note();
    this.#hasMoved();
  }

  /**
   * At once when it is up with the log; while it is not, every so often. Answers after how many milliseconds it is due; undefined when
   * there is nothing new.
   */
  #publishIfDue(isBusy: boolean): number | undefined {
    if (this.#isPublished) return undefined;
    const now = this.#ports.clock.now();
    // A view is made of what waits to become a segment: while this thread rebuilds, that would be many small ones.
    const interval =
      this.#follower.isRebuilding && !this.#follower.isBuilding
        ? SEARCH_REBUILD_PUBLISH_INTERVAL_MS
        : SEARCH_REFRESH_INTERVAL_MS;
    const rest = this.#publishedAtMs + interval - now;
    if (isBusy && !this.#follower.isUpToDate && rest > 0) return rest;
    this.#publishedAtMs = now;
    this.#isPublished = true;
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
 * Says how far the indexes are, and what they need of the log: what they have not read, and what came after they were saved, so that
 * the next start goes on from the files.
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

  /** The log no longer goes on from what is saved. */
  trimmed(): void {
    for (const { files } of this.#indexes) files.savedSequence = undefined;
  }

  /** Both have taken in everything up to the sequence. */
  reached(sequence: number): void {
    for (const { name, position, files } of this.#indexes) {
      if (position.isDropped) {
        files.savedSequence = undefined;
        this.#note(
          `the log is not kept for the saved ${name}: a start before the next save makes it anew`,
        );
      }
      position.reached(sequence);
      // With the last record that is taken in: what is saved is compared with the log by it.
      position.needs(Math.max(0, Math.min(sequence, files.savedSequence ?? Infinity) - 1));
    }
  }
}
