import { must } from '#base/assert.ts';
import { contentOfPiece, FILE_PIECE_TYPE, FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { contentPlace, deletePiece, pieceCount, readPiece } from './file-content.ts';
import { FileWriter, type NewFile } from './file-writer.ts';
import { fileExists, fileReference, readStoredFile } from './stored-file.ts';
import type { FileFolder, StoredFile } from './stored-file.ts';
import { UPLOAD_TYPE } from './upload-record.ts';

/** Pieces without a file that are deleted by one commit. */
const SWEEP_OPERATIONS_MAX = 1_000;

/**
 * Files as nodes, so that they are replicated, backed up and encrypted like everything else (specification, section 4.7). The content is
 * committed piece by piece while it arrives, and the file is there with the last commit, or not at all.
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

  /** Of one node, by name. */
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
  deletions(of: FileFolder): GraphOperation[] {
    return this.#idsOf(of).map((id) => {
      return { op: 'delete', uid: must(this.#reader.uid(id), 'the UID of a file') };
    });
  }

  /**
   * Deletes the pieces of files that were never whole, because the server ended before they were. For a start: no file is being made but
   * those whose upload may go on.
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
