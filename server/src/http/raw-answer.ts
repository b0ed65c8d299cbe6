import type { FastifyReply } from 'fastify';
import { REQUEST_ID, SEQUENCE } from './header-names.ts';
import type { RouteContext } from './route.ts';

type Headers = Record<string, string | undefined>;

interface RawAnswer {
  readonly status: number;
  /** They take the place of those that every answer carries. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON text; null for none. */
  readonly body: string | null;
}

/**
 * Sends JSON text past the framework, which spends a tenth of a small call on the headers of its answer. The route says
 * `answersRaw`, so that what every answer carries is put here and nowhere else.
 */
export function sendRaw(reply: FastifyReply, context: RouteContext, answer: RawAnswer): void {
  const { status, body, headers } = answer;
  const sequence = String(context.services.sequence());
  const carried = [...context.securityHeaderList, REQUEST_ID, reply.request.id, SEQUENCE, sequence];
  const ofBody = bodyHeaders(answer);
  // Names and values in turns: an object made for each answer costs more than the rest of it.
  const isPlain = !context.isCrossOrigin && headers === undefined;
  const all = isPlain
    ? [...carried, ...ofBody]
    : {
        ...objectOf(carried),
        ...lowerCase(reply.getHeaders()),
        ...lowerCase(headers ?? {}),
        ...objectOf(ofBody),
      };
  reply.hijack();
  reply.raw.writeHead(status, all).end(body ?? undefined);
}

function bodyHeaders({ status, body }: RawAnswer): readonly string[] {
  if (body !== null) {
    const length = String(Buffer.byteLength(body));
    return ['content-type', 'application/json; charset=utf-8', 'content-length', length];
  }
  return status === 204 || status === 304 ? [] : ['content-length', '0'];
}

function objectOf(list: readonly string[]): Headers {
  const headers: Headers = {};
  for (let i = 0; i < list.length; i += 2) headers[list[i] ?? ''] = list[i + 1];
  return headers;
}

function lowerCase(headers: Readonly<Record<string, unknown>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
