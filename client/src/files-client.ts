import type {
  FileUpload,
  NamedFileEntry,
  NewFileUpload,
  NodeFile,
} from '@trellis/contract/shapes/file.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { GraphClient, type Download } from './graph-client.ts';
import type { PageRequest } from './pages.ts';
import { pause, type CallOptions } from './transport.ts';
import { TrellisError } from './trellis-error.ts';

export interface FileDownloadOptions extends CallOptions {
  /** Only the bytes from `from` up to and without `to`, or to the end. */
  readonly range?: { readonly from: number; readonly to?: number } | undefined;
}

export interface PiecewiseUploadOptions extends CallOptions {
  readonly contentType?: string | undefined;
  /** An upload that was interrupted, to go on with. */
  readonly id?: string | undefined;
  /** Told where the upload is, at its beginning and after each piece. */
  readonly onProgress?: ((upload: FileUpload) => void) | undefined;
  /** Bytes sent at a time. */
  readonly pieceBytes?: number | undefined;
}

const PIECE_BYTES = 4 * 1024 * 1024;
/** Tries of one piece beyond the first. */
const PIECE_RETRIES_MAX = 4;

/** Files of nodes. */
export class FilesClient extends GraphClient {
  /** One page, by name. */
  listNodeFiles(
    uid: string,
    page: PageRequest = {},
    options?: CallOptions,
  ): Promise<List<NodeFile>> {
    return this.get(`${nodePath(uid)}/files`, options, { ...page });
  }

  /** In one request; `uploadFileInPieces` survives a lost connection. Rejects with `file_exists` for a name that is taken. */
  uploadNodeFile(
    uid: string,
    name: string,
    content: Blob,
    options?: CallOptions,
  ): Promise<NamedFileEntry> {
    const form = new FormData();
    form.set('file', content, name);
    const path = `${nodePath(uid)}/files`;
    return this.transport.json({ method: 'POST', path, body: form, ...options });
  }

  getFile(uid: string, options?: CallOptions): Promise<NodeFile> {
    return this.get(filePath(uid), options);
  }

  /** The bytes as they arrive. */
  async downloadFile(uid: string, options: FileDownloadOptions = {}): Promise<Download> {
    const { range, ...callOptions } = options;
    const { response } = await this.transport.send({
      method: 'GET',
      path: `${filePath(uid)}/content`,
      ...(range && { headers: { range: rangeOf(range) } }),
      ...callOptions,
      streams: true,
    });
    return response.body ?? new Blob([]).stream();
  }

  deleteFile(uid: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', filePath(uid), undefined, options);
  }

  createFileUpload(uid: string, upload: NewFileUpload, options?: CallOptions): Promise<FileUpload> {
    return this.post(`${nodePath(uid)}/uploads`, upload, options);
  }

  getFileUpload(id: string, options?: CallOptions): Promise<FileUpload> {
    return this.get(uploadPath(id), options);
  }

  /** Rejects with `upload_conflict`, and the right `offset` in the details, when the upload is somewhere else. */
  appendFileUpload(
    id: string,
    offset: number,
    bytes: Blob,
    options?: CallOptions,
  ): Promise<FileUpload> {
    return this.transport.json({
      method: 'PATCH',
      path: uploadPath(id),
      headers: { 'content-type': 'application/octet-stream', 'upload-offset': String(offset) },
      body: bytes,
      once: true,
      ...options,
    });
  }

  /** Nothing of it is left. */
  deleteFileUpload(id: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', uploadPath(id), undefined, options);
  }

  /**
   * Uploads a file piece by piece. What fails on the way is tried again from where the server is; when it goes on failing this rejects,
   * and the upload can be gone on with by its `id` for a day.
   */
  async uploadFileInPieces(
    uid: string,
    name: string,
    content: Blob,
    options: PiecewiseUploadOptions = {},
  ): Promise<NamedFileEntry> {
    const { id, contentType = content.type, onProgress, pieceBytes, ...callOptions } = options;
    let upload =
      id === undefined
        ? await this.createFileUpload(uid, { name, size: content.size, contentType }, callOptions)
        : await this.getFileUpload(id, callOptions);
    onProgress?.(upload);
    while (upload.file === null) {
      const piece = content.slice(upload.offset, upload.offset + (pieceBytes ?? PIECE_BYTES));
      upload = await this.#appendPiece(uid, upload, piece, callOptions);
      onProgress?.(upload);
    }
    return upload.file;
  }

  async #appendPiece(
    uid: string,
    upload: FileUpload,
    piece: Blob,
    options: CallOptions,
  ): Promise<FileUpload> {
    const { id, offset } = upload;
    for (let retries = 0; ; retries++) {
      try {
        return await this.appendFileUpload(id, offset, piece, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!mayGoOn(error) || retries >= PIECE_RETRIES_MAX) throw error;
        await pause(this.transport.retry.pauseMs * 2 ** retries, options.signal);
        const now = await this.#whereItIs(uid, upload, options);
        // Another piece of the content follows then, or none.
        if (now.offset !== offset || now.file !== null) return now;
      }
    }
  }

  /** An upload whose last bytes have arrived, which only the answer to them would have said, is gone: the file is there. */
  async #whereItIs(uid: string, upload: FileUpload, options: CallOptions): Promise<FileUpload> {
    try {
      return await this.getFileUpload(upload.id, options);
    } catch (error) {
      if (!(error instanceof TrellisError && error.code === 'upload_not_found')) throw error;
      const { items } = await this.listNodeFiles(uid, { take: 1_000 }, options);
      const file = items.find(({ Name, Size }) => Name === upload.name && Size === upload.size);
      if (file === undefined) throw error;
      const { UID, Size, ContentType, Name } = file;
      return { ...upload, offset: upload.size, file: { UID, Size, ContentType, Name } };
    }
  }
}

/** No answer, one that is ours to wait out, or bytes of a connection that the server does not know yet to be lost. */
function mayGoOn(error: unknown): boolean {
  if (!(error instanceof TrellisError)) return false;
  const { status, code } = error;
  return status === 0 || status >= 502 || status === 408 || code === 'upload_conflict';
}

function rangeOf({ from, to }: NonNullable<FileDownloadOptions['range']>): string {
  return `bytes=${from}-${to === undefined ? '' : to - 1}`;
}

function nodePath(uid: string): string {
  return `/api/node/${encodeURIComponent(uid)}`;
}

function filePath(uid: string): string {
  return `/api/files/${encodeURIComponent(uid)}`;
}

function uploadPath(id: string): string {
  return `/api/uploads/${encodeURIComponent(id)}`;
}
