import { Script } from 'node:vm';
import { init } from 'es-module-lexer/js';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ENDPOINT_RESULT_BYTES_MAX } from '#base/endpoint-limits.ts';
import { openHeldGraphReader } from '#graph/open-reader.ts';
import { StateReader } from '#graph/state-reader.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { MovingState } from '#graph/transactions/moving-state.ts';
import { Snapshots } from '#graph/transactions/snapshots.ts';
import { ADMIN, LIBRARY } from '../testing/test-endpoints.ts';
import type { HeldState } from '#store/key-value.ts';
import { FrameWriter, readFrame } from './frame.ts';
import { GuestHost } from './guest-host.ts';
import { guestSource } from './script-sources.ts';
import { LazyScript } from './guest.ts';
import { HeapKeeper } from './garbage-collector.ts';
import { Progress } from './progress.ts';

let graph: TestGraph;
let held: ReturnType<typeof openHeldGraphReader>;
let host: GuestHost;
const heap = new HeapKeeper();
const progress = new Progress();
/** The frames that the host sent, each the list of its items. */
const sent: { kind: unknown; rest: readonly unknown[]; payload: string }[][] = [];
let onSent = () => {};

beforeAll(async () => {
  await init();
  graph = await openTestGraph();
  await graph.addSchema(LIBRARY);
  await graph.write({ op: 'addOrUpdate', type: 'Book', key: 'b', fields: { Pages: 1 } });
  held = openHeldGraphReader({ storage: graph.storage });
  host = hostOver(held);
});
afterAll(() => graph[Symbol.asyncDispose]());

function hostOver({ reader, snapshots }: typeof held): GuestHost {
  return new GuestHost({
    reader,
    snapshots,
    boot: new Script(guestSource()),
    zod: new LazyScript('undefined', 'trellis:zod'),
    heap,
    progress,
    note: { guest: () => undefined, read: () => undefined },
    send(frame) {
      const items: (typeof sent)[number] = [];
      readFrame(frame, ([, kind, ...rest], payload) => items.push({ kind, rest, payload }));
      // Calls that nobody ends any more are told of now and then.
      if (items.every(({ kind }) => kind === 'trace')) return;
      sent.push(items);
      onSent();
    },
  });
}

/** Each begins when the turn of the one before is over. */
beforeEach(idle);

let lastNumber = 0;
/**
 * Loads code and calls it, in one frame; gives the number of the call, which is also that of the
 * guest.
 */
function call(body: string, to = host): number {
  const number = ++lastNumber;
  const writer = new FrameWriter();
  const text = `return async (scope) => { ${body} };`;
  const script = { fileName: 'test.ts', script: text, parameters: '', imports: [] };
  writer.push(`"load",${number},false`, JSON.stringify({ script, modules: [] }));
  writer.push('"caller",1', JSON.stringify(ADMIN));
  writer.push(`"call",${number},${number},1,2,2,0,0`, '{}');
  sent.length = 0;
  to.receive(writer.take());
  return number;
}

/** Until the host has left the guest that it entered last. */
async function idle(): Promise<void> {
  while (progress.guest !== 0) await new Promise((resolve) => setImmediate(resolve));
}

function frames(count: number): Promise<void> {
  return new Promise((resolve) => {
    onSent = () => sent.length >= count && resolve();
    onSent();
  });
}

it('answers reads in a row within one turn, without a message', async () => {
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  call(
    "let n = 0; for (let i = 0; i < 50; i++) n += (await scope.graph.get('Book', 'b')).Pages; return n;",
  );
  await frames(1);
  clearInterval(count);
  expect([turns, sent]).toEqual([
    0,
    [[expect.objectContaining({ kind: 'answer', payload: '50' })]],
  ]);
});

it('gives code that goes on for many microtasks its answers all the same', async () => {
  call(
    "for (let i = 0; i < 500; i++) await null; await scope.graph.get('Book', 'b'); for (let i = 0; i < 500; i++) await null; return 1;",
  );
  await frames(1);
  expect(sent).toMatchObject([[{ kind: 'answer', payload: '1' }]]);
});

it('sends what a call has written in one frame with its answer', async () => {
  const number = call(
    "await Promise.all(['x', 'y'].map((key) => scope.graph.addOrUpdate('Book', key))); return 1;",
  );
  await frames(1);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.map(({ kind, rest }) => [kind, rest[0]])).toEqual([
    ['wrote', number],
    ['transaction', number],
    ['answer', number],
  ]);
  const { operations, sight } = JSON.parse(sent[0]?.[1]?.payload ?? '');
  expect(operations).toEqual(['x', 'y'].map((key) => ({ op: 'addOrUpdate', type: 'Book', key })));
  expect(sight.sequence).toBe(graph.reader.refresh());
});

