import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/admin/tasks';
const CODE = `export default async ({ body, log }: Scope) => {
  log.info('the books are tidy');
  return body;
};
`;

describe.skipIf(requireChromium())('the page of tasks', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('rita', { isReadOnlyAdmin: true });
    const endpoint = { name: 'books/tidy', code: CODE };
    await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
  });
  afterAll(() => people[Symbol.asyncDispose]());
  const tasks = async () => items(await people.as('admin', 'GET', '/api/admin/tasks'));

  test('a task is added, explained as it is typed, run, switched off, changed and deleted', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No tasks yet').waitFor();
    await page.getByRole('button', { name: 'Add task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add task' });
    await dialog.getByLabel('Name').fill('nightly');
    await dialog.getByRole('combobox', { name: 'Endpoint' }).fill('books');
    await page.getByRole('option', { name: /books\/tidy/ }).click();
    await dialog.getByLabel('Body').fill('{"days": 1}');
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await dialog.getByRole('textbox', { name: 'Schedule' }).fill('30 2 * * MON');
    const words = dialog.getByLabel('What the schedule means');
    await words.getByText('At 02:30, only on Monday').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Add task' }).click();
    const row = page.getByRole('row', { name: /nightly/ });
    await row.getByText('At 02:30, only on Monday').waitFor();
    expect(await tasks()).toMatchObject([
      { endpoint: 'books/tidy', body: { days: 1 }, timeZone: 'Europe/Berlin', enabled: true },
    ]);

    await row.getByRole('button', { name: 'Run now' }).click();
    await row.getByText('succeeded').waitFor();
    await expectAccessibleInBothThemes(page);
    await row.getByRole('button', { name: 'Log of nightly' }).click();
    const log = page.getByRole('dialog', { name: 'Log of “nightly”' });
    await log.getByText('the books are tidy').waitFor();
    await log.getByText('{"days":1}').waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('switch', { name: 'Enabled: nightly' }).click();
    await expect.poll(tasks).toMatchObject([{ enabled: false }]);

    await row.getByRole('button', { name: 'Change nightly' }).click();
    const change = page.getByRole('dialog', { name: 'Change “nightly”' });
    await change.getByLabel('Runs').selectOption('A built-in task');
    await change.getByLabel('Built-in task').selectOption('search-evaluation');
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('built in: search-evaluation').waitFor();
    expect(await tasks()).toMatchObject([{ endpoint: null, builtIn: 'search-evaluation' }]);

    await row.getByRole('button', { name: 'Delete nightly' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the task “nightly”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No tasks yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the user whom an endpoint runs as is chosen, kept and taken away', async () => {
    const task = { name: 'theirs', cron: '@daily', endpoint: 'books/tidy' };
    await people.as('admin', 'POST', '/api/admin/tasks', task);
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const row = page.getByRole('row', { name: /theirs/ });
    const dialog = page.getByRole('dialog', { name: 'Change “theirs”' });
    await row.getByRole('button', { name: 'Change theirs' }).click();
    await dialog.getByRole('combobox', { name: 'Acts as' }).fill('rit');
    await page.getByRole('option', { name: /rita/ }).click();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(tasks).toMatchObject([{ actingUser: people.uid('rita') }]);

    await row.getByRole('button', { name: 'Change theirs' }).click();
    await dialog.getByRole('button', { name: /Remove rita/ }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(tasks).toMatchObject([{ actingUser: null }]);
    expect(complaints).toEqual([]);
    await people.as('admin', 'DELETE', '/api/admin/tasks/theirs');
  });

  test('it is said where a schedule is wrong', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add task' });
    await dialog.getByRole('textbox', { name: 'Schedule' }).fill('0 25 * * *');
    const words = dialog.getByLabel('What the schedule means');
    await words.getByText(/the field 2 \(hour\), "25"/).waitFor();
  });

  test('who only reads changes nothing', async () => {
    const path = { path: PATH, userName: 'rita' };
    await using opened = await browser.signedInPage(people.workspace, path);
    const add = opened.page.getByRole('button', { name: 'Add task' });
    await add.waitFor();
    expect(await add.isDisabled()).toBe(true);
  });

  test('endpoints that changes run are paused, and what failed is run again', async () => {
    const code = `// trellis: on created Ticket
export default async ({ q, badRequest }: Scope) =>
  (await q().startAt('Queue').count()) === 0 ? badRequest('there is no queue') : 'done';
`;
    const send = (path: string, body: unknown) => people.as('admin', 'POST', path, body);
    const nodes = ['Ticket', 'Queue'].map((type) => ({ type, key: 'Id', fields: {} }));
    await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [] });
    await send('/api/endpoints/create', { name: 'tickets/assign', code });
    const ingest = (type: string) =>
      send('/api/ingest', { operations: [{ op: 'addOrUpdate', type, key: 'T-1' }] });
    await ingest('Ticket');
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const row = page.getByRole('row', { name: /tickets\/assign/ });
    await row.getByText('created Ticket').waitFor();
    await row.getByRole('button', { name: '1 failed of tickets/assign' }).click();
    const panel = page.getByRole('dialog', { name: 'Failed changes of “tickets/assign”' });
    await panel.getByText('there is no queue').waitFor();
    await expectAccessibleInBothThemes(page);
    await panel.getByRole('button', { name: 'Run again for created Ticket T-1' }).click();
    await page.getByText('The endpoint failed again').waitFor();
    await panel.getByText('tried 2 times').waitFor();
    await ingest('Queue');
    await panel.getByRole('button', { name: 'Run again for created Ticket T-1' }).click();
    await panel.getByText('None any more.').waitFor();
    await page.keyboard.press('Escape');
    await row.getByText('succeeded').waitFor();
    await row.getByRole('switch', { name: 'Active: tickets/assign' }).click();
    const paused = async () => items(await people.as('admin', 'GET', '/api/admin/triggers'));
    await expect.poll(paused).toMatchObject([{ isPaused: true, setAside: 0 }]);
    // What others do is shown as it happens.
    const named = { endpoint: 'tickets/assign' };
    await people.as('admin', 'POST', '/api/admin/triggers/resume', named);
    await row.getByRole('switch', { name: 'Active: tickets/assign', checked: true }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await row.scrollIntoViewIfNeeded();
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });
});
