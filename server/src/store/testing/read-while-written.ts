import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import type { HoldingReader } from '../snapshot-reader.ts';
import { COUNTER_OPERATIONS, readCounter } from './counter-commits.ts';

/**
 * A thread that reads while another thread writes, until it is told to stop. It checks that one
 * turn never shows two commits.
 */
export interface ReadWhileWritten {
  readonly storage: string;
  /**
   * Three numbers: the newest acknowledged sequence, whether to stop, and how many different
   * commits every reader has seen at least.
   */
  readonly shared: SharedArrayBuffer;
}

export interface ReadResult {
  readonly turns: number;
  /** How many different commits each reader saw. */
  readonly seen: readonly number[];
}

async function readInOneTurn(reader: HoldingReader, withVault: boolean): Promise<number> {
  const { sequence } = reader;
  for (let i = 0; i < 20; i++) {
    const count = readCounter(reader, withVault);
    if (count * COUNTER_OPERATIONS !== sequence || reader.sequence !== sequence) {
      throw new Error(`two commits in one turn: ${sequence}, ${reader.sequence}, ${count}`);
    }
    // A turn goes on as long as there are microtasks.
    if (i % 5 === 0) await Promise.resolve();
  }
  return sequence;
}

const { storage, shared } = workerData as ReadWhileWritten;
const words = new Int32Array(shared);
const readers = [['graph'] as const, ['graph', 'vault'] as const].map((environments) => ({
  reader: openSnapshotReader({ storage, environments }),
  withVault: environments.length > 1,
  seen: new Set<number>(),
}));
let turns = 0;
while (Atomics.load(words, 1) === 0) {
  for (const { reader, withVault, seen } of readers) {
    const acknowledged = Atomics.load(words, 0);
    const sequence = turns % 2 === 0 ? reader.refresh() : reader.sequence;
    if (turns % 2 === 0 && sequence < acknowledged) {
      throw new Error(`${acknowledged} was acknowledged, and a new reader is at ${sequence}`);
    }
    seen.add(await readInOneTurn(reader, withVault));
  }
  turns++;
  Atomics.store(words, 2, Math.min(...readers.map(({ seen }) => seen.size)));
  await nextTurn();
}
for (const { reader } of readers) reader[Symbol.dispose]();
const result: ReadResult = { turns, seen: readers.map(({ seen }) => seen.size) };
must(parentPort, 'the thread that started this one').postMessage(result);
