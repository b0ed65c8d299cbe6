import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { People, PASSWORD } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { HttpClient } from '../support/http-client.ts';

const PHONE = { width: 375, height: 700 };

async function signIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(user);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function isOnScreen(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= PHONE.height;
}

describe.skipIf(requireChromium())('the frame of the workspace', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('reader');
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('asks who one is, and goes on where one wanted to', async () => {
    const path = '#/admin/license';
    await using opened = await browser.page(people.workspace, { path });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Enter your password.').waitFor();

    await signIn(page, 'admin', 'not the password');
    await page.getByRole('alert').getByText('The user name or the password is not right').waitFor();
    expect(await page.getByLabel('User name or e-mail address').inputValue()).toBe('admin');

    await signIn(page, 'admin', PASSWORD);
    await page.getByRole('heading', { name: 'License' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('answers a forgotten password the same way for everybody', async () => {
    await using opened = await browser.page(people.workspace);
    const { page } = opened;
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail address').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send a link' }).click();
    await page.getByText('If a user has this address').waitFor();
  });

  test('sets a new password by a link, once', async () => {
    await people.add('forgetful');
    const { json } = await people.as(
      'admin',
      'POST',
      `/api/users/user/${people.uid('forgetful')}/password-reset`,
    );
    const { link } = json as { link: string };
    const path = link.slice(link.indexOf('#'));
    await using opened = await browser.page(people.workspace, { path });
    const { page } = opened;
    const [first, again] = [
      page.getByLabel('New password'),
      page.getByLabel('Repeat the password'),
    ];
    const set = page.getByRole('button', { name: 'Set the password' });
    await first.fill('short');
    await again.fill('other');
    await set.click();
    await page.getByText('The two passwords differ.').waitFor();
    await again.fill('short');
    await set.click();
    await page
      .getByText(/at least 10 characters/i)
      .first()
      .waitFor();
    await first.fill('a new long password');
    await again.fill('a new long password');
    await set.click();
    await page.getByText('The password is set.').waitFor();
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await signIn(page, 'forgetful', 'a new long password');
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });

  test('shows to each user the pages that are for them', async () => {
    await using opened = await browser.signedInPage(people.workspace, { userName: 'reader' });
    const menu = opened.page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Graph' }).waitFor();
    expect(await menu.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
    await menu.getByRole('link', { name: 'First steps' }).click();
    await opened.page.getByText('2. Look at it in the graph').waitFor();
    expect(await opened.page.getByText(/^[34]\. /).count()).toBe(0);
    await using admin = await browser.signedInPage(people.workspace);
    const all = admin.page.getByRole('navigation', { name: 'Pages' });
    await all.getByRole('button', { name: 'Access' }).click();
    await all.getByRole('link', { name: 'Tokens' }).waitFor();
  });

  test('has a menu that fits, with the current page in it, and folds as one left it', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/license',
      viewport: { width: 1_280, height: 720 },
    });
    const { page } = opened;
    const menu = page.getByRole('navigation', { name: 'Pages' });
    const operate = menu.getByRole('button', { name: 'Operate' });
    await menu.locator('a[aria-current=page]').getByText('License').waitFor();
    expect(await operate.getAttribute('aria-expanded')).toBe('true');
    const spills = () =>
      menu.evaluate((nav) =>
        [nav, ...nav.querySelectorAll('div')].some((one) => one.scrollHeight > one.clientHeight),
      );
    expect(await spills()).toBe(false);
    await operate.click();
    await menu.getByRole('link', { name: 'Backups' }).waitFor({ state: 'hidden' });
    expect(await menu.locator('a[aria-current=page]').isVisible()).toBe(true);
    await menu.getByRole('button', { name: 'Access' }).click();
    await expectAccessible(page);
    await page.reload();
    await menu.getByRole('link', { name: 'Tokens' }).waitFor();
    expect(await operate.getAttribute('aria-expanded')).toBe('false');
    await page.goto(`${people.workspace.server.url}/#/tour`);
    await menu.locator('a[aria-current=page]').getByText('First steps').waitFor();
    await menu.getByRole('button', { name: 'Access' }).click();
    expect(await spills()).toBe(false);
  });

  test('has a menu on a phone that shows where one is', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/license',
      viewport: PHONE,
    });
    const { page } = opened;
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await page.getByRole('heading', { name: 'License' }).waitFor();
    await page.getByRole('button', { name: 'Open menu' }).click();
    const current = menu.locator('a[aria-current=page]');
    for (const group of ['Assistant', 'Build', 'Data', 'Access']) {
      await menu.getByRole('button', { name: group }).click();
    }
    await page.getByRole('button', { name: 'Close menu' }).click();
    await menu.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await current.getByText('License').waitFor();
    await expect.poll(() => isOnScreen(current)).toBe(true);
    await menu.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    await menu.waitFor({ state: 'hidden' });
  });

  test('goes on from the heading of the page that is opened', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/tour' });
    const { page, complaints } = opened;
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    const focused = page.locator(':focus');
    expect(await focused.count()).toBe(0);
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('button', { name: 'Operate' }).click();
    await menu.getByRole('link', { name: 'License' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'License' }).and(focused).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'First steps' }).and(focused).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('shows in a long dialog what the server refused', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/manage/access/users',
      viewport: { width: 390, height: 420 },
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add user' });
    await dialog.getByLabel('User name').fill('reader');
    await dialog.getByLabel('E-mail address').fill('reader@example.com');
    const add = dialog.getByRole('button', { name: 'Create user' });
    await add.scrollIntoViewIfNeeded();
    await add.click();
    const fault = dialog.locator('[aria-invalid=true]:focus, [role=alert]:focus');
    await fault.waitFor();
    await expect
      .poll(() =>
        fault.evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return top >= 0 && bottom <= 420;
        }),
      )
      .toBe(true);
  });

  test('says that there is no such page', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/no/such/page' });
    await opened.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await expectAccessible(opened.page);
  });

  test('fits a phone, in the dark', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/license',
      viewport: PHONE,
      colorScheme: 'dark',
    });
    const { page } = opened;
    await page.getByRole('heading', { name: 'License' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Open menu' }).isVisible()).toBe(true);
  });

  test('changes its theme, and remembers it', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/tour' });
    const { page } = opened;
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    for (const expected of ['light', 'dark']) {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: /^Theme/ }).click();
      await expect.poll(theme).toBe(expected);
    }
    await page.reload();
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    expect(await theme()).toBe('dark');
    await expectAccessible(page);
  });

  test('signs out, and every other tab with it', async () => {
    await using opened = await browser.signedInPage(people.workspace, { userName: 'reader' });
    const { page } = opened;
    const other = await page.context().newPage();
    await other.goto(people.workspace.server.url);
    await other.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
  });

  test('asks again when the session is over, and comes back', async () => {
    await people.add('leaver');
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'leaver',
      path: '#/tour',
    });
    const { page } = opened;
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    const uid = people.uid('leaver');
    await people.as('admin', 'POST', `/api/users/user/${uid}/deactivate`);
    await page.getByText('Your session has ended.').waitFor();
    await people.as('admin', 'PUT', `/api/users/user/${uid}`, { active: true });
    await signIn(page, 'leaver', PASSWORD);
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
  });
});

