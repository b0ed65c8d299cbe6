import { createHash } from 'node:crypto';
import { must } from '#base/assert.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { HAS_FILE } from '#graph/file-nodes.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import { deletePieces, writePiece } from './file-content.ts';
import { PieceBuffer } from './piece-buffer.ts';
import { fileExists, fileReference, writeEntry } from './stored-file.ts';
import type { FileFolder, StoredFile } from './stored-file.ts';

export interface NewFile {
  readonly of: FileFolder;
  readonly name: string;
  readonly contentType: string;
  /** UID of a user, the only one beside administrators who may see the file; else it is seen with its node. */
  readonly owner?: string;
  /** Further fields of its entry. */
  readonly fields: Readonly<Record<string, string | null>>;
  /** Goes into the commit that makes the file, as the audit of it does. */
  readonly trace: (file: WrittenFile) => GraphOperation;
}

export interface WrittenFile {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** One file that is being made: `end` makes it whole; where that, or anything before it, fails, `abort` has to follow. */
export class FileWriter {
  readonly #commits: CommitPort;
  readonly #file: NewFile;
  readonly #find: () => StoredFile | undefined;
  /** Of its own, so that two that are made at a time under one name do not meet. */
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

  /** Rejects with `file_exists` when another one of the same name was whole before, and as commits do when the folder has gone. */
  async end(): Promise<StoredFile> {
    await this.#pieces.flush();
    const { of, name, owner, fields, trace } = this.#file;
    const written = { size: this.#size, sha256: this.#hash.digest('hex') };
    const place = { ...written, content: this.#content, chunks: this.#pieces.pieces };
    const entry = fileReference(of, name);
    const operations: GraphOperation[] = [
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
