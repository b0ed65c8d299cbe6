import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/manage/access/secrets';
const VALUE = 'a-value-that-nobody-reads-again';

describe.skipIf(requireChromium())('the page of secrets', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('rita', { isReadOnlyAdmin: true });
    const fetchAllowList = ['https://crm.example.com'];
    await people.as('admin', 'PUT', '/api/workspace/settings', { fetchAllowList });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const listed = async () => items(await people.as('admin', 'GET', '/api/secrets'));

  test('one is added, set again and deleted, and its value shown nowhere', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No secrets yet').waitFor();
    await page.getByRole('button', { name: 'Add secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add secret' });
    await dialog.getByRole('button', { name: 'Set secret' }).click();
    await dialog.getByText('Enter the value.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Name').fill('CRM_KEY');
    await dialog.getByLabel('Value').fill(VALUE.slice(0, 7));
    const hosts = dialog.getByRole('textbox', { name: 'Hosts' });
    await hosts.fill('https://crm.example.com');
    await dialog.getByRole('button', { name: 'Set secret' }).click();
    await dialog.getByText('must be a host in lower case').waitFor();
    await dialog.getByLabel('Value').fill(VALUE);
    await hosts.fill('crm.example.com');
    await hosts.press('Enter');
    await hosts.fill('other.example.com');
    await dialog.getByRole('button', { name: 'Set secret' }).click();

    const row = page.getByRole('row', { name: /CRM_KEY/ });
    await row.getByText('may not ask other.example.com yet').waitFor();
    await row.getByText('Never').waitFor();
    await expectAccessibleInBothThemes(page);
    const secret = {
      name: 'CRM_KEY',
      hosts: ['crm.example.com', 'other.example.com'],
      endpoints: null,
    };
    expect(await listed()).toMatchObject([secret]);

    await row.getByRole('button', { name: 'Set CRM_KEY again' }).click();
    const again = page.getByRole('dialog', { name: 'Set CRM_KEY again' });
    await again.getByLabel('Value').fill(`${VALUE}-2`);
    await again.getByRole('button', { name: 'Remove other.example.com' }).click();
    await again.getByRole('textbox', { name: 'Endpoints' }).fill('crm/sync');
    await again.getByRole('button', { name: 'Set secret' }).click();
    await row.getByText('crm/sync').waitFor();
    expect(await listed()).toMatchObject([
      { ...secret, hosts: ['crm.example.com'], endpoints: ['crm/sync'] },
    ]);
    expect(await page.content()).not.toContain(VALUE);

    await row.getByRole('button', { name: 'Delete CRM_KEY' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the secret “CRM_KEY”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No secrets yet').waitFor();
    expect(await listed()).toEqual([]);
    // The two that were refused.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  });

  test('a read-only administrator sees them and changes nothing', async () => {
    const secret = { value: VALUE, hosts: ['crm.example.com'] };
    await people.as('admin', 'PUT', '/api/secrets/SHOWN', secret);
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page, complaints } = opened;
    const row = page.getByRole('row', { name: /SHOWN/ });
    await row.waitFor();
    expect(await page.getByRole('button', { name: 'Add secret' }).isDisabled()).toBe(true);
    expect(await row.getByRole('button', { name: 'Delete SHOWN' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
