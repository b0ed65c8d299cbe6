import { expect, it } from 'vitest';
import { JobQueue } from './type-checker.ts';

it('runs one job after the other, whatever becomes of them', async () => {
  const queue = new JobQueue();
  const events: string[] = [];
  const job = (name: string) => async () => {
    events.push(`begin ${name}`);
    await Promise.resolve();
    events.push(`end ${name}`);
    if (name === 'b') throw new Error(name);
    return name;
  };
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(job(name))));
  expect(events).toEqual(['a', 'b', 'c'].flatMap((name) => [`begin ${name}`, `end ${name}`]));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await queue.run(job('d'))).toBe('d');
});

it('forgets a job at once that is aborted while it waits, and no other', async () => {
  const queue = new JobQueue();
  const first = Promise.withResolvers<string>();
  const aborting = new AbortController();
  const running = queue.run(() => first.promise, aborting.signal);
  const waiting = queue.run(() => Promise.resolve('waited'), aborting.signal);
  const last = queue.run(() => Promise.resolve('last'));
  aborting.abort(new Error('not wanted'));
  await expect(waiting).rejects.toThrow('not wanted');
  await expect(queue.run(() => Promise.resolve(), aborting.signal)).rejects.toThrow('not wanted');
  first.resolve('first');
  expect([await running, await last]).toEqual(['first', 'last']);
});
