import type { FastifyRequest } from 'fastify';
import { assert, must } from '#base/assert.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { Disconnect } from './disconnect.ts';
import { ForwardedHeaders } from './forwarded-headers.ts';
import { RUN_KEY, RUN_KEY_ALIAS } from './header-names.ts';
import { sendRaw } from './raw-answer.ts';
import { restOfPath, type Route } from './route.ts';

/** What may stand in a header: no control characters, so that no endpoint can write headers of its own making. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * An operation that runs an endpoint. The body goes to the worker as text and its answer goes out as text: nothing is
 * parsed on the way (design, section 3).
 */
export function runRoute(operation: Operation): Route {
  const forwarded = new ForwardedHeaders();
  return {
    operation,
    intake: 'text',
    answersRaw: true,
    async handle(request, reply, context) {
      const answer = await context.services.endpoints.run({
        caller: must(request.caller, 'the caller of a run'),
        name: restOfPath(request),
        body: typeof request.body === 'string' ? request.body : null,
        headers: forwarded.textOf(request.raw),
        runKey: runKeyOf(request),
        signal: new Disconnect(reply.raw),
      });
      checkHeaders(answer.headers);
      sendRaw(reply, context, answer);
      return undefined;
    },
  };
}

function checkHeaders(headers: Readonly<Record<string, string>> = {}): void {
  for (const name in headers) {
    assert(HEADER_VALUE.test(headers[name] ?? ''), `the endpoint's header ${name} cannot be sent`);
  }
}

function runKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers[RUN_KEY] ?? headers[RUN_KEY_ALIAS];
  return typeof key === 'string' && key !== '' ? key : null;
}