describe.skipIf(requireChromium())('while the primary is away', () => {
  const browser = useBrowser();

  test('the page says so, keeps what it shows, and goes on when it is back', async () => {
    await using folder = await temporaryFolder();
    let server = await TrellisProcess.start({ storage: folder.path });
    const port = new URL(server.url).port;
    const at = { server, http: new HttpClient(server.url) };
    await using opened = await browser.signedInPage(at, { path: '#/admin/settings' });
    const { page } = opened;
    await page.getByLabel('Name of the workspace').fill('A name that I was about to save');
    await server.kill();
    await page.getByText('The primary does not answer. You can read').waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel('Name of the workspace').isDisabled()).toBe(true);

    server = await TrellisProcess.start({ storage: folder.path, env: { MSK_PORT: port } });
    await page.getByText('Online').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved').waitFor();
    await server.kill();
  });

  test('pages open that were not looked at yet, and one whose code is not there says so', async () => {
    await using folder = await temporaryFolder();
    const server = await TrellisProcess.start({ storage: folder.path });
    const at = { server, http: new HttpClient(server.url) };
    await using opened = await browser.signedInPage(at, { path: '#/tour' });
    const { page } = opened;
    const menu = page.getByRole('navigation', { name: 'Pages' });
    const title = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
    await page.evaluate('globalThis.isSamePage = true');

    // It is needed before the browser had a moment to fetch it by itself.
    await menu.getByRole('button', { name: 'Operate' }).click();
    await page.route(/license-page-/, (route) => route.abort());
    await menu.getByRole('link', { name: 'License' }).click();
    await page.getByText('This page could not be shown').waitFor();
    await expectAccessible(page);
    await page.unroute(/license-page-/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await title('License').waitFor();

    const fetched = () =>
      page.evaluate(`performance.getEntriesByType('resource')
        .some(({ name }) => name.includes('/definitions-page-'))`);
    await expect.poll(fetched).toBe(true);
    await page.getByRole('banner').getByText('Online').waitFor();
    await menu.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('edges', { exact: false }).first().waitFor();
    await server.kill();
    await page.getByText('The primary does not answer. You can read').waitFor();
    await page.getByText(/It was last there at \w+ \d+, \d{4}, \d+:\d\d [AP]M\./).waitFor();
    await page.getByText('the server does not give newer ones now').waitFor();
    await page.getByRole('term').filter({ hasText: 'Memory' }).waitFor();
    await expectAccessible(page);
    await menu.getByRole('link', { name: 'Definitions' }).click();
    await title('Definitions').waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  });
});
