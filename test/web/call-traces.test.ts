import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const codeOf = (greeting: string) =>
  `export default async ({ body, q, graph, log }: Scope<{ name: string }>) => {
  const books = await q().startAt('Book').count();
  await graph.addOrUpdate('Book', body.name, { Title: 'counted' });
  log.info('counted', { books });
  return '${greeting} ' + body.name + books;
};
`;

describe.skipIf(requireChromium())('the trace of a call', () => {
  const browser = useBrowser();
  let people: People;

  beforeAll(async () => {
    people = await People.start();
    const send = (method: string, path: string, body: unknown) =>
      people.as('admin', method, path, body);
    await send('PUT', '/api/schema', LIBRARY_SCHEMA);
    await send('POST', '/api/endpoints/create', { name: 'greet', code: codeOf('hello') });
    await send('PUT', '/api/endpoints/greet', { code: codeOf('welcome') });
    await send('POST', '/api/endpoints/run/greet', { name: 'ada' });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('shows its parts, and its input runs again: what serves, another version, or in Run', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/endpoints/edit/greet?tab=calls',
    });
    const { page, complaints } = opened;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: /^Trace of the call/ }).click();
    const dialog = page.getByRole('dialog', { name: 'What the call did' });
    const parts = dialog.getByRole('table', { name: 'Parts of the call' });
    const row = parts.getByRole('row').filter({ hasText: 'startAt(Book) count' });
    await row.getByText('gave 1').waitFor();
    await parts.getByText(/1 operation, sequence \d+/).waitFor();
    await parts.getByText('counted').waitFor();
    await expectAccessible(page);

    await dialog.getByLabel('Code').selectOption('Version 1');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await dialog
      .getByRole('region', { name: 'Result of the run' })
      .getByRole('alert')
      .getByText('only tests')
      .waitFor();

    await dialog.getByLabel('Code').selectOption('What is served');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Run' }).click();
    await dialog.getByText('"welcome ada1"').waitFor();

    await dialog.getByRole('button', { name: 'Open in Run' }).click();
    const body = page.getByRole('textbox', { name: 'Body of the run, as JSON' });
    await expect.poll(() => body.innerText()).toContain('"name":"ada"');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Profile' }).click();
    expect((await saved).suggestedFilename()).toBe('greet.cpuprofile');
    await page.getByText('"welcome ada').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('its input runs again with the draft, which is not saved', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/endpoints/edit/greet',
    });
    const { page, complaints } = opened;
    const code = page.getByRole('textbox', { name: 'Code of greet' });
    const draft = `export default ({ body }: Scope<{ name: string }>) => 'good evening ' + body.name;`;
    await write(page, code, draft);
    await page.getByText('The code compiles').waitFor();
    await page.getByRole('tab', { name: 'Calls' }).click();
    await page
      .getByRole('button', { name: /^Trace of the call/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'What the call did' });
    await dialog.getByLabel('Code').selectOption('The draft');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await dialog.getByText('"good evening ada"').waitFor();
    expect((await people.as('admin', 'GET', '/api/endpoints/greet')).json).toMatchObject({
      version: 2,
      code: codeOf('welcome'),
    });
    expect(complaints).toEqual([]);
  });
});
