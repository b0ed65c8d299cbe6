import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { frontEndSizes, ROUTE_BYTES_MAX, SHELL_BYTES_MAX } from '../tools/front-end-sizes.ts';
import { launchBrowser, withPage } from './browser-page.ts';
import { framesPerSecond } from './graph-view.ts';
import type { Report } from './report.ts';
import { type BenchServer, startServer } from './server.ts';

const ROUNDS = 9;
const PAINT_MS_MAX = 1_000;
const FRAMES_MIN = 30;

/**
 * What the front end weighs, how soon a browser that has nothing of it shows its first page, and
 * how smoothly a large graph moves.
 */
export async function benchFrontEnd(report: Report): Promise<void> {
  reportSizes(report);
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using server = await startServer(folder, 'none');
    const browser = await launchBrowser();
    try {
      reportPaint(report, await paintTimesMs(browser, server));
      reportFrames(report, await withPage(browser, server, framesPerSecond));
    } finally {
      await browser.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first one, which warms up the server, does not count; ascending. */
async function paintTimesMs(browser: Browser, server: BenchServer): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    times.push(await withPage(browser, server, (page) => firstPaintMs(page, server.url)));
  }
  return times.slice(1).toSorted((left, right) => left - right);
}

async function firstPaintMs(page: Page, url: string): Promise<number> {
  const begin = performance.now();
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return performance.now() - begin;
}

function reportPaint(report: Report, times: readonly number[]): void {
  const ms = times[Math.floor(times.length / 2)] ?? Infinity;
  report.add({
    what: 'front end: from the address to the search page, nothing in the cache, p50',
    ours: `${ms.toFixed(0)} ms`,
    others: [`slowest of ${times.length} ${(times.at(-1) ?? 0).toFixed(0)} ms`],
    ratio: (ms / PAINT_MS_MAX).toFixed(2),
    target: 'below 1 s',
    reached: ms < PAINT_MS_MAX,
  });
}

function reportFrames(report: Report, rate: number): void {
  report.add({
    what: 'front end: 10,000 nodes and 30,000 edges, moved with the mouse, drawn in software',
    ours: `${rate.toFixed(1)} frames/s`,
    others: [],
    ratio: (rate / FRAMES_MIN).toFixed(2),
    target: `${FRAMES_MIN} frames/s`,
    reached: rate >= FRAMES_MIN,
  });
}

function reportSizes(report: Report): void {
  const { shellBytes, routes } = frontEndSizes(join(import.meta.dirname, '../web/dist'));
  const add = (what: string, bytes: number, max: number, other: string) =>
    report.add({
      what: `front end: ${what}, gzip`,
      ours: `${(bytes / 1_000).toFixed(0)} kB`,
      others: [other],
      ratio: (bytes / max).toFixed(2),
      target: `at most ${max / 1_000} kB`,
      reached: bytes <= max,
    });
  add('the shell', shellBytes, SHELL_BYTES_MAX, `${routes.length} parts are loaded later`);
  const [largest] = routes;
  if (largest !== undefined) {
    add('the largest part that is loaded later', largest.bytes, ROUTE_BYTES_MAX, largest.name);
  }
}
