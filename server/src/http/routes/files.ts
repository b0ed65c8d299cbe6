import type { FastifyReply, FastifyRequest } from 'fastify';
import { operations } from '@trellis/contract/operations/files.ts';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { must } from '#base/assert.ts';
import type { OpenFile } from '#files/node-files.ts';
import { HARMLESS_MEDIA_TYPES } from '@trellis/contract/shapes/file.ts';
import { Problem } from '#base/problem.ts';
import { uploadRoute } from '../upload-route.ts';
import { bodyStream } from '../body/read-body.ts';
import { checkedFile, sendFile } from '../download-route.ts';
import { SEQUENCE } from '../headers.ts';
import {
  answer,
  readHead,
  type Route,
  type RouteContext,
  routesOf,
  sendJson,
  sendNoBody,
  whileStreaming,
  writeHead,
} from '../route.ts';

/** Sends a stored file, or a range of it. It reads no more of the file than the client takes. */
function fileDownloadRoute(operation: typeof operations.downloadFile): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      const { caller, params } = readHead(operation, request);
      const sequence = context.services.sequence();
      const open = await context.services.nodeFiles.open(caller, params.uid);
      const { Sha256, Size, Name, ContentType } = open.file;
      const etag = `"${Sha256}"`;
      reply.headers({
        [SEQUENCE]: sequence,
        etag,
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
      });
      if (isKnown(request, etag)) {
        reply.code(304);
        return sendNoBody(reply);
      }
      const range = isSame(request, etag) ? byteRange(request.headers.range, Size) : undefined;
      reply.code(range === undefined ? 200 : 206).headers({ ...fileHeaders(Name, ContentType) });
      if (range !== undefined) {
        reply.header('content-range', `bytes ${range.from}-${range.to - 1}/${Size}`);
      }
      send(reply, context, open, range ?? { from: 0, to: Size });
      return undefined;
    },
  };
}

/** Sends by hand, because the framework goes on reading for a client that has gone. */
function send(
  reply: FastifyReply,
  context: RouteContext,
  open: OpenFile,
  { from, to }: ByteRange,
): void {
  writeHead(reply.header('content-length', to - from));
  if (reply.request.method === 'HEAD') reply.raw.end();
  else sendFile(checkedFile(open.read(from, to), reply.request), reply, context);
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));
}

/** Whether the client has this content: a range of another one would not fit. */
function isSame({ headers }: FastifyRequest, etag: string): boolean {
  const wanted = headers['if-range'];
  return wanted === undefined || wanted === etag;
}

/** The next bytes of an upload, for as long as they keep coming. */
function fileAppendRoute(operation: typeof operations.appendFileUpload): Route {
  return {
    operation,
    intake: 'bytes',
    async handle(request, reply, context) {
      const { services, timeouts } = context;
      const { params, headers, address } = readHead(operation, request);
      const caller = must(request.caller, 'the caller of an upload');
      const offset = headers['upload-offset'];
      const bytes = bodyStream(request, timeouts.streamIdle);
      const upload = await whileStreaming(request, context, () =>
        services.fileUploads.append({ caller, address }, params.id, offset, bytes),
      );
      return sendJson(reply, services, upload);
    },
  };
}

interface FileHeaders {
  readonly 'content-type': string;
  readonly 'content-disposition': string;
}

/** Headers that keep a browser from running the file, whatever its name and type say. */
function fileHeaders(name: string, contentType: string): FileHeaders {
  const isHarmless = HARMLESS_MEDIA_TYPES.includes(contentType);
  const type = isHarmless ? contentType : 'application/octet-stream';
  return {
    'content-type': type === 'text/plain' ? `${type}; charset=utf-8` : type,
    'content-disposition': disposition(isHarmless ? 'inline' : 'attachment', name),
  };
}

/** The name twice (RFC 6266): in ASCII for clients that read nothing else, and as it is. */
function disposition(kind: string, name: string): string {
  const plain = name.replaceAll(/[^\w.\- ]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** Bytes from `from` up to and without `to`. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The one range that a `Range` header asks for (RFC 9110, section 14). Undefined, which means the
 * whole file, without a header, with several ranges, and for anything but bytes. Throws
 * `range_not_satisfiable`.
 */
function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return suffix(Number(last), size);
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) throw unsatisfiable(size);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  return { from, to };
}

function suffix(length: number, size: number): ByteRange {
  if (length === 0 || size === 0) throw unsatisfiable(size);
  return { from: Math.max(0, size - length), to: size };
}

function unsatisfiable(size: number): Problem {
  return new Problem('range_not_satisfiable', `The file has ${size} bytes.`, {
    details: { size },
  });
}

export const filesRoutes = routesOf(operations, {
  listNodeFiles: async ({ caller, params, query }, { nodeFiles }) =>
    answer(200, await nodeFiles.list(caller, params.uid, query)),
  uploadNodeFile: uploadRoute(operations.uploadNodeFile, {
    bytesMax: FILE_BYTES_MAX,
    admit: ({ caller, params }, { nodeFiles }) => nodeFiles.checkTarget(caller, params.uid),
    begin: ({ caller, params, address }, file, { nodeFiles }) =>
      nodeFiles.upload(caller, params.uid, file, address),
  }),
  getFile: async ({ caller, params }, { nodeFiles }) =>
    answer(200, await nodeFiles.get(caller, params.uid)),
  downloadFile: fileDownloadRoute(operations.downloadFile),
  deleteFile: async ({ caller, params, address }, { nodeFiles }) => {
    await nodeFiles.delete(caller, params.uid, address);
    return answer(204);
  },
  createFileUpload: async ({ caller, params, body }, { fileUploads }) => {
    const { contentType = '', ...upload } = body;
    return answer(201, await fileUploads.create(caller, params.uid, { ...upload, contentType }));
  },
  getFileUpload: async ({ caller, params }, { fileUploads }) =>
    answer(200, fileUploads.get(caller, params.id)),
  appendFileUpload: fileAppendRoute(operations.appendFileUpload),
  deleteFileUpload: async ({ caller, params }, { fileUploads }) => {
    await fileUploads.delete(caller, params.id);
    return answer(204);
  },
});
