import type { FileUpload } from '@trellis/contract/shapes/file.ts';
import { createHash } from 'node:crypto';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import {
  FILE_CHUNK_BYTES_MAX,
  FILE_UPLOAD_LIFETIME_MS,
  FILE_UPLOADS_PER_CALLER_MAX,
} from '#base/limits.ts';
import { must } from '#base/assert.ts';
import { Places } from '#base/places.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { HAS_FILE } from '#graph/file-nodes.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { deletePieces, pieceCount, readContent, readPiece, writePiece } from './file-content.ts';
import { contentTypeOf, fileExists, fileReference, writeEntry } from './stored-file.ts';
import { type FileStore, PieceBuffer } from './file-store.ts';
import { type GivenFile, newFields, type NodeFiles } from './node-files.ts';
import {
  beginUpload,
  callerOf,
  continueUpload,
  readUpload,
  UPLOAD_TYPE,
  type UploadRecord,
  uploadReference,
} from './upload-record.ts';

export interface NewUpload extends GivenFile {
  /** Bytes. */
  readonly size: number;
}

export interface FileUploadsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly store: FileStore;
  readonly files: NodeFiles;
  readonly clock: Clock;
}

interface ReadUpload extends UploadRecord {
  /** Version of its node, as it was read. */
  readonly version: number;
}

interface Sender {
  readonly caller: Caller;
  readonly address: string;
}

/**
 * Uploads that go on where they were after a lost connection, or another start of the server: what
 * has arrived is kept piece by piece, and with the last byte the file is there. Each is its
 * caller's own.
 */
export class FileUploads {
  readonly #parts: FileUploadsParts;
  /** Uploads that bytes arrive for. */
  readonly #busy = new Set<string>();
  /** By caller: uploads that are being written down. */
  readonly #beginning = new Places();

  constructor(parts: FileUploadsParts) {
    this.#parts = parts;
  }

  /**
   * Throws as uploads of whole files do, and `too_many_files` when the caller has too many under
   * way.
   */
  async create(caller: Caller, node: string, given: NewUpload): Promise<FileUpload> {
    const { files, commits } = this.#parts;
    if (given.size > FILE_BYTES_MAX) throw tooLarge();
    files.checkNew(caller, node, given);
    const whose = callerOf(caller);
    const own = this.#all().filter((upload) => upload.caller === whose);
    const count = own.length + this.#beginning.of(whose);
    if (count >= FILE_UPLOADS_PER_CALLER_MAX) {
      const message = `You have ${count} unfinished uploads.`;
      throw new Problem('too_many_files', message, { hint: 'Finish them, or delete them.' });
    }
    using _place = this.#beginning.take(whose);
    const upload: UploadRecord = {
      id: formatUid(randomUid()),
      of: node,
      name: given.name,
      contentType: contentTypeOf(given.contentType),
      size: given.size,
      received: 0,
      content: formatUid(randomUid()),
      caller: whose,
      expiresAt: this.#expiry(),
    };
    await commits.commit({ system: true, operations: [beginUpload(upload)] });
    return shown(upload);
  }

