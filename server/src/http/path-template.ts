import { operations } from '@trellis/contract/operations.ts';

/** The pattern of the router for a path of the contract: `/a/{b}/{+c}` is `/a/:b/*`. */
export function routerPath(template: string): string {
  return template.replace(/\{\+\w+\}/, '*').replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The name of the parameter that takes the rest of the path, slashes included. */
export function restParameter(template: string): string | undefined {
  return /\{\+(\w+)\}/.exec(template)?.[1];
}

const patterns = operations.map(({ method, path }) => ({ method, pattern: pathPattern(path) }));

/** What `Allow` says of a path: the methods of every operation that has it; none for an unknown path. */
export function allowedMethods(path: string): string[] {
  const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  // Whatever answers GET answers HEAD as well.
  return [...new Set(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function pathPattern(template: string): RegExp {
  const source = template
    .split(/(\{\+?\w+\})/)
    .map((part) =>
      part.startsWith('{') ? (part[1] === '+' ? '.+' : '[^/]+') : RegExp.escape(part),
    )
    .join('');
  return new RegExp(`^${source}$`);
}
