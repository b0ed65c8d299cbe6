import { expect, it } from 'vitest';
import { PublishedSequence } from './published-sequence.ts';

it('tells of a sequence that is published while the one before it is told', async () => {
  const published = new PublishedSequence();
  const told: number[] = [];
  const stop = published.onChange((sequence) => {
    told.push(sequence);
    if (sequence === 1) published.publish(2);
  });
  published.publish(1);
  await expect.poll(() => told).toEqual([1, 2]);
  stop();
  published.publish(3);
  expect(await published.reach(3, 0)).toBe(true);
  expect(told).toEqual([1, 2]);
});

it('tells other threads by the same buffer, and who waits when it is reached', async () => {
  const published = new PublishedSequence();
  const elsewhere = new PublishedSequence(published.buffer);
  const reached = elsewhere.reach(5, 60_000);
  published.publish(4);
  published.publish(5);
  expect(await reached).toBe(true);
  expect(elsewhere.get()).toBe(5);
  expect(await elsewhere.reach(6, 1)).toBe(false);
});
