import { rmSync } from 'node:fs';
import { SEARCH_FILES_ROOM_BYTES_MIN } from '#base/search-limits.ts';
import { digestAt } from '#log/commit-log.ts';
import type { LogTail } from '#log/log-tail.ts';
import {
  type ConnectionPages,
  decodeConnections,
  encodeConnections,
} from '#search/indexing/connections.ts';
import type { IndexProgress } from '#search/indexing/index-follower.ts';
import type { IndexFiles, KeptIndex } from '#search/indexing/index-saves.ts';
import { indexFolder } from '#search/text/segment-codec.ts';
import type { OpenPages } from '#search/text/segment-bytes.ts';
import { SegmentFiles } from '#search/text/segment-files.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import type { IndexView } from '#search/text/index-view.ts';
import { roomBytes } from '#store/storage-problem.ts';

/**
 * Differs when documents are made in another way from the same nodes: analysis, detection of
 * languages.
 */
const ANALYSIS = 2;

/** The place in the log that a kept index goes on from, and how its documents were made. */
interface Origin {
  readonly analysis: number;
  /** The digest of the log's record at its sequence: another history has another one. */
  readonly record: string | undefined;
  readonly progress: IndexProgress;
}

interface StoredIndexOptions {
  readonly storage: string;
  readonly log: LogTail;
  /** Budget of the index in memory: see `IndexFiles`. */
  readonly memoryBytesMax: number;
  readonly note: (text: string, level?: 'debug') => void;
}

/** The index of a workspace between its starts, in files beside the state. */
export class StoredIndex implements IndexFiles, Disposable {
  readonly memoryBytesMax: number;
  readonly openPages: OpenPages;
  readonly #options: StoredIndexOptions;
  readonly #files: SegmentFiles;
  readonly #readers: SegmentReaders;
  savedSequence: number | undefined;

  constructor(options: StoredIndexOptions) {
    const folder = indexFolder(options.storage);
    this.memoryBytesMax = options.memoryBytesMax;
    this.#options = options;
    this.#files = new SegmentFiles(folder);
    this.#readers = new SegmentReaders(folder);
    this.openPages = this.#readers.open;
  }

  /** The index that was kept, if the log goes on from it. */
  async load(): Promise<KeptIndex | undefined> {
    const { log, note } = this.#options;
    try {
      const stored = this.#files.load(this.memoryBytesMax);
      if (stored === undefined) return undefined;
      const origin: Origin = JSON.parse(stored.manifest.settings);
      const record = await digestAt(log, stored.manifest.sequence);
      if (origin.analysis === ANALYSIS && record !== undefined && record === origin.record) {
        this.savedSequence = stored.manifest.sequence;
        const { parts, column } = stored;
        const connections = column && decodeConnections(column);
        return { parts, progress: origin.progress, connections };
      }
      note('the search index is built anew: the log does not go on from the one that was kept');
    } catch (error) {
      note(`the search index is built anew: ${String(error)}`);
    }
    this.#files.clear();
    return undefined;
  }

  /**
   * Room on the volume is for commits first: where there is little, nothing is kept but what is not
   * in memory.
   */
  async save(
    view: IndexView,
    progress: IndexProgress,
    connections: ConnectionPages | undefined,
  ): Promise<ReadonlySet<number>> {
    const { storage, log, note } = this.#options;
    const { sequence } = progress;
    const savedBefore = this.savedSequence;
    // The log is kept from here on.
    this.savedSequence ??= sequence;
    try {
      if (roomBytes(storage) < view.memoryBytes + SEARCH_FILES_ROOM_BYTES_MIN) {
        this.savedSequence = undefined;
        this.#files.clear(view);
        return NONE;
      }
      note('the search index is saved', 'debug');
      const record = await digestAt(log, sequence);
      const origin: Origin = { analysis: ANALYSIS, record, progress };
      const column = connections && encodeConnections(connections);
      await this.#files.save(view, sequence, JSON.stringify(origin), column);
      this.savedSequence = sequence;
      note('the search index has been saved', 'debug');
    } catch (error) {
      // The workspace is worth more than a fast start.
      this.savedSequence = savedBefore;
      note(`the search index is not kept: ${String(error)}`);
      return NONE;
    }
    const saved = new Set(view.parts.map(({ id }) => id));
    this.#readers.keepOnly(saved);
    return saved;
  }

  [Symbol.dispose](): void {
    this.#readers[Symbol.dispose]();
  }
}

const NONE: ReadonlySet<number> = new Set();

/**
 * An index is in the open: where the state is encrypted, it is kept in memory only, all of it, and
 * built at each start.
 */
export class NoIndexFiles implements IndexFiles, Disposable {
  readonly memoryBytesMax: number;
  savedSequence: undefined;
  readonly #note: (text: string) => void;
  #hasTold = false;

  constructor({ storage, memoryBytesMax, note }: Omit<StoredIndexOptions, 'log'>) {
    this.memoryBytesMax = memoryBytesMax;
    this.#note = note;
    rmSync(indexFolder(storage), { recursive: true, force: true });
  }

  async load(): Promise<undefined> {}

  async save({ memoryBytes }: IndexView): Promise<ReadonlySet<number>> {
    if (memoryBytes > this.memoryBytesMax && !this.#hasTold) {
      this.#hasTold = true;
      this.#note(
        `the search index takes ${memoryBytes} bytes of memory, more than its budget: it has no files, as the state is encrypted`,
      );
    }
    return NONE;
  }

  [Symbol.dispose](): void {}
}
