import type { FastifyRequest } from 'fastify';

/**
 * A cookie of this server. With TLS its name makes browsers refuse it from anybody but this very
 * host (RFC 6265bis, section 4.1.3).
 */
export interface OwnCookie {
  readonly name: string;
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Lax' | 'Strict';
}

export function readCookie(
  request: FastifyRequest,
  cookie: OwnCookie,
  isSecure: boolean,
): string | undefined {
  const name = `${nameOf(cookie, isSecure)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length);
}

/** The value of a header Set-Cookie. No script reads it. */
export function cookieHeader(cookie: OwnCookie, value: string, isSecure: boolean): string {
  const flags = `Path=/; Max-Age=${cookie.maxAgeSeconds}; HttpOnly; SameSite=${cookie.sameSite}`;
  return `${nameOf(cookie, isSecure)}=${value}; ${flags}${isSecure ? '; Secure' : ''}`;
}

function nameOf({ name }: OwnCookie, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
