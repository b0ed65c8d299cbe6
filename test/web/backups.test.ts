import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

describe.skipIf(requireChromium())('the page of backups', () => {
  const browser = useBrowser();
  const folder = join(tmpdir(), `trellis-test-backups-${process.pid}`);
  let people: People;
  beforeAll(async () => {
    people = await People.start({ MSK_GRAPH_BACKUP_FOLDER: folder });
    await people.add('auditor', { isReadOnlyAdmin: true });
  });
  afterAll(async () => {
    await people[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const open = (userName = 'admin') =>
    browser.signedInPage(people.workspace, { path: '#/admin/backups', userName });

  test('a backup is made, verified and deleted', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByText('No backups yet').waitFor();
    await page.getByText(`Kept in ${folder}`).waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('The backup is made').waitFor();
    const table = page.getByRole('table', { name: 'Backups' });
    await table.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The backup is intact').waitFor();
    await expectAccessible(page);
    await table.getByRole('button', { name: /Delete the backup of/ }).click();
    const dialog = page.getByRole('alertdialog', { name: /Delete the backup of/ });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await table.getByRole('button', { name: /Delete the backup of/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No backups yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('whoever only reads sees them, and changes nothing', async () => {
    await using opened = await open('auditor');
    const button = opened.page.getByRole('button', { name: 'Back up now' });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
  });
});

describe.skipIf(requireChromium())('the page of backups without a target', () => {
  const browser = useBrowser();

  test('says how to give it one', async () => {
    await using people = await People.start();
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/backups',
      userName: 'admin',
    });
    await opened.page.getByText('No place for backups is set up').waitFor();
    await opened.page.getByText('MSK_GRAPH_BACKUP_FOLDER').waitFor();
    expect(await opened.page.getByRole('button', { name: 'Back up now' }).count()).toBe(0);
  });
});
