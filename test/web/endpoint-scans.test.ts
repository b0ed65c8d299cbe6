import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

/** One more than a query may read without a word. */
const NODES = 100_001;
const AT_ONCE = 10_000;
const CODE = `export default async ({ q }: Scope) =>
  q().startWhere('Row', 'N', '=', 7).uids();
`;

describe.skipIf(requireChromium())('an endpoint whose queries lack an index', () => {
  const browser = useBrowser();
  let people: People;
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await people.as('admin', method, path, body);
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  };
  beforeAll(async () => {
    people = await People.start();
    await people.add('auditor', { isReadOnlyAdmin: true });
    const nodes = [{ type: 'Row', key: 'Number', fields: { N: 'Int' } }];
    await send('PUT', '/api/schema', { nodes, edges: [] });
    for (let first = 0; first < NODES; first += AT_ONCE) {
      const count = Math.min(AT_ONCE, NODES - first);
      const operations = Array.from({ length: count }, (_, i) => {
        const N = first + i;
        return { op: 'addOrUpdate', type: 'Row', key: String(N), fields: { N } };
      });
      await send('POST', '/api/ingest', { operations });
    }
    await send('POST', '/api/endpoints/create', { name: 'lists/seeker', code: CODE });
    for (let i = 0; i < 2; i++) await send('POST', '/api/endpoints/run/lists/seeker', {});
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('shows read-only administrators what to add, and lets them change nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'auditor',
      path: '#/endpoints/edit/lists/seeker',
    });
    const { page } = opened;
    await page.getByText('An index of Row.N would spare that').waitFor();
    const add = page.getByRole('button', { name: 'Add the index' });
    expect(await add.isDisabled()).toBe(true);
    expect(await add.getAttribute('title')).toContain('read-only administrator');
  });

  test('is marked in the list and the metrics, and gets it with one button', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/endpoints' });
    const { page, complaints } = opened;
    const mark = page.getByRole('link', { name: 'Lacks an index: lists/seeker' });
    await mark.waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('link', { name: 'Metrics', exact: true }).click();
    await page.getByRole('row', { name: /lists\/seeker/ }).waitFor();
    await expectAccessibleInBothThemes(page);
    await mark.click();

    const rows = page.getByRole('list', { name: 'Queries without an index' });
    const metrics = items(await people.as('admin', 'GET', '/api/endpoints/metrics'));
    const { scans } = Object(metrics.find(({ name }) => name === 'lists/seeker'));
    const read = Number(scans[0].rowsRead).toLocaleString('en');
    const sentence = `2 queries read ${read} nodes of Row to compare N.`;
    await rows.getByText(`${sentence} An index of Row.N would spare that.`).waitFor();
    await expectAccessibleInBothThemes(page);
    await rows.getByRole('button', { name: 'Add the index' }).click();
    await page.getByText('The index is added').waitFor();
    await rows.getByText('There is an index of Row over N now').waitFor();
    expect(await rows.getByRole('button').count()).toBe(0);
    await rows.getByText('Ready', { exact: true }).waitFor();
    await expectAccessibleInBothThemes(page);
    await rows.getByRole('link', { name: 'All indexes' }).click();
    await page.getByRole('row', { name: /Row.*N: Int.*Ready.*100,001/ }).waitFor();

    await page.goto(`${people.workspace.server.url}/#/endpoints`);
    await page.getByRole('link', { name: 'lists/seeker', exact: true }).waitFor();
    await page.getByText('2 calls').waitFor();
    expect(await mark.count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
