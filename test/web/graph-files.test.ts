import { readFile } from 'node:fs/promises';
import { nodeUid } from '@trellis/client/uid.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { ADA, BOB, button, fillWithAuthors, statusOf } from '../support/drawn-authors.ts';
import { largeGraph } from '../support/large-graph.ts';
import { requireChromium } from '../support/requires.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

async function fromMenu(page: Page, menu: string, item: string | RegExp): Promise<void> {
  await button(page, menu).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** What a menu gives as a file. */
async function exported(page: Page, format: string): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await fromMenu(page, 'Export', new RegExp(`^${format}`));
  const file = await download;
  expect(file.suggestedFilename()).toBe(`graph.${format.toLowerCase()}`);
  return readFile(await file.path());
}

const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/json', buffer });

describe.skipIf(requireChromium())('what is kept of the graph', () => {
  const browser = useBrowser();
  let at: TestWorkspace;
  beforeAll(async () => {
    at = await startWorkspace();
    await fillWithAuthors(at);
  });
  afterAll(() => at[Symbol.asyncDispose]());

  const open = (search: string) => browser.signedInPage(at, { path: `#/graph${search}` });

  test('a layout is saved, opened again and deleted', async () => {
    await using opened = await open(`?node=${BOB}&view=table`);
    const { page } = opened;
    await statusOf(page, '3 nodes').waitFor();
    await fromMenu(page, 'Save and open', /^Save layout/);
    const saving = page.getByRole('dialog', { name: 'Save layout' });
    await button(saving, 'Save').click();
    await saving.getByText('Give it a name.').waitFor();
    await saving.getByRole('textbox', { name: 'Name' }).fill('Bob’s books');
    await button(saving, 'Save').click();
    await saving.waitFor({ state: 'hidden' });

    await page.reload();
    await statusOf(page, '3 nodes').waitFor();
    await button(page, 'Clear the drawing').click();
    await fromMenu(page, 'Save and open', 'Saved layouts');
    const saved = page.getByRole('dialog', { name: 'Saved layouts' });
    await button(saved, 'Open Bob’s books').click();
    await statusOf(page, '3 nodes and 2 edges.').waitFor();
    await fromMenu(page, 'Save and open', 'Saved layouts');
    await button(saved, 'Delete Bob’s books').click();
    await button(page.getByRole('alertdialog'), 'Delete').click();
    await saved.getByText('No saved layouts yet').waitFor();
  });

  test('a link shows others the same picture', async () => {
    await using opened = await open(`?node=${BOB}`);
    const { page } = opened;
    await statusOf(page, '3 nodes').waitFor();
    await fromMenu(page, 'Save and open', 'Share as a link');
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    await using other = await open(link.slice(link.indexOf('#/graph') + '#/graph'.length));
    await statusOf(other.page, '3 nodes and 2 edges.').waitFor();
    expect(other.complaints).toEqual([]);
  });

  test.each([
    [`?node=${nodeUid('Author', 'Nobody')}`, 'These nodes do not exist'],
    ['?layout=abcd', 'The link is damaged'],
  ])('says what is wrong with the address %s', async (search, message) => {
    await using opened = await open(search);
    const alert = opened.page.getByRole('alert');
    await alert.getByText(message).waitFor();
  });

  test('is exported as JSON, SVG and PNG, and opened from a file', async () => {
    await using opened = await open(`?node=${ADA}`);
    const { page, complaints } = opened;
    await statusOf(page, '26 nodes').waitFor();
    const json = await exported(page, 'JSON');
    expect(JSON.parse(json.toString())).toMatchObject({ format: 'trellis-graph', version: 1 });
    const svg = (await exported(page, 'SVG')).toString();
    expect(svg.match(/<circle /g)).toHaveLength(26);
    expect(svg.match(/<line /g)).toHaveLength(25);
    expect(svg).toContain('&quot;Stars&quot; &lt;b&gt;&amp; planets&lt;/b&gt;');
    const png = await exported(page, 'PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');

    const input = page.locator('input[type=file]');
    await input.setInputFiles(fileOf('wrong.json', Buffer.from('{"nodes": []}')));
    await page.getByText('This is not a graph file of version 1.').first().waitFor();
    await button(page, 'Clear the drawing').click();
    await input.setInputFiles(fileOf('graph.json', json));
    await statusOf(page, '26 nodes and 25 edges.').waitFor();
    await button(page, 'Undo: open graph.json').waitFor();
    expect(complaints).toEqual([]);
  });

  test('10,000 nodes and 30,000 edges are opened, moved and laid out', async () => {
    await using opened = await open('');
    const { page, complaints } = opened;
    await page.getByText('Nothing is drawn yet').waitFor();
    await page.locator('input[type=file]').setInputFiles(fileOf('large.json', largeGraph()));
    await statusOf(page, '10,000 nodes and 30,000 edges.').waitFor();
    const picture = page.getByRole('application');
    await picture.focus();
    for (const key of ['+', 'ArrowLeft', 'ArrowUp', '0']) await page.keyboard.press(key);
    await button(page, 'Run force layout').click();
    await button(page, 'Stop layout').click();
    await page.getByRole('link', { name: 'Table' }).click();
    await page.getByRole('region', { name: 'Edges (30,000)' }).waitFor();
    const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row');
    expect(await rows.count()).toBe(101);
    expect(complaints).toEqual([]);
  });
});
