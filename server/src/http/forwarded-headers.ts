import type { FastifyRequest } from 'fastify';

/** What proves who somebody is stays outside endpoint code. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** What stands in JSON as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * The headers that endpoint code sees, as JSON text: names in lower case, without credentials. Most
 * endpoints look at none of them, so it takes as little as it can: a name of a header has no letter
 * that JSON would write in another way.
 */
export function forwardedHeaders(headers: FastifyRequest['headers']): string {
  let text = '';
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string' || CREDENTIALS.has(name)) continue;
    const json = PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
    text += `${text === '' ? '{' : ','}"${name}":${json}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
