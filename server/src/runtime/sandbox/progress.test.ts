import { expect, it } from 'vitest';
import { hasReached, Progress } from './progress.ts';

it('counters are compared over the wrap of 32 bits', () => {
  const progress = new Progress();
  const cells = new Int32Array(progress.buffer);
  // As after so many frames: see `receive`.
  cells[2] = 2 ** 31 - 2;
  const sent = 2 ** 31 - 1;
  expect(hasReached(progress.frames, sent)).toBe(false);
  progress.receive();
  expect(hasReached(progress.frames, sent)).toBe(true);
  expect(hasReached(progress.frames, sent + 1)).toBe(false);
  progress.receive();
  expect(progress.frames).toBe(-(2 ** 31));
  expect(hasReached(progress.frames, sent)).toBe(true);
  expect(hasReached(progress.frames, sent + 1)).toBe(true);
  expect(hasReached(progress.frames, sent + 2)).toBe(false);
  // Once around, and further.
  cells[2] = 5;
  expect(hasReached(progress.frames, 2 ** 32 + 5)).toBe(true);
  expect(hasReached(progress.frames, 2 ** 32 + 6)).toBe(false);
});
