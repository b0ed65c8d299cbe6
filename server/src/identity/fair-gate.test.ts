import { expect, test } from 'vitest';
import { FairGate } from './login-throttle.ts';

/** Work that ends when it is told to, by name. */
function setUp(waitingMax = 4) {
  const gate = new FairGate({ runningMax: 1, waitingMax });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (name: string, isKnown = false): Promise<void> =>
    gate.run({ isKnown, group: name.slice(0, 1) }, async () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
    });
  /** Ends one after the other, until all have. */
  const endAll = async (all: readonly Promise<unknown>[]): Promise<void> => {
    const settled = Promise.allSettled(all).then(() => true);
    const turn = () => new Promise<false>((resolve) => setImmediate(() => resolve(false)));
    while (!(await Promise.race([settled, turn()]))) ends.shift()?.();
  };
  return { run, begun, endAll };
}

test('who sends little does not wait for all of who sends much', async () => {
  const { run, begun, endAll } = setUp();
  await endAll([run('a1'), run('a2'), run('a3'), run('a4'), run('b1')]);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('those who are known have a line of their own, which takes turns with the other', async () => {
  const { run, begun, endAll } = setUp();
  await endAll([run('a1'), run('a2'), run('b1'), run('c1'), run('k1', true), run('l1', true)]);
  expect(begun).toEqual(['a1', 'k1', 'a2', 'l1', 'b1', 'c1']);
});

test('in a full line the one who has most in it gives way, and refusals say when to come again', async () => {
  const { run, begun, endAll } = setUp();
  const first = run('a1');
  const waiting = ['a2', 'a3', 'a4', 'a5'].map((name) => run(name));
  const [[refused], other] = await Promise.all([
    Promise.allSettled([waiting[3]]),
    Promise.resolve({ ran: run('b1') }),
  ]);
  expect(refused).toMatchObject({
    reason: { code: 'too_many_requests', details: { retryAfterSeconds: 2 } },
  });
  await expect(run('a6')).rejects.toThrow('at the moment');
  await endAll([first, ...waiting, other.ran]);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
});
