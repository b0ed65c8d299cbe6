import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Arrival, Visitor } from '#identity/sso/visitor.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { Answer } from './answer.ts';
import { cookieHeader, readCookie, type OwnCookie } from './cookies.ts';
import type { Gate } from './gate.ts';
import { SEQUENCE } from './header-names.ts';
import { readInput, sendNoBody, type Input, type Route } from './route.ts';
import type { HttpServices } from './services.ts';
import { DEVICE_COOKIE } from './sign-in-route.ts';

/**
 * A sign-in must come back within this time, and its session must be fetched; the cookie need not
 * last longer.
 */
const COOKIE: OwnCookie = { name: 'trellis-sso', maxAgeSeconds: 660, sameSite: 'Lax' };

export interface SsoInput<O extends Operation> extends Input<O> {
  readonly visitor: Visitor;
}

/** An answer, and what it does to the browser beyond that. */
export interface SsoAnswer<O extends Operation> {
  readonly answer: Answer<O>;
  /** The secret that the browser's cookie shall hold. */
  readonly browser?: string;
  /** What it shall keep of those who have signed in on it. */
  readonly marks?: string;
  readonly location?: string;
}

/**
 * An operation of a sign-in at an identity provider: it sees the cookie that ties the sign-in to
 * the browser which began it, and may set it or lead elsewhere. No other operation but the sign-in
 * with a password knows cookies.
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

/** The end of a sign-in, as a program or as a browser gets it. */
export function arrivalAnswer(arrival: Arrival) {
  return 'session' in arrival
    ? { answer: { status: 200, body: arrival.session } as const, marks: arrival.marks }
    : { answer: { status: 303 } as const, location: arrival.location };
}

/** Only a SAML provider sends forms: where there is none, none is read. */
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
