import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '#base/problem.ts';
import { PoolWorker } from './sandbox/pool-worker.ts';
import type { RunningCall } from './sandbox/running-call.ts';
import { openTestEndpoints, type TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeEach(async () => {
  endpoints = await openTestEndpoints(2);
  await endpoints.graph.write({ op: 'addOrUpdate', type: 'Book', key: 'b', fields: { Pages: 0 } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await endpoints[Symbol.asyncDispose]();
});

const CALLS = 30;
/** One of those that come to be in a line with others before it. */
const CHOSEN = CALLS - 10;
const NAME = 'counts';

async function define(code: string): Promise<void> {
  await endpoints.define(
    NAME,
    '{ graph, log, signal, status, body }: Scope<{ i: number }>',
    `void log; void signal; void status;
     const { Pages = 0 } = await graph.get('Book', 'b');
     const isInLine = Pages > 4;
     void isInLine;
     await graph.update('Book', 'b', { Pages: Pages + 1 });
     ${code}`,
  );
}

function pages(): unknown {
  const { reader } = endpoints.graph;
  reader.refresh();
  return reader.field(reader.id({ type: 'Book', key: 'b' }) ?? 0, 'Pages');
}

/** What comes of calls at once: values, and the problems of those that have none. */
function callAll(signal = new AbortController().signal): Promise<unknown[]> {
  const never = new AbortController().signal;
  const call = async (i: number): Promise<unknown> => {
    const { body } = await endpoints.run(NAME, {
      body: { i },
      signal: i === CHOSEN ? signal : never,
    });
    return JSON.parse(body ?? 'null');
  };
  return Promise.all(
    Array.from({ length: CALLS }, (_, i) => call(i).catch((error: unknown) => error)),
  );
}

/** When the worker is given the chosen call in a line. */
function whenInLine(then: () => void): void {
  const { runInLine } = PoolWorker.prototype;
  vi.spyOn(PoolWorker.prototype, 'runInLine').mockImplementation(function (
    this: PoolWorker,
    running: RunningCall,
    line,
  ) {
    const isIn = runInLine.call(this, running, line);
    if (isIn && running.call.body === JSON.stringify({ i: CHOSEN })) then();
    return isIn;
  });
}

const numbers = (values: readonly unknown[]): number[] =>
  values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

it('nothing is heard of a call whose caller has gone in the middle of a line', async () => {
  await define(`
    if (body.i === ${CHOSEN} && isInLine) {
      while (!signal.aborted) await graph.get('Book', 'b');
      log.info('seen ' + Pages);
      log.info('now ' + (await graph.get('Book', 'b')).Pages);
    }
    return Pages;`);
  const caller = new AbortController();
  whenInLine(() => caller.abort(new Problem('invalid_request', 'gone')));
  const values = await callAll(caller.signal);
  expect(numbers(values)).toEqual(upTo(CALLS - 1));
  // By now the worker has done what it was sent before.
  await endpoints.run(NAME, { body: { i: CALLS } });
  expect(endpoints.log).toEqual([]);
  expect(pages()).toBe(CALLS);
});

it('those behind a call whose answer is none do not see what it has written', async () => {
  await define(`
    const made = status(200, Pages);
    if (body.i === ${CHOSEN} && isInLine) (made as { status: number }).status = 100;
    return made;`);
  const values = await callAll();
  const counted = numbers(values);
  expect(counted).toEqual(upTo(CALLS - 1));
  expect(pages()).toBe(CALLS - 1);
});

it('what is written in a line is not older than what it was written on', async () => {
  vi.spyOn(endpoints.graph.clock, 'now').mockImplementation(() => Date.now());
  await define(`
    const before = Pages === 0 ? '' : (await graph.get('Book', 'b ' + Pages)).Timestamp;
    const until = Date.now() + (Pages % 2 === 0 ? 8 : 0);
    while (Date.now() < until);
    await graph.addOrUpdate('Book', 'b ' + (Pages + 1), {});
    return { before, after: (await graph.get('Book', 'b ' + (Pages + 1))).Timestamp };`);
  const values = (await callAll()) as { before: string; after: string }[];
  expect(values.map(({ after }) => typeof after)).toEqual(values.map(() => 'string'));
  expect(values.filter(({ before, after }) => after < before)).toEqual([]);
});

it('a call that is to run again when the server stops ends', async () => {
  await define('return Pages;');
  const refused = new Problem('write_conflict', 'no', { details: { place: 'n1' } });
  vi.spyOn(endpoints.graph.writer, 'commitLine').mockImplementation(async (requests) => {
    await endpoints.service[Symbol.asyncDispose]();
    return requests.map(() => ({ problem: refused.toMessage() }));
  });
  const values = await callAll();
  const stopped = values.filter((value) => value instanceof Problem);
  expect(new Set(stopped.map(({ code }) => code))).toEqual(new Set(['server_stopping']));
});
