import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PATH = '#/admin/migrations';
const LOGS = `export default async ({ log }: Scope) => log.info('moved');\n`;
const WRITES = `export default async ({ graph, log }: Scope) => {
  for (const key of ['a', 'b']) await graph.addOrUpdate('Book', key, { Title: key });
  log.info('two books');
};
`;
const WAITS = `export default async ({ signal, progress }: Scope) => {
  progress(0.5, 'Half of the books');
  await new Promise((done) => signal.addEventListener('abort', () => done(null)));
};
`;

describe.skipIf(requireChromium())('the page of migrations', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('a migration is written, run, reset and deleted', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No migrations yet').waitFor();
    await page.getByRole('button', { name: 'Add migration' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add migration' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('001');
    const code = dialog.getByRole('textbox', { name: 'Code of the migration' });
    await write(page, code, 'export default async () => nothing;\n');
    await dialog
      .getByRole('list', { name: 'Problems' })
      .getByText(/nothing/)
      .waitFor();
    await write(page, code, LOGS);
    await dialog.getByText('The code compiles').waitFor();
    await expectAccessibleInBothThemes(page);
    await code.press('ControlOrMeta+s');
    const row = page.getByRole('row', { name: /001/ });
    await row.getByText('pending').waitFor();
    await row.getByRole('button', { name: 'Run 001' }).click();
    const runs = page.getByRole('alertdialog', { name: 'Run the migration “001”?' });
    await runs.getByText(/may change any of the data: \d+ nodes and \d+ edges\./).waitFor();
    await expectAccessibleInBothThemes(page);
    await runs.getByRole('button', { name: 'Cancel' }).click();
    await runs.waitFor({ state: 'detached' });
    await row.getByText('pending').waitFor();
    await row.getByRole('button', { name: 'Run 001' }).click();
    await runs.getByRole('button', { name: 'Run', exact: true }).click();
    await row.getByText('succeeded').waitFor();
    await expectAccessibleInBothThemes(page);
    await row.getByRole('button', { name: '001', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'Migration “001”' });
    await shown.getByText('moved', { exact: true }).waitFor();
    await shown.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Reset 001' }).click();
    const resets = page.getByRole('alertdialog', { name: 'Reset the migration “001”?' });
    await resets.getByText('It counts as not run').waitFor();
    await resets.getByRole('button', { name: 'Reset' }).click();
    await row.getByText('pending').waitFor();
    await row.getByRole('button', { name: 'Delete 001' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the migration “001”?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Delete 001' }).click();
    await expectAccessibleInBothThemes(page);
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No migrations yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a dry run says what a run would change, before anything is written', async () => {
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
    await people.as('admin', 'POST', '/api/migrations', { name: 'tried', code: WRITES });
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      viewport: { width: 390, height: 740 },
    });
    const { page, complaints } = opened;
    const row = page.getByRole('row', { name: /tried/ });
    await row.getByRole('button', { name: 'Run tried' }).click();
    const runs = page.getByRole('alertdialog', { name: 'Run the migration “tried”?' });
    await runs.getByRole('button', { name: 'Dry run' }).click();
    await runs.getByText('It would succeed, and change this').waitFor();
    const changes = runs.getByRole('table', { name: 'What it would change' });
    expect(await changes.getByRole('row').allInnerTexts()).toEqual([
      'Type\tCreated\tChanged\tDeleted',
      'Nodes',
      'Book\t2\t0\t0',
    ]);
    await runs.getByText('What it logged').click();
    await runs.getByText('two books').waitFor();
    await expectAccessibleInBothThemes(page);
    const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'Book' });
    expect(json).toMatchObject({ total: 0 });
    await runs.getByRole('button', { name: 'Run', exact: true }).click();
    await row.getByText('succeeded').waitFor();
    await row.getByRole('button', { name: 'Reset tried' }).click();
    const resets = page.getByRole('alertdialog', { name: 'Reset the migration “tried”?' });
    await resets.getByRole('button', { name: 'Dry run' }).click();
    await resets.getByText('It would succeed and change nothing').waitFor();
    await resets.getByRole('button', { name: 'Cancel' }).click();
    await people.as('admin', 'DELETE', '/api/migrations/tried');
    expect(complaints).toEqual([]);
  });

  test('one that runs says how far it is, and is cancelled', async () => {
    await people.as('admin', 'POST', '/api/migrations', { name: 'waits', code: WAITS });
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const row = opened.page.getByRole('row', { name: /waits/ });
    await row.getByRole('button', { name: 'Run waits' }).click();
    const asked = opened.page.getByRole('alertdialog', { name: 'Run the migration “waits”?' });
    await asked.getByRole('button', { name: 'Run', exact: true }).click();
    const bar = row.getByRole('progressbar', { name: /Half of the books/ });
    await bar.waitFor();
    await bar.getByText('50%').waitFor();
    await expectAccessibleInBothThemes(opened.page);
    await opened.page.reload();
    await bar.getByText('50%').waitFor();
    await row.getByRole('button', { name: 'Cancel waits' }).click();
    await row.getByText('cancelled').waitFor();
    expect(await row.getByRole('progressbar').count()).toBe(0);
  });

  test('one that a change of the schema has broken says so while the page is open', async () => {
    const bookOf = (Pages: string) => ({ nodes: [{ type: 'Book', fields: { Pages } }], edges: [] });
    await people.as('admin', 'PUT', '/api/schema', bookOf('Int'));
    const code = `export default async ({ graph }: Scope) => {
  ((await graph.tryGet('Book', 'b'))?.Pages ?? 0).toFixed();
};
`;
    await people.as('admin', 'POST', '/api/migrations', { name: 'pages', code });
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const row = opened.page.getByRole('row', { name: /pages/ });
    await row.getByText('pending').waitFor();
    expect(await row.getByText('Does not compile').count()).toBe(0);
    await people.as('admin', 'PUT', '/api/schema', bookOf('Long'));
    await row.getByText('Does not compile').waitFor();
    await row.getByText('pending').waitFor();
    await people.as('admin', 'DELETE', '/api/migrations/pages');
  });

  test('it stands in the build tree and in the history of code, which lead back to it', async () => {
    await people.as('admin', 'POST', '/api/migrations', { name: 'listed', code: 'nothing;' });
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/build' });
    const { page } = opened;
    const card = page.getByRole('region', { name: 'Migrations' });
    await card.getByText('Does not compile').waitFor();
    await expectAccessibleInBothThemes(page);
    await card.getByRole('link', { name: 'listed' }).click();
    await page.getByRole('heading', { name: 'Migrations', level: 1 }).waitFor();
    await page.goto(`${people.workspace.server.url}/#/admin/history`);
    const change = page.getByRole('listitem').filter({ hasText: 'listed' });
    await change.getByText('created').waitFor();
    await change.getByText('Migration', { exact: true }).waitFor();
    await change.getByRole('link', { name: 'listed' }).click();
    await page.getByRole('heading', { name: 'Migrations', level: 1 }).waitFor();
  });

  test('an old version is restored from the history of code, also of one that is gone', async () => {
    await people.as('admin', 'POST', '/api/migrations', { name: 'gone', code: LOGS });
    await people.as('admin', 'DELETE', '/api/migrations/gone');
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/history' });
    const { page, complaints } = opened;
    const restore = page.getByRole('button', { name: 'Restore version 1 of gone' });
    await restore.click();
    const question = page.getByRole('alertdialog', { name: /version 1 of the migration “gone”/ });
    await expectAccessibleInBothThemes(page);
    await question.getByRole('button', { name: 'Restore' }).click();
    const change = page.getByRole('listitem').filter({ hasText: 'gone' });
    await change.getByText('version 3').waitFor();
    await change.getByText('restored', { exact: true }).waitFor();
    const { json } = await people.as('admin', 'GET', '/api/migrations/gone');
    expect(json).toMatchObject({ code: LOGS, status: 'pending', version: 3 });
    expect(complaints).toEqual([]);
  });
});
