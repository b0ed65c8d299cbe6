import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, type SignedInOptions, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PHONE = { width: 390, height: 844 };
const SAYS = `export default function ({ log, body }: Scope) {
  log.warn('said by the endpoint', { body });
  return body;
}
`;

describe.skipIf(requireChromium())('the log', () => {
  const browser = useBrowser();
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let people: People;
  beforeAll(async () => {
    folder = await temporaryFolder();
    people = await People.start({ MSK_LOG_PATH: folder.path });
    const endpoint = { name: 'logs/says', code: SAYS };
    expect((await people.as('admin', 'POST', '/api/endpoints/create', endpoint)).status).toBe(201);
  });
  afterAll(async () => {
    await people[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const open = (path: string, options: SignedInOptions = {}) =>
    browser.signedInPage(people.workspace, { path: `#/admin/logs${path}`, ...options });
  /** A record with the path of the request. */
  const mark = (text: string) => people.as('', 'GET', `/api/marks/${text}`);
  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Records of the log' });
  const find = async (page: Page, text: string) => {
    await page.getByRole('searchbox', { name: 'Text in the record' }).fill(text);
    await page.keyboard.press('Enter');
  };

  test('is searched by text, level, source and time, which the address keeps', async () => {
    await mark('found-here');
    await using opened = await open('', { timeZone: 'America/New_York' });
    const { page, complaints } = opened;
    await find(page, 'found-here');
    const row = rowsOf(page).getByRole('row').filter({ hasText: 'found-here' });
    await row.waitFor();
    await rowsOf(page).getByRole('columnheader', { name: 'Time (America/New_York)' }).waitFor();
    const time = row.locator('time');
    const utc = await time.getAttribute('title');
    expect(utc).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/);
    expect(await time.innerText()).not.toContain(utc!.slice(11, 16));

    await page.getByLabel('Level', { exact: true }).selectOption('error and above');
    await page.getByText('No record matches').waitFor();
    await page.getByLabel('Level', { exact: true }).selectOption('Every level');
    await page.getByLabel('Source', { exact: true }).selectOption('Replication');
    await page.getByText('No record matches').waitFor();
    await page.getByLabel('Source', { exact: true }).selectOption('Server');
    await row.waitFor();
    await page.getByLabel('Time', { exact: true }).selectOption('Last 15 minutes');
    await row.waitFor();
    expect(page.url()).toContain('range=15m');
    await page.reload();
    await row.waitFor();
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('15m');
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('is looked at from one moment to another, in local time', async () => {
    await mark('timed');
    await using opened = await open('', { timeZone: 'Asia/Tokyo' });
    const { page } = opened;
    await find(page, 'marks/timed');
    await rowsOf(page).getByText('marks/timed').first().waitFor();
    await page.getByRole('button', { name: 'From, to' }).click();
    const dialog = page.getByRole('dialog', { name: 'From one time to another (Asia/Tokyo)' });
    await dialog.getByLabel('From').fill('2026-01-02T10:00:00');
    await dialog.getByLabel('To').fill('2026-01-02T09:00:00');
    await dialog.getByRole('button', { name: 'Show this time' }).click();
    await dialog.getByText('The end must be later than the begin.').waitFor();
    await dialog.getByLabel('To').fill('2026-01-02T11:00:00');
    await dialog.getByRole('button', { name: 'Show this time' }).click();
    await page.getByText('No record matches').waitFor();
    const { hash } = new URL(page.url());
    expect(decodeURIComponent(hash)).toContain('from=2026-01-02T01:00:00.000Z');
    await page.getByRole('button', { name: 'Search all that is kept' }).click();
    await rowsOf(page).getByText('marks/timed').first().waitFor();
  });

  test('is narrowed by its histogram, with the keyboard alone', async () => {
    await mark('in-a-bar');
    await using opened = await open('?range=15m');
    const { page } = opened;
    await find(page, 'in-a-bar');
    await page.getByText('One record', { exact: true }).waitFor();
    const bars = page.getByRole('toolbar', { name: /^Records by time/ });
    const full = bars.getByRole('button', { name: /: one record, 1 info$/ });
    await full.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: / to / }).waitFor({ state: 'attached' });
    await page.getByText('One record', { exact: true }).waitFor();
    expect(decodeURIComponent(page.url())).toMatch(/from=[-\d:.TZ]+&to=[-\d:.TZ]+$/);
    await page.getByRole('button', { name: '1 info: show info and above' }).click();
    expect(await page.getByLabel('Level', { exact: true }).inputValue()).toBe('info');
    await page.getByRole('button', { name: '1 info: show info and above' }).click();
    expect(await page.getByLabel('Level', { exact: true }).inputValue()).toBe('');
    await bars.getByRole('button', { name: /one record, 1 info$/ }).click();
    await rowsOf(page).getByText('in-a-bar').first().waitFor();
  });

  test('leads from a call to its request, and from a value to others like it', async () => {
    await people.as('admin', 'POST', '/api/endpoints/run/logs/says', { word: 'one' });
    await people.as('admin', 'POST', '/api/endpoints/run/logs/says', { word: 'two' });
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/endpoints/edit/logs/says?tab=calls',
    });
    const { page } = opened;
    await page
      .getByRole('link', { name: /^Log of the request at/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
    const said = rowsOf(page).getByRole('button', { name: 'said by the endpoint' });
    await said.waitFor();
    expect(await said.count()).toBe(1);
    await page.getByRole('button', { name: /^Only endpoint logs\/says$/ }).click();
    await page.getByRole('button', { name: /^Remove Request: / }).click();
    await expect.poll(() => said.count()).toBe(2);
    await said.first().click();
    await rowsOf(page).getByText('"word": "two"').waitFor();
    await rowsOf(page).getByRole('link', { name: 'Open the endpoint' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Endpoint' }).uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await said.first().waitFor();
    expect(await rowsOf(page).getByRole('columnheader', { name: 'Endpoint' }).count()).toBe(0);
  });

  test('leads from a job to what it logged', async () => {
    await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
    // The page shows the log as it was when it was opened: by then the job has to have ended.
    const jobs = async () => items(await people.as('admin', 'GET', '/api/jobs'));
    await expect.poll(async () => (await jobs())[0]).toMatchObject({ state: 'succeeded' });
    await using opened = await browser.signedInPage(people.workspace, { path: '#/admin/jobs' });
    const { page } = opened;
    await page.getByRole('table', { name: 'Jobs' }).getByRole('button').first().click();
    await page
      .getByRole('region', { name: 'Log of the job' })
      .getByText(/ The job has ended: succeeded, after [\d.]+ m?s$/)
      .waitFor();
    await page.getByRole('link', { name: 'In the log of the server' }).click();
    await rowsOf(page)
      .getByText(/^a job has ended: /)
      .waitFor();
  });

  test('is followed as it grows, and paused', async () => {
    await mark('live-0');
    await using opened = await open('?query=marks/live&live=true');
    const { page } = opened;
    const row = (text: string) => rowsOf(page).getByText(text);
    await row('live-0').first().waitFor();
    await mark('live-1');
    await row('live-1').first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await mark('live-2');
    await page.getByRole('button', { name: 'Go on (1 new)' }).waitFor();
    expect(await row('live-2').count()).toBe(0);
    await page.getByRole('button', { name: 'Go on (1 new)' }).click();
    await row('live-2').first().waitFor();
    for (const text of ['live-0', 'live-1', 'live-2']) expect(await row(text).count()).toBe(1);
  });

  test('comes by pages, and as a file of all that fits', async () => {
    for (let n = 0; n < 120; n++) await mark(`page-${String(n).padStart(3, '0')}`);
    await using opened = await open('?query=marks/page');
    const { page } = opened;
    const row = (text: string) => rowsOf(page).getByText(text);
    await row('page-119').first().waitFor();
    expect(await row('page-019').count()).toBe(0);
    await page.getByRole('button', { name: 'Older' }).click();
    await row('page-019').first().waitFor();
    expect(await row('page-020').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Newer' }).click();
    await row('page-119').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('trellis.log');
    const chunks = await Array.fromAsync(await download.createReadStream());
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
    expect(lines).toHaveLength(120);
  });

  test('is read on a phone, and in the dark', async () => {
    await mark('on-a-phone');
    await using opened = await open('?query=on-a-phone', { viewport: PHONE, colorScheme: 'dark' });
    const { page } = opened;
    await rowsOf(page).getByText('on-a-phone').first().click();
    await rowsOf(page).getByRole('button', { name: 'All of this request' }).waitFor();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
    await expectAccessible(page);
  });

  test('says why it cannot be read, and leads from there to the request', async () => {
    await using opened = await open('');
    const { page } = opened;
    await rowsOf(page).waitFor();
    await page.route('**/api/graph/logs?*', (request) =>
      request.fulfill({
        status: 500,
        json: { error: { code: 'internal_error', message: 'it broke' }, traceId: 'trace-7' },
      }),
    );
    await page.goto(`${page.url().split('#')[0]}#/admin/logs?query=broken`);
    const alert = page.getByRole('alert');
    await alert.getByText('The log could not be searched').waitFor();
    await page.unroute('**/api/graph/logs?*');
    await alert.getByRole('link', { name: 'Log of the request trace-7' }).click();
    await page.getByText('Request: trace-7').waitFor();
    await page.getByText('No record matches').waitFor();
  });

  test('is led to from a form that was refused', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/manage/access/teams',
    });
    const { page, complaints } = opened;
    await page.route('**/api/groups/group', (request) =>
      request.fulfill({
        status: 500,
        json: { error: { code: 'internal_error', message: 'it broke' }, traceId: 'trace-9' },
      }),
    );
    await page.getByRole('button', { name: 'Add team' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add team' });
    await dialog.getByLabel('Name').fill('North');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    const alert = dialog.getByRole('alert').filter({ hasText: 'It broke' });
    await alert.waitFor();
    await expectAccessible(page);
    await alert.getByRole('link', { name: 'Log of the request trace-9' }).click();
    await page.getByText('Request: trace-9').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is led to from a notice that something was not done', async () => {
    await using opened = await open('');
    const { page } = opened;
    await page.route('**/api/graph/logs-files/download*', (request) =>
      request.fulfill({
        status: 500,
        json: { error: { code: 'internal_error', message: 'it broke' }, traceId: 'trace-8' },
      }),
    );
    await page.getByRole('button', { name: 'Download' }).click();
    const notice = page.getByRole('dialog', { name: 'The records could not be downloaded' });
    await notice.getByText('It broke.').waitFor();
    await expectAccessible(page);
    await notice.getByRole('link', { name: 'Log of the request trace-8' }).click();
    await page.getByText('Request: trace-8').waitFor();
  });
});
