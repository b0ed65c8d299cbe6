import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ENDPOINT_CALLS_PER_CALLER_MAX,
  ENDPOINT_CALLS_MAX,
  ENDPOINT_REALMS_MAX,
} from '#base/endpoint-limits.ts';
import { USER } from '../testing/test-endpoints.ts';
import { openTestPool } from '../testing/test-pool.ts';
import type { TestPool } from '../testing/test-pool.ts';

let pool: TestPool;
beforeEach(async () => {
  pool = await openTestPool();
});
afterEach(() => pool[Symbol.asyncDispose]());

const FOR_EVER = 'await new Promise(() => {});';

const as = (userUid: string) => ({ ...USER, userUid });

it('takes so many calls at a time and no more', async () => {
  const caller = new AbortController();
  const { signal } = caller;
  const calls = Array.from({ length: ENDPOINT_CALLS_MAX }, (_, i) =>
    pool.run(FOR_EVER, { signal, caller: as(`user ${i % 10}`) }),
  );
  const ended = Promise.allSettled(calls);
  expect(await pool.fault('return 1;')).toMatchObject({ kind: 'overloaded' });
  caller.abort();
  await ended;
  expect(await pool.run('return 1;')).toBe(1);
});

it('takes so many calls of one caller, and those of others beside them', async () => {
  const mallory = { caller: as('mallory') };
  const caller = new AbortController();
  const call = { ...mallory, signal: caller.signal };
  const most = Array.from({ length: ENDPOINT_CALLS_PER_CALLER_MAX - 1 }, () =>
    pool.run(FOR_EVER, call),
  );
  expect(await pool.run('return 1;', mallory)).toBe(1);
  most.push(pool.run(FOR_EVER, call));
  const ended = Promise.allSettled(most);
  expect(await pool.fault('return 1;', mallory)).toMatchObject({ kind: 'overloaded' });
  expect(await pool.run('return 2;', { caller: as('bob') })).toBe(2);
  caller.abort();
  await ended;
  expect(await pool.run('return 1;', mallory)).toBe(1);
});

it('of several workers leaves one to other callers, however much one asks for', async () => {
  await using several = await openTestPool(2);
  const mallory = { caller: as('mallory'), timeoutMs: 60_000 };
  // The second worker comes with the first call.
  await several.run('return 0;');
  await expect.poll(() => several.pool.load().ready).toBe(2);
  let ended = 0;
  const busy = 'const end = Date.now() + 300; while (Date.now() < end);';
  const heavy = Array.from({ length: 8 }, async () => {
    await several.run(busy, mallory);
    ended++;
  });
  const bob = { caller: as('bob'), timeoutMs: 60_000 };
  for (let call = 0; call < 50; call++) await several.run('return 1;', bob);
  expect(ended).toBeLessThan(heavy.length);
  await Promise.all(heavy);
});

it('loads another version of an endpoint, and another endpoint under its name', async () => {
  const call = { name: 'same' };
  expect(await pool.run('return 1;', { ...call, version: '1' })).toBe(1);
  expect(await pool.run('return 2;', { ...call, version: '1' })).toBe(1);
  expect(await pool.run('return 2;', { ...call, version: '2' })).toBe(2);
});

it('lets the calls of an old version end', async () => {
  const old = pool.run("await scope.graph.addOrUpdate('Book', 'old'); return 'old';", {
    name: 'same',
    version: '1',
  });
  expect(await pool.run("return 'new';", { name: 'same', version: '2' })).toBe('new');
  expect(await old).toBe('old');
});

it('unloads what has not been called for long', async () => {
  const top = 'let calls = 0;';
  const run = (i: number) => pool.run('return ++calls;', { top, name: `e${i}` });
  for (let i = 0; i < ENDPOINT_REALMS_MAX; i++) await run(i);
  expect(await run(0)).toBe(2);
  await run(ENDPOINT_REALMS_MAX);
  expect([await run(0), await run(1)]).toEqual([3, 1]);
});