it('does not let code go on before the state reflects what it committed', async () => {
  const number = call(
    "await scope.graph.update('Book', 'b', { Pages: 2 }); await scope.graph.commit(); return scope.graph.version('Book', 'b');",
  );
  await frames(1);
  const [, request] = sent[0]?.[1]?.rest ?? [];
  const answer = new FrameWriter();
  const sequence = graph.reader.refresh() + 1;
  answer.push(`"settle",${number},${Number(request)},true,${sequence}`, 'null');
  host.receive(answer.take());
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toHaveLength(1);
  await graph.write({ op: 'update', type: 'Book', key: 'b', fields: { Pages: 2 } });
  await frames(2);
  expect(sent[1]).toMatchObject([{ kind: 'answer', payload: '2' }]);
});

it('keeps to the commit that a call has read when a frame comes in the same turn', async () => {
  const { reader, snapshots } = held;
  reader.refresh();
  const older = snapshots.hold().state;
  await graph.write({ op: 'addOrUpdate', type: 'Book', key: 'turn', fields: { Pages: 7 } });
  reader.refresh();
  const newer = snapshots.hold().state;

  const position = new Position(older);
  const over = new StateReader(position, position);
  const other = hostOver({ reader: over, snapshots: new Snapshots(over, position) });
  call(
    `const before = await scope.graph.tryGet('Book', 'turn');
     await scope.graph.addOrUpdate('Book', 'turn', { Pages: 7 });
     return before;`,
    other,
  );
  position.next = newer;
  const empty = new FrameWriter();
  empty.push('"forget-callers"', '');
  other.receive(empty.take());
  await frames(1);
  expect(over.sequence).toBe(newer.sequence);
  expect(sent[0]).toMatchObject([
    { kind: 'wrote' },
    { kind: 'transaction' },
    { kind: 'answer', payload: 'null' },
  ]);
  const { sight } = JSON.parse(sent[0]?.[1]?.payload ?? '');
  expect(sight.sequence).toBe(older.sequence);
});

/** Shows the commit that the test says, from the next `refresh` on. */
class Position extends MovingState {
  next: HeldState;
  #shown: HeldState;

  constructor(first: HeldState) {
    super();
    this.next = first;
    this.#shown = first;
    this.refresh();
  }

  override refresh(): number {
    this.#shown = this.next;
    this.move(this.#shown, this.#shown.sequence);
    return this.sequence;
  }

  holdTurn(): HeldState {
    return this.#shown;
  }
}

it('shows whose code is at work, until all of its microtasks are done', async () => {
  const number = call('await null; return 1;');
  expect(progress.guest).toBe(number);
  await frames(1);
  expect(progress.guest).toBe(number);
  await idle();
});

it('has a greatest result', async () => {
  // JSON puts a quotation mark at either end.
  call(`return 'x'.repeat(${ENDPOINT_RESULT_BYTES_MAX - 2});`);
  await frames(1);
  expect(sent[0]?.at(-1)).toMatchObject({ kind: 'answer' });
  await idle();
  call(`return 'x'.repeat(${ENDPOINT_RESULT_BYTES_MAX - 1});`);
  await frames(1);
  expect(sent[0]?.[0]).toMatchObject({ kind: 'trace' });
  expect(sent[0]?.[1]).toMatchObject({
    kind: 'failure',
    payload: expect.stringContaining('larger than'),
  });
});

it('ends each call of a line whose code cannot be loaded', async () => {
  const guest = ++lastNumber;
  const calls = [++lastNumber, ++lastNumber, ++lastNumber];
  const writer = new FrameWriter();
  const text = "throw new Error('no');";
  const script = { fileName: 'test.ts', script: text, parameters: '', imports: [] };
  writer.push(`"load",${guest},false`, JSON.stringify({ script, modules: [] }));
  writer.push('"caller",1', JSON.stringify(ADMIN));
  for (const id of calls) writer.push(`"call",${id},${guest},1,2,2,0,0,false,false,1`, '{}');
  sent.length = 0;
  const failed = (): unknown[] =>
    sent.flat().flatMap(({ kind, rest }) => (kind === 'failure' ? [rest[0]] : []));
  const all = new Promise<void>((resolve) => {
    onSent = () => failed().length === calls.length && resolve();
  });
  host.receive(writer.take());
  await all;
  expect(failed()).toEqual(calls);
});
