import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openTestGraph } from '#graph/testing/test-graph.ts';
import { collectingLogger, enterEmptyFolder } from '../testing/test-endpoints.ts';
import { EndpointPool } from './endpoint-pool.ts';
import { StateGate } from './state-gate.ts';

test('a thread that comes to a closed gate goes on when it is opened, and one that comes later at once', async () => {
  const gate = new StateGate();
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ StateGate }) => {
      const gate = new StateGate(workerData.gate);
      parentPort.postMessage(gate.isOpen);
      gate.pass();
      parentPort.postMessage(gate.isOpen);
      gate.pass();
      parentPort.postMessage('passed twice');
    });
  `;
  const module = new URL('state-gate.ts', import.meta.url).href;
  const thread = new Worker(code, { eval: true, workerData: { gate: gate.buffer, module } });
  const said: unknown[] = [];
  const end = once(thread, 'exit');
  thread.on('message', (message: unknown) => {
    said.push(message);
    if (message === false) gate.open();
  });
  await end;
  expect(said).toEqual([false, true, 'passed twice']);
});

test('workers that were started before there was a state can be called once there is one', async () => {
  await using opened = new AsyncDisposableStack();
  const graph = opened.use(await openTestGraph());
  opened.use(enterEmptyFolder());
  const state = Promise.withResolvers<undefined>();
  const logger = collectingLogger([]);
  const { storage } = graph;
  const environmentKey = state.promise;
  const pool = EndpointPool.start({ storage, environmentKey, size: 1, logger });
  opened.defer(() => pool.close());
  const ready = pool.prepare();
  expect(pool.load()).toMatchObject({ workers: 1, ready: 0 });
  state.resolve(undefined);
  await ready;
  expect(pool.load()).toMatchObject({ workers: 1, ready: 1 });
});

test('a pool whose state never comes ends without waiting for it', async () => {
  await using opened = new AsyncDisposableStack();
  opened.use(enterEmptyFolder());
  const logger = collectingLogger([]);
  const pool = EndpointPool.start({
    storage: '/nowhere',
    environmentKey: new Promise(() => {}),
    size: 1,
    logger,
  });
  void pool.prepare();
  await pool.close();
  expect(pool.load()).toMatchObject({ workers: 0, ready: 0 });
});
