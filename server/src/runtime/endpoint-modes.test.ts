import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import { ADMIN, openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
  // What is checked is how long a run takes, not how long the first worker does.
  await endpoints.service.prepare();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

/** Goes on when there is a book of that key. */
const WAIT = "while ((await graph.tryGet('Book', body.until)) === null) await graph.commit();";

async function open(key: string): Promise<void> {
  await endpoints.graph.write({ op: 'addOrUpdate', type: 'Book', key });
}

function countOf(message: string): number {
  return endpoints.log.filter((record) => record.message === message).length;
}

/** Looks again at every turn of the event loop. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome: unknown = await promise.catch((error: unknown) => error);
  return outcome instanceof Problem ? outcome.code : outcome;
}

const keyOf = ({ headers }: EndpointAnswer): string => headers?.['msk-endpoint-key'] ?? '';

describe('mode "pooling"', () => {
  const slow = (name: string, more = {}) =>
    endpoints.define(
      name,
      '{ body, graph, log, progress }: Scope<{ until: string }>',
      `log.info(body.until); progress(0.25, 'so far'); ${WAIT} return body.until;`,
      { mode: 'pooling', ...more },
    );

  it('answers 202 until the run has ended, then its answer, to whoever began it', async () => {
    await slow('pool/slow');
    const body = { until: 'pooled' };
    const first = await endpoints.run('pool/slow', { body });
    expect(first).toMatchObject({ status: 202, body: null });
    const runKey = keyOf(first);
    const again = await endpoints.run('pool/slow', { runKey });
    expect(again.headers).toEqual({
      'msk-endpoint-key': runKey,
      'msk-endpoint-progress': 'fraction=0.25&text=so+far',
    });
    expect(keyOf(await endpoints.run('pool/slow', { body }))).toBe(runKey);
    const stranger = endpoints.run('pool/slow', { runKey, caller: { ...USER, tokenId: 'other' } });
    expect(await codeOf(stranger)).toBe('run_not_found');
    await open('pooled');
    let answer = again;
    while (answer.status === 202) answer = await endpoints.run('pool/slow', { runKey });
    expect(answer).toMatchObject({ status: 200, body: '"pooled"' });
    expect(countOf('pooled')).toBe(1);
  });

  it('answers a quick run at once', async () => {
    await endpoints.define('pool/quick', '', 'return 1;', { mode: 'pooling' });
    expect(await endpoints.run('pool/quick')).toMatchObject({ status: 200, body: '1' });
  });

  it('ends a run at its time', async () => {
    await slow('pool/late', { timeoutMs: 50 });
    expect(await codeOf(endpoints.run('pool/late', { body: { until: 'never' } }))).toBe(
      'endpoint_timeout',
    );
  });

  it('goes on when the caller leaves, and ends when the caller cancels', async () => {
    await endpoints.define(
      'pool/cancelled',
      '{ signal, log }: Scope',
      "await new Promise<void>((go) => signal.addEventListener('abort', go)); log.info('was cancelled');",
      { mode: 'pooling' },
    );
    const caller = new AbortController();
    const first = await endpoints.run('pool/cancelled', { signal: caller.signal });
    caller.abort(new Error('gone'));
    const runKey = keyOf(first);
    expect(await endpoints.run('pool/cancelled', { runKey })).toMatchObject({ status: 202 });
    const cancel = (who = ADMIN) => endpoints.service.cancelRun(who, 'pool/cancelled', runKey);
    expect(() => cancel(USER)).toThrow(Problem);
    cancel();
    await untilTrue(() => countOf('was cancelled') === 1);
    const poll = endpoints.run('pool/cancelled', { runKey });
    expect(await codeOf(poll)).toBe('run_not_found');
    expect(() => cancel()).toThrow(Problem);
  });

  it('does not let a key begin a run', async () => {
    await endpoints.define('pool/none', '{ log }: Scope', "log.info('ran for a key');");
    const call = endpoints.run('pool/none', { runKey: 'x' });
    expect(await codeOf(call)).toBe('run_not_found');
    expect(countOf('ran for a key')).toBe(0);
  });
});

describe('cacheSeconds', () => {
  const define = (name: string, more = {}) =>
    endpoints.define(
      name,
      '{ body, q }: Scope',
      "return [body, await q().startAt('Book').count()];",
      {
        cacheSeconds: 60,
        isReadOnly: true,
        ...more,
      },
    );
  const isHit = ({ headers }: EndpointAnswer): boolean => headers?.['msk-cache'] === 'hit';

  it('gives a good answer again to the same caller and body, until its time is over', async () => {
    await define('cache/count');
    const run = (body: unknown, more = {}) => endpoints.run('cache/count', { body, ...more });
    const first = await run(1);
    expect(isHit(first)).toBe(false);
    await open('one more');
    endpoints.graph.clock.time += 59_000;
    const again = await run(1);
    expect(again).toMatchObject({ status: 200, body: first.body, headers: { age: '59' } });
    const differing = [run(2), run(1, { caller: { ...USER, isAdmin: false } })];
    expect((await Promise.all(differing)).map(isHit)).toEqual([false, false]);
    // Whoever has written since is given nothing from before.
    const sequence = endpoints.graph.reader.refresh();
    const headers = JSON.stringify({ 'x-msk-min-sequence': String(sequence) });
    expect(isHit(await run(1, { headers }))).toBe(false);
    endpoints.graph.clock.time += 60_000;
    expect(isHit(await run(1))).toBe(false);
  });

  it('never gives it across versions, nor across a change of access', async () => {
    await define('cache/changes');
    const run = () => endpoints.run('cache/changes');
    await run();
    expect(isHit(await run())).toBe(true);
    await endpoints.service.put(ADMIN, 'cache/changes', { description: 'another version' });
    expect(isHit(await run())).toBe(false);
    expect(isHit(await run())).toBe(true);
    const { writer } = endpoints.graph;
    const { outcomes } = await writer.commit({
      operations: [{ op: 'addOrUpdate', type: '_AccessGroup', fields: { Name: 'team' } }],
      system: true,
    });
    const team = { uid: String(outcomes[0]?.uid) };
    const node = { type: 'Book', key: 'one more' };
    await writer.commit({
      operations: [{ op: 'restrict', node, team }],
      accessControl: { trace: { op: 'tryAdd', type: 'Book', key: 'trace' } },
    });
    expect(isHit(await run())).toBe(false);
  });

  it('is not for errors', async () => {
    await endpoints.define('cache/bad', '{ notFound }: Scope', 'return notFound([]);', {
      cacheSeconds: 60,
      isReadOnly: true,
    });
    await endpoints.run('cache/bad');
    expect(isHit(await endpoints.run('cache/bad'))).toBe(false);
  });

  it('is not for runs that wrote, or had something written', async () => {
    const scope = '{ body, graph, run }: Scope<string>';
    const code = "if (body !== '') await graph.addOrUpdate('Book', body); return body;";
    await endpoints.define('cache/writes', scope, code, { cacheSeconds: 60 });
    const nested = { cacheSeconds: 60 };
    await endpoints.define('cache/has-written', scope, "return run('cache/writes', body);", nested);
    for (const name of ['cache/writes', 'cache/has-written']) {
      for (const [body, expected] of [
        ['written', false],
        ['', true],
      ] as const) {
        await endpoints.run(name, { body });
        expect(isHit(await endpoints.run(name, { body })), `${name} ${body}`).toBe(expected);
      }
    }
  });

  it('holds for runs of mode "pooling" and for those that other endpoints make', async () => {
    await define('cache/pooled', { mode: 'pooling' });
    await endpoints.run('cache/pooled');
    expect(isHit(await endpoints.run('cache/pooled'))).toBe(true);
    await define('cache/inner');
    await endpoints.define('cache/outer', '{ run }: Scope', "return run('cache/inner');");
    const before = await endpoints.value('cache/outer');
    await open('yet another');
    expect(await endpoints.value('cache/outer')).toEqual(before);
  });
});

describe('limits of one endpoint', () => {
  it('let so many run and so many wait, and refuse the rest', async () => {
    const limits = { maxConcurrent: 1, maxQueued: 1 };
    const scope = '{ body, graph, log }: Scope<{ until: string; name: string }>';
    await endpoints.define(
      'limited',
      scope,
      `log.info(body.name); ${WAIT} return body.name;`,
      limits,
    );
    const call = (name: string, more = {}) =>
      endpoints.run('limited', { body: { until: 'released', name }, ...more });
    const running = call('runs');
    await untilTrue(() => countOf('runs') === 1);
    const leaver = new AbortController();
    const leaving = codeOf(call('leaves', { signal: leaver.signal }));
    expect(await codeOf(call('refused'))).toBe('endpoint_overloaded');
    leaver.abort(new Error('gone'));
    expect(await leaving).toMatchObject({ message: 'gone' });
    const waiting = call('waits');
    await open('released');
    expect(await running).toMatchObject({ body: '"runs"' });
    expect(await waiting).toMatchObject({ body: '"waits"' });
    expect([countOf('leaves'), countOf('refused')]).toEqual([0, 0]);
    expect(await call('later')).toMatchObject({ body: '"later"' });
  });

  it('count a run whose caller has gone as long as its code goes on', async () => {
    const limits = { maxConcurrent: 1, maxQueued: 0 };
    const scope = '{ body, graph, log }: Scope<{ until: string }>';
    await endpoints.define('limited/left', scope, `log.info('left'); ${WAIT}`, limits);
    const caller = new AbortController();
    const run = (more = {}) =>
      codeOf(endpoints.run('limited/left', { body: { until: 'let go' }, ...more }));
    const left = run({ signal: caller.signal });
    await untilTrue(() => countOf('left') === 1);
    caller.abort(new Error('gone'));
    expect(await left).toMatchObject({ message: 'gone' });
    expect(await run()).toBe('endpoint_overloaded');
    await open('let go');
    let next = await run();
    while (next === 'endpoint_overloaded') {
      await new Promise((resolve) => setImmediate(resolve));
      next = await run();
    }
    expect(next).toMatchObject({ status: 200 });
  });

  it('do not make endpoints wait for each other', async () => {
    const limits = { maxConcurrent: 1, maxQueued: 10 };
    const code = 'return body === 0 ? 0 : 1 + (await run<number>("limited/self", body - 1));';
    await endpoints.define('limited/self', '{ body, run }: Scope<number>', code, limits);
    const calls = [1, 2, 3].map((body) => endpoints.value('limited/self', body));
    expect(await Promise.all(calls)).toEqual([1, 2, 3]);
  });

  it('refuse whoever has waited for too long, as it did not run', async () => {
    const limits = { maxConcurrent: 1, maxQueued: 1 };
    await endpoints.define('limited/stuck', '', 'await new Promise(() => {});', limits);
    const caller = new AbortController();
    const stuck = codeOf(endpoints.run('limited/stuck', { signal: caller.signal }));
    await endpoints.service.put(ADMIN, 'limited/stuck', { timeoutMs: 50 });
    expect(await codeOf(endpoints.run('limited/stuck'))).toBe('endpoint_overloaded');
    caller.abort(new Error('gone'));
    expect(await stuck).toMatchObject({ message: 'gone' });
  });
});
