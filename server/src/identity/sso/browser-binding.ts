import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The secret of one browser, 256 bits in base64url: it travels in a cookie only. */
const BROWSER_SECRET = /^[\w-]{43}$/;

/**
 * The browser that begins a sign-in, by its secret, and the device it is when somebody has signed
 * in on it before.
 */
export interface Beginner {
  readonly browser: string;
  readonly device: string | undefined;
}

/**
 * The browser's own secret when it brings one, so that sign-ins in several tabs do not disturb each
 * other; else a new one.
 */
export function browserSecret(brought: string | undefined): string {
  return brought !== undefined && BROWSER_SECRET.test(brought)
    ? brought
    : randomBytes(32).toString('base64url');
}

/** What a state keeps of the browser that began it. */
export function browserHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

export function isSameBrowser(hash: string, brought: string | undefined): boolean {
  if (brought === undefined) return false;
  return timingSafeEqual(Buffer.from(hash), Buffer.from(browserHash(brought)));
}
