import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PATH = '#/assistant/tools';
const WRITES = `
export const input = z.object({ isbn: z.string() });
export default async function ({ body, graph }: Scope<{ isbn: string }>) {
  await graph.addOrUpdate('Book', body.isbn, { Title: 'x' });
  return 1;
}`;

describe.skipIf(requireChromium())('the page of tools', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann');
    await people.add('rita', { isReadOnlyAdmin: true });
    const send = (method: string, path: string, body: unknown) =>
      people.as('admin', method, path, body);
    await send('PUT', '/api/schema', LIBRARY_SCHEMA);
    await send('PUT', '/api/search/settings', {
      types: { Book: { searchable: true, fields: { Title: { text: {} }, Tags: { facet: true } } } },
    });
    await send('POST', '/api/endpoints/create', { name: 'books/add', code: WRITES });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const tools = async () => items(await people.as('admin', 'GET', '/api/chatai/tools'));

  test('a tool is added, changed, switched off and deleted', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No tools yet').waitFor();
    await page.getByRole('button', { name: 'Add tool' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add tool' });
    await dialog.getByLabel('Name').fill('add book');
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    await dialog.getByText('Enter letters, digits, “_” and “-”.').waitFor();
    await dialog.getByText('Say what the tool does.').waitFor();
    await dialog.getByText('Choose an endpoint.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Name').fill('add_book');
    await dialog.getByLabel('Description').fill('Adds a book, by its ISBN.');
    await dialog.getByRole('combobox', { name: 'Endpoint' }).fill('books');
    await page.getByRole('option', { name: /books\/add.*Writes/ }).click();
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    const row = page.getByRole('row', { name: /add_book/ });
    await row.getByText('Writes').waitFor();
    await expectAccessibleInBothThemes(page);
    expect(await tools()).toMatchObject([
      { name: 'add_book', endpoint: 'books/add', access: 'users', enabled: true },
    ]);

    await row.getByRole('button', { name: 'Change add_book' }).click();
    const change = page.getByRole('dialog', { name: 'Change “add_book”' });
    await change.getByLabel('Offered to').selectOption('Administrators only');
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Administrators').waitFor();
    await row.getByRole('switch', { name: 'Offered: add_book' }).click();
    await page.getByText('The tool is not offered any more').waitFor();
    expect(await tools()).toMatchObject([{ access: 'admins', enabled: false }]);

    await row.getByRole('button', { name: 'Delete add_book' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the tool “add_book”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No tools yet').waitFor();
    expect(await tools()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a name that is taken, and a tool that nobody is offered, say why', async () => {
    const tool = { name: 'lost', description: 'x', endpoint: 'books/gone' };
    await people.as('admin', 'POST', '/api/endpoints/create', { name: 'books/gone', code: WRITES });
    await people.as('admin', 'POST', '/api/chatai/tools', tool);
    await people.as('admin', 'DELETE', '/api/endpoints/books/gone');
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const row = page.getByRole('row', { name: /lost/ });
    await row.getByText('there is no such endpoint any more').waitFor();
    await page.getByRole('button', { name: 'Add tool' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add tool' });
    await dialog.getByLabel('Name').fill('lost');
    await dialog.getByLabel('Description').fill('Another');
    await dialog.getByRole('combobox', { name: 'Endpoint' }).fill('books');
    await page.getByRole('option', { name: /books\/add/ }).click();
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Another');
    expect(complaints).toEqual([]);
  });

  test('what models search is chosen, and all of it is chosen again', async () => {
    const path = `${PATH}?tab=search`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    const settings = async () =>
      Object((await people.as('admin', 'GET', '/api/search/settings/llm')).json);
    const { nodeTypes, filters } = await settings();
    expect(nodeTypes).toEqual(['Book', 'Author']);
    expect(filters.length).toBeGreaterThan(1);
    const first = page.getByLabel(filters[0], { exact: true });
    await first.uncheck();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What models search is saved').waitFor();
    expect((await settings()).filters).toEqual(filters.slice(1));
    await first.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await settings()).filters).toEqual(filters);
    expect(complaints).toEqual([]);
  });

  test('instructions for models are written', async () => {
    const path = `${PATH}?tab=instructions`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    await page.getByRole('textbox', { name: 'Instructions' }).fill('A tome is a large book.');
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Save the instructions' }).click();
    await page.getByText('The instructions are saved').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/chatai/settings');
    expect(json).toMatchObject({ instructions: 'A tome is a large book.' });
    expect(complaints).toEqual([]);
  });

  test('a judge of answers is set, with advice, and removed', async () => {
    const provider = 'openai-compatible';
    const chat = { provider, baseUrl: 'http://127.0.0.1:9/v1', model: 'mini' };
    await people.as('admin', 'PUT', '/api/chatai/providers', { chat });
    const path = `${PATH}?tab=judge`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    const judge = async () =>
      Object((await people.as('admin', 'GET', '/api/chatai/settings')).json).judge;
    await page.getByRole('combobox', { name: 'Provider' }).selectOption(provider);
    await page.getByRole('button', { name: 'Save the judge' }).click();
    await page.getByText('Enter a model.').waitFor();
    await page.getByRole('textbox', { name: 'Model' }).fill('mini');
    await page.getByText('“mini” also answers.').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('textbox', { name: 'Model' }).fill('large');
    expect(await page.getByText('also answers.').count()).toBe(0);
    await page.getByRole('button', { name: 'Save the judge' }).click();
    await expect.poll(judge).toEqual({ provider, model: 'large' });
    await page.getByRole('combobox', { name: 'Provider' }).selectOption('No judge');
    await page.getByRole('button', { name: 'Save the judge' }).click();
    await expect.poll(judge).toBe(null);
    await people.as('admin', 'PUT', '/api/chatai/providers', { chat: null });
    expect(complaints).toEqual([]);
  });

  test('calls are counted, and there are none yet', async () => {
    const path = `${PATH}?tab=calls`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    await opened.page.getByRole('tab', { name: 'Calls', selected: true }).waitFor();
    await opened.page.getByRole('region', { name: 'Calls by models' }).waitFor();
    await expectAccessibleInBothThemes(opened.page);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByRole('button', { name: 'Add tool' }).isDisabled()).toBe(true);
    const change = page.getByRole('button', { name: /^Change/ }).first();
    expect(await change.isDisabled()).toBe(true);
  });
});
