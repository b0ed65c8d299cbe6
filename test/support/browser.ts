import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { chromiumFile, storageState, type BrowserSession } from '../../tools/browser.ts';
import { ADMIN_PASSWORD } from './trellis-process.ts';
import { field } from './http-client.ts';
import type { TestWorkspace } from './workspace.ts';

export interface PageOptions {
  /** What follows the address of the server, such as `#/search?q=dog`. */
  readonly path?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** The language of the browser (default: en-US) and its time zone (default: UTC). */
  readonly locale?: string;
  readonly timeZone?: string;
}

export interface SignedInOptions extends PageOptions {
  readonly userName?: string;
  readonly password?: string;
}

/** A page in a context of its own: nothing is shared with other pages. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /**
   * What went wrong in the page: errors that nobody caught, errors on the console, what the policy
   * of the page refused, and files that could not be loaded. Refusals of the API are not among
   * them: those the page has to show.
   */
  readonly complaints: string[];
}

/** Where the page is: a workspace, or a proxy in front of one, whose URL may have a path. */
export interface Served {
  readonly server: { readonly url: string };
  readonly http: TestWorkspace['http'];
}

/** The Chromium of all test files that run in this process; it ends with the process. */
let shared: Promise<Browser> | undefined;

/**
 * The Chromium for the tests of a file, in which each page has a context of its own. To be called
 * once, within `describe.skipIf(requireChromium())`. With switches of Chromium, such as
 * `--disable-3d-apis`, the file gets one that ends after its last test.
 */
export function useBrowser(switches: readonly string[] = []): TestBrowser {
  const browser = new TestBrowser();
  beforeAll(async () => {
    if (switches.length > 0) browser.opened = await launchChromium(switches);
    else browser.opened = await (shared ??= launchChromium());
  });
  if (switches.length > 0) afterAll(() => browser.opened?.close());
  return browser;
}

function launchChromium(switches: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumFile(),
    // Without a process for what it draws with, a page takes a tenth less of the processor.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--in-process-gpu', ...switches],
  });
}

export class TestBrowser {
  opened: Browser | undefined;

  /** The front end as somebody who is not signed in. */
  page(at: Pick<Served, 'server'>, options: PageOptions = {}): Promise<TestPage> {
    return this.#open(at, options);
  }

  /**
   * The front end as somebody (default: the administrator of the first start) who has signed in
   * before.
   */
  async signedInPage(at: Served, options: SignedInOptions = {}): Promise<TestPage> {
    const { userName: user = 'admin', password = ADMIN_PASSWORD } = options;
    const answer = await at.http.send({
      path: '/api/login/create',
      body: { user, password },
    });
    if (answer.status !== 200) throw new Error(`${user} cannot sign in: ${answer.text}`);
    return this.#open(at, options, {
      token: field(answer.json, 'token'),
      expiresAt: field(answer.json, 'expiresAt'),
    });
  }

  async #open(
    { server }: Pick<Served, 'server'>,
    options: PageOptions,
    session?: BrowserSession,
  ): Promise<TestPage> {
    if (this.opened === undefined) throw new Error('the browser is started before all tests');
    const context = await this.opened.newContext({
      viewport: options.viewport ?? { width: 1_280, height: 800 },
      colorScheme: options.colorScheme ?? 'light',
      locale: options.locale ?? 'en-US',
      timezoneId: options.timeZone ?? 'UTC',
      // Nothing moves, so that a click meets what it was aimed at.
      reducedMotion: 'reduce',
      storageState: storageState(server.url, session),
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${server.url}/${options.path ?? ''}`);
    // A change of the hash before the router of the front end listens would be lost.
    await page.locator('#root:empty').waitFor({ state: 'detached' });
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }
}

/** Against what never comes: a busy machine shows a page many times later than an idle one. */
const PATIENCE_MS = 120_000;

/** How the browser complains of an answer that is no success. It says elsewhere which one. */
const REFUSED = 'Failed to load resource: the server responded with';

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !text.startsWith(REFUSED)) complaints.push(text);
  });
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const isFile = !/\/(?:api\/|health\b)/.test(pathname);
    if (isFile && response.status() >= 400) complaints.push(`${response.status()} ${pathname}`);
  });
  return complaints;
}

/**
 * Fails when axe finds anything in the page as it is now, all its rules on unless some are named;
 * says what, where, and how to mend it. It comes in by the protocol of the debugger, which the
 * policy of the page does not stop.
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  const isThere = await page.evaluate('typeof axe === "object"');
  if (isThere !== true) await page.evaluate(`${axe.source};undefined`);
  const options = { resultTypes: ['violations'], ...(rules !== undefined && { runOnly: rules }) };
  const violations: readonly axe.Result[] = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  expect(violations.flatMap(described), `axe: ${page.url()}`).toEqual([]);
}

/**
 * The same in the light theme, and the contrast of the colours in the dark one, for a page that
 * follows the system.
 */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const [colorScheme, rules] of [
    ['dark', ['color-contrast']],
    ['light', undefined],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
    await expectAccessible(page, rules);
  }
}

function described({ id, help, nodes }: axe.Result): string[] {
  return nodes.map(({ target, failureSummary = '' }) => {
    const how = failureSummary.replaceAll(/\s+/g, ' ');
    return `${id}: ${help}\n  at ${JSON.stringify(target)}\n  ${how}`;
  });
}
