import type { FastifyReply } from 'fastify';
import { assert } from '#base/assert.ts';
import { REQUEST_ID, SEQUENCE } from './header-names.ts';
import { PreparedResponse } from './prepared-response.ts';
import type { RouteContext } from './route.ts';
import { isLarge, sendHeld } from './unread-answers.ts';

type Headers = Record<string, string>;

interface RawAnswer {
  readonly status: number;
  /** They take the place of those that every answer carries. */
  readonly headers?: Readonly<Headers> | undefined;
  /** JSON text; null for none. */
  readonly body: string | null;
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** The text between what differs from answer to answer. */
const BEFORE_ID = `content-type: ${JSON_TYPE}\r\n${REQUEST_ID}: `;
const BEFORE_SEQUENCE = `\r\n${SEQUENCE}: `;

/**
 * Sends JSON text past the framework, which spends a tenth of a small call on the headers of its
 * answer. The route says `answersRaw`, so that what every answer carries is put here and nowhere
 * else.
 */
export function sendRaw(reply: FastifyReply, context: RouteContext, answer: RawAnswer): void {
  const { raw, request } = reply;
  assert(raw instanceof PreparedResponse, 'an answer of this server');
  // It was answered when the rights of its caller came to their end.
  if (request.live?.problem !== undefined) return;
  const { status, headers, body } = answer;
  // It may refuse, so that it comes first.
  const held = isLarge(body) ? context.unreadAnswers.hold(reply, body) : undefined;
  const sequence = context.services.sequence();
  reply.hijack();
  const isPlain = headers === undefined && context.corsOrigins.length === 0;
  if (isPlain && body !== null && held === undefined) {
    raw.preparedLines = `${context.securityLines}${BEFORE_ID}${request.id}${BEFORE_SEQUENCE}${sequence}\r\n`;
    raw.statusCode = status;
    // Node puts the length, which it has to count anyway, when it is given the whole body at once.
    raw.end(body);
  } else {
    const all = {
      ...context.securityHeaders,
      [REQUEST_ID]: request.id,
      [SEQUENCE]: String(sequence),
      ...lowerCase(reply.getHeaders()),
      ...lowerCase(headers ?? {}),
      ...bodyHeaders(answer),
    };
    raw.writeHead(status, all);
    if (held === undefined) raw.end(body ?? undefined);
    else sendHeld(held, raw);
  }
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
