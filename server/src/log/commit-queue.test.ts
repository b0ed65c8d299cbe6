import { expect, it } from 'vitest';
import { CommitQueue } from './commit-queue.ts';
import { TestClock, filled } from './testing/log-engine.ts';
import type { QueuedCommit } from './commit-queue.ts';

function queueOver(write: (group: readonly QueuedCommit[]) => Promise<void>): CommitQueue {
  return new CommitQueue({ clock: new TestClock(), lastSequence: 0, write });
}

it('writes the appends of a turn as one group, what comes meanwhile as the next', async () => {
  const groups: number[][] = [];
  const { promise: firstDone, resolve: finishFirst } = Promise.withResolvers<void>();
  const { promise: firstBegun, resolve: beginFirst } = Promise.withResolvers<void>();
  const queue = queueOver(async (group) => {
    groups.push(group.map((commit) => commit.first));
    beginFirst();
    await firstDone;
  });
  const appends = [queue.append(2, filled(1)), queue.append(1, filled(1))];
  await firstBegun;
  appends.push(queue.append(1, filled(1)), queue.append(5, filled(1)));
  finishFirst();
  expect(await Promise.all(appends)).toEqual([2, 3, 4, 9]);
  expect(groups).toEqual([
    [1, 3],
    [4, 5],
  ]);
});

it('closes a group that is large enough, and writes the rest at once after it', async () => {
  const sizes: number[] = [];
  const queue = queueOver(async (group) => {
    sizes.push(group.length);
  });
  const payload = filled(20 * 1024 * 1024);
  await Promise.all([1, 2, 3].map(() => queue.append(1, payload)));
  expect(sizes).toEqual([2, 1]);
});

it('rejects with a group all that was queued after it, in order, and goes on', async () => {
  const { promise: failed, reject: fail } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let writes = 0;
  const queue = queueOver(async () => {
    begin();
    if (writes++ === 0) await failed;
  });
  const rejected: string[] = [];
  const append = (name: string): Promise<unknown> =>
    queue.append(1, filled(1)).catch((error: unknown) => {
      rejected.push(name);
      return error;
    });
  const appends = [append('one'), append('two')];
  await begun;
  appends.push(append('behind'));
  const reason = new Error('no room');
  fail(reason);
  expect(await Promise.all(appends)).toEqual([reason, reason, reason]);
  expect(rejected).toEqual(['one', 'two', 'behind']);
  expect([writes, queue.lastSequence]).toEqual([1, 0]);
  expect(await queue.append(3, filled(1))).toBe(3);
});

it('lets nobody append after a lost commit before its handler ran', async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const { promise: failed, reject: fail } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const queue = queueOver(async () => {
      begin();
      await failed;
    });
    let isTold = false;
    const lost = queue.append(1, filled(1)).catch(() => {
      isTold = true;
    });
    await begun;
    fail(new Error('no room'));
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    expect(isTold).toBe(false);
    await expect(queue.append(1, filled(1))).rejects.toThrow('no room');
    await lost;
    expect(isTold).toBe(true);
  }
});
