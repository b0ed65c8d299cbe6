import type { FastifyReply } from 'fastify';
import { assert } from '#base/assert.ts';
import { varyWith } from './compressed-answers.ts';
import { REQUEST_ID, SEQUENCE } from './headers.ts';
import type { RouteContext } from './route.ts';
import { isLarge, sendHeld } from './unread-answers.ts';
import { type IncomingMessage, ServerResponse } from 'node:http';

declare module 'node:http' {
  interface OutgoingMessage {
    /**
     * Builds the head of a message from its first line. Every way to write a head calls it.
     */
    _storeHeader(firstLine: string, headers: object | undefined): void;
  }
}

/**
 * An answer that takes finished lines for its head. Node checks every letter of the headers that
 * it is given; for the headers of every answer that costs a tenth of a small call.
 */
export class PreparedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Whole lines. Whoever sets them makes sure that no value has a line break. */
  preparedLines = '';

  override _storeHeader(firstLine: string, headers: object | undefined): void {
    super._storeHeader(firstLine + this.preparedLines, headers);
  }
}

type Headers = Record<string, string>;

interface RawAnswer {
  readonly status: number;
  /** They replace those of the same name that every answer carries. */
  readonly headers?: Readonly<Headers> | undefined;
  /** JSON text; null for none. */
  readonly body: string | null;
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** The fixed text around the values that differ from answer to answer. */
const BEFORE_ID = `content-type: ${JSON_TYPE}\r\n${REQUEST_ID}: `;
const BEFORE_SEQUENCE = `\r\n${SEQUENCE}: `;
const VARIES = `vary: ${varyWith(undefined)}\r\n`;
const GZIPPED = 'content-encoding: gzip\r\n';

/**
 * Sends JSON text past the framework, which spends a tenth of a small call on the headers of its
 * answer. The route says `answersRaw`, so that the headers of every answer are set here only. The
 * promise, of an answer that is compressed, resolves when it is sent.
 */
export function sendRaw(
  reply: FastifyReply,
  context: RouteContext,
  answer: RawAnswer,
): Promise<void> | undefined {
  const { request } = reply;
  const { body } = answer;
  const { compressedAnswers } = context;
  if (body === null || !compressedAnswers.hasForm(request, JSON_TYPE, body)) {
    send(reply, context, answer, undefined);
    return undefined;
  }
  const isWanted = compressedAnswers.isWanted(request);
  const form = isWanted && !isLarge(body) ? compressedAnswers.atOnce(body) : undefined;
  if (form === undefined) {
    send(reply, context, answer, { isWanted });
    return undefined;
  }
  return form.then((bytes) => send(reply, context, answer, { isWanted, bytes }));
}

/** Of an answer that has a compressed form. */
interface CompressedForm {
  readonly isWanted: boolean;
  readonly bytes?: Buffer;
}

function send(
  reply: FastifyReply,
  context: RouteContext,
  answer: RawAnswer,
  form: CompressedForm | undefined,
): void {
  const { raw, request } = reply;
  assert(raw instanceof PreparedResponse, 'an answer of this server');
  // The request was answered when its caller lost their rights.
  if (request.live?.problem !== undefined) return;
  const { status, headers, body } = answer;
  // First, because it may refuse.
  const held = isLarge(body) ? context.unreadAnswers.hold(reply, body) : undefined;
  const sequence = context.services.sequence();
  reply.hijack();
  const isPlain = headers === undefined && context.corsOrigins.length === 0;
  if (isPlain && body !== null && held === undefined) {
    const encoding = `${form === undefined ? '' : VARIES}${form?.bytes === undefined ? '' : GZIPPED}`;
    raw.preparedLines = `${context.securityLines}${BEFORE_ID}${request.id}${BEFORE_SEQUENCE}${sequence}\r\n${encoding}`;
    raw.statusCode = status;
    // Node sets the length itself when it gets the whole body at once.
    raw.end(form?.bytes ?? body);
    return;
  }
  const all: Headers = {
    ...context.securityHeaders,
    [REQUEST_ID]: request.id,
    [SEQUENCE]: String(sequence),
    ...lowerCase(reply.getHeaders()),
    ...lowerCase(headers ?? {}),
    ...bodyHeaders(answer),
  };
  if (form !== undefined) all['vary'] = varyWith(all['vary']);
  const isEncoded = all['content-encoding'] !== undefined;
  const { isWanted = false, bytes } = isEncoded ? {} : (form ?? {});
  const slices =
    held !== undefined && isWanted ? context.compressedAnswers.inSlices(held) : undefined;
  if (slices !== undefined || bytes !== undefined) {
    all['content-encoding'] = 'gzip';
    if (bytes === undefined) delete all['content-length'];
    else all['content-length'] = String(bytes.length);
  }
  raw.writeHead(status, all);
  if (held === undefined) raw.end(bytes ?? body ?? undefined);
  else sendHeld(slices ?? held, raw);
}

function bodyHeaders({ status, body }: RawAnswer): Headers {
  if (body !== null) {
    return { 'content-type': JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) };
  }
  return status === 204 || status === 304 ? {} : { 'content-length': '0' };
}

function lowerCase(headers: Readonly<Record<string, unknown>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
