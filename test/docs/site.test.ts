import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { chromiumFile } from '../../tools/browser.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

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
    .filter((path) => path.endsWith('.html') && path !== '404.html')
    .toSorted();
}, 180_000);
afterAll(() => folder[Symbol.asyncDispose]());

const fileOf = (path: string): string => join(folder.path, 'site', path);
const read = (path: string): string => readFileSync(fileOf(path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '');
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
      const menu = /<nav[^>]+id="VPSidebarNav"[^]*?<\/nav>/.exec(read(page))?.[0] ?? '';
      const targets = matches(menu, /href="([^"]+)"/g).map((href) => targetOf(page, href));
      expect(targets.toSorted(), page).toEqual(pages);
    }
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

  test('has a reference of every operation, error, variable and command', () => {
    const idsOf = (path: string) => matches(read(path), /<h[23] id="([^"]+)"/g);
    const names = operations.map(({ id }) => id.toLowerCase());
    expect(idsOf('reference/operations.html')).toEqual(expect.arrayContaining(names));
    expect(idsOf('reference/errors.html')).toEqual(Object.keys(errorCatalogue).toSorted());
    expect(read('configuration.html')).toContain('MSK_REPLICATION_PORT');
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

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

describe.skipIf(requireChromium())('the site in a browser', () => {
  const server = createServer((request, response) => {
    const path = targetOf('', request.url ?? '/');
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
    const file = fileOf(path);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  test.each([
    ['light', 1_280],
    ['dark', 1_280],
    ['light', 390],
    ['dark', 390],
  ] as const)('is accessible and fits, %s at %i pixels', async (colorScheme, width) => {
    await using browser = await chromium.launch({
      executablePath: chromiumFile(),
      args: ['--no-sandbox'],
    });
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    for (const path of ['index.html', 'access.html', 'reference/errors.html']) {
      await page.goto(base() + path, { waitUntil: 'networkidle' });
      expect(await page.evaluate('document.documentElement.className')).toBe(
        colorScheme === 'dark' ? 'dark' : '',
      );
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.evaluate(axe.source);
      const violations: unknown = await page.evaluate(
        'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      expect(violations, path).toEqual([]);
    }
  });

  test('can be searched by keyboard', async () => {
    await using browser = await chromium.launch({
      executablePath: chromiumFile(),
      args: ['--no-sandbox'],
    });
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${base()}index.html`, { waitUntil: 'networkidle' });
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('node not found');
    const hit = page.getByRole('link', { name: 'Error codes > node_not_found', exact: true });
    await hit.waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/errors\.html#node_not_found/);
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('qwxyz');
    await page.getByText('No results for').waitFor();
    expect(complaints).toEqual([]);
  });
});
