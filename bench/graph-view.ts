import type { Page } from 'playwright-core';
import { largeGraph } from '../test/support/large-graph.ts';

const ROUNDS = 5;
const STEPS = 120;

/**
 * The frame rate of the graph view in its best round, while a picture of 10,000 nodes and 30,000
 * edges is dragged about.
 */
export async function framesPerSecond(page: Page, url: string): Promise<number> {
  await page.goto(`${url}/#/graph`);
  await page.getByText('Nothing is drawn yet').waitFor();
  const file = { name: 'large.json', mimeType: 'application/json', buffer: largeGraph() };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('status').filter({ hasText: '10,000 nodes and 30,000 edges.' }).waitFor();
  const picture = await page.getByRole('application').boundingBox();
  if (picture === null) throw new Error('the picture of the graph is not to be seen');
  const middle = { x: picture.x + picture.width / 2, y: picture.y + picture.height / 2 };
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) best = Math.max(best, await dragged(page, middle));
  return best;
}

/** A mouse that moves in a circle with its button held down, as fast as the page takes it. */
async function dragged(page: Page, middle: { x: number; y: number }): Promise<number> {
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.evaluate(COUNT_FRAMES);
  for (let step = 0; step < STEPS; step++) {
    const angle = (step / STEPS) * 2 * Math.PI;
    await page.mouse.move(middle.x + 150 * Math.sin(angle), middle.y + 150 * (1 - Math.cos(angle)));
  }
  const rate = await page.evaluate<number>(FRAME_RATE);
  await page.mouse.up();
  return rate;
}

/** Both run in the page. */
const COUNT_FRAMES = `{
  globalThis.counted = { frames: 0, since: performance.now(), isOver: false };
  const { counted } = globalThis;
  const next = () => {
    counted.frames++;
    if (!counted.isOver) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}`;
const FRAME_RATE = `{
  counted.isOver = true;
  (counted.frames * 1000) / (performance.now() - counted.since);
}`;
