import { expect, it } from 'vitest';
import { APPLIED_SEQUENCE_BYTES, AppliedSequence } from './applied-sequence.ts';

it('tells of a sequence that is published while the one before it is told', async () => {
  const applied = new AppliedSequence();
  const told: number[] = [];
  const stop = applied.onChange((sequence) => {
    told.push(sequence);
    if (sequence === 1) applied.publish(2, 1);
  });
  applied.publish(1, 1);
  await expect.poll(() => told).toEqual([1, 2]);
  stop();
  applied.publish(3, 2);
  expect(await applied.reach(3, 0)).toBe(true);
  expect(told).toEqual([1, 2]);
  expect(applied.commits).toBe(4);
});

it('tells other threads by the same buffer, and who waits when it is reached', async () => {
  const buffer = new SharedArrayBuffer(APPLIED_SEQUENCE_BYTES);
  const applied = new AppliedSequence(buffer);
  const elsewhere = new AppliedSequence(buffer);
  const reached = elsewhere.reach(5, 60_000);
  applied.publish(4, 1);
  applied.publish(5, 1);
  expect(await reached).toBe(true);
  expect(elsewhere.get()).toBe(5);
  expect(await elsewhere.reach(6, 1)).toBe(false);
});
