import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessibleInBothThemes,
  type SignedInOptions,
  useBrowser,
} from '../support/browser.ts';
import { book, DataScene, PHONE } from '../support/data-scene.ts';
import { requireChromium } from '../support/requires.ts';

const BOOKS = 1_200;
const INDEX_NEEDED = {
  error: {
    code: 'index_needed',
    message: 'More than 200000 nodes of Book would be read and sorted',
    details: { type: 'Book', field: 'Published' },
  },
  traceId: 'trace',
};

const FAILED = { error: { code: 'internal_error', message: 'Something failed' }, traceId: 'trace' };

describe.skipIf(requireChromium())('the table of a type', () => {
  const browser = useBrowser();
  let scene: DataScene;
  beforeAll(async () => {
    const books = Array.from({ length: BOOKS }, (_, i) =>
      book(`isbn-${String(i).padStart(4, '0')}`, {
        Title: `Book ${i}`,
        Pages: i,
        Tags: ['old', `tag ${i % 3}`],
        Published: new Date(Date.UTC(1900 + (i % 100), 4, 1)).toISOString(),
      }),
    );
    scene = await DataScene.start(books);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const open = (path: string, options?: SignedInOptions) => scene.open(browser, path, options);
  const grid = (page: Page) => page.getByRole('grid', { name: 'Nodes of Book' });
  const firstRow = (page: Page) => grid(page).getByRole('row').nth(1);

  test('shows, sorts and filters books with two clicks', async () => {
    await using opened = await open('#/data');
    const { page, complaints } = opened;
    await page.getByText('1,200 nodes').waitFor();
    await page.getByRole('button', { name: 'Pages' }).click();
    await firstRow(page).getByText('Book 0', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter Title' }).click();
    await page.keyboard.type('Book 119');
    await page.keyboard.press('Enter');
    await page.getByText('11 nodes').waitFor();
    await firstRow(page).getByText('Book 119', { exact: true }).waitFor();
    expect(decodeURIComponent(page.url())).toContain('sort=Pages&filter={"Title":"Book+119"}');
    await page.reload();
    await page.getByText('11 nodes').waitFor();
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });

  test('is gone through by keyboard, page by page', async () => {
    await using opened = await open('#/data/Book?sort=Pages');
    const { page, complaints } = opened;
    await firstRow(page).getByText('Book 0', { exact: true }).waitFor();
    await grid(page).focus();
    const last = grid(page).getByText(`Book ${BOOKS - 1}`, { exact: true });
    await expect
      .poll(async () => {
        // Each time the end is that of the pages that are known.
        await page.keyboard.press('Control+End');
        return last.count();
      })
      .toBe(1);
    expect(await grid(page).getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('Control+Home');
    await firstRow(page).getByText('Book 0', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    const place = await grid(page).getAttribute('aria-activedescendant');
    expect(place).toMatch(/-1-0$/);
    expect(complaints).toEqual([]);
  });

  test('keeps the columns that were chosen', async () => {
    await using opened = await open('#/data/Book');
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tags' }).uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await firstRow(page).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Filter Tags' }).count()).toBe(0);
    expect(await page.getByRole('searchbox', { name: 'Filter Pages' }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('tells that an index is missing, and an administrator adds it', async () => {
    await using other = await open('#/data/Book?sort=Pages', { userName: 'bob' });
    await other.page.getByText('An administrator can add it.').waitFor();
    await using opened = await open('#/data/Book?sort=Pages');
    const { page, complaints } = opened;
    await page.getByText('Without an index of Book.Pages').waitFor();
    await page.getByRole('button', { name: 'Add the index' }).click();
    await page.getByText('The index is being built.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('fills its pages where few of the rows that are read meet a filter', async () => {
    await using opened = await open('#/data/Author');
    const { page, complaints } = opened;
    await page.route('**/api/cce/system/table', (route) =>
      route.continue({
        postData: JSON.stringify({ ...route.request().postDataJSON(), scan: 50 }),
      }),
    );
    await page.evaluate(`location.hash = '#/data/Book?filter={"Title":"Book 11"}'`);
    await page.getByText(/^More than \d+ nodes?$/).waitFor();
    await grid(page).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+End');
        return grid(page).getAttribute('aria-rowcount');
      })
      .toBe('112');
    expect(complaints).toEqual([]);
  });

  test('shows the first rows that meet a filter before others are looked for', async () => {
    await using opened = await open('#/data/Author');
    const { page, complaints } = opened;
    const held = Promise.withResolvers<void>();
    await page.route('**/api/cce/system/table', async (route) => {
      const body = route.request().postDataJSON();
      if (body.after !== undefined) await held.promise;
      await route.continue({ postData: JSON.stringify({ ...body, scan: 50 }) });
    });
    await page.evaluate(`location.hash = '#/data/Book?filter={"Title":"99"}'`);
    const titles = grid(page).getByText(/^Book \d*99\d*$/);
    await titles.first().waitFor();
    const first = await titles.count();
    held.resolve();
    await expect.poll(() => titles.count()).toBeGreaterThan(first);
    expect(complaints).toEqual([]);
  });

  test('says that rows could not be read, and reads them when asked again', async () => {
    await using opened = await open('#/data/Book?sort=Pages');
    const { page } = opened;
    await firstRow(page).getByText('Book 0', { exact: true }).waitFor();
    await page.route('**/api/cce/system/table', (route) =>
      route.fulfill({ status: 500, json: FAILED }),
    );
    await grid(page).focus();
    const alert = page.getByRole('alert').filter({ hasText: 'Some of the rows could not be read' });
    while (!(await alert.isVisible())) await page.keyboard.press('Control+End');
    await expectAccessibleInBothThemes(page);
    await page.unroute('**/api/cce/system/table');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await grid(page).getByText('Book 199', { exact: true }).waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  test('says that an index is needed to sort very many', async () => {
    await using opened = await open('#/data/Author');
    const { page } = opened;
    await page.route('**/api/cce/system/table', (route) =>
      'sort' in route.request().postDataJSON()
        ? route.fulfill({ status: 400, json: INDEX_NEEDED })
        : route.continue(),
    );
    await page.evaluate(`location.hash = '#/data/Book?sort=Published'`);
    await page.getByText('too many nodes of Book to sort them by Published').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Add the index' }).click();
    await page.getByText('The index is being built.').waitFor();
    await page.unroute('**/api/cce/system/table');
    await page.getByRole('button', { name: 'Try again' }).click();
    // The newest of the oldest year.
    await firstRow(page).getByText('Book 1100', { exact: true }).waitFor();
  });

  test('fits a phone', async () => {
    await using opened = await open('#/data/Book', { viewport: PHONE });
    const { page, complaints } = opened;
    await firstRow(page).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Author');
    await page.getByText('No node is shown here.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });
});
