import { must } from '#base/assert.ts';
import { contentOfPiece, FILE_PIECE_TYPE, FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  contentPlace,
  deletePiece,
  deletePieces,
  pieceCount,
  readPiece,
  writePiece,
} from './file-content.ts';
import {
  fileExists,
  type FileFolder,
  fileReference,
  readStoredFile,
  type StoredFile,
  writeEntry,
} from './stored-file.ts';
import { UPLOAD_TYPE } from './upload-record.ts';
import { FILE_CHUNK_BYTES_MAX } from '#base/limits.ts';
import { createHash } from 'node:crypto';
import { formatUid, randomUid } from '#base/uid.ts';

/** Pieces without a file that are deleted by one commit. */
const SWEEP_OPERATIONS_MAX = 1_000;

/**
 * Files as nodes, so that they are replicated, backed up and encrypted like everything else
 * (specification, section 4.7). The content is committed piece by piece while it arrives, and the
 * file is there with the last commit, or not at all.
 */
export class FileStore {
  readonly #reader: GraphReader;
  readonly #commits: CommitPort;

  constructor(reader: GraphReader, commits: CommitPort) {
    this.#reader = reader;
    this.#commits = commits;
  }

  /** Throws `file_exists` with the file in `details.entry`. */
  begin(file: NewFile): FileWriter {
    this.checkNameIsFree(file.of, file.name);
    return new FileWriter(this.#commits, file, () => this.find(file.of, file.name));
  }

  /** Throws `file_exists`. */
  checkNameIsFree(of: FileFolder, name: string): void {
    const existing = this.find(of, name);
    if (existing !== undefined) throw fileExists(existing);
  }

  find(of: FileFolder, name: string): StoredFile | undefined {
    this.#reader.refresh();
    const id = this.#reader.id(fileReference(of, name));
    return id === undefined ? undefined : readStoredFile(this.#reader, id);
  }

  countOf(of: FileFolder): number {
    this.#reader.refresh();
    return this.#idsOf(of).length;
  }

  /** The files of one node, by name. */
  filesOf(of: FileFolder): StoredFile[] {
    this.#reader.refresh();
    return this.#idsOf(of)
      .map((id) => readStoredFile(this.#reader, id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** All of it: for files that are no larger than an upload to the admin agent may be. */
  content(of: FileFolder, name: string): Buffer {
    const reader = this.#reader;
    const { content, size } = contentPlace(
      reader,
      must(reader.id(fileReference(of, name)), 'the node of a file'),
    );
    const pieces = Array.from({ length: pieceCount(size) }, (_, index) =>
      readPiece(reader, content, index),
    );
    return Buffer.concat(pieces);
  }

  /** For a commit with `system`: all files of one node, with what they contain. */
  deletions(of: FileFolder): WriterOperation[] {
    return this.#idsOf(of).map((id) => {
      return { op: 'delete', uid: must(this.#reader.uid(id), 'the UID of a file') };
    });
  }

  /**
   * Deletes the pieces of files that were never whole, because the server ended before they were.
   * For a start: no file is being made but those whose upload may go on.
   */
  async sweep(): Promise<void> {
    const reader = this.#reader;
    reader.refresh();
    const kept = new Set(
      [FILE_TYPE, UPLOAD_TYPE].flatMap((type) =>
        reader.idsOfType(type).map((id) => contentPlace(reader, id).content),
      ),
    );
    const lost = reader
      .idsOfType(FILE_PIECE_TYPE)
      .map((id) => String(reader.field(id, 'Id')))
      .filter((key) => !kept.has(contentOfPiece(key)));
    for (let at = 0; at < lost.length; at += SWEEP_OPERATIONS_MAX) {
      const operations = lost.slice(at, at + SWEEP_OPERATIONS_MAX).map(deletePiece);
      await this.#commits.commit({ system: true, operations });
    }
  }

  #idsOf(of: FileFolder): number[] {
    const id = this.#reader.id(of);
    return id === undefined ? [] : this.#reader.neighbors(id, 'out', HAS_FILE);
  }
}

/** Cuts what arrives into pieces of the same size, and keeps each as soon as it is full. */
export class PieceBuffer {
  readonly #keep: (index: number, bytes: Buffer) => Promise<unknown>;
  #index: number;
  #waiting: Uint8Array[];
  #waitingBytes: number;
  /** Whether there is anything that was not kept. */
  #isNew = false;

  /**
   * It goes on after `index` whole pieces and `begun`, the part of the next one that is there
   * already.
   */
  constructor(
    keep: (index: number, bytes: Buffer) => Promise<unknown>,
    index = 0,
    begun: Uint8Array = new Uint8Array(0),
  ) {
    this.#keep = keep;
    this.#index = index;
    this.#waiting = [begun];
    this.#waitingBytes = begun.length;
  }

  /** How many pieces were kept, whole or in part. */
  get pieces(): number {
    return this.#index;
  }

  /** Resolves when more may come: at most a piece is held in memory. Rejects as keeping does. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + FILE_CHUNK_BYTES_MAX - this.#waitingBytes);
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
      this.#isNew = true;
      at += part.length;
      if (this.#waitingBytes === FILE_CHUNK_BYTES_MAX) await this.flush();
    }
  }

  /** Keeps the last piece, which need not be full. Nothing follows when it is not. */
  async flush(): Promise<void> {
    if (!this.#isNew) return;
    const bytes = Buffer.concat(this.#waiting, this.#waitingBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isNew = false;
    await this.#keep(this.#index++, bytes);
  }
}

interface NewFile {
  readonly of: FileFolder;
  readonly name: string;
  readonly contentType: string;
  /**
   * UID of a user, the only one beside administrators who may see the file; else it is seen with
   * its node.
   */
  readonly owner?: string;
  /** Further fields of its entry. */
  readonly fields: Readonly<Record<string, string | null>>;
  /** Goes into the commit that makes the file, as the audit of it does. */
  readonly trace: (file: WrittenFile) => WriterOperation;
}

interface WrittenFile {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * One file that is being made: `end` makes it whole; where that, or anything before it, fails,
 * `abort` has to follow.
 */
class FileWriter {
  readonly #commits: CommitPort;
  readonly #file: NewFile;
  readonly #find: () => StoredFile | undefined;
  /** Each writer has its own, so that two of the same name do not meet. */
  readonly #content = formatUid(randomUid());
  readonly #hash = createHash('sha256');
  readonly #pieces: PieceBuffer;
  #size = 0;

  constructor(commits: CommitPort, file: NewFile, find: () => StoredFile | undefined) {
    this.#commits = commits;
    this.#file = file;
    this.#find = find;
    this.#pieces = new PieceBuffer((index, bytes) =>
      commits.commit({ system: true, operations: [writePiece(this.#content, index, bytes)] }),
    );
  }

  /** Resolves when more may come: at most a piece is held in memory. Rejects as commits do. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    await this.#pieces.write(bytes);
  }

  /**
   * Rejects with `file_exists` when another one of the same name was whole before, and as commits
   * do when the folder has gone.
   */
  async end(): Promise<StoredFile> {
    await this.#pieces.flush();
    const { of, name, owner, fields, trace } = this.#file;
    const written = { size: this.#size, sha256: this.#hash.digest('hex') };
    const place = { ...written, content: this.#content, chunks: this.#pieces.pieces };
    const entry = fileReference(of, name);
    const operations: WriterOperation[] = [
      writeEntry(of, this.#file, place, fields),
      { op: 'link', from: of, edge: HAS_FILE, to: entry },
      ...(owner === undefined
        ? []
        : [{ op: 'restrict', node: entry, user: { uid: owner } } as const]),
      trace(written),
    ];
    try {
      await this.#commits.commit({ system: true, operations });
    } catch (error) {
      const other = this.#find();
      throw other === undefined ? error : fileExists(other);
    }
    return must(this.#find(), 'the file that was written');
  }

  /** Leaves nothing. */
  async abort(): Promise<void> {
    const operations = deletePieces(this.#content, this.#pieces.pieces);
    if (operations.length > 0) await this.#commits.commit({ system: true, operations });
  }
}
