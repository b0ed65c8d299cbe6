import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { useBrowser } from '../support/browser.ts';
import { book, DataScene, PageTask, tabTo } from '../support/data-scene.ts';
import { requireChromium } from '../support/requires.ts';
import { untilIndexed } from '../support/search-index.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const WORDS = ['pariah dog', 'dog shit', 'dog', 'dog biscuit', 'hot dog', 'dogma'];
const SCHEMA = {
  ...LIBRARY_SCHEMA,
  nodes: [...LIBRARY_SCHEMA.nodes, { type: 'Word', key: 'Name', fields: { Gloss: 'String' } }],
};
const CLEAN = { faults: [] };

/** What people come for, by mouse with few clicks, and by keyboard alone. */
describe.skipIf(requireChromium())('everyday tasks', () => {
  const browser = useBrowser();
  let scene: DataScene;
  beforeAll(async () => {
    const words = WORDS.map((Name) => ({
      op: 'addOrUpdate',
      type: 'Word',
      key: Name,
      fields: { Gloss: 'A dog, or what has to do with a dog: dog' },
    }));
    const books = Array.from({ length: 60 }, (_, i) =>
      book(`b${String(i).padStart(2, '0')}`, { Title: `Book ${i}`, Pages: 100 + i }),
    );
    const author = { op: 'addOrUpdate', type: 'Author', key: 'Frank Herbert' };
    scene = await DataScene.start([...words, ...books, author], SCHEMA);
    const { people } = scene;
    await people.addTeam('Readers');
    await people.addTeam('Writers');
    await untilIndexed(people.workspace.http, people.token('admin'));
    // A busy machine takes its time to start the first worker, and may end the first call.
    const search = () => people.as('admin', 'POST', '/api/cce/system/search', { query: 'dog' });
    await vi.waitUntil(async () => (await search()).status === 200, { timeout: 60_000 });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const grid = (page: Page) => page.getByRole('grid', { name: 'Nodes of Book' });
  const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true });
  const isHiddenFromBob = async (key: string): Promise<void> => {
    const path = `/api/node/${nodeUid('Book', key)}`;
    expect(await scene.people.outcome('bob', 'GET', path)).toEqual([404, 'node_not_found']);
  };
  const linksOf = async (key: string): Promise<unknown> =>
    Object(await scene.ok('GET', `/api/node/${nodeUid('Book', key)}/record`)).edges;

  describe('find the word "dog"', () => {
    const firstHit = (page: Page) => page.getByRole('article').first().getByRole('link').first();
    const search = async (page: Page) => {
      await page.keyboard.type('dog');
      await page.keyboard.press('Enter');
      await firstHit(page)
        .and(page.getByRole('link', { name: 'dog', exact: true }))
        .waitFor();
    };

    test('with one click', async () => {
      await using opened = await scene.open(browser, '#/');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await page.getByRole('combobox', { name: 'Search for' }).click();
      await search(page);
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 1 });
    });

    test('by keyboard alone', async () => {
      await using opened = await scene.open(browser, '#/');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await tabTo(page, page.getByRole('combobox', { name: 'Search for' }));
      await search(page);
      await tabTo(page, firstHit(page));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'dog', exact: true }).waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 0 });
    });
  });

  describe('see, sort and filter books', () => {
    const filter = async (page: Page) => {
      await page.keyboard.type('Book 5');
      await page.keyboard.press('Enter');
      await page.getByText('11 nodes').waitFor();
      await expect.poll(() => grid(page).getByRole('row').nth(1).innerText()).toContain('Book 5\n');
      expect(await grid(page).getByRole('row').count()).toBe(12);
    };

    test('with two clicks', async () => {
      await using opened = await scene.open(browser, '#/data/Book');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await cell(page, 'Book 59').waitFor();
      await page.getByRole('button', { name: 'Pages' }).click();
      await page.getByRole('searchbox', { name: 'Filter Title' }).click();
      await filter(page);
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 2 });
    });

    test('by keyboard alone', async () => {
      await using opened = await scene.open(browser, '#/data/Book');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await tabTo(page, page.getByRole('button', { name: 'Pages' }));
      await page.keyboard.press('Enter');
      await page
        .getByRole('columnheader', { name: /^Pages/ })
        .and(sortedUp(page))
        .waitFor();
      await page.keyboard.press('Shift+Tab');
      await tabTo(page, page.getByRole('searchbox', { name: 'Filter Title' }));
      await filter(page);
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 0 });
    });
  });

  describe('correct a field', () => {
    test('with three clicks', async () => {
      await using opened = await scene.open(browser, '#/data/Book?sort=Isbn');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await cell(page, 'Book 2').click();
      await page.getByRole('textbox', { name: 'Pages' }).click();
      await page.keyboard.press('End');
      await page.keyboard.type('0');
      await page.getByRole('button', { name: 'Save' }).click();
      await cell(page, '1020').waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 3 });
    });

    test('by keyboard alone', async () => {
      await using opened = await scene.open(browser, '#/data/Book?sort=Isbn');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await openRecord(page, 'Book 3', 3);
      await tabTo(page, page.getByRole('textbox', { name: 'Pages' }));
      await page.keyboard.press('End');
      await page.keyboard.type('0');
      await page.keyboard.press('Enter');
      await cell(page, '1030').waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 0 });
    });
  });

  describe('link two nodes', () => {
    const links = (page: Page) => page.getByRole('list', { name: 'WrittenBy' });

    test('with four clicks', async () => {
      await using opened = await scene.open(browser, '#/data/Book?sort=Isbn');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await cell(page, 'Book 4').click();
      await page.getByRole('button', { name: 'Add link' }).click();
      await page.keyboard.type('frank her');
      await page.getByRole('option', { name: 'Frank Herbert' }).click();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await links(page).getByRole('link', { name: 'Frank Herbert' }).waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 4 });
      expect(await linksOf('b04')).toContainEqual(WRITTEN);
    });

    test('by keyboard alone', async () => {
      await using opened = await scene.open(browser, '#/data/Book?sort=Isbn');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await openRecord(page, 'Book 5', 5);
      await tabTo(page, page.getByRole('button', { name: 'Add link' }));
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'Node' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('frank her');
      await page.getByRole('option', { name: 'Frank Herbert' }).waitFor();
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByRole('button', { name: 'Add', exact: true }));
      await page.keyboard.press('Enter');
      await links(page).getByRole('link', { name: 'Frank Herbert' }).waitFor();
      // The focus is back where it was.
      await page.getByRole('button', { name: 'Add link' }).and(page.locator(':focus')).waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 0 });
      expect(await linksOf('b05')).toContainEqual(WRITTEN);
    });
  });

  describe('share a node with a team', () => {
    const choose = async (page: Page) => {
      await page.keyboard.type('Readers');
      await page.getByRole('option', { name: 'Readers' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Teams' }).getByText('Readers').waitFor();
    };

    test('with three clicks', async () => {
      await using opened = await scene.open(browser, '#/data/Book?sort=Isbn');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await cell(page, 'Book 6').click();
      await page.getByRole('button', { name: 'Share' }).click();
      await choose(page);
      await page.getByRole('button', { name: 'Save access' }).click();
      await page.getByText('The access of the node is changed').waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 3 });
      await isHiddenFromBob('b06');
    });

    test('by keyboard alone', async () => {
      await using opened = await scene.open(browser, '#/data/Book?sort=Isbn');
      const { page } = opened;
      const task = await PageTask.begin(opened);
      await openRecord(page, 'Book 7', 7);
      await tabTo(page, page.getByRole('button', { name: 'Share' }));
      await page.keyboard.press('Enter');
      await page.getByRole('combobox', { name: 'Teams' }).and(page.locator(':focus')).waitFor();
      await choose(page);
      await tabTo(page, page.getByRole('button', { name: 'Save access' }));
      await page.keyboard.press('Enter');
      await page.getByText('The access of the node is changed').waitFor();
      expect(await task.taken()).toEqual({ ...CLEAN, clicks: 0 });
      await isHiddenFromBob('b07');
    });
  });

  /** Goes down to a row, and opens it. */
  async function openRecord(page: Page, title: string, row: number): Promise<void> {
    await cell(page, 'Book 0').waitFor();
    await tabTo(page, grid(page));
    for (let i = 0; i < row; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: title }).and(page.locator(':focus')).waitFor();
  }
});

const WRITTEN = { edge: 'WrittenBy', direction: 'out', count: 1 };

function sortedUp(page: Page) {
  return page.locator('[aria-sort=ascending]');
}
