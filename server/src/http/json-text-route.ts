import { must } from '#base/assert.ts';
import type { Caller } from '#access/caller.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { sendJsonText, type Route } from './route.ts';
import type { HttpServices } from './services.ts';
import type { Awaitable } from './answer.ts';

/** An operation without a body whose answer is JSON text that was made already. */
export function jsonTextRoute(
  operation: Operation,
  handler: (caller: Caller, services: HttpServices) => Awaitable<string>,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      const text = await handler(must(request.caller, 'a caller'), services);
      return sendJsonText(reply, services, text);
    },
  };
}