  /** Throws `upload_not_found`, as the next ones do for what is not the caller's. */
  get(caller: Caller, id: string): FileUpload {
    return shown(this.#own(caller, id));
  }

  /**
   * Takes the bytes that follow `offset`; what has arrived is kept, also when the rest does not
   * come. Throws `upload_conflict` when the upload is somewhere else, or others arrive for it; and
   * as uploads of whole files do once it is whole.
   */
  async append(
    sender: Sender,
    id: string,
    offset: number,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<FileUpload> {
    const upload = this.#own(sender.caller, id);
    if (this.#busy.has(id)) throw uploadConflict('Bytes are arriving for this upload.', upload);
    if (offset !== upload.received) {
      throw uploadConflict(`The upload is at ${upload.received}, not at ${offset}.`, upload);
    }
    this.#busy.add(id);
    try {
      const received = await this.#receive(upload, bytes);
      if (received < upload.size) return shown(this.#own(sender.caller, id));
      return await this.#complete(sender, { ...upload, received });
    } catch (error) {
      // It may have been given up meanwhile.
      this.#own(sender.caller, id);
      throw error;
    } finally {
      this.#busy.delete(id);
    }
  }

  /** Also while bytes arrive for it, which nobody keeps then. */
  async delete(caller: Caller, id: string): Promise<void> {
    while (!(await this.#drop(this.#own(caller, id))));
  }

  /** Drops those that nobody went on with for long. */
  async sweep(): Promise<void> {
    for (const { id } of this.#all()) {
      // Somebody may have gone on with it while others were dropped.
      const upload = this.#find(id);
      if (upload === undefined || this.#busy.has(id)) continue;
      if (Date.parse(upload.expiresAt) <= this.#parts.clock.now()) await this.#drop(upload);
    }
  }

  /** How many bytes there are then. */
  async #receive(upload: UploadRecord, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    const { id, content, size } = upload;
    const { reader, commits } = this.#parts;
    let { received } = upload;
    const whole = Math.floor(received / FILE_CHUNK_BYTES_MAX);
    const isBegun = received % FILE_CHUNK_BYTES_MAX > 0;
    const begun = isBegun ? readPiece(reader, content, whole) : undefined;
    const keep = (index: number, piece: Buffer) => {
      const kept = index * FILE_CHUNK_BYTES_MAX + piece.length;
      const operations = [
        continueUpload(id, kept, this.#expiry()),
        writePiece(content, index, piece),
      ];
      return commits.commit({ system: true, operations });
    };
    const pieces = new PieceBuffer(keep, whole, begun);
    const source = bytes[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#nextOf(source, pieces);
        if (next === undefined) break;
        if (received + next.length > size) throw beyondSize(size);
        received += next.length;
        await pieces.write(next);
      }
    } finally {
      await source.return?.();
    }
    await pieces.flush();
    return received;
  }

  /** What arrived before the connection broke is kept. */
  async #nextOf(
    source: AsyncIterator<Uint8Array>,
    pieces: PieceBuffer,
  ): Promise<Uint8Array | undefined> {
    try {
      const next = await source.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      await pieces.flush();
      throw error;
    }
  }

  async #complete({ caller, address }: Sender, upload: UploadRecord): Promise<FileUpload> {
    const { commits, store, files, reader } = this.#parts;
    const { id, of: uid, name, content, size } = upload;
    const of = { uid };
    // With this version it is deleted: a file whose pieces went with a deleted upload would have no
    // content.
    reader.refresh();
    const stored = reader.id(uploadReference(id));
    const version = stored === undefined ? undefined : reader.version(stored);
    if (version === undefined) throw uploadNotFound();
    const place = { size, content, chunks: pieceCount(size), sha256: await this.#hash(upload) };
    files.checkNew(caller, uid, upload);
    const entry = fileReference(of, name);
    try {
      await commits.commit({
        system: true,
        operations: [
          writeEntry(of, upload, place, newFields(caller)),
          { op: 'link', from: of, edge: HAS_FILE, to: entry },
          { op: 'delete', ...uploadReference(id), ifVersion: version },
          files.trace({ caller, address }, uid, name, { size, sha256: place.sha256 }),
        ],
      });
    } catch (error) {
      const other = store.find(of, name);
      if (other !== undefined) throw fileExists(other);
      files.checkTarget(caller, uid);
      throw error;
    }
    const file = files.uploaded(must(store.find(of, name), 'the file that was uploaded'));
    return { ...shown(upload), file };
  }

  async #hash({ content, size }: UploadRecord): Promise<string> {
    const hash = createHash('sha256');
    const place = { content, size };
    for await (const piece of readContent(this.#parts.reader, place, 0, size)) {
      hash.update(piece);
      // Others have their turn between two pieces.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return hash.digest('hex');
  }

  /**
   * All the pieces that it may have: more can have come since it was read. False, with nothing
   * done, when it has changed since: the pieces of one that is whole by now are those of a file.
   */
  async #drop({ id, content, size, version }: ReadUpload): Promise<boolean> {
    const operations = [
      { op: 'delete', ...uploadReference(id), ifVersion: version } as const,
      ...deletePieces(content, pieceCount(size)),
    ];
    try {
      await this.#parts.commits.commit({ system: true, operations });
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'version_conflict') return false;
      throw error;
    }
  }

  #all(): UploadRecord[] {
    const { reader } = this.#parts;
    reader.refresh();
    return reader.idsOfType(UPLOAD_TYPE).map((id) => readUpload(reader, id));
  }

  #own(caller: Caller, key: string): ReadUpload {
    const upload = this.#find(key);
    if (upload?.caller !== callerOf(caller)) throw uploadNotFound();
    return upload;
  }

  #find(key: string): ReadUpload | undefined {
    const { reader } = this.#parts;
    reader.refresh();
    const id = reader.id(uploadReference(key));
    if (id === undefined) return undefined;
    const version = must(reader.version(id), 'the version of an upload');
    return { ...readUpload(reader, id), version };
  }

  #expiry(): string {
    return new Date(this.#parts.clock.now() + FILE_UPLOAD_LIFETIME_MS).toISOString();
  }
}

function shown({ id, received, size, name, contentType, expiresAt }: UploadRecord): FileUpload {
  return { id, offset: received, size, name, contentType, expiresAt, file: null };
}

function uploadNotFound(): Problem {
  return new Problem('upload_not_found', 'There is no such upload.');
}

/** `received`: where the next bytes belong. */
function uploadConflict(message: string, { received }: { readonly received: number }): Problem {
  return new Problem('upload_conflict', message, { details: { offset: received } });
}

function tooLarge(): Problem {
  return new Problem('body_too_large', `The file is larger than ${FILE_BYTES_MAX} bytes.`, {
    details: { limitBytes: FILE_BYTES_MAX },
  });
}

function beyondSize(size: number): Problem {
  return new Problem(
    'body_too_large',
    `The upload was begun for ${size} bytes, and more were sent.`,
    {
      details: { limitBytes: size },
    },
  );
}
