import { z } from 'zod';
import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations.ts';

/**
 * The pattern of the router for a path of the contract: `/a/{b}/{+c}` is `/a/:b/*`. A parameter
 * that can only be one of several words is matched by these alone: with another word it is another
 * path, or none.
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
 * What `Allow` says of a path: the methods of every operation that has it; none for an unknown
 * path.
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
