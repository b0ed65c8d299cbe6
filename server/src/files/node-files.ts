import type { NodeFile } from '@trellis/contract/shapes/file.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { type NodeReads, NodeView } from '#access/node-view.ts';
import { NODE_FILES_MAX } from '#base/limits.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import { contentPlace, readContent } from './file-content.ts';
import { checkFileName, contentTypeOf, readStoredFile, type StoredFile } from './stored-file.ts';
import type { FileStore } from './file-store.ts';

/** As uploads answer it (specification, section 2.8). */
export interface NodeFileEntry {
  readonly UID: string;
  /** Bytes. */
  readonly Size: number;
  readonly ContentType: string;
  readonly Name: string;
}

export interface OpenFile {
  readonly file: NodeFile;
  /**
   * The bytes from `from` up to and without `to`, as they are wanted. Throws when the file is
   * deleted meanwhile.
   */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

export interface GivenFile {
  readonly name: string;
  readonly contentType: string;
}

export interface NodeFilesParts {
  readonly reads: NodeReads;
  readonly commits: CommitPort;
  readonly store: FileStore;
  readonly audit: AuditTrail;
  /** Called with the UID of a file whose text nobody has looked for yet. */
  readonly onUploaded: (uid: string) => void;
}

/**
 * The files of nodes, for callers: a file is there for whoever sees its node, and for nobody else.
 */
export class NodeFiles {
  readonly #parts: NodeFilesParts;

  constructor(parts: NodeFilesParts) {
    this.#parts = parts;
  }

  /** By name. Throws `node_not_found`. */
  list(caller: Caller, node: string, { skip, take }: { skip: number; take: number }) {
    this.#checkSees(caller, node);
    const all = this.#parts.store.filesOf({ uid: node });
    const items = all.slice(skip, skip + take).map(shown);
    return { items, total: all.length, skip, take };
  }

  /** Throws `file_not_found`. */
  get(caller: Caller, uid: string): NodeFile {
    return shown(readStoredFile(this.#parts.reads.reader, this.#find(caller, uid).id));
  }

  /** Throws `file_not_found`. */
  open(caller: Caller, uid: string): OpenFile {
    const { reader } = this.#parts.reads;
    const { id } = this.#find(caller, uid);
    const place = contentPlace(reader, id);
    const file = shown(readStoredFile(reader, id));
    return { file, read: (from, to) => readContent(reader, place, from, to) };
  }

  /**
   * Whether a node may be given a file. Throws `node_not_found`, `invalid_request`,
   * `too_many_files`.
   */
  checkTarget(caller: Caller, node: string): void {
    const type = this.#checkSees(caller, node);
    if (type.startsWith('_')) {
      throw new Problem('invalid_request', `Files cannot be uploaded to a ${type}.`, {
        details: { fields: [{ path: 'path.uid', message: 'is a node of a built-in type' }] },
      });
    }
    if (this.#parts.store.countOf({ uid: node }) >= NODE_FILES_MAX) {
      throw new Problem('too_many_files', `A node has at most ${NODE_FILES_MAX} files.`);
    }
  }

  /** The same, and throws `file_exists` and `invalid_request` for what is no name of a file. */
  checkNew(caller: Caller, node: string, { name }: GivenFile): void {
    this.checkTarget(caller, node);
    checkFileName(name);
    this.#parts.store.checkNameIsFree({ uid: node }, name);
  }

  /** Throws as `checkNew` does. */
  upload(caller: Caller, node: string, file: GivenFile, address: string) {
    this.checkNew(caller, node, file);
    const writer = this.#parts.store.begin({
      of: { uid: node },
      name: file.name,
      contentType: contentTypeOf(file.contentType),
      fields: newFields(caller),
      trace: (written) => this.trace({ caller, address }, node, file.name, written),
    });
    return {
      write: (bytes: Uint8Array) => writer.write(bytes),
      end: async (): Promise<NodeFileEntry> => {
        try {
          return this.uploaded(await writer.end());
        } catch (error) {
          // What was there when it began may be deleted by now.
          this.#checkSees(caller, node);
          throw error;
        }
      },
      abort: () => writer.abort(),
    };
  }

  /** For the commit that makes a file of a node. */
  trace(
    who: { readonly caller: Caller; readonly address: string },
    node: string,
    name: string,
    details: { readonly size: number; readonly sha256: string },
  ): WriterOperation {
    const target = { kind: 'node', id: node, name };
    return this.#parts.audit.operation(deed('file.uploaded', who, target, { ...details }));
  }

  /** After that commit. */
  uploaded(file: StoredFile): NodeFileEntry {
    this.#parts.onUploaded(file.UID);
    return entryOf(file);
  }

  /** Throws `file_not_found`. */
  async delete(caller: Caller, uid: string, address: string): Promise<void> {
    const { reads, audit, commits } = this.#parts;
    const { id, node } = this.#find(caller, uid);
    const { name, size, sha256 } = readStoredFile(reads.reader, id);
    const target = { kind: 'node', id: node, name };
    const event = deed('file.deleted', { caller, address }, target, { size, sha256 });
    await commits.commit({
      system: true,
      operations: [{ op: 'delete', uid }, audit.operation(event)],
    });
  }

  /** The type of a node that the caller sees. */
  #checkSees(caller: Caller, uid: string): string {
    const view = NodeView.open(this.#parts.reads, caller);
    const id = view.find(uid);
    if (id === undefined) throw new Problem('node_not_found', 'There is no such node.');
    return must(view.typeOf(id), 'the type of a node');
  }

  /**
   * A file of a node of the workspace's own: those of the admin agent's conversations have their
   * own ways.
   */
  #find(caller: Caller, uid: string): { readonly id: number; readonly node: string } {
    const { reader } = this.#parts.reads;
    const view = NodeView.open(this.#parts.reads, caller);
    const id = view.find(uid);
    const isFile = id !== undefined && view.typeOf(id) === FILE_TYPE;
    const [node] = isFile ? reader.neighbors(id, 'in', HAS_FILE) : [];
    const isOwn = node !== undefined && view.typeOf(node)?.startsWith('_') === false;
    if (id === undefined || !isOwn) throw new Problem('file_not_found', 'There is no such file.');
    return { id, node: must(reader.uid(node), 'the UID of a node') };
  }
}

/** Fields of the entry of a file of a node. */
export function newFields({ userUid }: Caller): Readonly<Record<string, string>> {
  return { TextState: 'pending', ...(userUid === null ? {} : { UploadedBy: userUid }) };
}

function entryOf({ UID, size, contentType, name }: StoredFile): NodeFileEntry {
  return { UID, Size: size, ContentType: contentType, Name: name };
}

function shown(file: StoredFile): NodeFile {
  return {
    ...entryOf(file),
    Sha256: file.sha256,
    Timestamp: file.uploadedAt,
    UploadedBy: file.uploadedBy,
    TextState: file.textState ?? 'unsupported',
    TextError: file.textError,
  };
}
