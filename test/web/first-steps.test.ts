import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { untilIndexed } from '../support/search-index.ts';

const CODE = 'export default async function ({ q }: Scope) { return q().startAt("Book").uids(); }';

describe.skipIf(requireChromium())('the first steps', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann');
    await people.add('rita', { isReadOnlyAdmin: true });
    await people.add('max', { roles: ['CanManageUsers'] });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const open = (
    userName?: string,
    viewport?: { readonly width: number; readonly height: number },
  ) =>
    browser.signedInPage(people.workspace, {
      path: '#/tour',
      ...(userName !== undefined && { userName, password: PASSWORD }),
      ...(viewport !== undefined && { viewport }),
    });
  const steps = (page: Page) => page.getByRole('region').filter({ has: page.getByRole('heading') });
  const titles = async (page: Page) => {
    await page.getByText(/\d of \d steps are done/).waitFor();
    return steps(page).getByRole('heading').allInnerTexts();
  };

  test('are those that the viewer can take', async () => {
    const own = ['1. Find something', '2. Look at it in the graph'];
    for (const [userName, more] of [
      ['ann', []],
      ['rita', []],
      ['max', ['3. Let others in']],
    ] as const) {
      await using opened = await open(userName);
      expect(await titles(opened.page), userName).toEqual([...own, ...more]);
      expect(opened.complaints).toEqual([]);
    }
  });

  test('tick themselves as they are done', async () => {
    await using opened = await open(undefined, { width: 390, height: 800 });
    const { page, complaints } = opened;
    expect(await titles(page)).toEqual([
      '1. Find something',
      '2. Look at it in the graph',
      '3. Bring in your data',
      '4. Write an endpoint',
      '5. Make a token',
      '6. Call it from outside',
      '7. Let others in',
      '8. Make a backup',
    ]);
    // There are other users already.
    await page.getByText('1 of 8 steps are done.').waitFor();
    await expectAccessibleInBothThemes(page);
    const asAdmin = async (method: string, path: string, body: unknown) => {
      const answer = await people.as('admin', method, path, body);
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer;
    };
    await asAdmin('PUT', '/api/schema', { nodes: [{ type: 'Book', fields: {} }], edges: [] });
    await asAdmin('POST', '/api/ingest', {
      operations: [{ op: 'addOrUpdate', type: 'Book', key: 'a' }],
    });
    await asAdmin('POST', '/api/endpoints/create', { name: 'first', code: CODE });
    await untilIndexed(people.workspace.http, people.token('admin'));
    const made = { kind: 'api', name: 'first', scopes: ['endpoints:run'] };
    const { json } = await asAdmin('POST', '/api/tokens', made);
    await page.reload();
    await page.getByText('4 of 8 steps are done.').waitFor();
    const token = Object(json).token as string;
    const { http } = people.workspace;
    const called = await http.send({ path: '/api/endpoints/run/first', token, body: {} });
    expect(called.status).toBe(200);
    const graph = page.getByRole('region', { name: '2. Look at it in the graph' });
    await graph.getByRole('link', { name: 'Open the newest node in the graph' }).click();
    await page.getByRole('heading', { level: 1, name: 'Graph' }).waitFor();
    await page.getByText('1 node and 0 edges.').waitFor();
    await page.goto(`${people.workspace.server.url}/#/?q=a`);
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    await page.goto(`${people.workspace.server.url}/#/tour`);
    await page.getByText('7 of 8 steps are done.').waitFor();
    const last = page.getByRole('region', { name: '8. Make a backup' });
    await last.getByText('To do').waitFor();
    expect(complaints).toEqual([]);
  });
});
