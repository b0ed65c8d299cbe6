import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, type SignedInOptions, useBrowser } from '../support/browser.ts';
import { DefinitionsScene } from '../support/definitions-scene.ts';
import { requireChromium } from '../support/requires.ts';
import { People } from '../support/people.ts';

const code = (answer: number): string => `export default async () => ${answer};\n`;

describe.skipIf(requireChromium())('the page of deployments', () => {
  const browser = useBrowser();
  let people: People;
  let at: DefinitionsScene;
  beforeAll(async () => {
    people = await People.start();
    await people.add('auditor', { isReadOnlyAdmin: true });
    at = new DefinitionsScene(people.workspace);
  });
  afterAll(() => people[Symbol.asyncDispose]());
  const open = (options: SignedInOptions = {}) =>
    browser.signedInPage(people.workspace, { path: '#/admin/deployments', ...options });
  const answer = async (): Promise<string> => (await at.ok('GET', '/api/endpoints/answer')).code;

  test('says how the first is made', async () => {
    await using opened = await open();
    await opened.page.getByText('No deployments yet').waitFor();
    await expectAccessible(opened.page);
    expect(opened.complaints).toEqual([]);
  });

  test('shows what was deployed, and goes back after a look and a question', async () => {
    await at.import({ 'endpoints/answer.ts': code(1) });
    await at.import({ 'endpoints/answer.ts': code(2), 'endpoints/more.ts': code(3) });
    await using opened = await open();
    const { page, complaints } = opened;
    const rows = page.getByRole('table', { name: 'Deployments' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(4);
    await rows.nth(1).getByText('1 new, 1 changed, 0 deleted').waitFor();
    expect(await rows.nth(3).innerText()).toContain('Made by hand');
    await rows
      .nth(2)
      .getByRole('button', { name: /^Show the deployment of/ })
      .click();
    const panel = page.getByRole('dialog', { name: 'Deployment' });
    await panel.getByRole('list', { name: 'What it changed' }).getByText('answer').waitFor();
    await panel.getByRole('button', { name: 'Show what going back would change' }).click();
    const plan = panel.getByRole('list', { name: 'What going back would change' });
    await plan.getByText('more', { exact: true }).waitFor();
    await expectAccessible(page);
    expect(await answer()).toBe(code(2));

    await panel.getByRole('button', { name: 'Go back' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('0 new, 1 changed, 1 deleted, as one commit.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await answer()).toBe(code(2));
    await panel.getByRole('button', { name: 'Go back' }).click();
    await question.getByRole('button', { name: 'Go back' }).click();
    await panel.getByRole('log', { name: 'Log of the rollback' }).getByText('"more"').waitFor();
    await panel.getByText('Done', { exact: true }).waitFor();
    expect(await answer()).toBe(code(1));
    await page.keyboard.press('Escape');
    await rows.nth(1).getByText('Rollback').waitFor();
    expect(complaints).toEqual([]);
  });

  test('fits a phone in the dark, and lets a read-only administrator look', async () => {
    await using opened = await open({
      userName: 'auditor',
      viewport: { width: 390, height: 800 },
      colorScheme: 'dark',
    });
    const { page, complaints } = opened;
    await page
      .getByRole('button', { name: /^Show the deployment of/ })
      .first()
      .click();
    const panel = page.getByRole('dialog', { name: 'Deployment' });
    await panel.getByText('you are a read-only administrator').waitFor();
    const look = panel.getByRole('button', { name: 'Show what going back would change' });
    expect(await look.isDisabled()).toBe(true);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBe(0);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
