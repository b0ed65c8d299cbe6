import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { filesIn, MANIFEST, type Files } from '../support/definitions-scene.ts';
import { CODE } from '../support/every-definition.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { zipOf } from '../support/zip.ts';

describe.skipIf(requireChromium())('the page of definitions', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('auditor', { isReadOnlyAdmin: true });
    await people.as('admin', 'POST', '/api/endpoints/create', { name: 'old/one', code: CODE });
  });
  afterAll(() => people[Symbol.asyncDispose]());
  const open = (userName = 'admin') =>
    browser.signedInPage(people.workspace, { path: '#/admin/definitions', userName });
  const fileOf = async (files: Files) => ({
    name: 'definitions.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(await zipOf({ ...MANIFEST, ...files })),
  });

  test('downloads everything custom, also for who may only look', async () => {
    await using opened = await open('auditor');
    const { page, complaints } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByLabel('Zip file').isDisabled()).toBe(true);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('definitions.zip');
    const files = await filesIn(await readFile(await download.path()));
    expect(files['endpoints/old/one.ts']).toBe(CODE);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('shows what an import would change, and then does it', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const look = page.getByRole('button', { name: 'Show what it would change' });
    expect(await look.isDisabled()).toBe(true);
    const files = {
      'endpoints/new/one.ts': CODE,
      'endpoints/broken.ts': 'export default () => nothing;\n',
      'endpoints/broken.json': '{"isReadOnly": true}',
      'README.md': '',
    };
    await page.getByLabel('Zip file').setInputFiles(await fileOf(files));
    await look.click();
    const preview = page.getByRole('list', { name: 'What it would change' });
    const items = preview.getByRole('listitem');
    await items.filter({ hasText: 'new/one' }).getByText('New', { exact: true }).waitFor();
    await items.filter({ hasText: 'broken' }).getByText('not_read_only').waitFor();
    await preview.getByRole('region', { name: 'What changes in endpoint new/one' }).waitFor();
    await page.getByText('Left out: README.md').waitFor();
    await page.getByText('1 new, 0 changed, 0 deleted, 0 unchanged, 1 failed.').waitFor();
    await expectAccessible(page);
    expect((await people.as('admin', 'GET', '/api/endpoints/new/one')).status).toBe(404);

    // What is looked at is what is done.
    await page.getByLabel('Also delete what is not in the file').check();
    await expect.poll(() => preview.count()).toBe(0);
    await look.click();
    await items.filter({ hasText: 'old/one' }).getByText('Deleted').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    const log = page.getByRole('log', { name: 'Log of the import' });
    await log.getByText('Nothing was changed: 1 of 3 definitions failed.').waitFor();
    await page.getByText('Nothing was changed', { exact: true }).waitFor();
    expect((await people.as('admin', 'GET', '/api/endpoints/new/one')).status).toBe(404);

    await page.getByLabel('Zip file').setInputFiles(await fileOf({ 'endpoints/new/one.ts': CODE }));
    await look.click();
    await items.filter({ hasText: 'old/one' }).getByText('Deleted').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await log.getByText('Created the endpoint "new/one".').waitFor();
    await log.getByText('Deleted the endpoint "old/one".').waitFor();
    await expectAccessible(page);
    expect((await people.as('admin', 'GET', '/api/endpoints/new/one')).status).toBe(200);
    expect((await people.as('admin', 'GET', '/api/endpoints/old/one')).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  test('keeps code that does not compile as a draft, where that is wanted', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const look = page.getByRole('button', { name: 'Show what it would change' });
    const files = { 'endpoints/draft.ts': 'export default () => nothing;\n' };
    await page.getByLabel('Zip file').setInputFiles(await fileOf(files));
    await look.click();
    await page.getByText('0 new, 0 changed, 0 deleted, 0 unchanged, 1 failed.').waitFor();
    await page.getByLabel('Keep code that does not compile as drafts').check();
    await look.click();
    await page.getByText('1 new, 0 changed, 0 deleted, 0 unchanged, 0 failed.').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Done', { exact: true }).waitFor();
    const saved = await people.as('admin', 'GET', '/api/endpoints/draft');
    expect(Object(saved.json)).toMatchObject({ compiles: false });
    expect(complaints).toEqual([]);
  });

  test('says when a file is none, and when there is nothing to change', async () => {
    await using opened = await open();
    const { page } = opened;
    const look = page.getByRole('button', { name: 'Show what it would change' });
    const file = page.getByLabel('Zip file');
    await file.setInputFiles({ ...(await fileOf({})), buffer: Buffer.from('no zip') });
    await look.click();
    await page.getByText('The file could not be checked').waitFor();
    await file.setInputFiles(await fileOf({ 'schema.json': '{}' }));
    await look.click();
    await page.getByText('0 new, 0 changed, 0 deleted, 1 unchanged, 0 failed.').waitFor();
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
  });
});
