import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPrivateAddress } from '#base/ip-address.ts';
import { Problem } from '#base/problem.ts';
import type { BesideOperations } from './beside-operations.ts';
import { REQUEST_ID } from './header-names.ts';

/** Puts on the answers to preflights what all answers carry: they have no route that would. */
export function addPreflightHeaders(
  app: FastifyInstance,
  securityHeaders: Readonly<Record<string, string>>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') {
      reply.headers(securityHeaders).header(REQUEST_ID, request.id);
    }
    done();
  });
}

/** Answers or turns away, before the body is looked at, what no route is needed for to know. */
export function refuseEarly(
  app: FastifyInstance,
  redirectToHttps: boolean,
  securityHeaders: Readonly<Record<string, string>>,
  beside: BesideOperations,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new Problem('malformed_request', 'The header Host is missing.'));
    } else if (redirectToHttps && isPlain(request)) {
      reply.headers(securityHeaders).header(REQUEST_ID, request.id);
      reply.redirect(`https://${request.host}${request.url}`, 308);
    } else if (request.is404) {
      beside(request, reply);
    } else {
      done();
    }
  });
}

/** The status is told over plain HTTP as well: load balancers ask for it that way. */
function isPlain(request: FastifyRequest): boolean {
  if (request.routeOptions.config.operation?.area === 'status') return false;
  return request.protocol !== 'https' && !cameOverTls(request);
}

/**
 * What a neighbor says of how a request came to it, also one that is not believed whom it came
 * from: who lies here does no more than go without the redirect themselves.
 */
function cameOverTls({ headers, socket }: FastifyRequest): boolean {
  return headers['x-forwarded-proto'] === 'https' && isPrivateAddress(socket.remoteAddress ?? '');
}
