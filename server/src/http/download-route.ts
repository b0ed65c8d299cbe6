import { pipeline, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '@trellis/contract/operation.ts';
import { SEQUENCE } from './headers.ts';
import { type Input, readInput, type Route, type RouteContext, writeHead } from './route.ts';
import type { Awaitable, HttpServices } from './services.ts';

/** A file that is made while it is sent. */
export interface Download {
  /** The name that the browser suggests for saving. */
  readonly fileName: string;
  /** That of the operation when there is none. */
  readonly mediaType?: string;
  /** A piece of bytes may be a view, valid until the next piece is asked for. */
  readonly content: AsyncIterable<string | Uint8Array>;
}

/**
 * The route of an operation that takes JSON and answers a file of any size. It makes no more of the
 * file than the client takes, and nothing once the client has gone. A failure before the first byte
 * is an ordinary error; a later one cuts the connection, so that the client sees that the file is
 * incomplete.
 */
export function downloadRoute<const O extends Operation>(
  operation: O,
  handler: (input: Input<O>, services: HttpServices) => Awaitable<Download>,
): Route {
  const usualType = operation.responses[200]?.contentType ?? 'application/octet-stream';
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      const { services } = context;
      // A lower bound for the sequence of what is read next.
      const sequence = services.sequence();
      const input = readInput(operation, request);
      const { fileName, mediaType = usualType, content } = await handler(input, services);
      const charset = mediaType === 'application/zip' ? '' : '; charset=utf-8';
      const pieces = content[Symbol.asyncIterator]();
      const first = await pieces.next();
      reply
        .header(SEQUENCE, sequence)
        .header('content-type', mediaType + charset)
        .header('content-disposition', `attachment; filename="${safeName(fileName)}"`);
      writeHead(reply);
      void sendPieces(first, pieces, reply, context);
      return undefined;
    },
  };
}

type Piece = string | Uint8Array;

/**
 * Sends pieces one after the other: the next one is made when the system has taken the one before,
 * so that its memory can be used again. The rights of the caller are checked again before each. A
 * failure cuts the connection.
 */
async function sendPieces(
  first: IteratorResult<Piece>,
  pieces: AsyncIterator<Piece>,
  { raw, request }: FastifyReply,
  { onBrokenAnswer }: RouteContext,
): Promise<void> {
  try {
    for (let next = first; next.done !== true; next = await pieces.next()) {
      request.live?.check();
      if (!(await isTaken(raw, next.value))) break;
    }
    if (!raw.destroyed) raw.end();
  } catch (error) {
    raw.destroy();
    onBrokenAnswer(request.id, error);
  } finally {
    await pieces.return?.();
  }
}

/** Whether the system has taken a piece; false when the client has gone. */
function isTaken(raw: FastifyReply['raw'], piece: Piece): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (raw.destroyed) return Promise.resolve(false);
  const onClose = (): void => resolve(false);
  raw.once('close', onClose);
  raw.write(piece, (error) => {
    raw.off('close', onClose);
    resolve(error === null || error === undefined);
  });
  return promise;
}

/** The bytes of a file. The rights of the caller are checked again before each piece. */
export function checkedFile(content: Download['content'], request: FastifyRequest): Readable {
  return Readable.from(checked(content, request), { objectMode: false });
}

async function* checked(
  content: Download['content'],
  { live }: FastifyRequest,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  for await (const piece of content) {
    live?.check();
    yield piece;
  }
}

/** Sends a file after the head of its answer. A failure cuts the connection. */
export function sendFile(
  file: Readable,
  { raw, request }: FastifyReply,
  { onBrokenAnswer }: RouteContext,
): void {
  pipeline(file, raw, (error) => {
    // An early end means that the client has gone.
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') onBrokenAnswer(request.id, error);
  });
}

/** Makes a name safe: it can end neither the value of its header nor the header. */
function safeName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_');
}
