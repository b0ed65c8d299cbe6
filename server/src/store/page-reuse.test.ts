import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PAGE_REUSE_DELAY_MS } from '#base/limits.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

const COMMITS = 200;

let storage: string;
let environment: Environment;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  storage = mkdtempSync(join(tmpdir(), 'trellis-reuse-'));
  const encryptionKey = 'k'.repeat(32);
  environment = openEnvironment('graph', { storage, readOnly: false, encryptionKey });
});
afterEach(async () => {
  await closeWritten(environment);
  rmSync(storage, { recursive: true });
  vi.useRealTimers();
});

/** Begins a transaction, as another thread would now. */
function begin() {
  environment.root.resetReadTxn();
  return environment.root.useReadTransaction();
}

const KEYS = 3_000;
const keyOf = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 255);

test('where transactions overlap without a gap, each reads what was committed last', async () => {
  const { applied: store } = environment;
  const values = Array.from({ length: KEYS }, () => 0);
  let before = begin();
  for (let i = 1; i <= COMMITS; i++) {
    await writeTransaction(environment, () => {
      for (let j = i % 7; j < KEYS; j += 7 * (1 + (i % 40))) {
        values[j] = i;
        void store.put(keyOf(j), new Uint8Array(64).fill(i));
      }
    });
    const transaction = begin();
    for (let j = (i * 31) % 50; j < KEYS; j += 50) {
      const read = store.get(keyOf(j), { transaction })?.[0] ?? 0;
      expect([i, j, read]).toEqual([i, j, values[j]]);
    }
    before.done();
    before = transaction;
  }
  before.done();
});

test('what nobody reads any more is used again, after a while', async () => {
  const { applied: store, root } = environment;
  const write = (): Promise<void> =>
    writeTransaction(environment, () => {
      for (let j = 0; j < KEYS; j++) void store.put(keyOf(j), new Uint8Array(64).fill(1));
    });
  const pages = (): number => Number(Object(root.getStats())['lastPageNumber']);
  for (let i = 0; i < 5; i++) {
    await write();
    for (let tick = 0; tick < 4; tick++) vi.advanceTimersByTime(PAGE_REUSE_DELAY_MS);
  }
  const before = pages();
  for (let i = 0; i < 20; i++) {
    await write();
    for (let tick = 0; tick < 4; tick++) vi.advanceTimersByTime(PAGE_REUSE_DELAY_MS);
  }
  expect(pages()).toBe(before);
  // A transaction of another reader must end first.
  const other = begin();
  for (let i = 0; i < 5; i++) {
    await write();
    for (let tick = 0; tick < 4; tick++) vi.advanceTimersByTime(PAGE_REUSE_DELAY_MS);
  }
  expect(pages()).toBeGreaterThan(before);
  other.done();
});
