import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { PageRequests } from '../support/page-requests.ts';
import { requireChromium } from '../support/requires.ts';
import { sampled } from '../support/scale.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const PHONE = { width: 375, height: 740 };
/** Of the pages, in a run of all tests: to look for what is not accessible takes longest. */
const INSPECTED = 12;
/** Two of the pages that no menu lists. */
const OTHER_PAGES = [
  { href: '#/preferences', title: 'Preferences' },
  { href: '#/endpoints/edit/hello', title: 'hello' },
];

/** Names that a page must show as they are. */
const TITLES = [
  '<script>alert(1)</script>',
  'Tom\'s "best" book',
  'كتاب عن النجوم',
  'x'.repeat(300),
];

const ENDPOINT = 'export default async function ({ body }: Scope) { return { hello: body }; }';

async function fill({ http, token }: TestWorkspace): Promise<void> {
  const send = (method: string, path: string, body: unknown) =>
    http.send({ method, path, token, body });
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  const operations = TITLES.map((Title, at) => ({
    op: 'addOrUpdate',
    type: 'Book',
    key: `isbn-${at}`,
    fields: { Title, Pages: at, Tags: ['a', 'b'] },
  }));
  await send('POST', '/api/ingest', { operations });
  await send('PUT', '/api/search/settings', {
    types: { Book: { searchable: true, fields: { Title: { text: { boost: 2 } } } } },
  });
  await send('POST', '/api/endpoints/create', { name: 'hello', code: ENDPOINT });
}

describe.skipIf(requireChromium())('every page', () => {
  const browser = useBrowser();
  let at: TestWorkspace;
  beforeAll(async () => {
    at = await startWorkspace();
    await fill(at);
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test.each([
    ['light', { width: 1_440, height: 900 }],
    ['dark', PHONE],
  ] as const)('is accessible and fits, %s', async (colorScheme, viewport) => {
    await using opened = await browser.signedInPage(at, { colorScheme, viewport });
    const { page, complaints } = opened;
    const menu = page.getByRole('navigation', { name: 'Pages', includeHidden: true });
    const links = menu.getByRole('listitem', { includeHidden: true }).locator('a');
    await links.first().waitFor({ state: 'attached' });
    const pages: { href: string; title: string }[] = await links.evaluateAll((all) =>
      all.map((link) => ({
        href: link.getAttribute('href') ?? '',
        title: link.textContent?.trim() ?? '',
      })),
    );
    expect(pages.length).toBeGreaterThan(20);
    const all = [...pages, ...OTHER_PAGES];
    const inspected = new Set(sampled(all, INSPECTED).map(({ href }) => href));
    const requests = new PageRequests(page);
    for (const { href, title } of all) {
      await page.goto(`${at.server.url}/${href.slice(href.indexOf('#'))}`);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await requests.settled();
      if (inspected.has(href)) await expectAccessible(page);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, `${href} is as wide as the screen`).toBe(viewport.width);
      expect(await page.getByText('could not be').count(), href).toBe(0);
      expect(complaints, href).toEqual([]);
    }
  });
});
