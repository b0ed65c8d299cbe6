import { z } from 'zod';
import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations.ts';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { pathOf, shownPath } from './observe-requests.ts';

/**
 * The router's pattern for a path of the contract: `/a/{b}/{+c}` is `/a/:b/*`. A parameter that has
 * only certain words matches these words alone: with another word it is another path, or none.
 */
export function routerPath({ path, params }: Pick<Operation, 'path' | 'params'>): string {
  return path.replace(/\{\+\w+\}/, '*').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const words = wordsOf(params, name);
    return words === undefined ? `:${name}` : `:${name}(^(?:${words})$)`;
  });
}

/** The name of the parameter that takes the rest of the path, slashes included. */
export function restParameter(template: string): string | undefined {
  return /\{\+(\w+)\}/.exec(template)?.[1];
}

const patterns = operations.map((operation) => ({
  method: operation.method,
  pattern: pathPattern(operation),
}));

/**
 * The methods in the header `Allow` of a path: those of every operation that has it. None for an
 * unknown path.
 */
export function allowedMethods(path: string): string[] {
  const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  // Whatever answers GET answers HEAD as well.
  return [...new Set(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function pathPattern({ path, params }: Operation): RegExp {
  const source = path
    .split(/(\{\+?\w+\})/)
    .map((part) => (part.startsWith('{') ? parameterPattern(part, params) : RegExp.escape(part)))
    .join('');
  return new RegExp(`^${source}$`);
}

function parameterPattern(part: string, params: Operation['params']): string {
  if (part[1] === '+') return '.+';
  const words = wordsOf(params, part.slice(1, -1));
  return words === undefined ? '[^/]+' : `(?:${words})`;
}

/**
 * The words that a parameter can be, as alternatives of a pattern; undefined when it can be
 * anything.
 */
function wordsOf(params: Operation['params'], name: string): string | undefined {
  const shape = params?.shape[name];
  return shape instanceof z.ZodEnum
    ? shape.options.map((word) => RegExp.escape(String(word))).join('|')
    : undefined;
}

type Request = Pick<FastifyRequest, 'method' | 'url'>;

/**
 * The problem for a path and method that no operation has: 405 with the methods of the path, or 404
 * (open-shapes, section 2).
 */
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
