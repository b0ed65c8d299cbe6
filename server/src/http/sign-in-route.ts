import type { Operation } from '@trellis/contract/operation.ts';
import { DEVICE_LIFETIME_MS } from '#base/sign-in-limits.ts';
import { type Answer, type Input, readInput, type Route, sendNoBody } from './route.ts';
import type { HttpServices } from './services.ts';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Arrival, Visitor } from '#identity/sso/sso-service.ts';
import type { Gate } from './gate.ts';
import { SEQUENCE } from './headers.ts';

/**
 * A cookie of this server. With TLS its name makes browsers refuse it from anybody but this very
 * host (RFC 6265bis, section 4.1.3).
 */
interface OwnCookie {
  readonly name: string;
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Lax' | 'Strict';
}

function readCookie(
  request: FastifyRequest,
  cookie: OwnCookie,
  isSecure: boolean,
): string | undefined {
  const name = `${nameOf(cookie, isSecure)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
}

/** The value of a header Set-Cookie. No script reads it. */
function cookieHeader(cookie: OwnCookie, value: string, isSecure: boolean): string {
  const flags = `Path=/; Max-Age=${cookie.maxAgeSeconds}; HttpOnly; SameSite=${cookie.sameSite}`;
  return `${nameOf(cookie, isSecure)}=${value}; ${flags}${isSecure ? '; Secure' : ''}`;
}

function nameOf({ name }: OwnCookie, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/**
 * A mark of the users who have signed in on a browser. It gives no access, is sent to no other
 * site, and no script can read it.
 */
const DEVICE_COOKIE: OwnCookie = {
  name: 'trellis-device',
  maxAgeSeconds: DEVICE_LIFETIME_MS / 1_000,
  sameSite: 'Strict',
};

/**
 * Ties a sign-in at an identity provider to the browser that began it. Its age is the time in which
 * that sign-in must come back and its session must be fetched.
 */
const SSO_COOKIE: OwnCookie = { name: 'trellis-sso', maxAgeSeconds: 660, sameSite: 'Lax' };

interface SignInInput<O extends Operation> extends Input<O> {
  readonly visitor: Visitor;
}

/** An answer, with what it sets in the browser. */
interface SignInAnswer<O extends Operation> {
  readonly answer: Answer<O>;
  /** The secret that ties the sign-in to the browser. */
  readonly browser?: string;
  /** The mark of the users who have signed in on the browser. */
  readonly marks?: string;
  readonly location?: string;
}

/**
 * The route of a step of a sign-in: with a password, or at an identity provider. It reads the
 * cookies of the browser, and may set them or redirect. No other route uses cookies.
 */
export function signInRoute<const O extends Operation>(
  operation: O,
  handler: (
    input: SignInInput<O>,
    services: HttpServices,
  ) => Promise<SignInAnswer<O>> | SignInAnswer<O>,
  intake: 'json' | 'form' = 'json',
): Route {
  return {
    operation,
    intake,
    async handle(request, reply, { services }) {
      const { isSecure } = services.sso;
      const visitor = visitorOf(request, isSecure);
      const result = await handler({ ...readInput(operation, request), visitor }, services);
      const answer: { readonly status: number; readonly body?: unknown } = result.answer;
      reply.code(answer.status).header(SEQUENCE, services.sequence());
      if (result.browser !== undefined) {
        reply.header('set-cookie', cookieHeader(SSO_COOKIE, result.browser, isSecure));
      }
      if (result.marks !== undefined) {
        reply.header('set-cookie', cookieHeader(DEVICE_COOKIE, result.marks, isSecure));
      }
      if (result.location !== undefined) reply.header('location', result.location);
      if (answer.body === undefined) return sendNoBody(reply);
      reply.header('content-type', 'application/json; charset=utf-8');
      return JSON.stringify(answer.body);
    },
  };
}

/** The answer at the end of a sign-in, for a program or for a browser. */
export function arrivalAnswer(arrival: Arrival) {
  return 'session' in arrival
    ? { answer: { status: 200, body: arrival.session } as const, marks: arrival.marks }
    : { answer: { status: 303 } as const, location: arrival.location };
}

/** Refuses forms of SAML providers when none is set up. */
export function refuseFormsWithoutSaml(services: HttpServices): Gate {
  return (_request, _reply, done) => {
    done(
      services.sso.takesSaml()
        ? undefined
        : new Problem('sso_not_configured', 'No SAML provider is configured.'),
    );
  };
}

function visitorOf(request: FastifyRequest, isSecure: boolean): Visitor {
  const { accept = '' } = request.headers;
  return {
    browser: readCookie(request, SSO_COOKIE, isSecure),
    marks: readCookie(request, DEVICE_COOKIE, isSecure),
    address: request.ip,
    wantsSession: accept.includes('application/json') && !accept.includes('text/html'),
  };
}
