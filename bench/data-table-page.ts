import type { Locator, Page } from 'playwright-core';
import type { Report } from './report.ts';

const ROUNDS = 5;
const SCROLLED_ROWS = 100_000;
/** Rows at the beginning and at the end that are compared. */
const COMPARED_ROWS = 5_000;
const FIRST_ROWS_MS_MAX = 1_000;
const CHANGE_MS_MAX = 500;
/** It is found where the first 200,000 rows are read. */
const SCAN_MS_MAX = 5_000;
const HEAP_MB_MAX = 100;
const ELEMENTS_MAX = 2_000;

/**
 * The page of a type with a million rows, in the browser: its first rows, an order, filters, and
 * 100,000 rows that are scrolled through. Rows are as data-table.ts makes them.
 */
export async function reportTablePage(report: Report, page: Page, url: string): Promise<void> {
  await reportFirstRows(report, page, url);
  await reportChanges(report, page, url);
  await reportScrolling(report, page, url);
}

const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Nodes of Row' });
const title = (page: Page, number: number): Locator =>
  grid(page).getByText(`The row numbered ${number}`, { exact: true });

async function open(page: Page, url: string, path: string): Promise<void> {
  // With another hash alone, nothing is loaded.
  await page.goto('about:blank');
  await page.goto(`${url}/#/data/Row${path}`);
}

async function reportFirstRows(report: Report, page: Page, url: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = performance.now();
    await open(page, url, '?sort=Number');
    await title(page, 0).waitFor();
    times.push(performance.now() - begun);
  }
  // The first one fills the cache of the browser.
  const ms = median(times.slice(1));
  add(report, 'from the address to the first rows, p50', ms, FIRST_ROWS_MS_MAX);
}

/** From the key or the button to the rows that it asks for. */
async function reportChanges(report: Report, page: Page, url: string): Promise<void> {
  const sorted: number[] = [];
  const filtered: number[] = [];
  const contained: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await open(page, url, '');
    await grid(page).getByText('row-999999', { exact: true }).waitFor();
    sorted.push(
      await msOf(async () => {
        await page.getByRole('button', { name: 'Number' }).click();
        await title(page, 0).waitFor();
      }),
    );
    filtered.push(
      await msOf(async () => {
        await filter(page, 'Number', '500000..500099');
        await title(page, 500_000).waitFor();
        await page.getByText('100 nodes', { exact: true }).waitFor();
      }),
    );
    await filter(page, 'Number', '');
    await title(page, 0).waitFor();
    contained.push(
      await msOf(async () => {
        await filter(page, 'Title', 'numbered 99999');
        await title(page, 99_999).waitFor();
      }),
    );
  }
  add(report, 'sorted by a field with an index, p50', median(sorted), CHANGE_MS_MAX);
  add(
    report,
    'filtered by a field with an index, and counted, p50',
    median(filtered),
    CHANGE_MS_MAX,
  );
  const what = 'the first of 11 rows that a text is in, without an index, p50';
  add(report, what, median(contained), SCAN_MS_MAX);
}

async function filter(page: Page, field: string, text: string): Promise<void> {
  await page.getByRole('searchbox', { name: `Filter ${field}` }).fill(text);
  await page.keyboard.press('Enter');
}

async function reportScrolling(report: Report, page: Page, url: string): Promise<void> {
  await open(page, url, '?sort=Number');
  await title(page, 0).waitFor();
  const before = await heapMb(page);
  await grid(page).focus();
  const ofFirst = await scrollMs(page, COMPARED_ROWS);
  await scrollMs(page, SCROLLED_ROWS - COMPARED_ROWS);
  const ofLast = await scrollMs(page, SCROLLED_ROWS);
  const after = await heapMb(page);
  report.add({
    what: `${OF_PAGE}: ${SCROLLED_ROWS} rows scrolled through, the last ${COMPARED_ROWS} beside the first`,
    ours: `${ofLast.toFixed(0)} ms for ${COMPARED_ROWS} rows`,
    others: [`the first ones ${ofFirst.toFixed(0)} ms`],
    ratio: (ofLast / ofFirst).toFixed(2),
    target: 'at most 1.5',
    reached: ofLast / ofFirst <= 1.5,
  });
  const elements = await page.locator('*').count();
  report.add({
    what: `${OF_PAGE}: the memory of its script after ${SCROLLED_ROWS} rows`,
    ours: `${after.toFixed(1)} MB, ${elements} elements`,
    others: [`${before.toFixed(1)} MB with the first rows`],
    ratio: (after / HEAP_MB_MAX).toFixed(2),
    target: `at most ${HEAP_MB_MAX} MB and ${ELEMENTS_MAX} elements`,
    reached: after <= HEAP_MB_MAX && elements <= ELEMENTS_MAX,
  });
}

/** Goes on to a row, from end to end of the pages that are known. */
function scrollMs(page: Page, end: number): Promise<number> {
  return msOf(async () => {
    for (let shown = 0; shown < end;) {
      await page.keyboard.press('Control+End');
      const last = await grid(page)
        .getByRole('row')
        .last()
        .evaluate((row) => ({ index: row.getAttribute('aria-rowindex'), text: row.innerText }));
      const [, number] = /The row numbered (\d+)/.exec(last.text) ?? [];
      if (number === undefined) continue;
      // Without the row of titles.
      shown = Number(last.index) - 1;
      if (Number(number) !== shown - 1) throw new Error(`row ${shown} is ${number}`);
    }
  });
}

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1_000_000;
}

const OF_PAGE = 'data table in the browser, 1000000 rows';

function add(report: Report, what: string, ms: number, msMax: number): void {
  report.add({
    what: `${OF_PAGE}: ${what}`,
    ours: `${ms.toFixed(0)} ms`,
    others: [],
    ratio: (ms / msMax).toFixed(2),
    target: `at most ${msMax} ms`,
    reached: ms <= msMax,
  });
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
