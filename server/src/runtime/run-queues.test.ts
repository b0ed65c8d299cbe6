import { expect, it } from 'vitest';
import { RunQueues } from './run-queues.ts';
import { USER } from './testing/test-endpoints.ts';

const LIMITS = { name: 'one', maxConcurrent: 1, maxQueued: 4 };
const deadline = performance.now() + 600_000;
const signal = new AbortController().signal;

/** Calls in the order in which they begin; `refused` after them. */
function scene() {
  const queues = new RunQueues();
  const log: string[] = [];
  const enter = (caller: string, call: string): void => {
    queues.enter(LIMITS, deadline, { caller: { ...USER, userUid: caller }, signal }).then(
      () => log.push(call),
      ({ code }: { readonly code: string }) => log.push(`${call} ${code}`),
    );
  };
  const next = async (): Promise<void> => {
    queues.leave(LIMITS.name);
    await Promise.resolve();
  };
  return { enter, next, log };
}

it('lets callers take turns, and the calls of each in their order', async () => {
  const { enter, next, log } = scene();
  for (const call of ['a0', 'a1', 'a2', 'a3']) enter('a', call);
  enter('b', 'b1');
  for (let turn = 0; turn < 4; turn++) await next();
  expect(log).toEqual(['a0', 'a1', 'b1', 'a2', 'a3']);
});

it('gives who comes late no more turns than the others', async () => {
  const { enter, next, log } = scene();
  for (const call of ['a0', 'a1', 'a2', 'a3']) enter('a', call);
  await next();
  await next();
  for (const call of ['b1', 'b2']) enter('b', call);
  for (let turn = 0; turn < 3; turn++) await next();
  expect(log).toEqual(['a0', 'a1', 'a2', 'a3', 'b1', 'b2']);
});

it('takes the place of the newest call of whoever waits most, when no more can wait', async () => {
  const { enter, next, log } = scene();
  for (const call of ['a0', 'a1', 'a2', 'a3', 'a4']) enter('a', call);
  enter('a', 'a5');
  enter('b', 'b1');
  enter('b', 'b2');
  enter('b', 'b3');
  for (let turn = 0; turn < 4; turn++) await next();
  const refused = log.filter((one) => one.endsWith(' endpoint_overloaded'));
  expect(refused.map((one) => one.slice(0, 2)).toSorted()).toEqual(['a3', 'a4', 'a5', 'b3']);
  expect(log.filter((one) => one.length === 2)).toEqual(['a0', 'a1', 'b1', 'a2', 'b2']);
});
