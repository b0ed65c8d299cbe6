import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { nodeUid } from '@trellis/client/uid.ts';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

describe.skipIf(requireChromium())('rows that are selected', () => {
  const browser = useBrowser();
  let people: People;
  const ok = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await people.as('admin', method, path, body);
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  };
  beforeAll(async () => {
    people = await People.start();
    await people.add('bob');
    await people.addTeam('Readers');
    await ok('PUT', '/api/schema', LIBRARY_SCHEMA);
    await ok('POST', '/api/ingest', {
      operations: [
        ...Array.from({ length: 30 }, (_, i) => ({
          op: 'addOrUpdate',
          type: 'Book',
          key: `b${i}`,
          fields: { Title: `Book ${i}`, Pages: i },
        })),
        { op: 'addOrUpdate', type: 'Author', key: 'Ann' },
      ],
    });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const open = (path: string) => browser.signedInPage(people.workspace, { path });

  test('are linked, shared and exported', async () => {
    await using opened = await open('#/data/Book?sort=Pages&filter={"Pages":"<5"}');
    const { page, complaints } = opened;
    await page.getByText('5 nodes').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    const bar = page.getByRole('group', { name: 'Selection' });
    await bar.getByText('5 nodes selected').waitFor();
    await expectAccessibleInBothThemes(page);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'As CSV' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    expect(lines.length).toBe(6);

    await bar.getByRole('button', { name: 'Link' }).click();
    await page.keyboard.type(nodeUid('Author', 'Ann'));
    await page.getByRole('option', { name: 'Ann' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('5 nodes are changed').waitFor();
    const { json } = await people.as(
      'admin',
      'GET',
      `/api/node/${nodeUid('Author', 'Ann')}/record`,
    );
    expect(Object(json).edges).toContainEqual({ edge: 'Wrote', direction: 'out', count: 5 });

    await page.getByRole('checkbox', { name: 'Select the row' }).first().click();
    await bar.getByText('one node selected').waitFor();
    await bar.getByRole('button', { name: 'Share' }).click();
    await page.keyboard.type('Readers');
    await page.getByRole('option', { name: 'Readers' }).click();
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('One node is changed').waitFor();
    const path = `/api/node/${nodeUid('Book', 'b0')}`;
    expect(await people.outcome('bob', 'GET', path)).toEqual([404, 'node_not_found']);
    expect(complaints).toEqual([]);
  });

  test('are deleted by keyboard alone', async () => {
    await using opened = await open('#/data/Book?sort=-Pages');
    const { page, complaints } = opened;
    await page.getByRole('gridcell', { name: 'Book 29' }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    const bar = page.getByRole('group', { name: 'Selection' });
    await bar.getByText('2 nodes selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'Delete 2 nodes?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Book 29' }).waitFor({ state: 'detached' });
    await page.getByRole('gridcell', { name: 'Book 27' }).waitFor();
    expect(await bar.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('that may not be written are only exported', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'bob',
      password: PASSWORD,
      path: '#/data/Book',
    });
    const { page } = opened;
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    const bar = page.getByRole('group', { name: 'Selection' });
    await bar.waitFor();
    expect(await bar.getByRole('button').allInnerTexts()).toEqual(['Clear']);
  });
});
