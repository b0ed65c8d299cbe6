import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { field } from '../support/http-client.ts';
import { says } from '../support/llm-server.ts';
import type { LlmWorkspace } from '../support/llm-workspace.ts';
import { requireChromium } from '../support/requires.ts';
import { research, ResearchedLibrary } from '../support/researched-library.ts';

const PATH = '#/assistant/research';

describe.skipIf(requireChromium())('deep research in the browser', () => {
  const browser = useBrowser();
  let at: LlmWorkspace;
  beforeAll(async () => {
    ({ at } = await ResearchedLibrary.start());
    await at.people.add('rita', { isReadOnlyAdmin: true });
  });
  afterAll(() => at[Symbol.asyncDispose]());
  beforeEach(() => at.provider.reset());

  const open = (path: string, userName: string) =>
    browser.signedInPage(at.people.workspace, { path, userName });
  const settings = async () =>
    Object((await at.people.as('admin', 'GET', '/api/chatai/deep-research/settings')).json);
  const newChat = async () => {
    const { json } = await at.people.as('ann', 'POST', '/api/chatai/chat', { message: 'Hello' });
    return field(json, 'chatUID');
  };

  test('a question is studied from a conversation, and an administrator ends it', async () => {
    const path = `#/chat/${await newChat()}`;
    const gate = Promise.withResolvers<void>();
    at.provider.script.turn = () => ({ ...says('A plan.'), gate: gate.promise });
    await using user = await open(path, 'ann');
    await user.page.getByLabel('Message to the assistant').fill('What is known of whales?');
    await user.page.getByRole('button', { name: 'Deep research' }).click();
    const progress = user.page.getByRole('region', { name: 'Deep research' });
    await progress.getByRole('progressbar').waitFor();
    await user.page.getByText('What is known of whales?').first().waitFor();
    await expectAccessibleInBothThemes(user.page);

    await using administrator = await open(PATH, 'admin');
    const { page } = administrator;
    const row = page.getByRole('row', { name: /ann/ });
    await row.getByText('Runs', { exact: true }).waitFor();
    expect(await page.getByText('whales').count()).toBe(0);
    await expectAccessibleInBothThemes(page);
    await row.getByRole('button', { name: 'Cancel the research of ann' }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel the research of “ann”?' });
    await question.getByRole('button', { name: 'Cancel the research' }).click();
    await page.getByText('No research is under way').waitFor();
    await progress.waitFor({ state: 'detached' });
    gate.resolve();
    expect([...user.complaints, ...administrator.complaints]).toEqual([]);
  });

  test('the report comes into the conversation, with its sources', async () => {
    const path = `#/chat/${await newChat()}`;
    at.provider.script.turn = research();
    await using opened = await open(path, 'ann');
    const { page, complaints } = opened;
    await page.getByLabel('Message to the assistant').fill('How long are the books?');
    await page.getByRole('button', { name: 'Deep research' }).click();
    const report = page.getByRole('article', { name: 'Assistant' }).last();
    await report.getByText(/Nobody knows more/).waitFor();
    await report.getByRole('link', { name: /^Source \d: Book one/ }).waitFor();
    await report.getByRole('link', { name: /^Source \d: Book two/ }).waitFor();
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });

  test('its user ends it, from the conversation', async () => {
    const path = `#/chat/${await newChat()}`;
    const gate = Promise.withResolvers<void>();
    at.provider.script.turn = () => ({ ...says('A plan.'), gate: gate.promise });
    await using opened = await open(path, 'ann');
    const { page, complaints } = opened;
    await page.getByLabel('Message to the assistant').fill('And of seals?');
    await page.getByRole('button', { name: 'Deep research' }).click();
    await page.getByRole('button', { name: 'Cancel the research' }).click();
    const progress = page.getByRole('region', { name: 'Deep research' });
    await progress.waitFor({ state: 'detached' });
    gate.resolve();
    expect(complaints).toEqual([]);
  });

  test('limits are set, and come back', async () => {
    await using opened = await open(PATH, 'admin');
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'Limits' });
    await card.getByLabel('Minutes of a run').fill('-1');
    await card.getByRole('button', { name: 'Save the limits' }).click();
    await card.getByText('Enter a whole number from 0 to').waitFor();
    await card.getByLabel('Minutes of a run').fill('7');
    await card.getByLabel('Steps of a run').fill('1');
    await card.getByRole('button', { name: 'Save the limits' }).click();
    await card.getByText('must be 0, or at least').waitFor();
    await expectAccessibleInBothThemes(page);
    await card.getByLabel('Steps of a run').fill('10');
    await card.getByRole('button', { name: 'Save the limits' }).click();
    await page.getByText('The limits are saved').waitFor();
    expect((await settings()).limits).toMatchObject({ minutes: 7, steps: 10 });
    await card.getByLabel('Minutes of a run').fill('0');
    await card.getByRole('button', { name: 'Save the limits' }).click();
    const { minutes } = (await settings()).defaults;
    await expect.poll(() => card.getByLabel('Minutes of a run').inputValue()).toBe(`${minutes}`);
    expect(complaints).toEqual([]);
  });

  test('researchers are added and removed', async () => {
    await using opened = await open(PATH, 'admin');
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'Researchers' });
    const { researchers } = await settings();
    const next = researchers.length + 1;
    await card.getByRole('button', { name: 'Add a researcher' }).click();
    await card.getByRole('button', { name: 'Save the researchers' }).click();
    await card.getByText('Enter a name.').waitFor();
    await card.getByLabel(`Name of researcher ${next}`).fill('Critic');
    await card
      .getByLabel(`Instructions of researcher ${next}`)
      .fill('Find what speaks against it.');
    await card.getByRole('button', { name: 'Save the researchers' }).click();
    await page.getByText('The researchers are saved').waitFor();
    expect((await settings()).researchers).toHaveLength(next);
    await card.getByRole('button', { name: `Remove researcher ${next}` }).click();
    await card.getByRole('button', { name: 'Save the researchers' }).click();
    await expect.poll(async () => (await settings()).researchers).toEqual(researchers);
    expect(complaints).toEqual([]);
  });

  test('who may only look is told', async () => {
    await using auditor = await open(PATH, 'rita');
    await auditor.page.getByText('you are a read-only administrator').waitFor();
    expect(await auditor.page.getByLabel('Steps of a run').isDisabled()).toBe(true);
  });
});
