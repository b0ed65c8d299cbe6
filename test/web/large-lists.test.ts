import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { nodeUid } from '@trellis/client/uid.ts';
import { useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { untilIndexed } from '../support/search-index.ts';

const ROWS = 100_000;
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
});

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
