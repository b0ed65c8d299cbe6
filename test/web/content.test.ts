import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const CSV = ['id,name,pages,city', '1,"Dune, the book",412,Arrakis', '2,"He said ""no""",7,'].join(
  '\n',
);

describe.skipIf(requireChromium())('the pages of content', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('auditor', { isReadOnlyAdmin: true });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  test('a type is added, widened, and a change that would lose data is refused', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/schema' });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Node type' }).click();
    const dialog = page.getByRole('dialog', { name: 'New node type' });
    await dialog.getByLabel('Type', { exact: true }).fill('Ship');
    await dialog.getByRole('button', { name: 'Add a field' }).click();
    await dialog.getByLabel('Name of field 1').fill('Length');
    await dialog.getByLabel('Type of field Length').selectOption('Int');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The schema is saved').waitFor();
    await page.getByRole('row', { name: /Ship.*Length: Int/ }).waitFor();

    await page.getByRole('button', { name: 'Change Ship' }).click();
    const change = page.getByRole('dialog', { name: 'Change Ship' });
    await change.getByLabel('Type of field Length').selectOption('Bool');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.getByRole('alert').getByText('The schema was not changed').waitFor();
    await change.getByLabel('Type of field Length').selectOption('Long');
    await change.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Ship.*Length: Long/ }).waitFor();

    await page.getByRole('tab', { name: 'Picture' }).click();
    await page.getByRole('region', { name: 'Picture of the schema' }).getByText('Ship').waitFor();
    await page.getByText('No edges yet').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('the picture of the schema shows every connection, with its edges counted', async () => {
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: ['Port', 'Captain', 'Lonely'].map((type) => ({ type, fields: { Name: 'String' } })),
      edges: [{ type: 'SailedBy', inverse: 'Sails' }, { type: 'Knows' }],
    });
    const add = (type: string, key: string) => ({ op: 'addOrUpdate', type, key });
    const link = (edge: string, inverse: string | undefined, ...keys: readonly string[]) => ({
      op: 'link',
      from: { type: keys[0], key: keys[1] },
      edge,
      inverse,
      to: { type: keys[2], key: keys[3] },
    });
    const ports = Array.from({ length: 12 }, (_, at) => `port ${at}`);
    await people.as('admin', 'POST', '/api/ingest', {
      operations: [
        ...ports.map((key) => add('Port', key)),
        add('Captain', 'ann'),
        add('Captain', 'bob'),
        ...ports.map((key) => link('SailedBy', 'Sails', 'Port', key, 'Captain', 'ann')),
        // The one of its kind, at a node that no sample of a few would meet.
        link('Knows', undefined, 'Port', 'port 11', 'Port', 'port 0'),
        link('Knows', undefined, 'Captain', 'bob', 'Captain', 'ann'),
      ],
    });
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/schema?tab=picture',
    });
    const { page, complaints } = opened;
    const table = page.getByRole('table', { name: 'Connections between types' });
    await table.getByRole('row').nth(3).waitFor();
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      'From\tEdge\tTo\tEdges',
      'Port\tSailedBy (back: Sails)\tCaptain\t12',
      'Captain\tKnows\tCaptain\t1',
      'Port\tKnows\tPort\t1',
    ]);
    await page.getByText(/All \d+ edges are counted/).waitFor();
    const picture = page.getByRole('region', { name: 'Picture of the schema' });
    await picture.getByText('Lonely').waitFor();
    await picture.getByText('↻ Knows').first().waitFor();
    await picture
      .getByRole('listitem')
      .filter({ hasText: /^SailedBy\s*12$/ })
      .waitFor();
    await expectAccessibleInBothThemes(page);
    expect(complaints).toEqual([]);
  });

  test('rows of a file become nodes and edges', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/import' });
    const { page, complaints } = opened;
    const file = page.getByLabel('CSV or JSONL file');
    await file.setInputFiles({
      name: 'novels.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a,a\n1,2'),
    });
    await page.getByRole('alert').getByText('Two columns are called “a”').waitFor();

    await file.setInputFiles({
      name: 'novels.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(CSV),
    });
    await page.getByLabel('Use of city').selectOption('edge');
    await page.getByLabel('Edge type of city').fill('PlaysIn');
    await page.getByRole('row', { name: /Dune, the book.*PlaysIn → City Arrakis/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByText(/2 rows are stored. Nodes: 3 new, 0 changed. Edges: 1 new or changed./)
      .waitFor();
    await page.getByRole('link', { name: 'Search them' }).click();
    await page.getByRole('main').getByRole('link', { name: 'He said "no"' }).first().waitFor();
    const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'Novels' });
    expect(json).toMatchObject({
      total: 2,
      items: expect.arrayContaining([
        expect.objectContaining({ Id: '2', name: 'He said "no"', pages: 7 }),
      ]),
    });
    expect(complaints).toEqual([]);
  });

  test('an import stops where the server refuses, and names the row', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/import' });
    const { page } = opened;
    const rows = ['{"id":"1","at":"2024-01-01"}', '{"id":"2","at":[1]}'].join('\n');
    await page
      .getByLabel('CSV or JSONL file')
      .setInputFiles({ name: 'visits.jsonl', mimeType: 'text/plain', buffer: Buffer.from(rows) });
    await page.getByLabel('Type of at').selectOption('Time');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/Row 2: /)
      .waitFor();
    await page.getByText('The import stopped after 0 rows').waitFor();
  });

  test('what is searched is set, and found', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/search' });
    const { page } = opened;
    await page.getByLabel('Search Novels').check();
    await page.getByLabel('Words of Novels name').check();
    await page.getByLabel('Boost of Novels name').fill('3');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The search settings are saved').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/search/settings');
    expect(json).toMatchObject({
      types: { Novels: { searchable: true, fields: { name: { text: { boost: 3 } } } } },
    });
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'providers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
  });

  test('who may only look, cannot change', async () => {
    for (const path of ['#/admin/schema', '#/admin/import', '#/admin/search']) {
      await using opened = await browser.signedInPage(people.workspace, {
        userName: 'auditor',
        path,
      });
      const { page } = opened;
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path === '#/admin/schema') {
        const add = page.getByRole('button', { name: 'Node type' });
        expect(await add.isDisabled()).toBe(true);
        expect(await add.getAttribute('title')).toContain('read-only administrator');
      } else await page.getByText('you are a read-only administrator').first().waitFor();
    }
  });
});
