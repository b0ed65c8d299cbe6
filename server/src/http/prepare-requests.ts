import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { REQUEST_ID } from './header-names.ts';
import { unknownRoute } from './unknown-route.ts';

/** What happens to every request first: the headers of its answer, and the checks that no route is needed for. */
export function prepareRequests(
  app: FastifyInstance,
  securityHeaders: Readonly<Record<string, string>>,
  redirectToHttps: boolean,
): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header(REQUEST_ID, request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new Problem('malformed_request', 'The header Host is missing.'));
    } else if (redirectToHttps && isPlain(request)) {
      reply.redirect(`https://${request.host}${request.url}`, 308);
    } else if (request.is404) {
      // Before the body is looked at: it does not matter what is sent to nowhere.
      done(unknownRoute(request));
    } else {
      done();
    }
  });
}

/** The status is told over plain HTTP as well: load balancers ask for it that way. */
function isPlain(request: FastifyRequest): boolean {
  return request.protocol !== 'https' && request.routeOptions.config.operation?.area !== 'status';
}
