import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { DefinitionsScene } from '../support/definitions-scene.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

const PATH = '#/admin/connectors';
const NARROW = { width: 390, height: 844 };

describe.skipIf(requireChromium())('the page of connectors', () => {
  const browser = useBrowser();
  let people: People;
  let source: Server;
  let origin: string;
  /** What connectors may read on the disk. */
  let files: Awaited<ReturnType<typeof temporaryFolder>>;
  let table = 'Sku,Price\na1,10\nb2,20\n';
  beforeAll(async () => {
    files = await temporaryFolder();
    people = await People.start({ MSK_CONNECTOR_ROOTS: files.path });
    await people.add('rita', { isReadOnlyAdmin: true });
    source = createServer((_request, response) => response.end(table));
    source.listen(0, '127.0.0.1');
    await once(source, 'listening');
    origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
    const fetchAllowList = [origin];
    await people.as('admin', 'PUT', '/api/workspace/settings', { fetchAllowList });
  });
  afterAll(async () => {
    source.close();
    await people[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });

  const listed = async () => items(await people.as('admin', 'GET', '/api/connectors'));

  test('one is added, tested, run, looked into, changed and deleted', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No connectors yet').waitFor();
    await page.getByRole('button', { name: 'Add connector' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add connector' });
    await dialog.getByLabel('Name').fill('Prices');
    await dialog.getByLabel('Kind').selectOption('postgres');
    await dialog.getByLabel('Query').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Kind').selectOption('csv');
    await dialog.getByLabel('Address').fill('http://10.0.0.1/x');
    await dialog.getByLabel('Node type').fill('Price');
    await dialog.getByLabel('Key column').fill('Sku');
    await dialog.getByRole('button', { name: 'Add connector' }).click();
    await dialog.getByText('may not reach http://10.0.0.1').waitFor();
    await dialog.getByLabel('Address').fill(`${origin}/prices.csv`);
    await dialog.getByLabel('Token').fill('the-token-of-the-shop');
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('A table with the columns Sku, Price').waitFor();
    await dialog.getByRole('button', { name: 'Add connector' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await listed()).toMatchObject([{ name: 'Prices', hasSecret: true, schedule: null }]);

    const row = page.getByRole('row', { name: /Prices/ });
    const choose = async (name: string) => {
      await row.getByRole('button', { name: 'Actions on Prices' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Run now');
    await row.getByText('2 rows, 2 added, 0 changed, 0 removed').waitFor();
    table = 'Sku,Price\na1,11\nb2,20\n';
    await choose('Run now');
    await row.getByText('2 rows, 0 added, 1 changed, 0 removed').waitFor();
    await choose('Runs');
    const panel = page.getByRole('dialog', { name: 'Runs of “Prices”' });
    await panel.getByText('changed a1').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Escape');

    await choose('Access');
    const access = page.getByRole('dialog', { name: 'Access to “Prices”' });
    const compared = access.getByRole('listitem').filter({ hasText: 'a1' });
    await compared.getByText('The source does not tell who may see it.').waitFor();
    await compared.getByText('here only').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Escape');

    await choose('Change');
    const change = page.getByRole('dialog', { name: 'Change “Prices”' });
    await change.getByLabel('Schedule').fill('never');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.getByText('never').first().waitFor();
    await change.getByLabel('Schedule').fill('0 6 * * *');
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('At 06:00').waitFor();
    await row.getByText(/^Next /).waitFor();
    await row.getByRole('switch', { name: 'Active: Prices' }).click();
    await row.getByText(/^Next /).waitFor({ state: 'detached' });
    await expect.poll(listed).toMatchObject([{ enabled: false, hasSecret: true }]);

    await choose('Delete');
    const question = page.getByRole('alertdialog', { name: 'Delete the connector “Prices”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No connectors yet').waitFor();
    expect(await listed()).toEqual([]);
    // The address and the schedule that were refused.
    expect(complaints.filter((complaint) => !/422|400/.test(complaint))).toEqual([]);
  });

  test('a folder of the server is added by its path', async () => {
    await mkdir(join(files.path, 'a 100% #1'));
    await writeFile(join(files.path, 'a 100% #1/note.txt'), 'A note.');
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Add connector' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add connector' });
    await dialog.getByLabel('Name').fill('Notes');
    await dialog.getByLabel('Kind').selectOption('folder');
    await dialog.getByText('below a folder that MSK_CONNECTOR_ROOTS').waitFor();
    expect(await dialog.getByLabel('Password or token').count()).toBe(0);
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Address').fill('/etc');
    await dialog.getByRole('button', { name: 'Add connector' }).click();
    await dialog.getByText('A connector may not read /etc').waitFor();
    await dialog.getByLabel('Address').fill(join(files.path, 'a 100% #1'));
    await dialog.getByLabel('Who may see the files').selectOption('everybody');
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('A folder with 0 folders and 1 files right in it').waitFor();
    await dialog.getByRole('button', { name: 'Add connector' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const row = page.getByRole('row', { name: /Notes/ });
    await row.getByText('Folder of the server').waitFor();
    await row.getByRole('button', { name: 'Actions on Notes' }).click();
    await page.getByRole('menuitem', { name: 'Run now' }).click();
    await row.getByText(/rows, \d added/).waitFor();
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([]);
  });

  test('one that came without its secret says so', async () => {
    const origins = { fetchAllowList: [origin] };
    const kept = { kind: 'csv', url: `${origin}/prices.csv`, type: 'Kept', key: 'Sku' };
    const definition = { name: 'Moved here', source: kept, needsSecret: true };
    const at = new DefinitionsScene(people.workspace);
    await at.import({
      'workspace-settings.json': JSON.stringify(origins),
      'connectors/moved.json': JSON.stringify(definition),
    });
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const row = opened.page.getByRole('row', { name: /Moved here/ });
    await row.getByText('Secret missing').waitFor();
    await row.getByRole('button', { name: 'Actions on Moved here' }).click();
    await opened.page.getByRole('menuitem', { name: 'Change' }).click();
    const dialog = opened.page.getByRole('dialog', { name: 'Change “Moved here”' });
    await dialog.getByLabel('Token').fill('the-token-of-the-shop');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Secret missing').waitFor({ state: 'hidden' });
    expect(opened.complaints).toEqual([]);
  });

  test('one that came without its secret may need none here', async () => {
    const open = { kind: 'csv', url: `${origin}/prices.csv`, type: 'Open', key: 'Sku' };
    const definition = { name: 'Open here', source: open, needsSecret: true };
    const at = new DefinitionsScene(people.workspace);
    await at.import({
      'workspace-settings.json': JSON.stringify({ fetchAllowList: [origin] }),
      'connectors/open.json': JSON.stringify(definition),
    });
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const row = page.getByRole('row', { name: /Open here/ });
    const choose = async (action: string): Promise<void> => {
      await row.getByRole('button', { name: 'Actions on Open here' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Run now');
    await row.getByText('failed').waitFor();
    await choose('Needs no secret');
    await row.getByText('Secret missing').waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: 'Actions on Open here' }).click();
    await page.getByRole('menuitem', { name: 'Run now' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Needs no secret' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Run now' }).click();
    await row.getByText(/rows, \d+ added/).waitFor();
    expect(complaints).toEqual([]);
  });

  test('on a phone, a read-only administrator sees them and changes nothing', async () => {
    const shown = { kind: 'csv', url: `${origin}/prices.csv`, type: 'Shown', key: 'Sku' };
    await people.as('admin', 'POST', '/api/connectors', { name: 'Shown', source: shown });
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page, complaints } = opened;
    await page.setViewportSize(NARROW);
    await page.getByRole('row', { name: /Shown/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Add connector' }).isDisabled()).toBe(true);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(NARROW.width);
    expect(complaints).toEqual([]);
  });
});
