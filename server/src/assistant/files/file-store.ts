import { createHash } from 'node:crypto';
import { FILE_CHUNK_BYTES_MAX } from '#base/admin-agent-limits.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** The node types of `#graph/system-schema.ts` in which files are kept: what they are, and their content in pieces. */
const FILE_TYPE = '_FileEntry';
const CHUNK_TYPE = '_FileChunk';
/** From what a file belongs to. */
const HAS_FILE = '_HasFile';
/** Pieces without a file that are deleted by one commit. */
const SWEEP_OPERATIONS_MAX = 1_000;

export interface StoredFile {
  readonly UID: string;
  readonly name: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The node that files belong to; each name is there once. */
export interface FileFolder {
  readonly type: string;
  readonly key: string;
}

export interface NewFile {
  readonly of: FileFolder;
  readonly name: string;
  readonly path: string;
  readonly contentType: string;
  /** UID of a user, the only one beside administrators who may see the file. */
  readonly owner: string;
  /** Goes into the commit that makes the file, as the audit of it does. */
  readonly trace: (file: Omit<StoredFile, 'UID'>) => GraphOperation;
}

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
    const existing = this.find(file.of, file.name);
    if (existing !== undefined) throw exists(existing);
    return new FileWriter(this.#commits, file, () => this.find(file.of, file.name));
  }

  find(of: FileFolder, name: string): StoredFile | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: FILE_TYPE, key: keyOf(of, name) });
    return id === undefined ? undefined : this.#read(id);
  }

  /** Of one node, by name. */
  filesOf(of: FileFolder): StoredFile[] {
    this.#reader.refresh();
    return this.#idsOf(of)
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** All of it: a file is no larger than an upload may be. */
  content(of: FileFolder, name: string): Buffer {
    const reader = this.#reader;
    const id = must(reader.id({ type: FILE_TYPE, key: keyOf(of, name) }), 'the node of a file');
    const { content, chunks } = this.#contentOf(id);
    return Buffer.concat(
      Array.from({ length: chunks }, (_, index) => {
        const chunk = reader.id({ type: CHUNK_TYPE, key: chunkKey(content, index) });
        const bytes = reader.field(must(chunk, 'a piece of a file'), 'Bytes');
        return Buffer.from(String(bytes), 'base64');
      }),
    );
  }

  /** For a commit with `system`: all files of one node, with what they contain. */
  deletions(of: FileFolder): GraphOperation[] {
    return this.#idsOf(of).flatMap((id) => {
      const { content, chunks } = this.#contentOf(id);
      const pieces = Array.from({ length: chunks }, (_, i) => deletion(chunkKey(content, i)));
      return [{ op: 'delete', uid: must(this.#reader.uid(id), 'the UID of a file') }, ...pieces];
    });
  }

  /** Deletes the pieces of files that were never whole, because the server ended before they were. For a start: no file is being made. */
  async sweep(): Promise<void> {
    const reader = this.#reader;
    reader.refresh();
    const whole = new Set(reader.idsOfType(FILE_TYPE).map((id) => this.#contentOf(id).content));
    const lost = reader
      .idsOfType(CHUNK_TYPE)
      .map((id) => String(reader.field(id, 'Id')))
      .filter((key) => !whole.has(contentIn(key)));
    for (let at = 0; at < lost.length; at += SWEEP_OPERATIONS_MAX) {
      const operations = lost.slice(at, at + SWEEP_OPERATIONS_MAX).map(deletion);
      await this.#commits.commit({ system: true, operations });
    }
  }

  #idsOf(of: FileFolder): number[] {
    const id = this.#reader.id(of);
    return id === undefined ? [] : this.#reader.neighbors(id, 'out', HAS_FILE);
  }

  #contentOf(id: number): { readonly content: string; readonly chunks: number } {
    const stored = must(this.#reader.fields(id, ['Content', 'Chunks']), 'the node of a file');
    const [content, chunks] = stored.values;
    return { content: String(content), chunks: Number(chunks) };
  }

  #read(id: number): StoredFile {
    const node = must(this.#reader.node(id), 'the node of a file');
    return {
      UID: node.UID,
      name: String(node['Name']),
      path: String(node['Path']),
      size: Number(node['Size']),
      contentType: String(node['ContentType']),
      sha256: String(node['Sha256']),
    };
  }
}

/** One file that is being made: `end` makes it whole; where that, or anything before it, fails, `abort` has to follow. */
export class FileWriter {
  readonly #commits: CommitPort;
  readonly #file: NewFile;
  readonly #find: () => StoredFile | undefined;
  /** Of its own, so that two that are made at a time under one name do not meet. */
  readonly #content = formatUid(randomUid());
  readonly #hash = createHash('sha256');
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #chunks = 0;
  #size = 0;

  constructor(commits: CommitPort, file: NewFile, find: () => StoredFile | undefined) {
    this.#commits = commits;
    this.#file = file;
    this.#find = find;
  }

  /** Resolves when more may come: at most a piece is held in memory. Rejects as commits do. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + FILE_CHUNK_BYTES_MAX - this.#waitingBytes);
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
      at += part.length;
      if (this.#waitingBytes === FILE_CHUNK_BYTES_MAX) await this.#flush();
    }
  }

  /** Rejects with `file_exists` when another one of the same name was whole before, and as commits do when the folder has gone. */
  async end(): Promise<StoredFile> {
    if (this.#waitingBytes > 0) await this.#flush();
    const { of, name, path, contentType, owner, trace } = this.#file;
    const sha256 = this.#hash.digest('hex');
    const file = { name, path, size: this.#size, contentType, sha256 };
    const entry = { type: FILE_TYPE, key: keyOf(of, name) };
    const fields = {
      Name: name,
      Path: path,
      Size: file.size,
      ContentType: contentType,
      Sha256: sha256,
      Content: this.#content,
      Chunks: this.#chunks,
    };
    const operations: GraphOperation[] = [
      { op: 'addOrUpdate', ...entry, fields, ifVersion: 0 },
      { op: 'link', from: of, edge: HAS_FILE, to: entry },
      { op: 'restrict', node: entry, user: { uid: owner } },
      trace(file),
    ];
    try {
      await this.#commits.commit({ system: true, operations });
    } catch (error) {
      const other = this.#find();
      throw other === undefined ? error : exists(other);
    }
    return must(this.#find(), 'the file that was written');
  }

  /** Leaves nothing. */
  async abort(): Promise<void> {
    this.#waiting = [];
    if (this.#chunks === 0) return;
    const keys = Array.from({ length: this.#chunks }, (_, i) => chunkKey(this.#content, i));
    this.#chunks = 0;
    await this.#commits.commit({ system: true, operations: keys.map(deletion) });
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting, this.#waitingBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const key = chunkKey(this.#content, this.#chunks++);
    const fields = { Bytes: bytes.toString('base64') };
    const operation = { op: 'addOrUpdate', type: CHUNK_TYPE, key, fields } as const;
    await this.#commits.commit({ system: true, operations: [operation] });
  }
}

function keyOf(of: FileFolder, name: string): string {
  return `${of.key}/${name}`;
}

function chunkKey(content: string, index: number): string {
  return `${content}/${index}`;
}

function contentIn(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

function deletion(key: string): GraphOperation {
  return { op: 'delete', type: CHUNK_TYPE, key };
}

function exists({ UID, name, path, size, contentType }: StoredFile): Problem {
  const entry = { UID, Size: size, ContentType: contentType, name, path };
  return new Problem('file_exists', `There is a file "${name}" already.`, { details: { entry } });
}
