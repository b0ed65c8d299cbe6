import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { allowedMethods } from './path-template.ts';
import { pathOf } from './request-log.ts';

/** 405 with the methods there are, or 404 (open-shapes, section 2). */
export function unknownRoute({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): Problem {
  const path = pathOf(url);
  const allow = allowedMethods(path);
  const shown = path.length > 200 ? `${path.slice(0, 200)}...` : path;
  if (allow.length === 0) return new Problem('route_not_found', `There is no ${method} ${shown}.`);
  return new Problem('method_not_allowed', `${shown} does not take ${method}.`, {
    details: { allow },
  });
}
