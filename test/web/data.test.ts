import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessibleInBothThemes,
  type SignedInOptions,
  useBrowser,
} from '../support/browser.ts';
import { PASSWORD, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const BOOKS = 1_200;

describe.skipIf(requireChromium())('the table of a type', () => {
  const browser = useBrowser();
  let people: People;
  const ok = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await people.as('admin', method, path, body);
    if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  };
  beforeAll(async () => {
    people = await People.start();
    await people.add('bob');
    await ok('PUT', '/api/schema', LIBRARY_SCHEMA);
    const books = Array.from({ length: BOOKS }, (_, i) => ({
      op: 'addOrUpdate',
      type: 'Book',
      key: `isbn-${String(i).padStart(4, '0')}`,
      fields: {
        Title: `Book ${i}`,
        Pages: i,
        Tags: ['old', `tag ${i % 3}`],
        Published: new Date(Date.UTC(1900 + (i % 100), 4, 1)).toISOString(),
      },
    }));
    await ok('POST', '/api/ingest', { operations: books });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const open = (path: string, options: SignedInOptions = {}) =>
    browser.signedInPage(people.workspace, {
      path,
      ...(options.userName === undefined ? {} : { password: PASSWORD }),
      ...options,
    });
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

  test('fits a phone', async () => {
    const viewport = { width: 390, height: 800 };
    await using opened = await open('#/data/Book', { viewport });
    const { page, complaints } = opened;
    await firstRow(page).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Author');
    await page.getByText('No node is shown here.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });
});
