import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { IDLE_HEAP_LOOKS } from '#base/limits.ts';

/**
 * Fills the heap and takes looks as each message says, and answers with what the heap has had
 * between and has after. One message does both: between two, V8 may collect what the first left.
 */
const THREAD = `
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { IdleHeap } from ${JSON.stringify(new URL('./idle-heap.ts', import.meta.url))};
const heap = new IdleHeap();
const kept = [];
function fill() {
  const garbage = [];
  for (let i = 0; i < 700_000; i++) garbage.push({ name: 'node ' + i, list: [i] });
  kept.push(garbage[0]);
}
parentPort.on('message', ({ fills, looks }) => {
  if (fills) fill();
  const filled = getHeapStatistics().total_physical_size;
  const released = looks.map((share) => heap.look(share));
  parentPort.postMessage({ filled, released, bytes: getHeapStatistics().total_physical_size });
});`;

interface Answer {
  readonly filled: number;
  readonly released: readonly boolean[];
  readonly bytes: number;
}

const BUSY = 0.5;
const IDLE = 0.01;

class TestThread implements AsyncDisposable {
  readonly #worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), {
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });

  async ask(question: {
    readonly fills?: boolean;
    readonly looks?: readonly number[];
  }): Promise<Answer> {
    this.#worker.postMessage({ looks: [], ...question });
    const [answer] = (await once(this.#worker, 'message')) as [Answer];
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

const idleLooks = Array.from({ length: IDLE_HEAP_LOOKS }, () => IDLE);

test('an idle thread gives back what a load has filled, nearly all of it', async () => {
  await using thread = new TestThread();
  const { bytes: first } = await thread.ask({});
  const { filled, released, bytes } = await thread.ask({ fills: true, looks: idleLooks });
  expect(filled / first).toBeGreaterThan(5);
  expect(released).toEqual([...idleLooks.slice(1).map(() => false), true]);
  expect(bytes / first).toBeLessThan(1.5);
});

test('it waits until the thread was idle for some looks, one after the other', async () => {
  await using thread = new TestThread();
  const looks = [IDLE, IDLE, BUSY, ...idleLooks.slice(1)];
  expect((await thread.ask({ fills: true, looks })).released).not.toContain(true);
  expect((await thread.ask({ looks: [IDLE] })).released).toEqual([true]);
});

test('it leaves a heap alone that has not grown since', async () => {
  await using thread = new TestThread();
  expect((await thread.ask({ looks: idleLooks })).released).not.toContain(true);
  expect((await thread.ask({ fills: true, looks: idleLooks })).released).toContain(true);
  expect((await thread.ask({ looks: idleLooks })).released).not.toContain(true);
});