describe('while an endpoint does not come back', () => {
  const LOOP = "if (scope.body === 'loop') for (;;); return scope.body;";
  const call = (body: string) => ({ name: 'loops', body: JSON.stringify(body), timeoutMs: 700 });

  it('its later calls are answered by another worker', async () => {
    const stuck = pool.fault(LOOP, call('loop'));
    await pool.run('return 1;', { name: 'other' });
    expect(await pool.run(LOOP, { ...call('fine'), timeoutMs: 60_000 })).toBe('fine');
    expect(await stuck).toMatchObject({ kind: 'timeout' });
  });

  it('a call that has written is not begun again', async () => {
    const writes = pool.fault(
      `await scope.graph.addOrUpdate('Book', 'once'); await scope.graph.commit(); ${FOR_EVER}`,
    );
    await written('once');
    expect(await pool.fault('for (;;);', { timeoutMs: 300 })).toMatchObject({ kind: 'timeout' });
    expect(await writes).toMatchObject({ kind: 'stopped' });
    const { reader } = pool.graph;
    expect(reader.version(reader.id({ type: 'Book', key: 'once' }) ?? 0)).toBe(1);
  });

  it('a call that has not written is', async () => {
    const caller = new AbortController();
    const { signal } = caller;
    const patient = { signal, timeoutMs: 60_000 };
    const reads = pool
      .run(`scope.log.info('begins'); ${FOR_EVER}`, patient)
      .catch((error) => error);
    await logged('begins', 1);
    expect(await pool.fault('for (;;);', { timeoutMs: 300 })).toMatchObject({ kind: 'timeout' });
    await logged('begins', 2);
    caller.abort();
    expect(await reads).toBe(signal.reason);
  });

  it('and many of them do not, the others are still answered', async () => {
    const stuck = Array.from({ length: 4 }, (_, i) =>
      pool.fault('for (;;);', { name: `stuck${i}`, timeoutMs: 800 }),
    );
    expect(await pool.run('return 1;', { name: 'other' })).toBe(1);
    for (const fault of await Promise.all(stuck)) expect(fault.kind).toBe('timeout');
  });
});

it('keeps a worker that is profiled until its profile has ended', async () => {
  const profiler = await pool.pool.startProfile();
  const busy = 'const end = Date.now() + 300; while (Date.now() < end); return 1;';
  const run = pool.run(busy, { timeoutMs: 60_000 });
  // Another one comes while it is busy, and one of both is too many afterwards.
  await expect.poll(() => pool.pool.load().workers, { timeout: 30_000 }).toBe(2);
  expect(await run).toBe(1);
  await expect.poll(() => pool.pool.load().stalled).toBe(0);
  expect(JSON.parse(await profiler.end())).toHaveProperty('samples');
  await expect.poll(() => pool.pool.load().workers).toBe(1);
});

it('goes on with a worker that was only busy', async () => {
  const busy = 'const end = Date.now() + 300; while (Date.now() < end); return 1;';
  const calls = [pool.run(busy, { name: 'busy' }), pool.run('return 2;', { name: 'other' })];
  expect(await Promise.all(calls)).toEqual([1, 2]);
  expect(pool.log).toEqual([]);
});

it('ends its calls when it is closed', async () => {
  const running = pool.run(FOR_EVER).catch((error: unknown) => error);
  await pool.pool.close();
  expect(await running).toMatchObject({ code: 'server_stopping' });
  await expect(pool.run('return 1;')).rejects.toMatchObject({ code: 'server_stopping' });
});

async function written(key: string): Promise<void> {
  const { reader } = pool.graph;
  while (reader.refresh() < 0 || reader.id({ type: 'Book', key }) === undefined) await turn();
}

async function logged(message: string, times: number): Promise<void> {
  while (pool.log.filter((record) => record.message === message).length < times) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
