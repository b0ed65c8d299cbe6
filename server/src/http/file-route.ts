import { pipeline, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { must } from '#base/assert.ts';
import type { appendFileUpload, downloadFile } from '@trellis/contract/operations/files.ts';
import { bodyStream } from './body-stream.ts';
import { byteRange, type ByteRange } from './byte-range.ts';
import { checked, hasClientGone } from './download-route.ts';
import { fileHeaders } from './file-headers.ts';
import type { OpenFile } from '#files/node-files.ts';
import { SEQUENCE } from './header-names.ts';
import {
  readHead,
  sendJson,
  sendNoBody,
  whileStreaming,
  type Route,
  type RouteContext,
} from './route.ts';

/** A file as it lies there: no more of it is read than the client takes, and of a range only that. */
export function fileDownloadRoute(operation: typeof downloadFile): Route {
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
      send(request, reply, context, open, range ?? { from: 0, to: Size });
      return undefined;
    },
  };
}

/** By hand, as the framework reads on for a client that has gone. */
function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { onBrokenAnswer }: RouteContext,
  open: OpenFile,
  { from, to }: ByteRange,
): void {
  reply.header('content-length', to - from).hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  if (request.method === 'HEAD') {
    reply.raw.end();
    return;
  }
  const bytes = Readable.from(checked(open.read(from, to), request), { objectMode: false });
  pipeline(bytes, reply.raw, (error) => {
    if (error instanceof Error && !hasClientGone(error)) onBrokenAnswer(request.id, error);
  });
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));
}

/** A range of another content than the client has would not fit to what it has. */
function isSame({ headers }: FastifyRequest, etag: string): boolean {
  const wanted = headers['if-range'];
  return wanted === undefined || wanted === etag;
}

/** The next bytes of an upload, for as long as they keep coming. */
export function fileAppendRoute(operation: typeof appendFileUpload): Route {
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
