import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Arrival, Visitor } from '#identity/sso/sso-service.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { cookieHeader, readCookie, type OwnCookie } from './cookies.ts';
import type { Gate } from './gate.ts';
import { SEQUENCE } from './header-names.ts';
import { type Answer, type Input, readInput, type Route, sendNoBody } from './route.ts';
import type { HttpServices } from './services.ts';
import { DEVICE_COOKIE } from './sign-in-route.ts';

/**
 * The time in which a sign-in must come back and its session must be fetched, and so the age of the
 * cookie.
 */
const COOKIE: OwnCookie = { name: 'trellis-sso', maxAgeSeconds: 660, sameSite: 'Lax' };

export interface SsoInput<O extends Operation> extends Input<O> {
  readonly visitor: Visitor;
}

/** An answer, with what it sets in the browser. */
export interface SsoAnswer<O extends Operation> {
  readonly answer: Answer<O>;
  /** The secret to store in the cookie. */
  readonly browser?: string;
  /** The mark of users to store in the browser. */
  readonly marks?: string;
  readonly location?: string;
}

/**
 * The route of a sign-in at an identity provider. It reads the cookie that ties the sign-in to the
 * browser that began it, and may set the cookie or redirect. Only this and the sign-in with a
 * password use cookies.
 */
export function ssoRoute<const O extends Operation>(
  operation: O,
  handler: (input: SsoInput<O>, services: HttpServices) => Promise<SsoAnswer<O>> | SsoAnswer<O>,
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
        reply.header('set-cookie', cookieHeader(COOKIE, result.browser, isSecure));
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

/** Refuses forms when no SAML provider is set up: nobody else sends any. */
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
    browser: readCookie(request, COOKIE, isSecure),
    marks: readCookie(request, DEVICE_COOKIE, isSecure),
    address: request.ip,
    wantsSession: accept.includes('application/json') && !accept.includes('text/html'),
  };
}
