import { nodeUid } from '@trellis/client/uid.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, type SignedInOptions, useBrowser } from '../support/browser.ts';
import { ADA, BOB, button, fillWithAuthors, statusOf } from '../support/drawn-authors.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

/** More than fit into an address. */
const MANY = 700;

describe.skipIf(requireChromium())('what is drawn', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann');
    await fillWithAuthors(people.workspace);
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Shop', fields: {} }],
      edges: [],
    });
    const operations = Array.from({ length: MANY }, (_, at) => ({
      op: 'addOrUpdate',
      type: 'Shop',
      key: `shop ${at}`,
    }));
    await people.as('admin', 'POST', '/api/ingest', { operations });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const open = (search: string, options: SignedInOptions = {}) =>
    browser.signedInPage(people.workspace, { path: `#/graph${search}`, ...options });
  const ANN = { userName: 'ann', password: PASSWORD };

  /** What the address says of the picture, once it says anything else than before. */
  async function addressAfter(page: Page, before: string): Promise<string> {
    await page.waitForURL((url) => /[?&](layout|kept)=/.test(url.hash) && url.hash !== before);
    return new URL(page.url()).hash;
  }

  test('does not bring back somebody who has gone on while the next page is read', async () => {
    await using opened = await open('');
    const { page, complaints } = opened;
    const held = Promise.withResolvers<void>();
    await page.route(/preferences-page/, async (request) => {
      await held.promise;
      await request.continue();
    });
    await page.clock.install();
    await page.reload();
    await page.evaluate(`location.hash = '#/graph?node=${ADA}'`);
    await statusOf(page, '26 nodes and 25 edges.').waitFor();
    await page.evaluate(`location.hash = '#/preferences'`);
    // By then the picture would have been kept.
    await page.clock.runFor(1_000);
    held.resolve();
    await page.getByRole('heading', { level: 1, name: 'Preferences' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('is there after a reload, and at the address that it has then', async () => {
    await using opened = await open(`?node=${ADA}&view=table`);
    const { page, complaints } = opened;
    await statusOf(page, '26 nodes and 25 edges.').waitFor();
    const first = await addressAfter(page, '');
    const nodes = page.getByRole('table', { name: 'Nodes' });
    await button(nodes, 'Remove Book 3').click();
    const second = await addressAfter(page, first);
    await button(nodes, 'Pin Book 2').first().click();
    const third = await addressAfter(page, second);
    await button(page.getByRole('list', { name: 'Types of nodes' }), 'Book 24').click();
    const changed = await addressAfter(page, third);
    await page.reload();
    await statusOf(page, '25 nodes and 24 edges. 1 type hidden.').waitFor();
    await button(page.getByRole('list', { name: 'Types of nodes' }), 'Book 24').click();
    await nodes.getByText('pinned').waitFor();
    expect(await button(nodes, 'Remove Book 3').count()).toBe(0);
    await addressAfter(page, changed);
    await button(page, 'Clear the drawing').click();
    await page.waitForURL((url) => url.hash === '#/graph?view=table');
    await page.reload();
    await page.getByText('Nothing is drawn yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is shown to others as far as they may see it, and they are told so', async () => {
    await using mine = await open(`?node=${BOB}&view=table`);
    await statusOf(mine.page, '3 nodes and 2 edges.').waitFor();
    const address = await addressAfter(mine.page, '');
    const user = { type: '_User', key: 'admin' };
    const operations = [{ op: 'restrict', node: { uid: nodeUid('Book', 'b29') }, user }];
    expect((await people.as('admin', 'POST', '/api/ingest', { operations })).status).toBe(200);
    await using theirs = await open(address.slice('#/graph'.length), ANN);
    const { page, complaints } = theirs;
    await statusOf(page, '2 nodes and 1 edge.').waitFor();
    await page.getByText('1 node of this picture is not shown').waitFor();
    await expectAccessible(page);
    // Until they change it, they pass on the whole of it.
    expect(new URL(page.url()).hash).toBe(address);
    await page.reload();
    await page.getByText('1 node of this picture is not shown').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is kept in the tab where it is too large for an address', async () => {
    const uids = Array.from({ length: MANY }, (_, at) => nodeUid('Shop', `shop ${at}`));
    await using opened = await open(`?node=${uids.join(',')}&view=table`);
    const { page, complaints } = opened;
    await statusOf(page, `${MANY} nodes and 0 edges.`).waitFor();
    const address = await addressAfter(page, '');
    expect(address).toBe('#/graph?view=table&kept=tab-1');
    await page.reload();
    await statusOf(page, `${MANY} nodes and 0 edges.`).waitFor();
    expect(complaints).toEqual([]);
    await using other = await open(address.slice('#/graph'.length));
    await other.page.getByText('only the tab in which it was drawn has it').waitFor();
  });
});
