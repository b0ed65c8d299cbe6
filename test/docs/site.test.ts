import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { CHROMIUM } from '../../tools/browser.ts';
import { buildSite } from '../../tools/docs-site/build-site.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

const DOCS = join(import.meta.dirname, '../../docs');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let pages: readonly string[];
beforeAll(async () => {
  folder = await temporaryFolder();
  pages = await buildSite(join(folder.path, 'site'));
});
afterAll(() => folder[Symbol.asyncDispose]());

const read = (path: string): string => readFileSync(join(folder.path, 'site', path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '');

describe('the documentation site', () => {
  test('has every document, and every page is in the menu of every other', () => {
    const documents = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
    const decisions = readdirSync(join(DOCS, 'decisions')).map((file) => `decisions/${file}`);
    for (const file of [...documents, ...decisions]) {
      expect(pages).toContain(file.replace(/\.md$/, '.html'));
    }
    const menu = /<nav[^]*<\/nav>/.exec(read('index.html'))?.[0] ?? '';
    expect(matches(menu, /href="([^"]+)"/g).toSorted()).toEqual([...pages].toSorted());
  });

  test('has no link that leads nowhere, and loads nothing from elsewhere', () => {
    const ids = new Map(
      pages.map((path) => [path, new Set(matches(read(path), / id="([^"]+)"/g))]),
    );
    const broken: string[] = [];
    for (const path of pages) {
      const html = read(path);
      expect(matches(html, /<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"/g)).toEqual([]);
      for (const href of matches(html, /<a [^>]*href="([^"]+)"/g)) {
        if (/^https?:/.test(href)) continue;
        const [target = '', anchor] = href.split('#');
        const to = target === '' ? path : posix.join(posix.dirname(path), target);
        const known = ids.get(to);
        if (known === undefined || (anchor !== undefined && !known.has(anchor))) {
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
    const path = new URL(request.url ?? '/', 'http://site.invalid').pathname.slice(1);
    const file = join(folder.path, 'site', path);
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  test.each(['light', 'dark'] as const)('is accessible and can be searched, %s', async (scheme) => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage({ colorScheme: scheme, bypassCSP: true });
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      for (const path of ['index.html', 'access.html', 'reference/errors.html']) {
        await page.goto(base + path);
        await page.evaluate(axe.source);
        const violations: unknown = await page.evaluate(
          'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
        );
        expect(violations, path).toEqual([]);
      }
      await page.keyboard.press('/');
      await page.keyboard.type('node not found');
      const found = page.getByRole('region', { name: 'Found' });
      await found.getByRole('link', { name: 'Error codes: node_not_found' }).click();
      await page.waitForURL(/errors\.html#node_not_found/);
      await page.getByRole('searchbox', { name: 'Search' }).fill('qwxyz');
      await found.getByText('Nothing is like this.').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
