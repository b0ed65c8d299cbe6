import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/admin/schema';

describe.skipIf(requireChromium())('changes of a schema in use, on its page', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('auditor', { isReadOnlyAdmin: true });
    const ok = async (method: string, path: string, body: object) => {
      const { status, text } = await people.as('admin', method, path, body);
      expect([200, 201], text).toContain(status);
    };
    await ok('PUT', '/api/schema', {
      nodes: [{ type: 'Book', key: 'Isbn', fields: { Title: 'String', Year: 'String' } }],
      edges: [{ type: 'Cites', fields: { Page: 'Int' } }],
    });
    const book = (key: string, Year: string) => ({
      op: 'addOrUpdate',
      type: 'Book',
      key,
      fields: { Title: 'Emma', Year },
    });
    await ok('POST', '/api/ingest', { operations: [book('a', '1815'), book('b', 'unknown')] });
    const code = `export default async ({ q }: Scope) => q().startAt('Book').count();`;
    await ok('POST', '/api/endpoints/create', { name: 'books', code });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const openDialog = async (page: Page, type: string) => {
    const name = `Rename, retype or drop ${type}`;
    await page.getByRole('button', { name }).click();
    return page.getByRole('dialog', { name });
  };

  test('a type is renamed although code breaks, a field is retyped, and both are undone', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const rename = await openDialog(page, 'Book');
    const dryRun = rename.getByRole('button', { name: 'Dry run', exact: true });
    expect(await dryRun.isDisabled()).toBe(true);
    await rename.getByLabel('New name').fill('Work');
    await rename.getByLabel('New name').press('Enter');
    await rename.getByText('It concerns 2 nodes and 0 edges.').waitFor();
    await rename.getByText('It breaks one thing.').waitFor();
    const breaks = rename.getByRole('list', { name: 'What it breaks' });
    await breaks.getByText('There is no node type "Book".').waitFor();
    await expectAccessibleInBothThemes(page);
    // What the dry run said holds for this name alone.
    await rename.getByLabel('New name').fill('Opus');
    await breaks.waitFor({ state: 'detached' });
    await dryRun.click();
    await rename.getByRole('button', { name: 'Rename anyway' }).click();
    await rename.waitFor({ state: 'detached' });

    const retype = await openDialog(page, 'Opus');
    await retype.getByLabel('What').selectOption('Isbn');
    const deeds = retype.getByLabel('Change', { exact: true });
    expect(await deeds.getByRole('option').allInnerTexts()).toEqual(['Rename']);
    await retype.getByLabel('What').selectOption('Year');
    await deeds.selectOption('retype');
    await retype.getByLabel('New type').selectOption('Int');
    await retype.getByRole('button', { name: 'Dry run', exact: true }).click();
    await retype.getByText('Readers lose 1 value until it is undone.').waitFor();
    await retype.getByText('Nothing breaks.').waitFor();
    await retype.getByRole('button', { name: 'Give another type', exact: true }).click();
    await retype.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Opus.*Year: Int/ }).waitFor();

    await page.getByRole('tab', { name: 'Changes' }).click();
    const row = page.getByRole('row', { name: /^Give Opus\.Year the type Int/ });
    await row.getByText('Made', { exact: true }).waitFor();
    await page.getByRole('row', { name: /^Rename Book to Opus.*Forced/ }).waitFor();
    await expectAccessibleInBothThemes(page);
    await row.getByRole('button', { name: /^Undo/ }).click();
    const question = page.getByRole('alertdialog', { name: 'Undo this change?' });
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Undo' }).click();
    await row.getByText('Undone', { exact: true }).waitFor();
    const restored = page.getByRole('row', { name: /^Restore Opus\.Year/ });
    await restored.waitFor();
    expect(await restored.getByRole('button').count()).toBe(0);

    await page.getByRole('button', { name: 'Remove the former name Book of Opus' }).click();
    const removal = page.getByRole('alertdialog', { name: 'Remove the former name Book?' });
    await removal.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Former names' }).waitFor({ state: 'detached' });
    const undo = page.getByRole('button', { name: 'Undo: Rename Book to Opus' });
    await undo.click();
    await question.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('row', { name: /^Rename Opus to Book/ }).waitFor();
    const { json } = await people.as('admin', 'GET', '/api/schema');
    expect(json).toMatchObject({ nodes: [{ type: 'Book', fields: { Year: 'String' } }] });
    expect(complaints).toEqual([]);
  });

  test('on a phone a field of an edge is dropped; what the server refuses is shown', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      viewport: { width: 390, height: 800 },
    });
    const { page, complaints } = opened;
    const dialog = await openDialog(page, 'Cites');
    await dialog.getByLabel('New name').fill('not a name');
    await dialog.getByRole('button', { name: 'Dry run', exact: true }).click();
    await dialog.getByRole('alert').getByText('The dry run failed').waitFor();
    await dialog.getByLabel('What').selectOption('Page');
    const deeds = dialog.getByLabel('Change', { exact: true });
    expect(await deeds.getByRole('option').allInnerTexts()).toEqual(['Rename', 'Drop']);
    await deeds.selectOption('drop');
    await dialog.getByRole('button', { name: 'Dry run', exact: true }).click();
    const drop = dialog.getByRole('button', { name: 'Drop', exact: true });
    const box = await drop.boundingBox();
    expect(box !== null && box.x >= 0 && box.x + box.width <= 390).toBe(true);
    await expectAccessible(page);
    await drop.click();
    await dialog.waitFor({ state: 'detached' });
    const { json } = await people.as('admin', 'GET', '/api/schema');
    expect(Object(json).edges[0].fields ?? {}).toEqual({});
    expect(complaints).toEqual([]);
  });

  test('who may only look sees the changes and makes none', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'auditor',
      path: `${PATH}?tab=changes`,
    });
    const { page } = opened;
    const undo = page.getByRole('button', { name: 'Undo: Drop Cites.Page' });
    expect(await undo.isDisabled()).toBe(true);
    await page.getByRole('tab', { name: 'List' }).click();
    const change = page.getByRole('button', { name: 'Rename, retype or drop Cites' });
    expect(await change.isDisabled()).toBe(true);
  });
});
