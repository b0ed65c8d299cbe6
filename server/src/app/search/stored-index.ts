import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { SEARCH_FILES_ROOM_BYTES_MIN } from '#base/search-limits.ts';
import { digestAt } from '#log/record-digest.ts';
import type { LogTail } from '#log/log-tail.ts';
import type { IndexProgress } from '#search/indexing/index-follower.ts';
import type { IndexFiles, KeptIndex } from '#search/indexing/run-index.ts';
import { SegmentFiles } from '#search/text/segment-files.ts';
import type { IndexView } from '#search/text/index-view.ts';

/** Differs when documents are made in another way from the same nodes: analysis, detection of languages. */
const ANALYSIS = 1;

/** What a kept index goes on from. */
interface Origin {
  readonly analysis: number;
  /** Of the log's record at its sequence: another history has another one. */
  readonly record: string | undefined;
  readonly progress: IndexProgress;
}

/** The index of a workspace between its starts, in files beside the state. */
export class StoredIndex implements IndexFiles, Disposable {
  readonly #storage: string;
  readonly #files: SegmentFiles;
  readonly #log: LogTail;
  readonly #note: (text: string) => void;

  constructor(storage: string, log: LogTail, note: (text: string) => void) {
    this.#storage = storage;
    this.#files = new SegmentFiles(folderOf(storage));
    this.#log = log;
    this.#note = note;
  }

  /** What was kept, if the log goes on from it. */
  async load(): Promise<KeptIndex | undefined> {
    try {
      const stored = this.#files.load();
      if (stored === undefined) return undefined;
      const origin: Origin = JSON.parse(stored.manifest.settings);
      const record = await digestAt(this.#log, stored.manifest.sequence);
      if (origin.analysis === ANALYSIS && record !== undefined && record === origin.record) {
        return { parts: stored.parts, progress: origin.progress };
      }
      this.#note(
        'the search index is built anew: the log does not go on from the one that was kept',
      );
    } catch (error) {
      this.#note(`the search index is built anew: ${String(error)}`);
    }
    this.#files.clear();
    return undefined;
  }

  /** Room on the volume is for commits first: where there is little, nothing is kept. */
  async save(view: IndexView, progress: IndexProgress): Promise<void> {
    const { sequence } = progress;
    try {
      const bytes = view.parts.reduce((sum, { memory }) => sum + memory.byteLength, 0);
      const { bavail, bsize } = statfsSync(this.#storage);
      if (bavail * bsize < bytes + SEARCH_FILES_ROOM_BYTES_MIN) {
        this.#files.clear();
        return;
      }
      const record = await digestAt(this.#log, sequence);
      const origin: Origin = { analysis: ANALYSIS, record, progress };
      this.#files.save(view, sequence, JSON.stringify(origin));
    } catch (error) {
      // The workspace is worth more than a fast start.
      this.#note(`the search index is not kept: ${String(error)}`);
    }
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
  }
}

/** An index is in the open: where the state is encrypted, it is kept in memory only, and built at each start. */
export class NoIndexFiles implements IndexFiles, Disposable {
  constructor(storage: string) {
    rmSync(folderOf(storage), { recursive: true, force: true });
  }

  async load(): Promise<undefined> {}

  async save(): Promise<void> {}

  [Symbol.dispose](): void {}
}

function folderOf(storage: string): string {
  return join(storage, 'search');
}
