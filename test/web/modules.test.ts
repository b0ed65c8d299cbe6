import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { write } from '../support/code-editor.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const CALLS = `import { price } from '#lib/prices.ts';\nexport default async () => price;\n`;

describe.skipIf(requireChromium())('modules in the Build tree', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const endpoint = (method: string, path: string, body?: unknown) =>
    people.as('admin', method, `/api/endpoints/${path}`, body);

  test('a module is written, changed, restored and deleted', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/build' });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Add module' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add module' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('prices');
    const code = dialog.getByRole('textbox', { name: 'Code of the module' });
    await write(page, code, "export const price = '1' * 1;\n");
    await dialog
      .getByRole('list', { name: 'Problems' })
      .getByText(/left-hand side/)
      .waitFor();
    await write(page, code, 'export const price = 1;\n');
    await dialog.getByText('The code compiles').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'prices' }).waitFor();
    await endpoint('POST', 'create', { name: 'asks', code: CALLS });
    await page.getByRole('link', { name: 'prices' }).click();
    const shown = page.getByRole('dialog', { name: 'Module “prices”' });
    await shown.getByRole('link', { name: 'asks' }).waitFor();
    expect(await shown.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    const existing = shown.getByRole('textbox', { name: 'Code of the module' });
    await write(page, existing, 'export const cost = 1;\n');
    await shown.getByText('The code compiles').waitFor();
    await existing.press('ControlOrMeta+s');
    await page.getByText('It breaks asks').waitFor();
    await page.getByText('Does not compile').first().waitFor();
    expect((await endpoint('POST', 'run/asks', {})).json).toBe(1);
    await page.goto(page.url().replace(/#.*/, '#/admin/history'));
    await page.getByRole('button', { name: 'Restore version 1 of prices' }).click();
    const question = page.getByRole('alertdialog', { name: /Restore version 1 of the module/ });
    await question.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version 1 is restored').waitFor();
    await expect.poll(async () => Object((await endpoint('GET', 'asks')).json).compiles).toBe(true);
    await endpoint('DELETE', 'asks');
    await page.goto(page.url().replace(/#.*/, '#/admin/build?module=prices'));
    await shown.getByText('Nothing imports it.').waitFor();
    await expectAccessibleInBothThemes(page);
    await shown.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete the module “prices”?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('link', { name: 'prices' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});
