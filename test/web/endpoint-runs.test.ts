import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const ECHO = `export const input = z.looseObject({ status: z.int().default(200) });
export default async function ({ body, log, status }: Scope<typeof input>) {
  log.info('asked', { body });
  return status(body.status, { heard: body });
}
`;
const FAILS = `export default function ({ log }: Scope) {
  log.warn('about to fail');
  throw new Error('it broke');
}
`;
const WAITS = `export default function ({ progress, signal }: Scope) {
  progress(0.5, 'half way');
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('left')));
}
`;

describe.skipIf(requireChromium())('the page of an endpoint', () => {
  const browser = useBrowser();
  let people: People;
  const open = (name: string, tab = '', options: object = {}) =>
    browser.signedInPage(people.workspace, {
      path: `#/endpoints/edit/${name}${tab && `?tab=${tab}`}`,
      ...options,
    });
  const create = async (name: string, code: string, settings: object = {}) => {
    const body = { name, code, ...settings };
    const { status, text } = await people.as('admin', 'POST', '/api/endpoints/create', body);
    if (status !== 201) throw new Error(`creating ${name}: ${status} ${text}`);
  };
  const change = (name: string, body: object) =>
    people.as('admin', 'PUT', `/api/endpoints/${name}`, body);
  const resultOf = (page: Page) => page.getByRole('region', { name: 'Result of the run' });

  beforeAll(async () => {
    people = await People.start();
    await people.add('ada', {});
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('runs it with a body, and shows the answer and what was logged', async () => {
    await create('echo', ECHO);
    await using opened = await open('echo');
    const { page, complaints } = opened;
    const body = page.getByRole('textbox', { name: 'Body of the run, as JSON' });
    await write(page, body, '{"status": 418, "said": "it\'s"');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').getByText('The body is not JSON').waitFor();
    await write(page, body, '{"status": 418, "said": "it\'s"}');
    await body.press('Control+Enter');
    const result = resultOf(page);
    await result.getByText('Status 418').waitFor();
    expect(await result.getByRole('textbox', { name: 'Answer of the run' }).innerText()).toContain(
      '"said": "it\'s"',
    );
    await result.getByRole('list', { name: 'Log lines of the run' }).getByText('asked').waitFor();
    await expectAccessible(page);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const command = await page.evaluate('navigator.clipboard.readText()');
    expect(command).toContain(`/api/endpoints/token/run/echo'`);
    expect(command).toContain(String.raw`it'\''s`);
    await page.reload();
    await expect.poll(() => body.innerText()).toContain('418');
    expect(complaints).toEqual([]);
  });

  test('shows the answer of a read-only endpoint as it changes', async () => {
    const nodes = [{ type: 'Shelf', key: 'Name', fields: {} }];
    await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [] });
    const code = `export default ({ q }: Scope<{}>) => q().startAt('Shelf').count();`;
    await create('shelves', code, { isReadOnly: true });
    await using opened = await open('shelves');
    const { page, complaints } = opened;
    const live = page.getByRole('switch', { name: 'Live' });
    await live.click();
    const answer = page.getByRole('region', { name: 'Live answer' });
    const shown = answer.getByRole('textbox', { name: 'Live answer, as JSON' });
    await expect.poll(() => shown.innerText()).toContain('0');
    const operations = [{ op: 'addOrUpdate', type: 'Shelf', key: 'Poems' }];
    await people.as('admin', 'POST', '/api/ingest', { operations });
    await expect.poll(() => shown.innerText()).toContain('1');
    await expectAccessible(page);
    await change('shelves', { code: `export default () => 'as saved again';` });
    await expect.poll(() => shown.innerText()).toContain('as saved again');
    await live.click();
    await resultOf(page).waitFor();
    expect(complaints).toEqual([]);
  });

  test('says why a run failed, and goes to the line', async () => {
    await create('fails', FAILS);
    await using opened = await open('fails', '', { colorScheme: 'dark' });
    const { page } = opened;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const result = resultOf(page);
    await result.getByRole('alert').getByText('It broke').waitFor();
    await result.getByText('about to fail').waitFor();
    const log = result.getByRole('link', { name: /^Log of the request / });
    expect(await log.getAttribute('href')).toContain('#/admin/logs?request=');
    await expectAccessible(page);
    await result.getByRole('button', { name: 'Go to line 3' }).click();
    await page.keyboard.type('/**/');
    await page.keyboard.press('Control+s');
    await page.getByText('Version 2').first().waitFor();
    const { json } = await people.as('admin', 'GET', '/api/endpoints/fails');
    expect(Object(json).code).toContain('throw /**/new Error');
  });

  test('shows how far a long run is, and cancels it', async () => {
    await create('waits', WAITS, { mode: 'pooling' });
    await using opened = await open('waits');
    const { page } = opened;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const progress = page.getByRole('progressbar', { name: 'half way' });
    await progress.waitFor();
    expect(await progress.getAttribute('aria-valuenow')).toBe('0.5');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await resultOf(page).getByText('You cancelled the run').waitFor();
  });

  test('changes its settings, and says what is wrong with them', async () => {
    await create('settings', ECHO);
    await using opened = await open('settings', 'settings');
    const { page } = opened;
    await page.getByLabel('Time limit, in milliseconds').fill('0');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Enter a whole number from 1 to 600000.').waitFor();
    await page.getByLabel('Time limit, in milliseconds').fill('5000');
    await page.getByLabel('Mode', { exact: true }).selectOption('pooling');
    await expectAccessible(page);
    // Somebody else is faster, with another setting: both are kept.
    await change('settings', { description: 'by somebody else' });
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByRole('alert').getByText('Somebody else has changed this endpoint').waitFor();
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('by somebody else');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The settings are saved').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/endpoints/settings');
    const wanted = { timeoutMs: 5_000, mode: 'pooling', description: 'by somebody else' };
    expect(json).toMatchObject(wanted);
  });

  test('compares versions, restores one, and tries two with the same body', async () => {
    await create('history', `export default () => 'one';\n`, { isReadOnly: true });
    await change('history', { code: `export default () => 'two';\n`, cacheSeconds: 5 });
    await using opened = await open('history', 'history');
    const { page, complaints } = opened;
    const diff = page.getByRole('region', { name: 'From version 1 to version 2' });
    await diff.getByRole('textbox', { name: 'Version 1' }).getByText("'one'").waitFor();
    await diff.getByRole('textbox', { name: 'Version 2' }).getByText("'two'").waitFor();
    await diff
      .getByRole('list', { name: 'Settings that differ' })
      .getByText('cacheSeconds')
      .waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Run both', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result of the comparison' });
    await result.getByText('The versions answer differently').waitFor();
    await expectAccessible(page);

    await page.getByRole('switch', { name: 'Record inputs' }).click();
    await page.getByText('Inputs are recorded from now on').waitFor();
    await people.as('admin', 'POST', '/api/endpoints/run/history', { recorded: true });
    await page.getByRole('button', { name: 'Run both with all recorded inputs (1)' }).click();
    await result.getByText('{"recorded":true}').waitFor();

    await page.getByRole('button', { name: 'Restore version 1' }).click();
    const dialog = page.getByRole('alertdialog', { name: /^Restore version 1/ });
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('cell', { name: '3 restored' }).waitFor();
    const { json } = await people.as('admin', 'GET', '/api/endpoints/history');
    expect(json).toMatchObject({ version: 3, cacheSeconds: 0 });
    expect(complaints).toEqual([]);
  });

  test('follows what it logs, and finds a line', async () => {
    await create('talks', ECHO);
    await using opened = await open('talks', 'logs', { colorScheme: 'dark' });
    const { page } = opened;
    await page.getByText('No lines').waitFor();
    await people.as('admin', 'POST', '/api/endpoints/run/talks', { said: 'first' });
    const lines = page.getByRole('list', { name: 'Log lines' });
    await lines.getByText('first').waitFor();
    await people.as('admin', 'POST', '/api/endpoints/run/talks', { said: 'second' });
    await lines.getByText('second').waitFor();
    await page.getByRole('searchbox', { name: 'Find in the lines' }).fill('first');
    await expect.poll(() => lines.getByRole('listitem').count()).toBe(1);
    await expectAccessible(page);
  });

  test('makes a token for it, whose value is shown once', async () => {
    await create('tokens', ECHO);
    await using opened = await open('tokens');
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Tokens' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No token may call this endpoint yet.').waitFor();
    await dialog.getByRole('button', { name: 'Add token' }).click();
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Enter the purpose of the token.').waitFor();
    await dialog.getByLabel('Purpose').fill('nightly "job"');
    expect(await dialog.getByLabel('Path').inputValue()).toBe('tokens');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = await dialog.getByRole('textbox', { name: 'Value of the token' }).innerText();
    const { http } = people.workspace;
    const path = '/api/endpoints/token/run/tokens';
    const answer = await http.send({ path, token, body: { said: 'x' } });
    expect(answer.status).toBe(200);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByRole('cell', { name: 'nightly "job"', exact: true }).waitFor();
    expect(await page.getByText(token).count()).toBe(0);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Revoke nightly "job"' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('No token may call this endpoint yet.').waitFor();
    expect((await http.send({ path, token, body: {} })).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('counts the calls, in the order that one wants', async () => {
    await create('counted', `export default () => 1;\n`);
    for (let call = 0; call < 20; call++)
      await people.as('admin', 'POST', '/api/endpoints/run/counted');
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/endpoints/metrics',
    });
    const { page } = opened;
    const rows = page.getByRole('table', { name: 'Endpoint metrics' }).getByRole('row');
    await rows.nth(1).getByRole('link', { name: 'counted' }).waitFor();
    await page.getByRole('button', { name: 'Calls' }).click();
    await rows.last().getByRole('link', { name: 'counted' }).waitFor();
    expect(page.url()).toContain('direction=ascending');
    await expectAccessible(page);
  });

  test('is deleted, and can be had back from its history', async () => {
    await create('gone/soon', ECHO);
    await using opened = await open('gone/soon');
    const { page } = opened;
    await page.getByRole('button', { name: 'Delete this endpoint' }).click();
    const dialog = page.getByRole('alertdialog', { name: /^Delete the endpoint “gone\/soon”/ });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await page.goBack();
    await page.getByText('There is no endpoint of this name').waitFor();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('tab', { name: 'History' }).waitFor();
    expect((await people.as('admin', 'GET', '/api/endpoints/gone/soon')).status).toBe(200);
  });
});
