import type { FastifyReply } from 'fastify';
import { REQUEST_ID, SEQUENCE } from './header-names.ts';

/**
 * Sends JSON text past the framework, which spends a tenth of a small call on the headers of its answer. The route says
 * `answersRaw`, so that the common headers are put here and nowhere else; those that a plugin has set (of CORS) go with them.
 */
export function sendRaw(
  reply: FastifyReply,
  commonHeaders: readonly string[],
  answer: {
    readonly status: number;
    readonly sequence: number;
    /** In lower case; they take the place of common ones. */
    readonly headers: Readonly<Record<string, string>>;
    /** JSON text; null for none. */
    readonly body: string | null;
  },
): void {
  const { status, sequence, body } = answer;
  const headers = [REQUEST_ID, reply.request.id, SEQUENCE, String(sequence)];
  const own: Record<string, unknown> = { ...reply.getHeaders(), ...answer.headers };
  for (let i = 0; i < commonHeaders.length; i += 2) {
    const [name = '', value = ''] = [commonHeaders[i], commonHeaders[i + 1]];
    if (own[name] === undefined) headers.push(name, value);
  }
  for (const name in own) headers.push(name, String(own[name]));
  if (body !== null) {
    headers.push('content-type', 'application/json; charset=utf-8');
    headers.push('content-length', String(Buffer.byteLength(body)));
  } else if (status !== 204 && status !== 304) {
    headers.push('content-length', '0');
  }
  reply.hijack();
  reply.raw.writeHead(status, headers).end(body ?? undefined);
}
