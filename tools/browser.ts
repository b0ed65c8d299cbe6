import { installDebianPackage } from './debian-package.ts';

/** Where Debian and most others install it. */
export const CHROMIUM = '/usr/bin/chromium';

/** The browser that the browser tests drive. */
export function installBrowser(): void {
  installDebianPackage('chromium', CHROMIUM, 'the browser tests');
}
