import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestPool } from '../testing/test-pool.ts';
import type { TestPool } from '../testing/test-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool[Symbol.asyncDispose]());

const FOR_EVER = 'await new Promise(() => {});';
const FATAL = "return 'a'.repeat(2 ** 28).split('').length;";
const PATIENT = { timeoutMs: 60_000 };

async function logged(message: string, times: number): Promise<void> {
  const count = () => pool.log.filter((record) => record.message === message).length;
  while (count() < times) await new Promise((resolve) => setImmediate(resolve));
}

it('of the calls in a process that dies, the one at work fails, and those that wrote nothing run again', async () => {
  const caller = new AbortController();
  const { signal } = caller;
  const reads = pool
    .run(`scope.log.info('reads'); ${FOR_EVER}`, { ...PATIENT, signal, name: 'reads' })
    .catch((error: unknown) => error);
  const writes = pool.fault(
    `await scope.graph.addOrUpdate('Book', 'once'); await scope.graph.commit(); scope.log.info('wrote'); ${FOR_EVER}`,
    { ...PATIENT, name: 'writes' },
  );
  await logged('reads', 1);
  await logged('wrote', 1);
  expect(await pool.fault(FATAL, { ...PATIENT, name: 'fatal' })).toMatchObject({ kind: 'memory' });
  expect(await writes).toMatchObject({ kind: 'stopped' });
  await logged('reads', 2);
  caller.abort();
  expect(await reads).toBe(signal.reason);
  const { reader } = pool.graph;
  reader.refresh();
  expect(reader.version(reader.id({ type: 'Book', key: 'once' }) ?? 0)).toBe(1);
});

it('a call whose graph.commit() is under way when its process dies does not run again', async () => {
  const { writer, reader } = pool.graph;
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const commit = writer.commit.bind(writer);
  vi.spyOn(writer, 'commit').mockImplementationOnce(async (request) => {
    begun.resolve();
    await held.promise;
    return commit(request);
  });
  const once = "await scope.graph.addOrUpdate('Author', 'Ann'); await scope.graph.commit();";
  const call = pool.fault(`${once} return 1;`, { ...PATIENT, name: 'commits' });
  await begun.promise;
  expect(await pool.fault(FATAL, { ...PATIENT, name: 'fatal' })).toMatchObject({ kind: 'memory' });
  expect(await call).toMatchObject({ kind: 'stopped' });
  held.resolve();
  const version = () => {
    reader.refresh();
    return reader.version(reader.id({ type: 'Author', key: 'Ann' }) ?? 0);
  };
  await expect.poll(version).toBe(1);
});
