import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { templatesOf } from '../../web/src/pages/endpoints/endpoint-templates.ts';

const BROKEN = 'export default async function ({ nope }: Scope) {\n  return nope;\n}\n';
const ANSWER = (text: string) => `export default () => '${text}';\n`;
const WRITES = `export default async function ({ graph }: Scope) {
  await graph.put({ type: 'Author', key: 'Ada' });
}
`;

/** The field of the code, which is in a shadow root. */
const codeOf = (page: Page, name: string) =>
  page.getByRole('textbox', { name: `Code of ${name}`, exact: true });

const editPath = (name: string, search = '') => `#/endpoints/edit/${name}${search}`;

describe.skipIf(requireChromium())('the pages of endpoints', () => {
  const browser = useBrowser();
  let people: People;
  const open = (path: string, options: object = {}) =>
    browser.signedInPage(people.workspace, { path, ...options });
  const create = async (name: string, code: string, settings: object = {}) => {
    const body = { name, code, ...settings };
    const { status, text } = await people.as('admin', 'POST', '/api/endpoints/create', body);
    if (status !== 201) throw new Error(`creating ${name}: ${status} ${text}`);
  };
  const definitionOf = async (name: string) =>
    (await people.as('admin', 'GET', `/api/endpoints/${name}`)).json;

  beforeAll(async () => {
    people = await People.start();
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
    await people.add('watcher', { isReadOnlyAdmin: true });
    await create('lists/broken', BROKEN, { mode: 'pooling', access: 'admins' });
    await create('lists/good', ANSWER('good'), { isReadOnly: true, description: 'Says good' });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('joins lines as the browser is told to, within the policy of the page', async () => {
    await create('joined', '1;\n2;\n3;');
    await using opened = await open(editPath('joined'));
    const { page, complaints } = opened;
    const code = codeOf(page, 'joined');
    // As the delete key of a phone does, which is no key of a keyboard.
    const devTools = await page.context().newCDPSession(page);
    const edit = (command: string) =>
      devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', commands: [command] });
    await code.press('Control+Home');
    await code.press('End');
    await edit('DeleteForward');
    await expect.poll(() => code.innerText()).toBe('1;2;\n3;');
    await edit('DeleteForward');
    await code.press('Control+End');
    await edit('DeleteBackward');
    await expect.poll(() => code.innerText()).toBe('1;;\n3');
    await code.press('Shift+ArrowUp');
    await edit('DeleteBackward');
    await expect.poll(() => code.innerText()).toBe('1');
    expect(complaints).toEqual([]);
  });

  test('lists them in folders, what fails first, and finds one', async () => {
    await using opened = await open('#/endpoints');
    const { page, complaints } = opened;
    const rows = page.getByRole('list', { name: 'lists/' }).getByRole('listitem');
    await rows.filter({ hasText: 'broken' }).getByText('Does not compile').waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^broken\s+Does not compile\s*Pooling\s*Admins only/),
      expect.stringMatching(/^good\s+Says good\s+Read-only\s+Not called yet/),
    ]);
    await page.getByRole('status').getByRole('link', { name: 'lists/broken' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^lists\// }).click();
    expect(await rows.count()).toBe(0);

    await page.getByRole('searchbox', { name: 'Find an endpoint' }).fill('says');
    await page.getByRole('link', { name: 'lists/good' }).waitFor();
    expect(page.url()).toContain('query=says');
    expect(await page.getByRole('link', { name: 'system/nodes' }).count()).toBe(0);
    await page.getByRole('searchbox').fill('no such thing');
    await page.getByText('No endpoint matches').waitFor();
    expect(complaints).toEqual([]);
  });

  test('creates one from a template, and says what is wrong with a name', async () => {
    await using opened = await open('#/endpoints', { colorScheme: 'dark' });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint' });
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.getByText('Enter a name of letters').waitFor();
    await dialog.getByLabel('Name').fill('lists/good');
    await dialog.getByLabel('Begin with').selectOption({ label: 'Query nodes of the type Book' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.getByRole('alert').getByText('lists/good').waitFor();
    await dialog.getByLabel('Name').fill('made/here');
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();

    await page.getByRole('heading', { name: 'made/here' }).waitFor();
    await page.getByText('The code compiles').waitFor();
    expect(await codeOf(page, 'made/here').innerText()).toContain(`startAt('Book')`);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('begins with code that compiles', async () => {
    for (const { code } of templatesOf(['Book'])) {
      const draft = { code, isReadOnly: true };
      const { json } = await people.as('admin', 'POST', '/api/endpoints/check', draft);
      expect(json, code).toEqual({ diagnostics: [] });
    }
  });

  test('saves by keyboard; what does not compile is a draft, shown at its line', async () => {
    await create('keys', ANSWER('one'));
    await using opened = await open(editPath('keys'));
    const { page, complaints } = opened;
    await write(page, codeOf(page, 'keys'), ANSWER('two'));
    await page.keyboard.press('Control+s');
    // Faster than the first answer comes: it is no conflict with oneself.
    await page.keyboard.insertText('// more');
    await page.keyboard.press('Control+s');
    await page.getByText('Version 3').first().waitFor();
    const code = `${ANSWER('two')}// more`;
    expect(await definitionOf('keys')).toMatchObject({ version: 3, code });

    await write(page, codeOf(page, 'keys'), BROKEN);
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('button');
    await problem.getByText('Line 1, column 34').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Version 4 does not compile and is kept as a draft.').waitFor();
    await page.getByText('The last version that compiled goes on serving.').waitFor();
    const run = await people.as('admin', 'POST', '/api/endpoints/run/keys');
    expect(run.json).toBe('two');
    await problem.click();
    await page.keyboard.type('body, ');
    await expect.poll(() => codeOf(page, 'keys').innerText()).toContain('({ body, nope }');
    // Out of the editor without a mouse.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).not.toBe('textbox');
    expect(complaints).toEqual([]);
  });

  test('completes and explains with what the server knows', async () => {
    await create('typed', `export default ({ q }: Scope) => q();\n`);
    await using opened = await open(editPath('typed'));
    const { page, complaints } = opened;
    await page.getByText('The code compiles').waitFor();
    await write(page, codeOf(page, 'typed'), `export default ({ q }: Scope) => q()`);
    await page.keyboard.type('.startA');
    await page.getByRole('option', { name: 'startAtUids' }).waitFor();
    await page.getByRole('option', { name: 'startAt', exact: true }).click();
    await page.keyboard.type('(');
    await page.getByText('startAt(type').first().waitFor();
    await page.keyboard.type("'");
    await page.getByRole('option', { name: 'Author' }).click();
    expect(await codeOf(page, 'typed').innerText()).toContain("q().startAt('Author')");
    await codeOf(page, 'typed').getByText('Scope', { exact: true }).hover();
    await page.getByText('interface Scope').waitFor();
    expect(complaints).toEqual([]);
  });

  test('keeps what is not saved when one leaves, and warns', async () => {
    await create('kept', ANSWER('saved'));
    await using opened = await open(editPath('kept'));
    const { page } = opened;
    await write(page, codeOf(page, 'kept'), ANSWER('not saved'));
    await page.getByRole('link', { name: 'All endpoints' }).click();
    const warning = page.getByRole('alertdialog', { name: 'Leave with unsaved changes?' });
    await warning.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'All endpoints' }).click();
    await warning.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'kept' }).click();
    await expect.poll(() => codeOf(page, 'kept').innerText()).toContain('not saved');
    await page.getByRole('tab', { name: 'Code, not saved' }).waitFor();
    expect(await definitionOf('kept')).toMatchObject({ version: 1 });
  });

  test('shows what somebody else saved meanwhile, and loses neither', async () => {
    await create('shared', ANSWER('first'));
    await using theirs = await open(editPath('shared'));
    await using mine = await open(editPath('shared'), { colorScheme: 'dark' });
    await write(mine.page, codeOf(mine.page, 'shared'), ANSWER('mine'));
    await write(theirs.page, codeOf(theirs.page, 'shared'), ANSWER('theirs'));
    await theirs.page.keyboard.press('Control+s');
    await theirs.page.getByText('Version 2').first().waitFor();

    const { page } = mine;
    await page.keyboard.press('Control+s');
    const conflict = page.getByRole('region', { name: /^Somebody else saved version 2/ });
    await conflict.getByText('theirs', { exact: false }).first().waitFor();
    await conflict.getByRole('textbox', { name: 'Mine, not saved' }).waitFor();
    await expectAccessible(page);
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await expect.poll(() => codeOf(page, 'shared').innerText()).toContain('theirs');
    await page.getByRole('button', { name: 'Bring it back' }).click();
    await expect.poll(() => codeOf(page, 'shared').innerText()).toContain('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3').first().waitFor();
    expect(await definitionOf('shared')).toMatchObject({ version: 3, code: ANSWER('mine') });

    // The first page has seen version 2 only: this time it keeps its own.
    await write(theirs.page, codeOf(theirs.page, 'shared'), ANSWER('theirs again'));
    await theirs.page.keyboard.press('Control+s');
    await theirs.page.getByRole('button', { name: 'Keep mine' }).click();
    await theirs.page.getByText('Version 4').first().waitFor();
    expect(await definitionOf('shared')).toMatchObject({ code: ANSWER('theirs again') });
  });

  test('refuses read-only for code that writes, and says where', async () => {
    await create('writes', WRITES);
    await using opened = await open(editPath('writes'));
    const { page } = opened;
    const toggle = page.getByRole('switch', { name: 'Read-only' });
    await toggle.click();
    const why = page.getByRole('list', { name: 'Why read-only was refused' });
    await why.getByText(/^Line 2: .*put/).waitFor();
    expect(await toggle.isChecked()).toBe(false);
    await write(page, codeOf(page, 'writes'), ANSWER('reads'));
    await page.keyboard.press('Control+s');
    await page.getByText('Version 2').first().waitFor();
    await toggle.click();
    await page.getByText('Version 3').first().waitFor();
    expect(await toggle.isChecked()).toBe(true);
  });

  test('changes nothing for those who only read, nor what the server brings along', async () => {
    await using opened = await open(editPath('lists/good'), { userName: 'watcher' });
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByRole('switch', { name: 'Read-only' }).isDisabled()).toBe(true);
    await codeOf(page, 'lists/good').press('x');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Status 200').waitFor();

    await using builtIn = await open(editPath('system/nodes'));
    await builtIn.page.getByText('This endpoint is built in').waitFor();
    expect(await codeOf(builtIn.page, 'system/nodes').getAttribute('aria-readonly')).toBe('true');
  });
});
