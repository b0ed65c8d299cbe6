import type { FastifyRequest } from 'fastify';
import { assert, must } from '#base/assert.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { disconnectSignal } from './disconnect.ts';
import { RUN_KEY, RUN_KEY_ALIAS, SEQUENCE } from './header-names.ts';
import { restOfPath, sendNoBody, type Route } from './route.ts';

/** What proves who somebody is stays outside endpoint code. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** What may stand in a header: no control characters, so that no endpoint can write headers of its own making. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * An operation that runs an endpoint. The body goes to the worker as text and its answer goes out as text: nothing is
 * parsed on the way (design, section 3).
 */
export function runRoute(operation: Operation): Route {
  return {
    operation,
    intake: 'text',
    async handle(request, reply, { services }) {
      const answer = await services.endpoints.run({
        caller: must(request.caller, 'the caller of a run'),
        name: restOfPath(request),
        body: typeof request.body === 'string' ? request.body : null,
        headers: forwardedHeaders(request),
        runKey: runKeyOf(request),
        signal: disconnectSignal(reply),
      });
      reply.code(answer.status).header(SEQUENCE, services.sequence());
      for (const [name, value] of Object.entries(answer.headers ?? {})) {
        assert(HEADER_VALUE.test(value), `the endpoint's header ${name} cannot be sent`);
        reply.header(name, value);
      }
      if (answer.body === null) return sendNoBody(reply);
      reply.header('content-type', 'application/json; charset=utf-8');
      return answer.body;
    },
  };
}

function forwardedHeaders({ headers }: FastifyRequest): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string' && !CREDENTIALS.has(name)) forwarded[name] = value;
  }
  return forwarded;
}

function runKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers[RUN_KEY] ?? headers[RUN_KEY_ALIAS];
  return typeof key === 'string' && key !== '' ? key : null;
}
