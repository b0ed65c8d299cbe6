import { installDebianPackage } from './debian-package.ts';

/** Where Debian and most others install it. */
export const CHROMIUM = '/usr/bin/chromium';

/** The browser that the browser tests drive. */
export function installBrowser(): void {
  installDebianPackage('chromium', CHROMIUM, 'the browser tests');
}

export interface BrowserSession {
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/**
 * What a new context of a browser has of somebody who is signed in to the front end at a URL, where web/src/app/session.ts
 * keeps it; without a session, of nobody.
 */
export function storageState(url: string, session?: BrowserSession) {
  const { origin, pathname } = new URL(`${url}/`);
  const name = `trellis.session:${pathname}`;
  const localStorage = session === undefined ? [] : [{ name, value: JSON.stringify(session) }];
  return { cookies: [], origins: [{ origin, localStorage }] };
}
