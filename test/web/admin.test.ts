import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { zipOf } from '../support/zip.ts';

const ILL = { status: 'degraded', reason: 'store_outdated' };
const MY_PAGE = '<!doctype html><title>Mine</title><h1>My own front end</h1>';

describe.skipIf(requireChromium())('the pages of administrators', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start({ MSK_JWT_KEY: 'a key that is long enough for this test' });
    await people.add('auditor', { isReadOnlyAdmin: true });
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
    const operations = Array.from({ length: 50 }, (_, at) => ({
      op: 'addOrUpdate',
      type: 'Book',
      key: `k${at}`,
      fields: { Title: `Book ${at}` },
    }));
    await people.as('admin', 'POST', '/api/ingest', { operations });
  });
  afterAll(() => people[Symbol.asyncDispose]());
  const open = (path: string, userName = 'admin') =>
    browser.signedInPage(people.workspace, { path, userName });

  test('the overview counts what there is', async () => {
    await using opened = await open('#/admin');
    const { page, complaints } = opened;
    await page.getByRole('row', { name: 'Book 50' }).waitFor();
    await page.getByRole('figure', { name: /Commits and endpoint calls/ }).waitFor();
    await page.getByRole('region', { name: 'Search index' }).getByText('Documents').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the overview says what is not well, what it means, and what to do', async () => {
    await using opened = await open('#/admin/replicas');
    const { page } = opened;
    const report = JSON.parse((await people.as('admin', 'GET', '/health')).text);
    for (const part of report.parts) {
      if (part.name === 'storage') Object.assign(part, ILL);
    }
    const json = { ...report, status: 'degraded' };
    await page.route('**/health', (route) => route.fulfill({ json }));
    await page.goto(page.url().replace('/replicas', ''));
    const notice = page.getByRole('status').filter({ hasText: 'storage (store outdated)' });
    await notice.getByText(/two copies of its files give text away/).waitFor();
    expect(await notice.textContent()).toContain('trellis storage rotate-key');
  });

  test('replicas: none yet, and what to do', async () => {
    await using opened = await open('#/admin/replicas');
    await opened.page.getByText('No replica is registered').waitFor();
    const compare = opened.page.getByRole('button', { name: 'Compare with the primary' });
    expect(await compare.isDisabled()).toBe(true);
  });

  test('the build tree shows what does not compile', async () => {
    const code =
      'export default async function ({ q }: Scope) { return q().startAt("Nothing").count(); }';
    await people.as('admin', 'POST', '/api/endpoints/create', { name: 'reports/broken', code });
    await using opened = await open('#/admin/build');
    const { page } = opened;
    const reports = page.getByRole('region', { name: 'reports/' });
    await reports.getByText('Does not compile').waitFor();
    await page.getByLabel(/^Failing only/).check();
    expect(await page.getByRole('region', { name: 'system/' }).count()).toBe(0);
    await expectAccessible(page);
    await reports.getByRole('link', { name: 'broken' }).click();
    await page.waitForURL(/#\/endpoints\/edit\/reports\/broken/);
  });

  test('the history of code tells who changed what', async () => {
    await using opened = await open('#/admin/history');
    const { page } = opened;
    const change = page.getByRole('listitem').filter({ hasText: 'reports/broken' });
    await change.getByText('What changed').click();
    await change
      .getByRole('region', { name: /Changes of/ })
      .getByText(/startAt/)
      .waitFor();
    await page.getByLabel('Before').fill('2020-01-01');
    await page.getByText('No changes').waitFor();
    expect(page.url()).toContain('to=2020-01-01');
  });

  test('a job is seen from its beginning to its end', async () => {
    await using opened = await open('#/admin/jobs');
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await people.as('admin', 'POST', '/api/replicas/verify');
    const row = page.getByRole('row', { name: /Comparing replicas/ });
    await row.getByText('succeeded').waitFor();
    await row.getByRole('button', { name: 'Comparing replicas' }).click();
    const panel = page.getByRole('dialog', { name: 'Comparing replicas' });
    await panel.getByRole('region', { name: 'Log of the job' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('No jobs').waitFor();
    expect(complaints).toEqual([]);
  });

  test('logs are shown, and who did what', async () => {
    await using opened = await open('#/admin/logs');
    const { page } = opened;
    await page.getByText('No log files are written here').waitFor();
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('table', { name: 'Audit trail' }).getByText('admin').first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByText('No log files are written here').waitFor();
    await expectAccessible(page);
  });

  test('settings are saved, and refused beside the field at fault', async () => {
    await using opened = await open('#/admin/settings');
    const { page } = opened;
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('ReplicaURLs').fill('not a url');
    await save.click();
    await page.getByText('must be http or https URLs').waitFor();
    await page.getByLabel('ReplicaURLs').fill('https://r1.example.com\nhttps://r2.example.com');
    await page.getByLabel('Name of the workspace').fill('Our "graph" <b>');
    await save.click();
    await page.getByText('The settings are saved').waitFor();
    const { json } = await people.as('admin', 'GET', '/api/workspace/settings');
    expect(json).toMatchObject({
      name: 'Our "graph" <b>',
      ReplicaURLs: 'https://r1.example.com;https://r2.example.com',
    });
    await people.as('admin', 'PUT', '/api/workspace/settings', { ReplicaURLs: '' });
  });

  test('an interface is uploaded, served, and taken back', async () => {
    await using opened = await open('trellis/#/admin/interfaces');
    const { page } = opened;
    await page.getByRole('button', { name: 'Upload an interface' }).click();
    const dialog = page.getByRole('dialog', { name: 'Upload an interface' });
    const send = dialog.getByRole('button', { name: 'Upload' });
    await dialog.getByLabel('Name').fill('mine');
    const zip = { name: 'mine.zip', mimeType: 'application/zip' };
    await dialog.getByLabel('Zip file').setInputFiles({ ...zip, buffer: Buffer.from('no zip') });
    await send.click();
    await dialog.getByRole('alert').waitFor();
    await dialog
      .getByLabel('Zip file')
      .setInputFiles({ ...zip, buffer: Buffer.from(await zipOf({ 'index.html': MY_PAGE })) });
    await send.click();
    const row = page.getByRole('row', { name: /^mine/ });
    await row.getByRole('button', { name: 'Serve', exact: true }).click();
    await row.getByText('Served').waitFor();
    const { server } = people.workspace;
    expect(await (await fetch(server.url)).text()).toContain('My own front end');
    await row.getByRole('button', { name: 'Serve the built-in one' }).click();
    await row.getByRole('button', { name: 'Serve', exact: true }).waitFor();
    await row.getByRole('button', { name: 'Delete mine' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No interface was uploaded').waitFor();
  });

  test('who may only look, cannot change', async () => {
    await using opened = await open('#/admin/settings', 'auditor');
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByLabel('Name of the workspace').isDisabled()).toBe(true);
  });
});
