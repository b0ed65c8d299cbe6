import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let pages: readonly string[];
beforeAll(async () => {
  folder = await temporaryFolder();
  const site = join(folder.path, 'site');
  const program = [join(ROOT, 'tools/docs.ts'), '--out', site];
  // A process of its own, without the environment of the test runner: the builder reads it too.
  const env = { PATH: process.env['PATH'], HOME: folder.path };
  await promisify(execFile)(process.execPath, program, { cwd: ROOT, env });
  pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .toSorted();
});
afterAll(() => folder[Symbol.asyncDispose]());

const fileOf = (path: string): string => join(folder.path, 'site', path);
const read = (path: string): string => readFileSync(fileOf(path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '');
const menuOf = (page: string): string => /<nav id="menu"[^]*?<\/nav>/.exec(read(page))?.[0] ?? '';
/** The file that a link of a page leads to. */
const targetOf = (page: string, href: string): string => {
  const path = decodeURI(new URL(href, `http://site.invalid/${page}`).pathname).slice(1);
  return path === '' ? 'index.html' : path;
};

describe('the documentation site', () => {
  test('has every document, and every page is in the menu of every other', () => {
    const documents = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
    const decisions = readdirSync(join(DOCS, 'decisions')).map((file) => `decisions/${file}`);
    for (const file of [...documents, ...decisions]) {
      expect(pages).toContain(file.replace(/\.md$/, '.html'));
    }
    for (const page of pages) {
      const targets = matches(menuOf(page), /href="([^"]+)"/g).map((href) => targetOf(page, href));
      expect(targets.toSorted(), page).toEqual(pages);
    }
  });

  test('has its pages in the four kinds of documents', () => {
    const titles = matches(menuOf('index.html'), /<h2>([^<]+)<\/h2><ul>/g);
    expect(titles.filter((title) => !title.startsWith('How to: '))).toEqual([
      'Start',
      'Concepts',
      'Reference',
      'Project',
      'Decisions',
    ]);
  });

  test('has no link that leads nowhere, and loads nothing from elsewhere', () => {
    const ids = new Map(
      pages.map((path) => [path, new Set(matches(read(path), / id="([^"]+)"/g))]),
    );
    const broken: string[] = [];
    for (const path of pages) {
      const html = read(path);
      expect(matches(html, /<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"/g)).toEqual([]);
      const links = matches(html, /<a [^>]*href="([^"]+)"/g);
      for (const href of links.filter((link) => !/^https?:/.test(link))) {
        const to = targetOf(path, href);
        const anchor = decodeURIComponent(new URL(href, 'http://site.invalid').hash.slice(1));
        const known = ids.get(to);
        if (known !== undefined ? anchor !== '' && !known.has(anchor) : !existsSync(fileOf(to))) {
          broken.push(`${path}: ${href}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  test('has a reference of every operation, error, variable, command and method', () => {
    const idsOf = (path: string) => matches(read(path), /<h[23] id="([^"]+)"/g);
    const names = operations.map(({ id }) => id.toLowerCase());
    expect(idsOf('reference/operations.html')).toEqual(expect.arrayContaining(names));
    const codes = idsOf('reference/errors.html');
    expect(codes.toSpliced(-1)).toEqual(Object.keys(errorCatalogue).toSorted());
    for (const message of [
      // A text, one with a value, and one of the command itself.
      'The old password is not right.',
      '… holds the store of a primary',
      'There is a file … already.',
    ]) {
      expect(read('reference/errors.html')).toContain(message);
    }
    expect(read('configuration.html')).toContain('MSK_REPLICATION_PORT');
    const methods = operations.flatMap(({ sdk }) => sdk?.toLowerCase().replace('.', '') ?? []);
    const inSdk = idsOf('reference/sdk.html').map((id) => id.replaceAll('-', ''));
    const others = [
      'signIn',
      'signOut',
      'run',
      'watchEndpoint',
      'useQuery',
      'useEndpoint',
      'useChat',
      'trellisgraphingestStream',
      'trellisfilesuploadInPieces',
      'trellischatsstream',
    ];
    for (const name of [...methods.map((method) => `trellis${method}`), ...others]) {
      expect(
        inSdk.some((id) => id === name.toLowerCase()),
        name,
      ).toBe(true);
    }
    expect(read('reference/sdk.html')).not.toContain('(...)');
    expect(read('reference/sdk.html')).toContain(
      'trellis.jobs.watch(id: string, options?: Pick&lt;WatchOptions, ',
    );
    const commands = idsOf('reference/cli.html');
    expect(commands.length).toBeGreaterThan(80);
    for (const command of ['trellis-serve', 'trellis-openapi', 'trellis-endpoint-push']) {
      expect(commands).toContain(command);
    }
  });

  test('has texts for programs', () => {
    const short = read('llms.txt');
    for (const path of matches(short, /\]\(([^)]+)\)/g))
      expect(read(path).length).toBeGreaterThan(0);
    expect(short).toMatch(/^# Trellis\n\n> /);
    const full = read('llms-full.txt');
    for (const path of pages) expect(full).toContain(`<!-- ${path} -->`);
  });
});

describe.skipIf(requireChromium())('the site of a server below a path', () => {
  const browser = useBrowser();
  let workspace: TestWorkspace;
  let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;
  beforeAll(async () => {
    workspace = await startWorkspace();
    proxy = await startPrefixProxy(workspace.server.url, '/some/graph');
  });
  afterAll(async () => {
    proxy[Symbol.dispose]();
    await workspace[Symbol.asyncDispose]();
  });
  const open = (path: string, options = {}) =>
    browser.page({ server: proxy }, { path: `docs/${path}`, ...options });

  test.each([
    ['light', 1_280],
    ['dark', 1_280],
    ['light', 390],
    ['dark', 390],
  ] as const)('is accessible and fits, %s at %i pixels', async (colorScheme, width) => {
    await using tab = await open('', { colorScheme, viewport: { width, height: 800 } });
    const { page, complaints } = tab;
    for (const path of ['index.html', 'access.html', 'tutorial.html', 'reference/errors.html']) {
      await page.goto(`${proxy.url}/docs/${path}`);
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(width);
      await expectAccessible(page);
    }
    await page.getByRole('searchbox').fill('token');
    await page.getByText(/^\d+ found$/).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('can be searched by keyboard, from any page', async () => {
    await using tab = await open('reference/cli.html');
    const { page, complaints } = tab;
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('node not found');
    await page
      .getByRole('link', { name: /node_not_found/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/errors\.html#node_not_found/);
    await page.keyboard.press('/');
    await page.keyboard.type('MSK_REPLICATION_PORT');
    await page
      .getByRole('link', { name: /Configuration/ })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toContain('Configuration');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('searchbox').fill('qwxyz');
    await page.getByText('Nothing found for "qwxyz"').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing found').waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('is one step from the workspace', async () => {
    await using tab = await browser.signedInPage({ server: proxy, http: workspace.http });
    const { page, complaints } = tab;
    await page.getByRole('button', { name: 'Account of' }).click();
    await page.getByRole('menuitem', { name: 'Documentation' }).click();
    await page.getByRole('searchbox', { name: 'Search the documents' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/some/graph/docs/');
    expect(complaints).toEqual([]);
  });

  test('leads to the workspace, and has the theme that was chosen there', async () => {
    await using tab = await open('access.html', { colorScheme: 'light' });
    const { page } = tab;
    await page.evaluate('localStorage.setItem("trellis.theme", "dark")');
    await page.reload();
    await page.locator('html[data-theme="dark"]').waitFor();
    await page.getByRole('link', { name: 'Workspace', exact: true }).click();
    await page.getByRole('textbox', { name: 'User' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/some/graph/');
  });

  test('is found without a slash at its end, and runs nothing within its pages', async () => {
    const answer = await fetch(`${proxy.url}/docs`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, './docs/']);
    const page = await fetch(`${proxy.url}/docs/`);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
  });
});
