import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { allowedMethods } from './path-template.ts';
import { pathOf, shownPath } from './request-log.ts';

type Request = Pick<FastifyRequest, 'method' | 'url'>;

/** 405 with the methods there are, or 404 (open-shapes, section 2). */
export function unknownRoute(request: Request): Problem {
  const allow = allowedMethods(pathOf(request.url));
  if (allow.length > 0) return methodNotAllowed(request, allow);
  return new Problem('route_not_found', `There is no ${request.method} ${shownPath(request.url)}.`);
}

export function methodNotAllowed(request: Request, allow: readonly string[]): Problem {
  return new Problem(
    'method_not_allowed',
    `${shownPath(request.url)} does not take ${request.method}.`,
    { details: { allow } },
  );
}
