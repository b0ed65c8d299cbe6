import type { FastifyRequest } from 'fastify';

/** Headers with credentials are kept from endpoint code. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** Characters that JSON does not escape. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * The headers that endpoint code sees, as JSON text: names in lower case, without credentials. It
 * does as little as possible, since most endpoints read none: names of headers have no letter that
 * JSON escapes.
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
