import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/manage/access/tokens';
const HOSTILE = ['a "quoted" name', '<script>alert(1)</script>', 'رمز الواجهة'] as const;

describe.skipIf(requireChromium())('the page of tokens', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann', { firstName: 'Ann', lastName: 'Lee' });
    await people.add('rita', { isReadOnlyAdmin: true });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const listed = async (query = '') =>
    items(await people.as('admin', 'GET', `/api/tokens?take=1000${query}`));

  const addToken = async (page: Page, variant: string) => {
    await page.getByRole('button', { name: 'Add token' }).click();
    await page.getByRole('menuitem', { name: new RegExp(`^${variant}`) }).click();
    return page.getByRole('dialog', { name: `Add token: ${variant}` });
  };

  const chooseAnn = async (page: Page) => {
    await page.getByRole('combobox', { name: 'Acts as' }).fill('ann');
    await page.getByRole('option', { name: /Ann Lee/ }).click();
    await page.getByRole('button', { name: 'Remove Ann Lee' }).waitFor();
  };

  test('an API token is made, its value shown once, and revoked', async () => {
    const name = 'nightly, import';
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
    });
    const { page, complaints } = opened;
    const dialog = await addToken(page, 'API');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Give the token a name.').waitFor();
    await dialog.getByText('Choose at least one scope.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('ingestion', { exact: true }).check();
    await dialog.getByLabel('Expires').selectOption('never');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('it cannot be read again').waitFor();
    await expectAccessibleInBothThemes(page);
    const value = await page.getByLabel('Value of the token').innerText();
    await page.getByRole('button', { name: 'Done' }).click();

    const { http } = people.workspace;
    const read = () => http.send({ path: '/api/schema', token: value });
    expect((await read()).status).toBe(200);
    expect(await listed()).toContainEqual(
      expect.objectContaining({ name, kind: 'api', scopes: ['ingestion'], expiresAt: null }),
    );
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByText('Valid').waitFor();
    await row.getByText('by Administrator').waitFor();

    await row.getByRole('button', { name: `Revoke ${name}` }).click();
    const question = page.getByRole('alertdialog', { name: `Revoke the token “${name}”?` });
    await expectAccessibleInBothThemes(page);
    await question.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    expect((await read()).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('each other kind asks for what it needs, and no more', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const finish = async () => {
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('button', { name: 'Done' }).click();
    };
    for (const [variant, name] of [
      ['Data connector', 'connector'],
      ['Automation service', 'automation'],
      ['Interface upload', 'interface'],
    ] as const) {
      const dialog = await addToken(page, variant);
      expect(await dialog.getByRole('combobox', { name: 'Acts as' }).count()).toBe(0);
      await dialog.getByLabel('Name').fill(name);
      await finish();
    }
    for (const [variant, name] of [
      ['LLM router, OpenAI style', 'llm-openai'],
      ['LLM router, Anthropic style', 'llm-anthropic'],
      ['MCP', 'mcp'],
    ] as const) {
      const dialog = await addToken(page, variant);
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Create token' }).click();
      await dialog.getByText('Choose the user that the token acts as.').waitFor();
      await chooseAnn(page);
      await finish();
    }
    const dialog = await addToken(page, 'Endpoint');
    await dialog.getByLabel('Name').fill('endpoint');
    await dialog.getByLabel('Path').fill('/analytics');
    await dialog.getByLabel('Expires').selectOption('at');
    await dialog.getByLabel('Time of expiry').fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Enter the name of an endpoint').waitFor();
    await dialog.getByText('Choose a time in the future.').waitFor();
    await dialog.getByLabel('Path').fill('analytics/');
    await dialog.getByLabel('Time of expiry').fill('2100-01-01T00:00');
    await chooseAnn(page);
    await finish();

    const actingUser = people.uid('ann');
    const made = Object.fromEntries((await listed()).map((token) => [token['name'], token]));
    expect(made).toMatchObject({
      connector: { kind: 'connector', scopes: ['ingestion'] },
      automation: { kind: 'automation', scopes: ['endpoints:run', 'admin:tasks'] },
      interface: { kind: 'interface', scopes: [] },
      'llm-openai': { kind: 'llm-openai', actingUser },
      'llm-anthropic': { kind: 'llm-anthropic', actingUser },
      mcp: { kind: 'mcp', actingUser },
      endpoint: {
        kind: 'endpoint',
        path: 'analytics/',
        actingUser,
        expiresAt: '2100-01-01T00:00:00.000Z',
      },
    });
    const row = page.getByRole('row', { name: /analytics/ });
    await row.getByText('as Ann Lee').waitFor();
    expect(complaints).toEqual([]);
  });

  test('kinds, revoked ones and pages stand in the address; names are texts', async () => {
    for (const name of HOSTILE) {
      await people.as('admin', 'POST', '/api/tokens', { kind: 'interface', name });
    }
    for (let i = 0; i < 50; i++) {
      await people.as('admin', 'POST', '/api/tokens', {
        kind: 'api',
        name: `bulk ${i}`,
        scopes: ['read'],
      });
    }
    const path = `${PATH}?kind=interface`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    for (const name of HOSTILE) await page.getByText(name, { exact: true }).waitFor();
    expect(await page.getByText('bulk').count()).toBe(0);
    await page.getByRole('button', { name: `Revoke ${HOSTILE[1]}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Show').selectOption('Not revoked');
    await expect.poll(() => page.getByRole('row', { name: HOSTILE[1] }).count()).toBe(0);
    expect(page.url()).toContain('show=valid');
    await page.getByLabel('Show').selectOption('Revoked');
    await page.getByRole('row', { name: HOSTILE[1] }).waitFor();

    await page.getByLabel('Kind').selectOption('All kinds');
    await page.getByLabel('Show').selectOption('All tokens');
    await page.getByText(/^1 to 50 of/).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(/^51 to/).waitFor();
    expect(page.url()).toContain('skip=50');
    await page.reload();
    await page.getByText(/^51 to/).waitFor();
    await page.goBack();
    await page.getByText(/^1 to 50 of/).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByRole('button', { name: 'Add token' }).isDisabled()).toBe(true);
    const revoke = page.getByRole('button', { name: /^Revoke/ }).first();
    expect(await revoke.isDisabled()).toBe(true);
  });

  test('a token whose user is deactivated is not called valid', async () => {
    const uid = await people.add('leaver');
    const token = { kind: 'mcp', name: 'of one who left', actingUser: uid };
    expect((await people.as('admin', 'POST', '/api/tokens', token)).status).toBe(201);
    await people.as('admin', 'POST', `/api/users/user/${uid}/deactivate`);
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const row = opened.page.getByRole('row', { name: /of one who left/ });
    // They end with the user, and for good.
    await row.getByText('Revoked', { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
