import { resolve } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { zipOf } from '../support/zip.ts';

/** The hooks of the SDK in components that React shows, under an interface of the workspace. */

const ROOT = resolve(import.meta.dirname, '../..');

/** Shows what the hook says, as JSON, of what `show({...})` says. */
const PAGE = `
import { createElement, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Trellis } from '@trellis/client';
import { TrellisProvider, useEndpoint } from '@trellis/client/react';

const client = new Trellis({ baseUrl: location.origin, token: location.hash.slice(1) });

function Books({ shelf, enabled }) {
  const { data, error, isLoading, refetch } = useEndpoint('books', { shelf }, { enabled });
  useEffect(() => {
    window.refetch = refetch;
  });
  return createElement('output', null, JSON.stringify({ data, error: error?.code, isLoading }));
}

function App() {
  const [shown, setShown] = useState({ shelf: 'low', enabled: false, isThere: true });
  useEffect(() => {
    window.show = (change) => setShown((before) => ({ ...before, ...change }));
  }, []);
  return shown.isThere ? createElement(Books, shown) : createElement('output', null, 'gone');
}

const page = createElement(TrellisProvider, { client }, createElement(App));
createRoot(document.querySelector('#root')).render(createElement(StrictMode, null, page));
`;

const CODE = `export default async ({ q, body }: Scope<{ shelf: string }>) => {
  const books = await q().startWhere('Book', 'Shelf', '=', body.shelf).asUser().nodes();
  if (books.some(({ Title }) => Title === 'Torn')) throw new Error('a book is torn');
  return books.map(({ Title }) => Title).toSorted();
};`;

describe.skipIf(requireChromium())('useEndpoint in a page', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    const ok = async (method: string, path: string, body: unknown, headers = {}) => {
      const { status, text } = await people.as('admin', method, path, body, headers);
      expect([200, 201], text).toContain(status);
    };
    await ok('PUT', '/api/schema', {
      nodes: [{ type: 'Book', key: 'Title', fields: { Shelf: 'String' } }],
      edges: [],
    });
    await ok('POST', '/api/endpoints/create', { name: 'books', code: CODE, isReadOnly: true });
    const html = '<!doctype html><title>Books</title><div id="root"></div>';
    const files = {
      'index.html': `${html}<script type="module" src="./page.js"></script>`,
      'page.js': await bundled(PAGE),
    };
    const zip = { 'content-type': 'application/zip' };
    await ok('PUT', '/api/interfaces/books', await zipOf(files), zip);
    await ok('PUT', '/api/workspace/settings', { interface: 'books' });
    await people.add('ann');
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const write = async (...operations: readonly object[]): Promise<void> => {
    const { status, text } = await people.as('admin', 'POST', '/api/ingest', { operations });
    expect(status, text).toBe(200);
  };
  const book = (key: string, Shelf: string) => ({
    op: 'addOrUpdate',
    type: 'Book',
    key,
    fields: { Shelf },
  });
  const gone = (key: string) => ({ op: 'delete', type: 'Book', key });

  /** As ann, who signs in for each page. */
  const open = async () => {
    const token = await people.workspace.http.signIn('ann', PASSWORD);
    const opened = await browser.page(people.workspace, { path: `#${token}` });
    const { page } = opened;
    return { opened, page, watches: watchesOf(page), token };
  };

  test('tells the first answer, and each change of it', async () => {
    await write(book('Emma', 'low'), book('Dune', 'high'));
    const { opened, page, watches } = await open();
    await using _opened = opened;
    await says(page, { isLoading: false });
    expect(watches.begun).toBe(0);
    await show(page, { enabled: true });
    await says(page, { data: ['Emma'], isLoading: false });
    await write(book('Villette', 'low'));
    await says(page, { data: ['Emma', 'Villette'], isLoading: false });
    await write(gone('Villette'));
    await says(page, { data: ['Emma'], isLoading: false });
    // In its strict mode React mounts everything twice.
    await expect.poll(() => watches.open).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  test('asks for another body instead, and for nothing once it is not shown', async () => {
    const { opened, page, watches } = await open();
    await using _opened = opened;
    await show(page, { enabled: true });
    await says(page, { data: ['Emma'], isLoading: false });
    await show(page, { shelf: 'high' });
    await says(page, { data: ['Dune'], isLoading: false });
    await expect.poll(() => watches.open).toBe(1);
    await show(page, { enabled: false });
    await says(page, { isLoading: false });
    await expect.poll(() => watches.open).toBe(0);
    await show(page, { enabled: true });
    await says(page, { data: ['Dune'], isLoading: false });
    await show(page, { isThere: false });
    await page.getByText('gone', { exact: true }).waitFor();
    await expect.poll(() => watches.open).toBe(0);
    const { begun } = watches;
    await write(book('Ubik', 'high'));
    await show(page, { isThere: true });
    await says(page, { data: ['Dune', 'Ubik'], isLoading: false });
    await expect.poll(() => watches.open).toBe(1);
    expect(watches.begun).toBeGreaterThan(begun);
    await write(gone('Ubik'));
    expect(opened.complaints).toEqual([]);
  });

  test('tells why there is no answer, and the next one', async () => {
    const { opened, page } = await open();
    await using _opened = opened;
    await show(page, { enabled: true });
    await says(page, { data: ['Emma'], isLoading: false });
    await write(book('Torn', 'low'));
    await says(page, { data: ['Emma'], error: 'endpoint_failed', isLoading: false });
    await page.evaluate('refetch()');
    await says(page, { data: ['Emma'], error: 'endpoint_failed', isLoading: false });
    await write(gone('Torn'), book('Ulysses', 'low'));
    await says(page, { data: ['Emma', 'Ulysses'], isLoading: false });
    await write(gone('Ulysses'));
  });

  test('tells that it may not ask any more', async () => {
    const { opened, page, watches, token } = await open();
    await using _opened = opened;
    await show(page, { enabled: true });
    await says(page, { data: ['Emma'], isLoading: false });
    const ended = await people.workspace.http.send({
      method: 'POST',
      path: '/api/login/end',
      token,
    });
    expect(ended.status).toBe(204);
    await says(page, { data: ['Emma'], error: 'invalid_token', isLoading: false });
    await expect.poll(() => watches.open).toBe(0);
  });
});

async function bundled(code: string): Promise<string> {
  const bundle = await rolldown({
    input: 'page',
    cwd: ROOT,
    platform: 'browser',
    tsconfig: false,
    // In which React finds faults, and shows everything twice.
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? resolve(ROOT, 'page.js') : undefined),
        load: (id) => (id === resolve(ROOT, 'page.js') ? code : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  return output[0].code;
}

const show = (page: Page, change: object): Promise<unknown> =>
  page.evaluate(`show(${JSON.stringify(change)})`);

const says = (page: Page, what: object): Promise<void> =>
  page.getByText(JSON.stringify(what), { exact: true }).waitFor();

/** How many watches the page has, and has had. */
function watchesOf(page: Page): { open: number; begun: number } {
  const watches = { open: 0, begun: 0 };
  const isWatch = (request: Request): boolean =>
    request.method() === 'POST' && request.url().endsWith('/api/endpoints/live/books');
  page.on('request', (request) => {
    if (!isWatch(request)) return;
    watches.open++;
    watches.begun++;
  });
  const end = (request: Request): void => {
    if (isWatch(request)) watches.open--;
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return watches;
}
