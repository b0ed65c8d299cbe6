import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SEARCH_FILES_ROOM_BYTES_MIN } from '#base/search-limits.ts';
import { digestAt } from '#log/commit-log.ts';
import type { LogTail } from '#log/log-tail.ts';
import type {
  KeptVectors,
  VectorField,
  VectorFiles,
  VectorProgress,
} from '#search/indexing/vectors/vector-field.ts';
import type { VectorIndexWriter } from '#search/vector/index-writer.ts';
import { loadVectorIndex, saveVectorIndex } from '#search/vector/vector-files.ts';
import { roomBytes } from '#store/storage-problem.ts';

const LIST = 'vectors.json';

/** The list of the folder's vectors. It is written last: what it does not name is not there. */
interface Kept extends VectorProgress {
  /** The digest of the log's record at its sequence: another history has another one. */
  readonly record: string | undefined;
  readonly fields: readonly KeptField[];
}

interface KeptField {
  readonly key: string;
  readonly digest: string;
  readonly dimensions: number;
  readonly folder: string;
}

/**
 * The vectors of a workspace between its starts, in files beside the state: a folder for each
 * field.
 */
export class StoredVectors implements VectorFiles {
  readonly #folder: string;
  readonly #log: LogTail;
  readonly #random: () => number;
  readonly #note: (text: string) => void;
  savedSequence: number | undefined;

  constructor(
    storage: string,
    parts: { log: LogTail; random: () => number; note: (text: string) => void },
  ) {
    this.#folder = vectorsFolder(storage);
    this.#log = parts.log;
    this.#random = parts.random;
    this.#note = parts.note;
  }

  async load(): Promise<KeptVectors | undefined> {
    try {
      const kept: Kept = JSON.parse(readFileSync(join(this.#folder, LIST), 'utf8'));
      const record = await digestAt(this.#log, kept.sequence);
      if (record === undefined || record !== kept.record) return undefined;
      this.#isSavedAt(kept);
      const fields = new Map(kept.fields.map((field) => [field.key, field]));
      return { ...kept, load: (field) => this.#load(field, fields.get(field.key), kept.sequence) };
    } catch (error) {
      if (!isMissing(error)) this.#note(`vectors are indexed anew: ${String(error)}`);
      return undefined;
    }
  }

  /** Room on the volume is for commits first: where there is little, nothing is kept. */
  async save(fields: readonly VectorField[], progress: VectorProgress): Promise<void> {
    // The log is kept from here on.
    this.savedSequence ??= progress.sequence;
    try {
      const record = await digestAt(this.#log, progress.sequence);
      const list = join(this.#folder, LIST);
      rmSync(list, { force: true });
      const bytes = fields.reduce((sum, { writer }) => sum + bytesOf(writer), 0);
      if (roomBytes(dirname(this.#folder)) < bytes + SEARCH_FILES_ROOM_BYTES_MIN) {
        rmSync(this.#folder, { recursive: true, force: true });
        this.savedSequence = undefined;
        return;
      }
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const kept = fields.flatMap((field, number) => this.#save(field, number, progress.sequence));
      const content: Kept = { ...progress, record, fields: kept };
      writeFileSync(`${list}.new`, JSON.stringify(content), { mode: 0o600, flush: true });
      renameSync(`${list}.new`, list);
      this.#isSavedAt(content);
    } catch (error) {
      // The workspace is worth more than a fast start.
      this.savedSequence = undefined;
      this.#note(`vectors are not kept: ${String(error)}`);
    }
  }

  /** A list without vectors is nothing to keep the log for. */
  #isSavedAt({ sequence, fields }: Kept): void {
    this.savedSequence = fields.length === 0 ? undefined : sequence;
  }

  #save(field: VectorField, number: number, sequence: number): KeptField[] {
    const { writer, key, digest } = field;
    if (writer === undefined) return [];
    const folder = String(number);
    saveVectorIndex(join(this.#folder, folder), writer, sequence);
    return [{ key, digest, dimensions: writer.handle.dimensions, folder }];
  }

  #load(
    field: VectorField,
    kept: KeptField | undefined,
    sequence: number,
  ): VectorIndexWriter | undefined {
    if (kept === undefined || kept.digest !== field.digest) return undefined;
    try {
      const loaded = loadVectorIndex(join(this.#folder, kept.folder), {
        dimensions: kept.dimensions,
        model: field.planned.model,
        random: this.#random,
      });
      return loaded?.sequence === sequence ? loaded.writer : undefined;
    } catch (error) {
      this.#note(
        `the vectors of ${field.key.replace('\n', '.')} are indexed anew: ${String(error)}`,
      );
      return undefined;
    }
  }
}

/** Where the state is encrypted, vectors are in memory only. */
export class NoVectorFiles implements VectorFiles {
  savedSequence: undefined;

  constructor(storage: string) {
    rmSync(vectorsFolder(storage), { recursive: true, force: true });
  }

  async load(): Promise<undefined> {}

  async save(): Promise<void> {}
}

/** The folder of vectors in a storage folder. */
export function vectorsFolder(storage: string): string {
  return join(storage, 'vectors');
}

/** About: two bytes for a dimension and the links. */
function bytesOf(writer: VectorIndexWriter | undefined): number {
  if (writer === undefined) return 0;
  const { vectors, deleted } = writer.stats;
  return (vectors + deleted) * (2 * writer.handle.dimensions + 256);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
