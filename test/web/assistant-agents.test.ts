import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { inTurn, says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/assistant/agents';

describe.skipIf(requireChromium())('the pages of agents', () => {
  const browser = useBrowser();
  let at: LlmWorkspace;
  beforeAll(async () => {
    at = await LlmWorkspace.start();
    await at.people.add('rita', { isReadOnlyAdmin: true });
    await at.use('openai-compatible');
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => at.provider.reset());

  const open = (path = PATH, userName = 'admin') =>
    browser.signedInPage(at.people.workspace, { path, userName });

  test('an agent is added, changed and deleted', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await page.getByText('No agents yet').waitFor();
    await page.getByRole('button', { name: 'Add agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add agent' });
    await dialog.getByLabel('Name').fill('a name');
    await dialog.getByLabel('Output schema').fill('[');
    await dialog.getByLabel('Steps').fill('0');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await dialog.getByText('Enter letters, digits, “_” and “-”.').waitFor();
    await dialog.getByText('Enter instructions.').waitFor();
    await dialog.getByText('This is not JSON').waitFor();
    await dialog.getByText('Enter 1 to 100.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Name').fill('translate');
    await dialog.getByLabel('Description').fill('Translates a text.');
    await dialog.getByLabel('Instructions').fill('Translate into ${LANGUAGE:-English}.');
    await dialog.getByText('Variables: LANGUAGE').waitFor();
    await dialog.getByLabel('Output schema').fill('');
    await dialog.getByLabel('Steps').fill('3');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'translate' }).waitFor();

    await page.getByRole('tab', { name: 'Settings' }).click();
    const form = page.getByRole('group', { name: 'Settings of translate' });
    expect(await form.getByLabel('Steps').inputValue()).toBe('3');
    await form.getByLabel('Who may run it').selectOption('Administrators only');
    await form.getByLabel('Instructions').fill(' ');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter instructions.').waitFor();
    await form.getByLabel('Instructions').fill('Translate into ${LANGUAGE} and ${STYLE}.');
    await form.getByLabel('system__search', { exact: true }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The agent is saved').waitFor();
    await expectAccessibleInBothThemes(page);
    const { json } = await at.people.as('admin', 'GET', '/api/chatai/agents/translate');
    expect(json).toMatchObject({
      access: 'admins',
      instructions: 'Translate into ${LANGUAGE} and ${STYLE}.',
      outputSchema: null,
      tools: ['system__search'],
      limits: { steps: 3 },
    });

    await form.getByRole('button', { name: 'Delete agent' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the agent “translate”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No agents yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('an agent is run with variables, and its runs are kept', async () => {
    const agent = { name: 'greet', instructions: 'Greet ${NAME} in ${LANGUAGE:-English}.' };
    await at.people.as('admin', 'POST', '/api/chatai/agents', agent);
    at.provider.script.turn = inTurn(says('**Hej** Ann! You are old [9].'), {
      fault: { status: 400, body: '{}' },
    });
    await using opened = await open(`${PATH}/greet`, 'ann');
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Enter a message.').waitFor();
    await page.getByLabel('LANGUAGE').fill('Swedish');
    await page.getByLabel('Message').fill('Now, please');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result of the run' });
    await result.getByText('Hej').waitFor();
    await page.getByText('Completed').waitFor();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText('Now, please').waitFor();
    expect(await result.locator('mark').innerText()).toBe('You are old [9].');
    await result.getByRole('button', { name: 'Not supported: show why' }).waitFor();
    await result.getByText('Sources support 0 of 1 checked sentence').waitFor();
    await expectAccessibleInBothThemes(page);
    expect(JSON.stringify(at.provider.last.body)).toContain('in Swedish');
    expect(await page.getByRole('tab', { name: 'Settings' }).count()).toBe(0);

    await page.getByLabel('Message').fill('Again');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Failed').waitFor();
    await page.getByRole('alert').waitFor();
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByRole('row', { name: /Again.*Failed/ }).waitFor();
    await page.getByRole('button', { name: 'Now, please' }).click();
    const panel = page.getByRole('dialog', { name: 'Run of greet' });
    await panel.getByText('Completed').waitFor();
    await expectAccessibleInBothThemes(page);
    expect(page.url()).toContain('run=');
    expect(complaints).toEqual([]);
  });

  test('a run that is under way is cancelled', async () => {
    await at.people.as('admin', 'POST', '/api/chatai/agents', { name: 'slow', instructions: 'x' });
    const gate = Promise.withResolvers<void>();
    at.provider.script.turn = () => ({ ...says('Late.'), gate: gate.promise });
    await using opened = await open(`${PATH}/slow`, 'ann');
    const { page, complaints } = opened;
    await page.getByLabel('Message').fill('Wait');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('Canceled').waitFor();
    gate.resolve();
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await open(`${PATH}/greet?tab=settings`, 'rita');
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByLabel('Instructions').isDisabled()).toBe(true);
  });

  test('an agent that is not there, or not the viewer’s to run, is said', async () => {
    await using opened = await open(`${PATH}/nobody`, 'ann');
    await opened.page.getByText('There is no such agent, or you may not run it').waitFor();
    await expectAccessibleInBothThemes(opened.page);
  });
});
