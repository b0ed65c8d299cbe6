import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { nodeUid } from '@trellis/client/uid.ts';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { book, DataScene } from '../support/data-scene.ts';
import { requireChromium } from '../support/requires.ts';

/** More than the server changes in two commits. */
const MANY = 2_229;

describe.skipIf(requireChromium())('rows that are selected', () => {
  const browser = useBrowser();
  let scene: DataScene;
  beforeAll(async () => {
    scene = await DataScene.start([
      ...Array.from({ length: 30 }, (_, i) => book(`b${i}`, { Title: `Book ${i}`, Pages: i })),
      { op: 'addOrUpdate', type: 'Author', key: 'Ann' },
      ...Array.from({ length: MANY }, (_, i) => ({
        op: 'addOrUpdate',
        type: 'Author',
        key: `author ${i}`,
      })),
    ]);
    await scene.people.addTeam('Readers');
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const open = (path: string) => scene.open(browser, path);

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
    const record = await scene.ok('GET', `/api/node/${nodeUid('Author', 'Ann')}/record`);
    expect(Object(record).edges).toContainEqual({ edge: 'Wrote', direction: 'out', count: 5 });

    await page.getByRole('checkbox', { name: 'Select the row' }).first().click();
    await bar.getByText('one node selected').waitFor();
    await bar.getByRole('button', { name: 'Share' }).click();
    await page.keyboard.type('Readers');
    await page.getByRole('option', { name: 'Readers' }).click();
    await page.getByRole('button', { name: 'Save access' }).click();
    await page.getByText('One node is changed').waitFor();
    const path = `/api/node/${nodeUid('Book', 'b0')}`;
    expect(await scene.people.outcome('bob', 'GET', path)).toEqual([404, 'node_not_found']);
    expect(complaints).toEqual([]);
  });

  test('say while they are exported how many have arrived, and what was saved of them', async () => {
    await using opened = await open('#/data/Author');
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Export' }).waitFor();
    await page.evaluate(slowDownloads);
    const begin = async () => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByRole('menuitem', { name: 'As CSV' }).click();
    };
    const status = page.getByRole('status', { name: 'Export' });

    await begin();
    await page.evaluate('arrive("Link,UID\\r\\na,1\\r\\nb,2\\r\\n")');
    await status.getByText('2 rows, 20 B').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Stop the export' }).click();
    await page.getByText('The export was stopped').waitFor();
    await status.waitFor({ state: 'hidden' });

    await begin();
    await page.evaluate('arrive("Link,UID\\r\\na,1\\r\\n")');
    await status.getByText('one row, 15 B').waitFor();
    await page.evaluate('cut()');
    await page.getByText('it broke off after one row, 15 B').waitFor();
    expect(complaints).toEqual([]);
  });

  test('are a part of the whole graph, which an administrator exports as somebody sees it', async () => {
    await using opened = await open('#/data/Book');
    const { page, complaints } = opened;
    const choose = async (label: string) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByRole('menuitem', { name: 'The whole graph' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export the whole graph' });
      await dialog.getByLabel('Format').selectOption({ label });
      return dialog;
    };
    const saved = async (label: string, userName?: string) => {
      const dialog = await choose(label);
      if (userName !== undefined) {
        await dialog.getByLabel('Only what this user sees').fill(userName);
        await page.getByRole('option', { name: userName }).click();
        await expectAccessibleInBothThemes(page);
      }
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
      const file = await download;
      await dialog.waitFor({ state: 'detached' });
      return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')] as const;
    };
    const [name, text] = await saved('N-Quads (RDF)', 'bob');
    expect(name).toBe('graph.nq');
    expect(text).toContain('<urn:trellis:node:Book:b1>');
    // It is shared with others alone.
    expect(text).not.toContain('<urn:trellis:node:Book:b0>');
    const [, whole] = await saved('GraphML, for Gephi, yEd, networkx');
    expect(whole).toContain(nodeUid('Book', 'b0'));

    await page.evaluate(slowDownloads);
    const dialog = await choose('JSON-LD (RDF)');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const status = dialog.getByRole('status', { name: 'Export of the graph' });
    await status.getByText('Preparing').waitFor();
    await page.evaluate('arrive("12345")');
    await status.getByText('5 B').waitFor();
    await dialog.getByRole('button', { name: 'Stop the export' }).click();
    await page.getByText('The export was stopped').waitFor();
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

  test('are changed group by group, and it may be stopped between two', async () => {
    await using opened = await open('#/data/Author');
    const { page, complaints } = opened;
    let requests = 0;
    let stopped = (): void => {};
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    await page.route('**/api/node/bulk', async (route) => {
      requests++;
      if (requests === 2) await isStopped;
      await route.continue();
    });
    await page.getByText('2,230 nodes').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    const bar = page.getByRole('group', { name: 'Selection' });
    await bar.getByText('2,230 nodes selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).click();
    const asked = page.getByRole('alertdialog', { name: 'Delete 2,230 nodes?' });
    await asked.getByRole('button', { name: 'Delete' }).click();
    await bar.getByText('1,000 of 2,230').waitFor();
    await bar.getByRole('progressbar', { name: 'Changing' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await bar.getByRole('button', { name: 'Stop' }).click();
    stopped();
    await page
      .getByText('230 nodes were not changed, and stay selected. You stopped it.')
      .waitFor();
    await bar.getByText('230 nodes selected').waitFor();
    await page.getByText('2,000 nodes are changed').waitFor();
    expect(requests).toBe(2);
    const { total } = Object(await scene.ok('POST', '/api/node/query', { type: 'Author' }));
    expect(total).toBe(230);
    expect(complaints).toEqual([]);
  });

  test('that may not be written are only exported', async () => {
    await using opened = await scene.open(browser, '#/data/Book', { userName: 'bob' });
    const { page } = opened;
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    const bar = page.getByRole('group', { name: 'Selection' });
    await bar.waitFor();
    expect(await bar.getByRole('button').allInnerTexts()).toEqual(['Clear']);
  });
});

/** Makes downloads of the page arrive as `arrive(text)` and `cut()` say. */
const slowDownloads = `{
  const real = window.fetch;
  window.fetch = (input, init) => {
    const request = new Request(input, init);
    if (!/\\/download\\/|graph\\/export/.test(request.url)) return real(request);
    const body = new ReadableStream({
      start(controller) {
        window.arrive = (text) => controller.enqueue(new TextEncoder().encode(text));
        window.cut = () => controller.error(new TypeError('network error'));
        request.signal.addEventListener('abort', () => controller.error(request.signal.reason));
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/csv' } }));
  };
}`;
