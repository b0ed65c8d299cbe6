import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const NARROW = { width: 390, height: 800 };

async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  await page
    .getByLabel('CSV or JSONL file')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
}

/** The lines of the file that the page offers. */
async function skippedLines(page: Page): Promise<string[]> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the skipped rows' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/-skipped\.csv$/);
  return (await readFile(await download.path(), 'utf8')).split('\r\n');
}

describe.skipIf(requireChromium())('the import page', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const opened = () =>
    browser.signedInPage(people.workspace, { path: '#/admin/import', viewport: NARROW });
  const start = (page: Page) => page.getByRole('button', { name: 'Import', exact: true }).click();
  const countOf = async (type: string) =>
    (await people.as('admin', 'POST', '/api/node/query', { type })).json;

  test('wrong rows stop it before a type is made, or are skipped and come as a file', async () => {
    await using browsed = await opened();
    const { page, complaints } = browsed;
    const lines = [
      'id,name,year',
      '1,Nautilus,1870',
      '2,Argo,long ago',
      ',Nameless,1900',
      '4,Beagle,1820,surplus',
      '1,Nautilus,1871',
    ];
    await choose(page, 'vessels.csv', lines.join('\n'));
    await page.getByLabel('Type of year').selectOption('Int');
    const preview = page.getByRole('table', { name: 'Preview of the nodes' });
    await preview.getByRole('columnheader', { name: 'year: Int' }).waitFor();
    await preview.getByRole('row', { name: /2 2\s*Is wrong Argo long ago/ }).waitFor();
    await page.getByText('Row 5 has the key of row 1').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await expectAccessible(page);

    await start(page);
    await page.getByText('The import stopped after 0 rows').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/schema');
    expect(JSON.stringify(json)).not.toContain('Vessels');

    await page.getByLabel('Skip rows that are wrong').check();
    await start(page);
    // Row 5 changes what row 1 has made.
    await page.getByText('2 rows are stored. Nodes: 1 new, 1 changed.').waitFor();
    await page
      .getByRole('region', { name: 'Outcome of the import' })
      .and(page.locator(':focus'))
      .waitFor();
    await page.getByText('3 rows were skipped').waitFor();
    expect(await skippedLines(page)).toEqual([
      'id,name,year,Column 4,Reason',
      '2,Argo,long ago,,Row 2: “long ago” in “year” is not of the type Int',
      ',Nameless,1900,,Row 3: there is no key in “id”',
      '4,Beagle,1820,surplus,"Row 4: has 4 values, and there are 3 columns"',
    ]);
    await expectAccessible(page);
    expect(await countOf('Vessels')).toMatchObject({
      total: 1,
      items: [expect.objectContaining({ Id: '1', year: 1871 })],
    });
    await page.getByRole('link', { name: 'Show them as a table' }).click();
    await page.getByRole('main').getByText('Nautilus').first().waitFor();
    expect(page.url()).toContain('#/data/Vessels');
    // The key has no name of its own there.
    await page.getByRole('searchbox', { name: 'Filter Id' }).fill('=1');
    await page.keyboard.press('Enter');
    await page.getByText('1 node', { exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'Nautilus' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('rows that only the server refuses are skipped too, the others stay', async () => {
    await using browsed = await opened();
    const { page } = browsed;
    const rows = Array.from({ length: 1_200 }, (_, at) => ({
      id: `n${at}`,
      at: at === 0 || at === 700 ? { lat: 91, lon: 0 } : { lat: 1, lon: 2 },
    }));
    await choose(page, 'spots.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    await page.getByLabel('Type of at').selectOption('GeoPoint');
    await page.getByLabel('Skip rows that are wrong').check();
    await start(page);
    await page.getByText('1,198 rows are stored').waitFor();
    await page.getByText('2 rows were skipped').waitFor();
    const lines = await skippedLines(page);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^n700,"{""lat"":91,""lon"":0}","?Row 701: .+/);
    expect(await countOf('Spots')).toMatchObject({ total: 1_198 });
  });

  test.each([
    ['an empty one', '', 'The file has no rows'],
    ['one of a heading alone', 'id,name\n', 'The file has no rows'],
    ['one in Latin-1', Buffer.from('id\nJ\xF6rg', 'latin1'), 'The file is not text in UTF-8'],
  ])('says what is wrong with a file: %s', async (_what, content, message) => {
    await using browsed = await opened();
    await choose(browsed.page, 'file.csv', content);
    await browsed.page.getByRole('alert').getByText(message).waitFor();
  });
});
