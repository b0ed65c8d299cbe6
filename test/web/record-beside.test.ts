import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { book, DataScene, PageTask, PHONE, tabTo } from '../support/data-scene.ts';
import { requireChromium } from '../support/requires.ts';
import { untilIndexed } from '../support/search-index.ts';

/** Their names, in the order of their keys; only one is the whole of what is asked for. */
const TITLES = ['Sand and dune', 'Dune Messiah', 'Dune', 'Emma'];
const DUNE = nodeUid('Book', 'b2');

/** A node that one names is the first everywhere, and its record opens where one is. */
describe.skipIf(requireChromium())('the record of a node', () => {
  const browser = useBrowser();
  let scene: DataScene;
  beforeAll(async () => {
    scene = await DataScene.start([
      ...TITLES.map((Title, at) => book(`b${at}`, { Title, Tags: ['dune'] })),
      { op: 'addOrUpdate', type: 'Author', key: 'Jane Austen' },
      {
        op: 'link',
        from: { type: 'Author', key: 'Jane Austen' },
        edge: 'Wrote',
        to: { type: 'Book', key: 'b3' },
      },
    ]);
    await untilIndexed(scene.people.workspace.http, scene.people.token('admin'));
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const open = (...[path, options]: [string, object?]) => scene.open(browser, path, options);
  const record = (page: Page, name: string) =>
    page.getByRole('region', { name, exact: true }).filter({
      has: page.getByRole('button', { name: 'Close the record' }),
    });
  const isFocused = (page: Page, role: 'link' | 'heading', name: string) =>
    page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor();

  test('is edited beside what a search has found, and asked about', async () => {
    await using opened = await open('#/?q=emma');
    const { page } = opened;
    const task = await PageTask.begin(opened);
    await page.getByRole('link', { name: 'Edit Emma' }).click();
    await isFocused(page, 'heading', 'Emma');
    expect(await page.getByRole('combobox', { name: 'Search for' }).inputValue()).toBe('emma');
    await expectAccessibleInBothThemes(page);
    await record(page, 'Emma').getByRole('textbox', { name: 'Title' }).fill('Emma Woodhouse');
    await record(page, 'Emma').getByRole('button', { name: 'Save' }).click();
    // What was found says it too.
    await page.getByRole('article', { name: 'Emma Woodhouse' }).waitFor();
    await page.keyboard.press('Escape');
    await isFocused(page, 'link', 'Edit Emma Woodhouse');
    expect(page.url()).toMatch(/#\/\?q=emma$/);
    expect((await task.taken()).faults).toEqual([]);

    await page.keyboard.press('Enter');
    await record(page, 'Emma Woodhouse').getByRole('link', { name: 'Ask about this' }).click();
    await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor();
    expect(page.url()).toContain(`node=${nodeUid('Book', 'b3')}`);
  });

  test('stays open over another search, and what was typed is not lost', async () => {
    await using opened = await open(`#/?q=dune&record=${DUNE}`);
    const { page } = opened;
    await record(page, 'Dune').getByRole('textbox', { name: 'Pages' }).fill('412');
    const words = page.getByRole('combobox', { name: 'Search for' });
    await words.fill('jane');
    await words.press('Enter');
    await page.getByRole('article', { name: 'Jane Austen' }).waitFor();
    expect(await record(page, 'Dune').getByRole('textbox', { name: 'Pages' }).inputValue()).toBe(
      '412',
    );
    await record(page, 'Dune').getByRole('button', { name: 'Close the record' }).click();
    await page.getByText('Not saved yet').getByRole('link', { name: 'Dune' }).click();
    await isFocused(page, 'heading', 'Dune');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'API' })
      .click();
    await page.getByRole('alertdialog', { name: 'Leave with unsaved changes?' }).waitFor();
  });

  test('is edited beside the picture, which stays as it is, also on a phone', async () => {
    for (const viewport of [undefined, PHONE]) {
      await using opened = await open(`#/graph?node=${nodeUid('Author', 'Jane Austen')}`, {
        ...(viewport !== undefined && { viewport }),
        colorScheme: 'dark',
      });
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await page.getByText('2 nodes and 2 edges.').waitFor();
      await page.getByRole('link', { name: 'Edit Jane Austen' }).click();
      await isFocused(page, 'heading', 'Jane Austen');
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBe(viewport?.width ?? 1_280);
      const born = viewport === undefined ? '1775' : '1776';
      const panel = record(page, 'Jane Austen');
      await panel.getByRole('textbox', { name: 'Born' }).fill(born);
      await panel.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The node is saved').waitFor();
      await panel.getByRole('button', { name: 'Close the record' }).click();
      await isFocused(page, 'link', 'Edit Jane Austen');
      await page.getByText('2 nodes and 2 edges.').waitFor();
      await page.getByRole('definition').filter({ hasText: born }).waitFor();
      expect((await task.taken()).faults).toEqual([]);
    }
  });

  test('is opened by its name, first of all in the palette, and by its UID', async () => {
    await using opened = await open('#/admin/jobs');
    const { page } = opened;
    const chosen = page.getByRole('listbox').locator('[role=option][data-highlighted]');
    for (const text of ['dune', 'DUNE', DUNE, 'b2']) {
      await page.goto(`${scene.people.workspace.server.url}/#/admin/jobs`);
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Find a page/ }).waitFor();
      await page.keyboard.type(text);
      await chosen.filter({ hasText: /^Dune\s*Book/ }).waitFor();
      await page.keyboard.press('Enter');
      await isFocused(page, 'heading', 'Dune');
      expect(page.url(), text).toContain(`#/data/Book?node=${DUNE}`);
    }
    await using bobs = await open('#/graph', { userName: 'bob' });
    await bobs.page.keyboard.press('Control+k');
    await bobs.page.keyboard.type('dune');
    await bobs.page
      .getByRole('option')
      .first()
      .filter({ hasText: /^Dune\s*Book/ })
      .waitFor();
    await bobs.page.keyboard.press('Enter');
    await bobs.page.getByRole('heading', { level: 1, name: 'Dune', exact: true }).waitFor();
    expect(bobs.page.url()).toContain(`#/node/${DUNE}`);
  });

  test('is the first that each picker of nodes offers for its name', async () => {
    for (const [path, field] of [
      ['#/graph', 'Node to add'],
      ['#/manage/access/explain', 'Node'],
      [`#/data/Author?node=${nodeUid('Author', 'Jane Austen')}`, 'Node'],
    ] as const) {
      await using opened = await open(path);
      const { page } = opened;
      if (path.startsWith('#/data')) await page.getByRole('button', { name: 'Add link' }).click();
      const picker = page.getByRole('combobox', { name: field, exact: true });
      await tabTo(page, picker);
      await page.keyboard.type('dune');
      await page
        .getByRole('option')
        .first()
        .filter({ hasText: /^Dune\s*Book/ })
        .waitFor();
      await picker.fill(DUNE);
      await expect
        .poll(() => page.getByRole('option').allInnerTexts())
        .toEqual([expect.stringMatching(/^Dune\s*Book/)]);
    }
  });
});
