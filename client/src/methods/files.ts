import type { FileUpload, NamedFileEntry } from '@trellis/contract/shapes/file.ts';
import { callTo, type Download, type OperationMethods } from '../operation-methods.ts';
import { type CallOptions, pause, type Transport } from '../transport.ts';
import { TrellisError } from '../trellis-error.ts';

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

/** Methods of `client.files` that send or receive bytes. */
export function fileTransfers(transport: Transport, files: OperationMethods<'files'>) {
  /**
   * Rejects with `upload_conflict`, and the right `offset` in the details, when the upload is
   * somewhere else.
   */
  const appendUpload = (
    id: string,
    offset: number,
    bytes: Blob,
    options?: CallOptions,
  ): Promise<FileUpload> =>
    transport.json({
      ...callTo('files', 'appendUpload', id),
      headers: { 'content-type': 'application/octet-stream', 'upload-offset': String(offset) },
      body: bytes,
      once: true,
      ...options,
    });

  return {
    appendUpload,

    /**
     * In one request; `uploadInPieces` survives a lost connection. Rejects with `file_exists` for a
     * name that is taken.
     */
    upload: (
      nodeUID: string,
      name: string,
      content: Blob,
      options?: CallOptions,
    ): Promise<NamedFileEntry> =>
      transport.json({
        ...callTo('files', 'upload', nodeUID),
        ...fileForm(name, content),
        ...options,
      }),

    /** The bytes as they arrive. */
    download: (uid: string, options: FileDownloadOptions = {}): Promise<Download> => {
      const { range, ...rest } = options;
      const headers = range && { headers: { range: rangeOf(range) } };
      return transport.bytes({ ...callTo('files', 'download', uid), ...headers, ...rest });
    },

    /**
     * Uploads a file piece by piece. What fails on the way is tried again from where the server is;
     * when it goes on failing this rejects, and the upload can be gone on with by its `id` for a
     * day.
     */
    uploadInPieces: async (
      nodeUID: string,
      name: string,
      content: Blob,
      options: PiecewiseUploadOptions = {},
    ): Promise<NamedFileEntry> => {
      const { id, contentType = content.type, onProgress, pieceBytes, ...callOptions } = options;
      const calls: PieceCalls = { files, appendUpload, pauseMs: transport.retry.pauseMs };
      const file = { name, size: content.size, contentType };
      let upload =
        id === undefined
          ? await files.createUpload(nodeUID, file, callOptions)
          : await files.getUpload(id, callOptions);
      onProgress?.(upload);
      while (upload.file === null) {
        const piece = content.slice(upload.offset, upload.offset + (pieceBytes ?? PIECE_BYTES));
        upload = await appendPiece(calls, nodeUID, upload, piece, callOptions);
        onProgress?.(upload);
      }
      return upload.file;
    },
  };
}

/** The body of a form with one file. */
export function fileForm(name: string, content: Blob): { readonly body: FormData } {
  const body = new FormData();
  body.set('file', content, name);
  return { body };
}

interface PieceCalls {
  readonly files: OperationMethods<'files'>;
  readonly appendUpload: (
    id: string,
    offset: number,
    bytes: Blob,
    options?: CallOptions,
  ) => Promise<FileUpload>;
  readonly pauseMs: number;
}

async function appendPiece(
  calls: PieceCalls,
  nodeUID: string,
  upload: FileUpload,
  piece: Blob,
  options: CallOptions,
): Promise<FileUpload> {
  const { id, offset } = upload;
  for (let retries = 0; ; retries++) {
    try {
      return await calls.appendUpload(id, offset, piece, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!mayGoOn(error) || retries >= PIECE_RETRIES_MAX) throw error;
      await pause(calls.pauseMs * 2 ** retries, options.signal);
      const now = await whereItIs(calls, nodeUID, upload, options);
      // Another piece of the content follows then, or none.
      if (now.offset !== offset || now.file !== null) return now;
    }
  }
}

/**
 * An upload whose last bytes have arrived, which only the answer to them would have said, is gone:
 * the file is there.
 */
async function whereItIs(
  { files }: PieceCalls,
  nodeUID: string,
  upload: FileUpload,
  options: CallOptions,
): Promise<FileUpload> {
  try {
    return await files.getUpload(upload.id, options);
  } catch (error) {
    if (!(error instanceof TrellisError && error.code === 'upload_not_found')) throw error;
    const { items } = await files.list(nodeUID, { take: 1_000 }, options);
    const file = items.find(({ Name, Size }) => Name === upload.name && Size === upload.size);
    if (file === undefined) throw error;
    const { UID, Size, ContentType, Name } = file;
    return { ...upload, offset: upload.size, file: { UID, Size, ContentType, Name } };
  }
}

/**
 * No answer, one that is ours to wait out, or bytes of a connection that the server does not know
 * yet to be lost.
 */
function mayGoOn(error: unknown): boolean {
  if (!(error instanceof TrellisError)) return false;
  const { status, code } = error;
  return status === 0 || status >= 502 || status === 408 || code === 'upload_conflict';
}

function rangeOf({ from, to }: NonNullable<FileDownloadOptions['range']>): string {
  return `bytes=${from}-${to === undefined ? '' : to - 1}`;
}
