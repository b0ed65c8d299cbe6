import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { scale } from '../../../test/support/scale.ts';
import { DB } from './databases.ts';
import { OpeningGate, openingGate } from '#base/opening-gate.ts';
import { createStorage } from './testing/storage.ts';

const OPENINGS = scale({ sample: 60, soak: 2_000 });

test('a transaction waits for who opens, who opens for transactions, and nobody for ever', async () => {
  const gate = new OpeningGate();
  const steps: string[] = [];
  const transaction = Promise.withResolvers<void>();
  const first = gate.write(async () => {
    steps.push('writes');
    await transaction.promise;
    steps.push('written');
  });
  const opening = gate.hold().then((turn) => {
    steps.push('opens');
    return turn;
  });
  const second = gate.write(() => void steps.push('writes again'));
  transaction.resolve();
  const turn = await opening;
  await first;
  expect(steps).toEqual(['writes', 'written', 'opens']);
  using other = await gate.hold();
  turn[Symbol.dispose]();
  other[Symbol.dispose]();
  await second;
  expect(steps.at(-1)).toBe('writes again');
});

test('threads of a process have one gate', async () => {
  const module = new URL('../base/opening-gate.ts', import.meta.url).href;
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    // To wait for a cell keeps no thread from ending.
    const alive = setInterval(() => {}, 60_000);
    import(workerData).then(async ({ openingGate }) => {
      const written = openingGate.write(() => parentPort.postMessage('written'));
      parentPort.postMessage('waits');
      await written;
      clearInterval(alive);
    });
  `;
  const said: unknown[] = [];
  const turn = await openingGate.hold();
  const thread = new Worker(code, { eval: true, workerData: module });
  const ended = once(thread, 'exit');
  thread.on('message', (message) => {
    said.push(message);
    if (message !== 'waits') return;
    said.push('released');
    turn[Symbol.dispose]();
  });
  await ended;
  expect(said).toEqual(['waits', 'released', 'written']);
});

test('nothing is lost while another process opens the state again and again', async () => {
  await using storage = await createStorage();
  await using state = await storage.openState();
  const program = fileURLToPath(new URL('testing/open-again.ts', import.meta.url));
  const other = fork(program, [storage.path]);
  const written = { count: 0, isOver: false };
  const write = async (): Promise<void> => {
    while (!written.isOver) {
      const key = Buffer.alloc(8);
      key.writeUInt32BE(written.count++, 4);
      await state.commit((batch) => batch.put(DB.nodes, key, key));
    }
  };
  const writing = write();
  for (let opening = 0; opening < OPENINGS; opening++) {
    using _turn = await openingGate.hold();
    const before = state.sequence;
    other.send('open');
    const [seen]: unknown[] = await once(other, 'message');
    expect(seen).toBeGreaterThanOrEqual(before);
  }
  written.isOver = true;
  await writing;
  other.kill();
  using reader = storage.openReader(['graph']);
  using held = reader.hold();
  expect(held.count(DB.nodes)).toBe(written.count);
});
