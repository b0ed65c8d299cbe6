import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/admin/schema?tab=indexes';
const BOOKS = 8;

describe.skipIf(requireChromium())('the indexes on the page of the schema', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('auditor', { isReadOnlyAdmin: true });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const fill = async (): Promise<void> => {
    const fields = { Year: 'Int', Title: 'String', Isbn: 'String', Tags: 'String[]' };
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Book', key: 'Number', fields }],
      edges: [],
    });
    const operations = Array.from({ length: BOOKS }, (_, i) => ({
      op: 'addOrUpdate',
      type: 'Book',
      key: `b${i}`,
      fields: { Year: 2000 + (i % 3), Title: `Title ${i}`, Isbn: i < 2 ? 'same' : `isbn ${i}` },
    }));
    const { status, text } = await people.as('admin', 'POST', '/api/ingest', { operations });
    expect(status, text).toBe(200);
  };

  const openDialog = async (page: Page) => {
    await page.getByRole('button', { name: 'Add index' }).click();
    return page.getByRole('dialog', { name: 'Add index' });
  };

  test('one is added in the order that was chosen, gets ready, and is removed', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No indexes yet').waitFor();
    expect(await page.getByRole('button', { name: 'Add index' }).isDisabled()).toBe(true);
    await expectAccessibleInBothThemes(page);
    await fill();
    await page.reload();

    const dialog = await openDialog(page);
    const first = dialog.getByLabel('Field 1', { exact: true });
    const another = dialog.getByRole('button', { name: 'Add a field' });
    await first.selectOption('Tags');
    await dialog.getByText('Tags is String[], which can only be indexed alone').waitFor();
    await dialog.getByText('Finds nodes whose Tags has a certain item').waitFor();
    expect(await another.isDisabled()).toBe(true);
    await first.selectOption('Timestamp');
    expect(await dialog.getByLabel('Unique').isDisabled()).toBe(true);
    await first.selectOption('Year');
    await another.click();
    const second = dialog.getByLabel('Field 2', { exact: true });
    expect(await second.getByRole('option').allInnerTexts()).toEqual([
      'Choose a field',
      'Number: String',
      'Title: String',
      'Isbn: String',
      'Timestamp: Time',
    ]);
    expect(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await second.selectOption('Title');
    await dialog.getByText('among these by a value or a range of Title').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /Book.*Year: Int.*Title: String.*Ready.*8/ });
    await row.waitFor();
    await expectAccessibleInBothThemes(page);

    await row.getByRole('button', { name: 'Remove the index of Book over Year, Title' }).click();
    const question = page.getByRole('alertdialog', {
      name: 'Remove the index of Book over Year, Title?',
    });
    await question.getByText('then read every Book node again').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: /^Remove/ }).click();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No indexes yet').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/schema');
    expect(json).toMatchObject({ nodes: [{ type: 'Book' }] });
    expect(Object(json).nodes[0].indexes ?? []).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the dialog shows what the server refuses, and that one is there already', async () => {
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Book', fields: {}, indexes: [{ field: 'Year' }] }],
      edges: [],
    });
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page } = opened;
    await page.getByRole('row', { name: /Year: Int.*Ready/ }).waitFor();
    const dialog = await openDialog(page);
    await dialog.getByLabel('Field 1', { exact: true }).selectOption('Year');
    await dialog.getByText('Book has this index already').waitFor();
    const add = dialog.getByRole('button', { name: 'Add', exact: true });
    expect(await add.isDisabled()).toBe(true);
    await dialog.getByLabel('Unique').check();
    await add.click();
    const refusal = dialog.getByRole('alert');
    await refusal.getByText('The index was not added').waitFor();
    await refusal.getByText('Remove the index, then add it as a unique one').waitFor();
    await expectAccessible(page);
  });

  test('a unique one that cannot be is told of, with the job that says why', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    const dialog = await openDialog(page);
    await dialog.getByLabel('Field 1', { exact: true }).selectOption('Isbn');
    await dialog.getByLabel('Unique').check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const failure = page
      .getByRole('status')
      .filter({ hasText: 'The index of Book (Isbn) was not built' });
    await failure.getByText('Other nodes have the same values as these').waitFor();
    const sharing = failure.getByRole('list', { name: 'Nodes that share a value' });
    const node = sharing.getByRole('link', { name: /^Title [01]$/ });
    await node.first().waitFor();
    expect(await sharing.getByRole('link').count()).toBe(await node.count());
    await page.getByRole('row', { name: /Isbn/ }).waitFor({ state: 'detached' });
    await expectAccessibleInBothThemes(page);
    await failure.getByRole('link', { name: 'Show the job' }).click();
    const job = page.getByRole('dialog', { name: 'Building an index of a field' });
    await job.getByText('occur more than once').waitFor();

    await page.goBack();
    await node.first().click();
    await page.getByRole('heading', { name: /^Title [01]$/ }).waitFor();
    await page.goBack();
    await failure.getByRole('button', { name: 'Dismiss' }).click();
    await failure.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('one that is being built says how far it is, and gets ready by itself', async () => {
    const building = { field: 'Title', state: 'building', entries: 5 };
    const waiting = { field: 'Year', state: 'building', entries: 5 };
    const job = {
      id: 'job',
      kind: 'schema-index',
      state: 'running',
      progress: 0.5,
      step: 'Book (Title): 5 of 10 nodes',
      isCancellable: true,
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: null,
    };
    let isBuilt = false;
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/jobs' });
    const { page } = opened;
    // The server is done with a few nodes before anybody sees it.
    await page.route('**/api/schema', async (route) => {
      const indexes = isBuilt
        ? [waiting, { ...building, state: 'ready', entries: 10 }]
        : [waiting, building];
      const fields = { Title: 'String', Year: 'Int' };
      await route.fulfill({ json: { nodes: [{ type: 'Book', fields, indexes }], edges: [] } });
    });
    await page.route('**/api/jobs?kind=schema-index*', async (route) => {
      const list = isBuilt ? [] : [job];
      await route.fulfill({ json: { items: list, total: list.length, skip: 0, take: 50 } });
    });
    await page.goto(`${people.workspace.server.url}/${PATH}`);
    const row = page.getByRole('row', { name: /Title: String/ });
    await row.getByText('Building', { exact: true }).waitFor();
    const bar = row.getByRole('progressbar', { name: '5 of 10 nodes' });
    await bar.getByText('50%').waitFor();
    const next = page.getByRole('row', { name: /Year: Int.*Building/ });
    expect(await next.getByRole('progressbar').count()).toBe(0);
    await expectAccessibleInBothThemes(page);
    isBuilt = true;
    // Whatever has changed, the server tells of it.
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Told', fields: {} }],
      edges: [],
    });
    await row.getByText('Ready', { exact: true }).waitFor();
    expect(await row.getByRole('progressbar').count()).toBe(0);
  });

  test('who may only look, sees them and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      userName: 'auditor',
      path: PATH,
    });
    const { page } = opened;
    const row = page.getByRole('row', { name: /Book.*Year: Int.*Ready/ });
    expect(await row.getByRole('button', { name: /^Remove/ }).isDisabled()).toBe(true);
    const add = page.getByRole('button', { name: 'Add index' });
    expect(await add.isDisabled()).toBe(true);
    expect(await add.getAttribute('title')).toContain('read-only administrator');
    const failed = await people.as('admin', 'GET', '/api/jobs?kind=schema-index&state=failed');
    expect(items(failed)).toHaveLength(1);
    await page.getByText('The index of Book (Isbn) was not built').waitFor();
  });
});
