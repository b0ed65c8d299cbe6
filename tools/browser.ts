import { existsSync } from 'node:fs';
import { installDebianPackage } from './debian-package.ts';

/**
 * Chromium without windows, as Debian installs it: a page takes a third less time than with them.
 */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Where Debian and most others install Chromium. */
const WHOLE_CHROMIUM = '/usr/bin/chromium';

/**
 * The browser that the browser tests drive: the one without windows where it could be installed.
 */
export function chromiumFile(): string {
  return existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : WHOLE_CHROMIUM;
}

export function installBrowser(): void {
  installDebianPackage('chromium-headless-shell', HEADLESS_SHELL, 'the browser tests');
}

export interface BrowserSession {
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/**
 * What a new context of a browser has of somebody who is signed in to the front end at a URL, where
 * web/src/app/session.ts keeps it; without a session, of nobody.
 */
export function storageState(url: string, session?: BrowserSession) {
  const { origin, pathname } = new URL(`${url}/`);
  const name = `trellis.session:${pathname}`;
  const localStorage = session === undefined ? [] : [{ name, value: JSON.stringify(session) }];
  return { cookies: [], origins: [{ origin, localStorage }] };
}
