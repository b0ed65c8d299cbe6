import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { nodeUid } from '@trellis/client/uid.ts';
import { useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { untilIndexed } from '../support/search-index.ts';

const ROWS = 100_000;
/** Of them, those that the table is scrolled through. */
const SCROLLED = 20_000;
const ROWS_PER_ANSWER = 1_000;
/** What a page may hold, whatever the length of its list. */
const ELEMENTS_MAX = 4_000;
const HUB = { type: 'Hub', key: 'hub' };

describe.skipIf(requireChromium())('lists of 100,000 rows', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [
        { type: 'Hub', key: 'Name', fields: {} },
        { type: 'Row', key: 'Name', fields: { Text: 'String' } },
      ],
      edges: [
        { type: 'Has', inverse: 'Of' },
        { type: 'Of', inverse: 'Has' },
      ],
    });
    await people.as('admin', 'PUT', '/api/search/settings', {
      types: { Row: { fields: { Text: { text: {} } } } },
    });
    const answer = await people.workspace.http.send({
      path: '/api/ingest',
      token: people.token('admin'),
      headers: { 'content-type': 'application/x-ndjson' },
      body: operations(),
    });
    expect(answer.status, answer.text).toBe(200);
    await untilIndexed(people.workspace.http, people.token('admin'));
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const at = (path: string) => browser.signedInPage(people.workspace, { path });

  test('are searched page by page', async () => {
    await using opened = await at('#/?q=common');
    const { page, complaints } = opened;
    const pager = page.getByRole('navigation', { name: 'Pagination' });
    await pager.getByText('of 100,000').waitFor();
    const first = await page.getByRole('article').first().innerText();
    await pager.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => page.getByRole('article').first().innerText()).not.toBe(first);
    await expectSmall(page);
    expect(complaints).toEqual([]);
  });

  test('are the neighbours of one node', async () => {
    await using opened = await at(`#/node/${nodeUid(HUB.type, HUB.key)}`);
    const { page, complaints } = opened;
    const edges = page.getByRole('navigation', { name: 'Types of edges' });
    await edges.getByRole('link', { name: 'Outgoing Has 100,000' }).click();
    await page.getByText('1 to 20 of 100,000').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('21 to 40 of 100,000').waitFor();
    const rows = page.getByRole('table', { name: 'Has, outgoing' }).getByRole('row');
    expect(await rows.count()).toBe(21);
    await expectSmall(page);
    expect(complaints).toEqual([]);
  });

  test('are scrolled through in the table of their type, each row once', async () => {
    const names = await firstNames();
    expect(new Set(names).size).toBe(SCROLLED);
    await using opened = await at('#/data/Row');
    const { page, complaints } = opened;
    await page.getByText('100,000 nodes', { exact: true }).waitFor();
    const grid = page.getByRole('grid', { name: 'Nodes of Row' });
    await grid.focus();
    const wrong: string[] = [];
    for (let end = 0; end < SCROLLED;) {
      // Each time the end is that of the pages that are known.
      await page.keyboard.press('Control+End');
      const { index, text } = await grid
        .getByRole('row')
        .last()
        .evaluate((row) => ({ index: row.getAttribute('aria-rowindex'), text: row.innerText }));
      if (text.includes(UNREAD)) continue;
      // Without the row of titles.
      end = Number(index) - 1;
      const name = names[end - 1];
      if (name !== undefined && !text.includes(name)) wrong.push(`${end}: ${text}`);
    }
    expect(wrong).toEqual([]);
    await expectSmall(page);
    await page.keyboard.press('Control+Home');
    await grid.getByText(names[0] ?? '', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  /** Of the rows that the table begins with. */
  async function firstNames(): Promise<readonly string[]> {
    const names: string[] = [];
    let after: string | undefined;
    while (names.length < SCROLLED) {
      const body = { type: 'Row', fields: ['Name'], take: ROWS_PER_ANSWER, after };
      const { json } = await people.as('admin', 'POST', '/api/cce/system/table', body);
      const { items, next } = Object(json);
      names.push(...items.map(({ Id }: { readonly Id: string }) => Id));
      after = next;
    }
    return names;
  }
});

/** What stands in a row while it is read. */
const UNREAD = '…';

function operations(): string {
  const lines = [JSON.stringify({ op: 'addOrUpdate', ...HUB })];
  for (let i = 0; i < ROWS; i++) {
    const row = { type: 'Row', key: `row-${i}` };
    lines.push(
      JSON.stringify({ op: 'addOrUpdate', ...row, fields: { Text: `common text ${i}` } }),
      JSON.stringify({ op: 'link', from: HUB, edge: 'Has', inverse: 'Of', to: row }),
    );
  }
  return `${lines.join('\n')}\n`;
}

async function expectSmall(page: Page): Promise<void> {
  expect(await page.locator('*').count()).toBeLessThan(ELEMENTS_MAX);
}
