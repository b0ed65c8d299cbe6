import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/manage/access/users';

describe.skipIf(requireChromium())('the page of users', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('manager', { roles: ['CanManageUsers'] });
    await people.add('rita', { isReadOnlyAdmin: true });
    await people.add('plain', { firstName: 'Plain', lastName: 'O\'Neil "<b>"' });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const user = async (userName: string) =>
    items(await people.as('admin', 'GET', `/api/users?query=${userName}`))[0];

  const find = async (page: Page, text: string) => {
    await page.getByRole('searchbox', { name: 'Find by name or address' }).fill(text);
    await expect.poll(() => page.url()).toContain(`query=${encodeURIComponent(text)}`);
  };

  test('a user is created, and sets a password with the link', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add user' });
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('Enter a user name.').waitFor();
    await dialog.getByText('Enter an address.').waitFor();
    await expectAccessibleInBothThemes(page);

    await dialog.getByLabel('User name').fill('plain');
    await dialog.getByLabel('E-mail address').fill('new@example.com');
    await dialog.getByLabel('First name').fill('<script>alert(1)</script>');
    await dialog.getByLabel('Last name').fill('خليل');
    await dialog.getByLabel('Guest').check();
    await dialog.getByLabel('Manages synonyms').check();
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('is taken').waitFor();
    expect(await dialog.getByLabel('Last name').inputValue()).toBe('خليل');

    await dialog.getByLabel('User name').fill('newcomer');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('Copy the link now').waitFor();
    await expectAccessibleInBothThemes(page);
    const link = await page.getByRole('textbox', { name: 'Reset link' }).innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await user('newcomer')).toMatchObject({
      FullName: '<script>alert(1)</script> خليل',
      IsGuest: true,
      Roles: ['CanManageSynonyms'],
    });
    await page.getByText('<script>alert(1)</script> خليل').first().waitFor();

    const token = /token=([^&]+)/.exec(link)?.[1];
    const newPassword = 'quite another password';
    const path = '/api/login/password/reset/complete';
    const body = { token: decodeURIComponent(token ?? ''), newPassword };
    expect((await people.workspace.http.send({ path, body })).status).toBe(204);
    expect(complaints).toEqual([]);
  });

  test('a user gets a password at once', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add user' });
    await dialog.getByLabel('User name').fill('walker');
    await dialog.getByLabel('E-mail address').fill('walker@example.com');
    await dialog.getByLabel('With a password').check();
    await dialog.getByLabel('Password', { exact: true }).fill('short');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('Use at least 10 characters.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Password', { exact: true }).fill('long enough for all');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.waitFor({ state: 'detached' });
    const body = { user: 'walker', password: 'long enough for all' };
    const signIn = await people.workspace.http.send({ path: '/api/login/create', body });
    expect(signIn.status).toBe(200);
  });

  test('a user is changed; the form stands in the address', async () => {
    const path = `${PATH}?user=${people.uid('plain')}`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    const dialog = page.getByRole('dialog', { name: 'Plain O\'Neil "<b>"' });
    await dialog.getByLabel('E-mail address').fill('no address');
    await dialog.getByLabel('Manages teams').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const address = dialog.getByLabel('E-mail address');
    await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
    await expectAccessibleInBothThemes(page);
    await address.fill('plain@example.org');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('user=');
    expect(await user('plain')).toMatchObject({
      Email: 'plain@example.org',
      Roles: ['CanManageTeams'],
    });
    expect(complaints).toEqual([]);
  });

  test('nobody changes what they are themselves', async () => {
    const { UID } = (await user('admin')) ?? {};
    const path = `${PATH}?user=${UID}`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page } = opened;
    await page.getByText('You cannot change this for yourself.').waitFor();
    expect(await page.getByRole('radio', { name: 'Guest' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'More for Administrator' }).click();
    const item = page.getByRole('menuitem', { name: /^Deactivate/ });
    await item.getByText('You cannot deactivate yourself.').waitFor();
    expect(await item.getAttribute('aria-disabled')).toBe('true');
  });

  test('a user is deactivated, activated again, and gets a reset link', async () => {
    await people.add('leaver');
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await find(page, 'leaver');
    const row = page.getByRole('row', { name: /leaver/ });
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More for leaver' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Deactivate');
    await page.getByRole('alertdialog', { name: 'Deactivate leaver?' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click();
    await row.getByText('Deactivated').waitFor();
    expect((await people.as('leaver', 'GET', '/api/login/check')).status).toBe(401);
    await choose('Activate again');
    await row.getByText('Active', { exact: true }).waitFor();
    await choose('Password reset link');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByText('Copy the link now').waitFor();
    expect(await page.getByRole('textbox', { name: 'Reset link' }).innerText()).toContain(
      '/reset-password?token=',
    );
    expect(complaints).toEqual([]);
  });

  test('who manages users changes names, and not what somebody is', async () => {
    const path = `${PATH}?user=${people.uid('plain')}`;
    await using opened = await browser.signedInPage(people.workspace, {
      path,
      userName: 'manager',
    });
    const { page, complaints } = opened;
    const dialog = page.getByRole('dialog', { name: /^Plain/ });
    await dialog.getByText('Only administrators see and change this.').first().waitFor();
    expect(await dialog.getByRole('radio', { name: 'Guest' }).isDisabled()).toBe(true);
    expect(await dialog.getByLabel('Manages teams').isDisabled()).toBe(true);
    await dialog.getByLabel('Last name').fill('Newman');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await user('plain')).toMatchObject({ LastName: 'Newman', Roles: ['CanManageTeams'] });

    const button = page.getByRole('button', { name: 'Add user' });
    expect(await button.isDisabled()).toBe(true);
    // Who is an administrator is not told to others: the server refuses.
    await find(page, 'rita');
    await page.getByRole('button', { name: 'Edit rita' }).click();
    const refused = page.getByRole('dialog', { name: 'rita' });
    await refused.getByLabel('Last name').fill('Newman');
    await refused.getByRole('button', { name: 'Save' }).click();
    await refused
      .getByRole('alert')
      .getByText(/needs an administrator/)
      .waitFor();
    expect(await refused.getByLabel('Last name').inputValue()).toBe('Newman');
    expect(complaints).toEqual([]);
  });

  test.each([
    ['rita', 'you are a read-only administrator'],
    ['plain', 'You may not change this'],
  ])('%s looks, and changes nothing', async (userName, reason) => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH, userName });
    const { page } = opened;
    await page.getByText(reason).waitFor();
    await page.getByRole('row', { name: /manager/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Add user' }).isDisabled()).toBe(true);
    if (userName === 'plain') {
      expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
    } else {
      await page.getByRole('button', { name: 'Edit manager' }).click();
      const save = page
        .getByRole('dialog', { name: 'manager' })
        .getByRole('button', { name: 'Save' });
      expect(await save.isDisabled()).toBe(true);
    }
  });
});
