import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PHONE = { width: 390, height: 844 };

describe.skipIf(requireChromium())('the command palette', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('reader');
    await people.addTeam('Librarians');
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
    const endpoint = { name: 'books/find', code: 'export default () => 1;\n' };
    await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('loses no key that comes before its code does', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('license');
    await page.getByRole('option', { name: /License/ }).waitFor();
    expect(await input(page).inputValue()).toBe('license');
  });

  const open = (options: object = {}) => browser.signedInPage(people.workspace, options);
  const input = (page: Page) => page.getByRole('combobox', { name: /^Find a page/ });
  const ask = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k');
    await input(page).waitFor();
    await page.keyboard.type(text);
  };
  /** Of the option that Enter chooses. */
  const chosen = (page: Page) =>
    page.getByRole('listbox').locator('[role=option][data-highlighted]');
  /** Waits until the option is the one, as what is found comes bit by bit. */
  const choose = async (page: Page, text: string, option: RegExp) => {
    await ask(page, text);
    await chosen(page).filter({ hasText: option }).waitFor();
    await page.keyboard.press('Enter');
    await input(page).waitFor({ state: 'detached' });
  };
  const focused = (page: Page) => page.locator(':focus');

  test('leads to pages, whose heading has the focus then', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await ask(page, 'licen');
    const group = page.getByRole('listbox').getByRole('group', { name: 'Pages' });
    await group.getByRole('option', { name: /License/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'License' }).waitFor();
    await input(page).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page).innerText()).toBe('License');
    await choose(page, 'license', /License/);
    await expect.poll(() => focused(page).innerText()).toBe('License');
    expect(complaints).toEqual([]);
  });

  test('gives the focus back where it was', async () => {
    await using opened = await open({ path: '#/admin/jobs' });
    const { page } = opened;
    const state = page.getByLabel('State');
    await state.focus();
    await ask(page, 'back');
    await page.keyboard.press('Escape');
    await input(page).waitFor({ state: 'detached' });
    await expect.poll(() => state.evaluate((one) => one.matches(':focus'))).toBe(true);
    await choose(page, 'dark theme', /Use the dark theme/);
    await page.locator('html[data-theme=dark]').waitFor();
    await expect.poll(() => state.evaluate((one) => one.matches(':focus'))).toBe(true);
  });

  test('begins what one wants to do', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await choose(page, 'new endpoint', /New endpoint/);
    await page.getByRole('dialog', { name: 'New endpoint' }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'add user', /Add user/);
    await page.getByRole('dialog', { name: 'Add user' }).waitFor();
    expect(page.url()).toContain('#/manage/access/users');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose(page, 'new book', /New Book/);
    await page.getByRole('heading', { name: 'Data', exact: true }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/data\/Book\?new=true/);
    await choose(page, 'fetch from', /Origins that endpoints may fetch from/);
    const field = page.getByLabel('Origins that endpoints may fetch from');
    await field.waitFor();
    await expect.poll(() => field.evaluate((one) => one.matches(':focus'))).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('finds endpoints, users and teams, exact names first', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await choose(page, 'run books', /Run books\/find/);
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await run.waitFor();
    await expect.poll(() => run.evaluate((one) => one.matches(':focus'))).toBe(true);
    await choose(page, 'books/find', /^books\/find/);
    await page.getByRole('heading', { name: 'books/find' }).waitFor();
    await choose(page, 'reader', /^reader/);
    await page.getByRole('dialog').waitFor();
    expect(page.url()).toContain(`user=${people.uid('reader')}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose(page, 'librarians', /^Librarians/);
    await expect.poll(() => page.url()).toContain('team=');
  });

  test('offers what the user may do, and nothing else', async () => {
    await using opened = await open({ userName: 'reader' });
    const { page } = opened;
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await ask(page, '');
    const list = page.getByRole('listbox');
    await list.getByRole('option', { name: /Sign out/ }).waitFor();
    const told = (await list.getByRole('option').allInnerTexts()).join('\n');
    for (const other of ['New endpoint', 'Add user', 'Create backup', 'ReplicaURLs', 'Tokens']) {
      expect(told).not.toContain(other);
    }
    await page.keyboard.type('sign out');
    await chosen(page)
      .filter({ hasText: /Sign out/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('works on a phone', async () => {
    await using opened = await open({ viewport: PHONE, colorScheme: 'dark' });
    const { page } = opened;
    await page.getByRole('button', { name: /Find or do anything/ }).click();
    await input(page).fill('backup');
    const option = page.getByRole('option', { name: /Create backup/ });
    await option.waitFor();
    const box = (await page.getByRole('dialog').boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(PHONE.width);
    expect(box.y + box.height).toBeLessThanOrEqual(PHONE.height);
    await expectAccessible(page);
    await option.click();
    await page.getByRole('heading', { name: 'Backups' }).waitFor();
    // This server has no place for backups, and says so.
    await page.getByText('The backup could not begin').first().waitFor();
  });
});
