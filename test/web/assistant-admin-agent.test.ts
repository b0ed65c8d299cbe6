import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { calls, inTurn, says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/assistant/admin-agent';
const CODE = 'export default async function ({ body }: Scope) { return { hello: body }; }';

/** A proposal of one endpoint, and then words about it. */
const proposing = (name: string, definition: object, action = 'create') =>
  inTurn(
    calls([
      'propose',
      { summary: `About ${name}`, changes: [{ kind: 'endpoint', name, action, definition }] },
    ]),
    says('I **proposed** it.'),
  );

describe.skipIf(requireChromium())('the page of the admin agent', () => {
  const browser = useBrowser();
  let at: LlmWorkspace;
  beforeAll(async () => {
    at = await LlmWorkspace.start();
    await at.people.add('rita', { isReadOnlyAdmin: true });
    await at.use('openai-compatible');
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => at.provider.reset());

  const open = (userName = 'admin') =>
    browser.signedInPage(at.people.workspace, { path: PATH, userName });
  const begin = async (page: Page) => {
    await page.getByRole('button', { name: 'New session' }).first().click();
    await page.getByLabel('Message to the admin agent').waitFor();
  };
  const ask = async (page: Page, text: string) => {
    await page.getByLabel('Message to the admin agent').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('I proposed it.').last().waitFor();
  };
  const endpoint = (name: string) => at.people.as('admin', 'GET', `/api/endpoints/${name}`);

  test('a proposal is read, approved, and done', async () => {
    at.provider.script.turn = proposing('hello', { code: CODE, isReadOnly: true });
    await using opened = await open();
    const { page, complaints } = opened;
    await begin(page);
    await ask(page, 'Make an endpoint that says hello');
    const proposal = page.getByRole('region', { name: 'Proposal' });
    await proposal.getByText('About hello').waitFor();
    const diff = proposal.getByRole('region', { name: 'What changes in hello' });
    await diff.getByText('+export default async function').waitFor();
    await page.getByRole('list', { name: 'Tool calls' }).getByText('propose').waitFor();
    await expectAccessibleInBothThemes(page);
    expect((await endpoint('hello')).status).toBe(404);
    await proposal.getByRole('button', { name: 'Approve' }).click();
    const approved = page.getByRole('region', { name: 'Approved' });
    await approved.getByText('Done', { exact: true }).waitFor();
    await approved.getByText('Endpoint hello').waitFor();
    const log = approved.getByRole('log', { name: 'Log of the approval' });
    expect(await log.getByRole('listitem').count()).toBeGreaterThan(0);
    await expectAccessibleInBothThemes(page);
    expect((await endpoint('hello')).status).toBe(200);
    await proposal.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('what does not compile cannot be approved, and is rejected', async () => {
    at.provider.script.turn = proposing('broken', { code: 'export default 1 +;' });
    await using opened = await open();
    const { page, complaints } = opened;
    await begin(page);
    await ask(page, 'Make one that is broken');
    const proposal = page.getByRole('region', { name: 'Proposal' });
    await proposal.getByRole('list', { name: 'What is wrong with broken' }).waitFor();
    expect(await proposal.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await expectAccessibleInBothThemes(page);
    await proposal.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('The proposal is rejected').waitFor();
    await proposal.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('wider access is approved only by who says so', async () => {
    await at.people.as('admin', 'POST', '/api/endpoints/create', {
      name: 'inner',
      code: CODE,
      access: 'admins',
    });
    at.provider.script.turn = proposing('inner', { access: 'users' }, 'change');
    await using opened = await open();
    const { page, complaints } = opened;
    await begin(page);
    await ask(page, 'Open it to everybody');
    const proposal = page.getByRole('region', { name: 'Proposal' });
    await proposal.getByRole('list', { name: 'How inner widens access' }).waitFor();
    const approve = proposal.getByRole('button', { name: 'Approve' });
    expect(await approve.isDisabled()).toBe(true);
    await expectAccessibleInBothThemes(page);
    await proposal.getByLabel(/More people may read or do more/).check();
    await approve.click();
    await page.getByRole('region', { name: 'Approved' }).getByText('Done').first().waitFor();
    expect(Object((await endpoint('inner')).json).access).toBe('users');
    expect(complaints).toEqual([]);
  });

  test('files are added once, and sessions are deleted', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    await begin(page);
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2') };
    await page.getByLabel('Add a file').setInputFiles(file);
    await page.getByRole('list', { name: 'Files of the session' }).getByText('list.csv').waitFor();
    await page.getByLabel('Add a file').setInputFiles(file);
    await page.getByRole('alert').getByText('The file was not uploaded').waitFor();
    await expectAccessibleInBothThemes(page);
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    const before = await sessions.getByRole('listitem').count();
    await sessions.getByRole('button', { name: 'Delete New session' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete “New session”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No session is open').waitFor();
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(before - 1);
    expect(complaints).toEqual([]);
  });

  test('a failure is said, and what was typed stays', async () => {
    at.provider.script.turn = inTurn({ fault: { status: 400, body: '{}' } });
    await using opened = await open();
    const { page, complaints } = opened;
    await begin(page);
    const message = page.getByLabel('Message to the admin agent');
    await message.fill('Anybody?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('There is no answer').waitFor();
    expect(await message.inputValue()).toBe('Anybody?');
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator begins nothing', async () => {
    await using opened = await open('rita');
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    const buttons = page.getByRole('button', { name: 'New session' });
    expect(await buttons.first().isDisabled()).toBe(true);
  });
});
