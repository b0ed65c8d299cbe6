import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { LlmWorkspace, PROVIDER_KEY } from '../support/llm-workspace.ts';
import { PASSWORD } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/assistant/providers';

describe.skipIf(requireChromium())('the page of providers', () => {
  const browser = useBrowser();
  let at: LlmWorkspace;
  beforeAll(async () => {
    at = await LlmWorkspace.start();
    await at.people.add('rita', { isReadOnlyAdmin: true });
  });
  afterAll(() => at[Symbol.asyncDispose]());

  const stored = async () =>
    Object((await at.people.as('admin', 'GET', '/api/chatai/providers')).json);

  test('a provider of chat is set up, used, changed and removed', async () => {
    await using opened = await browser.signedInPage(at.people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'Chat', exact: true });
    await card.getByText('There is no provider of chat').waitFor();
    await card.getByLabel('Protocol').selectOption('Anthropic');
    await card.getByLabel('Address of chat').fill('not an address');
    await card.getByLabel('Tokens of an answer').fill('0');
    const save = card.getByRole('button', { name: 'Save the provider of chat' });
    await save.click();
    await card.getByText('Enter the model.').waitFor();
    await card.getByText('Enter a whole number from 1 to').waitFor();
    await card.getByLabel('Model of chat').fill('large');
    await card.getByLabel('Tokens of an answer').fill('512');
    await save.click();
    await card.getByText('must be an http or https URL').waitFor();
    await expectAccessibleInBothThemes(page);
    await card.getByLabel('Address of chat').fill(at.provider.url);
    await card.getByLabel('Models allowed').fill('small');
    await card.getByLabel('Key', { exact: true }).fill(PROVIDER_KEY);
    await save.click();
    await page.getByText('The provider of chat is saved').waitFor();
    expect(await card.getByLabel('Key', { exact: true }).inputValue()).toBe('');
    await card.getByText('Not asked yet').waitFor();
    expect((await stored()).chat).toMatchObject({
      provider: 'anthropic',
      model: 'large',
      models: ['large', 'small'],
      tokensPerAnswer: 512,
      hasApiKey: true,
    });

    const asked = { model: 'small', messages: [{ role: 'user' as const, content: 'Hello?' }] };
    await at.openAi().chat.completions.create(asked);
    await card.getByText('Answers', { exact: true }).waitFor();
    at.provider.script.fault = { status: 500, body: '{"error":{"message":"out of order"}}' };
    await at
      .openAi()
      .chat.completions.create(asked)
      .catch(() => undefined);
    await card.getByText('Fails').waitFor();
    await card.getByText(/Last error/).waitFor();
    await expectAccessibleInBothThemes(page);
    at.provider.reset();

    await card.getByRole('button', { name: 'Remove', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove the provider of chat?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await card.getByText('There is no provider of chat').waitFor();
    expect((await stored()).chat).toBeNull();
    expect(complaints).toEqual([]);
  });

  test('what is used is listed by day, user and token', async () => {
    await at.use('openai-compatible');
    await at.openAi().chat.completions.create({
      model: 'large',
      messages: [{ role: 'user', content: 'Hello?' }],
    });
    // Numbers are written once a minute, and shown as they are at once.
    await using opened = await browser.signedInPage(at.people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const row = page.getByRole('table', { name: 'Usage of models' }).getByRole('row').nth(1);
    await row.getByText('ann').waitFor();
    await row
      .getByText(/^LLM router, (large|small): \d+$/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test('people see what they have used, and what is left', async () => {
    await at.use('openai-compatible', { tokensPerUserAndDay: 2_000 });
    await at.openAi().chat.completions.create({
      model: 'large',
      messages: [{ role: 'user', content: 'Hello?' }],
    });
    await using opened = await browser.signedInPage(at.people.workspace, {
      path: '#/preferences',
      userName: 'ann',
      password: PASSWORD,
    });
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'Your usage of models' });
    await card.getByRole('progressbar', { name: /of 2,000 tokens are left$/ }).waitFor();
    await card.getByText('64 requests at a time, 1,000 a minute').waitFor();
    const table = card.getByRole('table', { name: 'Your usage of models today' });
    const row = table.getByRole('row', { name: /^LLM router large \d/ });
    await row.waitFor();
    await expectAccessibleInBothThemes(page);
    await page.goto(page.url().replace(/#.*/, '#/chat'));
    await page.getByRole('link', { name: /^[\d,]+ tokens left today$/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('budgets of a month are set with prices, and their users see what is left', async () => {
    await at.use('openai-compatible');
    await using opened = await browser.signedInPage(at.people.workspace, {
      path: '#/assistant/budgets',
    });
    const { page, complaints } = opened;
    await page.getByText('No budgets yet').waitFor();
    await page.getByRole('button', { name: 'Add a budget' }).click();
    const limit = page.getByRole('group', { name: 'Budget 1' });
    await page.getByRole('button', { name: 'Save the budgets' }).click();
    await limit.getByText('Enter tokens or money.').waitFor();
    await expectAccessibleInBothThemes(page);
    await limit.getByLabel('Tokens a month').fill('5000000');
    await limit.getByLabel('Refuse requests that do not fit').uncheck();
    await page.getByRole('button', { name: 'Add a price' }).click();
    const prices = page.getByRole('group', { name: 'Prices of a million tokens' });
    await prices.getByLabel('Model').fill('*');
    await prices.getByLabel('Input').fill('0.5');
    await prices.getByLabel('Output').fill('2');
    await page.getByRole('textbox', { name: 'Currency' }).fill('USD');
    await page.getByRole('button', { name: 'Save the budgets' }).click();
    const row = page.getByRole('row', { name: /Everybody.*Only warns.*of 5,000,000/ });
    await row.getByText('Has room').waitFor();
    await expectAccessibleInBothThemes(page);
    const { json } = await at.people.as('admin', 'GET', '/api/llm/budgets');
    expect(json).toMatchObject({
      currency: 'USD',
      prices: { '*': { inputPerMillion: 0.5, outputPerMillion: 2 } },
      budgets: [{ team: null, tokens: 5_000_000, money: null, softPercent: 80, isHard: false }],
    });
    await page.getByRole('button', { name: 'Remove budget 1' }).click();
    await page.getByRole('button', { name: 'Save the budgets' }).click();
    await page.getByText('No budgets yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('further providers of chat are added, changed and removed', async () => {
    await at.use('openai-compatible');
    await using opened = await browser.signedInPage(at.people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'Further providers of chat' });
    await card.getByText('None: the first provider has all models.').waitFor();
    await card.getByRole('button', { name: 'Add provider' }).click();
    const adding = page.getByRole('dialog', { name: 'Add provider' });
    await adding.getByRole('textbox', { name: 'Name' }).fill('local');
    await adding.getByLabel('Address').fill('http://127.0.0.1:11434/v1');
    const add = adding.getByRole('button', { name: 'Add provider' });
    await add.click();
    await adding.getByText('Enter at least one model.').waitFor();
    await adding.getByLabel('Models').fill('large');
    await add.click();
    await adding.getByText('must be of no other one: "large"').waitFor();
    await expectAccessibleInBothThemes(page);
    await adding.getByLabel('Models').fill('tiny');
    await adding.getByLabel('Key').fill(PROVIDER_KEY);
    await add.click();
    await page.getByText('The provider is added').waitFor();
    const row = card.getByRole('row').filter({ hasText: 'tiny' });
    await row.getByText('Not asked yet').waitFor();
    await expectAccessibleInBothThemes(page);

    await card.getByRole('button', { name: 'Change local' }).click();
    const changing = page.getByRole('dialog', { name: 'Change “local”' });
    await changing.getByLabel('Tokens of an answer').fill('77');
    await changing.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The provider is changed').waitFor();
    expect((await stored()).furtherChat).toMatchObject([
      { name: 'local', models: ['tiny'], tokensPerAnswer: 77, hasApiKey: true },
    ]);

    await card.getByRole('button', { name: 'Remove local' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove the provider “local”?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await card.getByText('None: the first provider has all models.').waitFor();
    expect((await stored()).furtherChat).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a provider of embeddings is set up', async () => {
    await using opened = await browser.signedInPage(at.people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const card = page.getByRole('region', { name: 'Embeddings' });
    await card.getByLabel('Address of embeddings').fill('not an address');
    await card.getByLabel('Model of embeddings').fill('m');
    const save = card.getByRole('button', { name: 'Save the provider of embeddings' });
    await save.click();
    await card.getByText('must be an http or https URL').waitFor();
    await card.getByLabel('Address of embeddings').fill(at.provider.url);
    await card.getByLabel('Key', { exact: true }).fill('secret');
    await save.click();
    await page.getByText('The provider of embeddings is saved').waitFor();
    expect((await stored()).embeddings).toMatchObject({ model: 'm', hasApiKey: true });
    await card.getByLabel('Remove the key that is set').check();
    await save.click();
    await expect.poll(async () => (await stored()).embeddings).toMatchObject({ hasApiKey: false });
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await browser.signedInPage(at.people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByLabel('Address of chat').isDisabled()).toBe(true);
  });
});
