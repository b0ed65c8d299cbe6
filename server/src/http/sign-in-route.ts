import type { Operation } from '@trellis/contract/operation.ts';
import { DEVICE_LIFETIME_MS } from '#base/sign-in-limits.ts';
import { cookieHeader, readCookie, type OwnCookie } from './cookies.ts';
import { type Answer, type Input, readInput, type Route, sendJson } from './route.ts';
import type { HttpServices } from './services.ts';

/**
 * A mark of the users who have signed in on a browser. It gives no access, is sent to no other
 * site, and no script can read it.
 */
export const DEVICE_COOKIE: OwnCookie = {
  name: 'trellis-device',
  maxAgeSeconds: DEVICE_LIFETIME_MS / 1_000,
  sameSite: 'Strict',
};

/**
 * The route of a sign-in with a password. It gives the handler the browser's mark of earlier
 * sign-ins, and sets the new one.
 */
export function signInRoute<const O extends Operation>(
  operation: O,
  handler: (
    input: Input<O>,
    marks: string | undefined,
    services: HttpServices,
  ) => Promise<{ readonly answer: Answer<O>; readonly marks: string }>,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      const { isSecure } = services.sso;
      const brought = readCookie(request, DEVICE_COOKIE, isSecure);
      const result = await handler(readInput(operation, request), brought, services);
      const answer: { readonly status: number; readonly body?: unknown } = result.answer;
      reply.code(answer.status);
      reply.header('set-cookie', cookieHeader(DEVICE_COOKIE, result.marks, isSecure));
      return sendJson(reply, services, answer.body);
    },
  };
}
