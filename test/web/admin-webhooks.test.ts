import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { field } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const PATH = '#/admin/webhooks';
const NARROW = { width: 390, height: 844 };

describe.skipIf(requireChromium())('the page of webhooks', () => {
  const browser = useBrowser();
  let people: People;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    people = await People.start();
    await people.add('rita', { isReadOnlyAdmin: true });
    const nodes = ['Task', 'Person'].map((type) => ({ type, key: 'Name', fields: {} }));
    await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [{ type: 'About' }] });
  });
  afterAll(() => people[Symbol.asyncDispose]());
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    const fetchAllowList = [receiver.origin];
    await people.as('admin', 'PUT', '/api/workspace/settings', { fetchAllowList });
  });
  afterEach(() => receiver[Symbol.asyncDispose]());

  const listed = async () => items(await people.as('admin', 'GET', '/api/webhooks'));
  const write = (key: string) =>
    people.as('admin', 'POST', '/api/ingest', {
      operations: [{ op: 'addOrUpdate', type: 'Task', key }],
    });

  test('one is added, tested, replayed, changed and deleted', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add webhook' });
    await dialog.getByLabel('Name').fill('CRM');
    await dialog.getByLabel('Address').fill('http://10.0.0.1/x');
    await dialog.getByLabel('Node types').selectOption('Task');
    await dialog.getByLabel('created').check();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText('may not reach http://10.0.0.1').waitFor();
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add webhook' }).click();

    const shown = page.getByRole('dialog', { name: 'Secret of “CRM”' });
    const secret = (await shown.getByRole('textbox', { name: 'Secret' }).textContent()) ?? '';
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    expect(await listed()).toMatchObject([
      { name: 'CRM', types: ['Task'], edges: null, actions: ['created'], state: 'active' },
    ]);
    await write('one');
    const [first] = await receiver.wait(1);
    WebhookReceiver.verify(secret, first!);

    const row = page.getByRole('row', { name: /CRM/ });
    const choose = async (name: string) => {
      await row.getByRole('button', { name: 'Actions on CRM' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Send a test');
    await page.getByText('The test arrived').waitFor();
    await choose('Deliveries');
    const panel = page.getByRole('dialog', { name: 'Deliveries of “CRM”' });
    await panel.getByText('Test', { exact: true }).waitFor();
    await expectAccessibleInBothThemes(page);
    await panel.getByRole('button', { name: /Replay from here/ }).click();
    await receiver.wait(3);
    expect(receiver.received[2]?.id).toBe(first!.id);
    await page.keyboard.press('Escape');

    await choose('New secret');
    const again = page.getByRole('dialog', { name: 'Secret of “CRM”' });
    const newer = await again.getByRole('textbox', { name: 'Secret' }).textContent();
    expect(newer).not.toBe(secret);
    await again.getByRole('button', { name: 'Done' }).click();

    await row.getByRole('switch', { name: 'Active: CRM' }).click();
    await row.getByText('disabled').waitFor();
    await row.getByRole('switch', { name: 'Active: CRM' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    await choose('Change');
    const change = page.getByRole('dialog', { name: 'Change “CRM”' });
    await change.getByRole('button', { name: 'Remove Task' }).click();
    await change.getByLabel('Edge types').selectOption('About');
    await change.getByLabel('created').uncheck();
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('About').waitFor();
    expect(await listed()).toMatchObject([{ types: null, edges: ['About'], actions: null }]);

    await choose('Delete');
    const question = page.getByRole('alertdialog', { name: 'Delete the webhook “CRM”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await listed()).toEqual([]);
    // The address that was refused.
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([]);
  });

  test('what is delivered, and what others set up, is there at once', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page } = opened;
    await page.getByText('No webhooks yet').waitFor();
    const made = await people.as('admin', 'POST', '/api/webhooks', {
      name: 'Theirs',
      url: receiver.url,
    });
    const row = page.getByRole('row', { name: /Theirs/ });
    await row.waitFor();
    await row.getByRole('button', { name: 'Actions on Theirs' }).click();
    await page.getByRole('menuitem', { name: 'Deliveries' }).click();
    const panel = page.getByRole('dialog', { name: 'Deliveries of “Theirs”' });
    await panel.waitFor();
    await write('told');
    await panel.getByRole('button', { name: /Replay from here/ }).waitFor();
    await page.keyboard.press('Escape');
    const path = `/api/webhooks/${field(made.json, 'id')}`;
    await people.as('admin', 'DELETE', path);
    await page.getByText('No webhooks yet').waitFor();
  });

  test('on a phone, a read-only administrator sees them and changes nothing', async () => {
    await people.as('admin', 'POST', '/api/webhooks', { name: 'Shown', url: receiver.url });
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page, complaints } = opened;
    await page.setViewportSize(NARROW);
    const row = page.getByRole('row', { name: /Shown/ });
    await row.waitFor();
    expect(await page.getByRole('button', { name: 'Add webhook' }).isDisabled()).toBe(true);
    expect(await row.getByRole('switch', { name: 'Active: Shown' }).isDisabled()).toBe(true);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(NARROW.width);
    expect(complaints).toEqual([]);
  });
});
