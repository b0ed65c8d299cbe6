import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser, type PageOptions } from '../support/browser.ts';
import {
  ADA,
  BOB,
  button,
  CARL,
  fillWithAuthors,
  ODD_TITLE,
  statusOf,
} from '../support/drawn-authors.ts';
import { requireChromium } from '../support/requires.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const PHONE = { width: 375, height: 740 };

async function pick(at: Page | Locator, page: Page, label: string, uid: string, name: string) {
  await at.getByRole('combobox', { name: label }).fill(uid);
  await page.getByRole('option', { name }).click();
}

describe.skipIf(requireChromium())('the graph', () => {
  const browser = useBrowser();
  let at: TestWorkspace;
  beforeAll(async () => {
    at = await startWorkspace();
    await fillWithAuthors(at);
  });
  afterAll(() => at[Symbol.asyncDispose]());

  const open = (search: string, options: PageOptions = {}) =>
    browser.signedInPage(at, { path: `#/graph${search}`, ...options });

  test('is expanded, collapsed and changed by steps, each of which can be undone', async () => {
    await using opened = await open(`?node=${ADA}&view=table`);
    const { page, complaints } = opened;
    await statusOf(page, '26 nodes and 25 edges.').waitFor();
    const panel = page.getByRole('region', { name: 'Ada' });
    await panel.getByText('25 of 30').waitFor();
    await panel.getByText('1815').waitFor();
    await button(panel, 'Show 5 by Wrote, outgoing').click();
    await statusOf(page, '31 nodes and 30 edges.').waitFor();
    expect(await button(panel, 'All shown by Wrote').isDisabled()).toBe(true);

    await button(page, 'Undo: expand Ada by Wrote').click();
    await statusOf(page, '26 nodes and 25 edges.').waitFor();
    await button(page, 'Redo: expand Ada by Wrote').click();
    await statusOf(page, '31 nodes and 30 edges.').waitFor();

    const nodes = page.getByRole('table', { name: 'Nodes' });
    await button(nodes, `Remove ${ODD_TITLE}`).click();
    await statusOf(page, '30 nodes and 29 edges.').waitFor();
    await button(page, 'Remove Wrote from Ada to Book 1').first().click();
    await statusOf(page, '30 nodes and 28 edges.').waitFor();
    await button(nodes, 'Pin Book 2').first().click();
    await nodes.getByText('pinned').waitFor();
    await button(nodes, 'Book 3').first().click();
    await page.getByRole('region', { name: 'Book 3' }).waitFor();
    await button(nodes, 'Collapse Ada').click();
    await statusOf(page, '1 node and 0 edges.').waitFor();
    await button(page, 'Undo: collapse Ada').click();
    await statusOf(page, '30 nodes and 28 edges.').waitFor();
    await button(page, 'Clear the drawing').click();
    await page.getByText('Nothing is drawn yet').waitFor();
    await pick(page, page, 'Node to add', BOB, 'Bob');
    await statusOf(page, '3 nodes and 2 edges.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Node to add' }).inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('types are hidden and shown, and the tables are filtered', async () => {
    await using opened = await open(`?node=${BOB},${CARL}&view=table`);
    const { page } = opened;
    await statusOf(page, '2 nodes and 0 edges.').waitFor();
    await button(page, 'Expand Bob').click();
    await statusOf(page, '4 nodes and 2 edges.').waitFor();
    const legend = page.getByRole('list', { name: 'Types of nodes' });
    await button(legend, 'Author 2').click();
    await statusOf(page, '1 type hidden.').waitFor();
    await page.getByRole('region', { name: 'Nodes (2)' }).waitFor();
    await page.getByRole('region', { name: 'Edges (0)' }).waitFor();
    await button(legend, 'Author 2').click();
    await page.getByRole('searchbox', { name: 'Filter the tables' }).fill('carl');
    await page.getByRole('region', { name: 'Nodes (1)' }).waitFor();
  });

  test.each([
    ['light', { width: 1_440, height: 900 }],
    ['dark', PHONE],
  ] as const)('is accessible as picture and as tables, %s', async (colorScheme, viewport) => {
    await using opened = await open(`?node=${BOB}`, { colorScheme, viewport });
    const { page, complaints } = opened;
    await page.getByRole('application', { name: /3 nodes and 2 edges.*Selected: Bob/ }).waitFor();
    await button(page, 'Run force layout').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    await page.getByRole('navigation', { name: 'Show as' }).getByText('Table').click();
    await page.getByRole('table', { name: 'Edges' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    await button(page, 'Find a path').click();
    await page.getByRole('dialog', { name: 'Find a path' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('the picture is used by mouse', async () => {
    await using opened = await open(`?node=${CARL}`);
    const { page, complaints } = opened;
    const picture = page.getByRole('application', { name: /Selected: Carl/ });
    await picture.waitFor();
    const box = await picture.boundingBox();
    // One node alone is in the middle.
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await picture.press('Escape');
    const panel = page.getByRole('region', { name: 'Carl' });
    await panel.waitFor({ state: 'hidden' });
    await page.mouse.dblclick(x, y);
    await panel.waitFor();
    await page.getByText('All neighbors of Carl are drawn').waitFor();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 30, { steps: 4 });
    await page.mouse.up();
    await button(page, 'Undo: move Carl').waitFor();
    await button(panel, 'Unpin').waitFor();
    await page.mouse.click(x - 150, y - 100);
    await panel.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('the picture is used by keyboard', async () => {
    await using opened = await open(`?node=${BOB}`);
    const { page, complaints } = opened;
    const picture = page.getByRole('application');
    await statusOf(page, '3 nodes and 2 edges.').waitFor();
    await picture.focus();
    const press = (key: string) => page.keyboard.press(key);
    await press('Escape');
    await page.getByRole('application', { name: /as text\.$/ }).waitFor();
    await press('n');
    await page.getByRole('application', { name: /Selected: Bob/ }).waitFor();
    await press('n');
    await page.getByRole('application', { name: /Selected: Book 29/ }).waitFor();
    for (const key of ['+', '-', '0', 'c', 'ArrowLeft', 'ArrowUp']) await press(key);
    await press('e');
    await statusOf(page, '4 nodes and 3 edges.').waitFor();
    await press('Delete');
    await statusOf(page, '3 nodes and 1 edge.').waitFor();
    await press('Control+z');
    await statusOf(page, '4 nodes and 3 edges.').waitFor();
    await press('Control+Shift+Z');
    await statusOf(page, '3 nodes and 1 edge.').waitFor();
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('Circle');
    await button(page, 'Undo: circle').waitFor();
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('By type');
    await button(page, 'Undo: layout by type').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a path is drawn and lifted out, or there is none', async () => {
    await using opened = await open(`?node=${ADA}&view=table`);
    const { page } = opened;
    await statusOf(page, '26 nodes').waitFor();
    await button(page, 'Find a path').click();
    const dialog = page.getByRole('dialog', { name: 'Find a path' });
    await button(dialog, 'Find').click();
    await dialog.getByText('Choose a node.').waitFor();
    await pick(dialog, page, 'To', CARL, 'Carl');
    await button(dialog, 'Find').click();
    await dialog.getByText('There is no path of at most 6 edges').waitFor();
    await pick(dialog, page, 'To', BOB, 'Bob');
    await button(dialog, 'Find').click();
    await page.getByText('One path is drawn').waitFor();
    await page.getByText('Ada → Book 29 → Bob').waitFor();
    const nodes = page.getByRole('table', { name: 'Nodes' });
    await expect.poll(() => nodes.getByText('on the path').count()).toBe(3);
    await button(page, 'Undo: path from Ada to Bob').click();
    await expect.poll(() => nodes.getByText('on the path').count()).toBe(0);
  });
});

describe.skipIf(requireChromium())('the graph without WebGL', () => {
  const browser = useBrowser(['--disable-3d-apis']);
  let at: TestWorkspace;
  beforeAll(async () => {
    at = await startWorkspace();
    await fillWithAuthors(at);
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test('says so and shows the tables', async () => {
    await using opened = await browser.signedInPage(at, { path: `#/graph?node=${BOB}` });
    const { page, complaints } = opened;
    await page.getByText('needs WebGL, which this browser does not have').waitFor();
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
