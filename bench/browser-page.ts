import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumFile, installBrowser, storageState } from '../tools/browser.ts';
import type { BenchServer } from './server.ts';

const SESSION_MS = 3_600_000;

/** The Chromium that pages are measured in. */
export async function launchBrowser(): Promise<Browser> {
  installBrowser();
  return chromium.launch({ executablePath: chromiumFile(), args: ['--no-sandbox'] });
}

/** The front end in a context of its own, whose cache is empty, signed in as the administrator. */
export async function withPage<T>(
  browser: Browser,
  { url, token }: BenchServer,
  use: (page: Page, url: string) => Promise<T>,
): Promise<T> {
  const expiresAt = new Date(Date.now() + SESSION_MS).toISOString();
  const context = await browser.newContext({
    storageState: storageState(url, { token, expiresAt }),
  });
  try {
    return await use(await context.newPage(), url);
  } finally {
    await context.close();
  }
}
