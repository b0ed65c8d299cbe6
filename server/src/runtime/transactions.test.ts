import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { Problem } from '#base/problem.ts';
import { TRANSACTION_TURNS_AWAITED_MAX } from '#base/transaction-limits.ts';
import { ADMIN, openTestEndpoints, type TestEndpoints } from './testing/test-endpoints.ts';
import { WriteTurns } from './write-turns.ts';

/** Requests to the one server outside, which are answered when the test says so. */
const outside: (() => void)[] = [];
const ALLOWED = 'http://outside.test';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints(2, false, {
    fetchAllowList: () => [ALLOWED],
    fetch: () =>
      new Promise((resolve) => {
        outside.push(() => resolve(new Response('{}')));
        arrived();
      }),
  });
});
afterAll(() => endpoints[Symbol.asyncDispose]());

let arrived = (): void => {};
/** Resolves when the code of an endpoint waits outside; what is called then lets it go on. */
async function outsideRequest(): Promise<() => void> {
  if (outside.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
  const goOn = outside.shift();
  if (goOn === undefined) throw new Error('nobody waits outside');
  return goOn;
}

const pages = (key: string): unknown => {
  const { reader } = endpoints.graph;
  reader.refresh();
  const id = reader.id({ type: 'Book', key });
  return id === undefined ? undefined : reader.field(id, 'Pages');
};

const put = (key: string, count: number): Promise<void> =>
  endpoints.graph.write({ op: 'addOrUpdate', type: 'Book', key, fields: { Pages: count } });

let made = 0;
/** An endpoint with this code; gives its name. */
async function define(code: string, more: object = {}): Promise<string> {
  const name = `transactions/${++made}`;
  await endpoints.define(name, '{ graph, q, run, fetch, log, body }: Scope<string>', code, more);
  return name;
}

const WAIT = `await fetch('${ALLOWED}/');`;
const COUNT = `
  const { Pages = 0 } = await graph.get('Book', body);
  await graph.update('Book', body, { Pages: Pages + 1 });`;

describe('calls that read and write the same node at once', () => {
  it('count each of 50', async () => {
    await put('counter', 0);
    const name = await define(COUNT);
    await Promise.all(Array.from({ length: 50 }, () => endpoints.value(name, 'counter')));
    expect(pages('counter')).toBe(50);
  });

  it('count those of 64 writers, call after call', async () => {
    await put('busy', 0);
    const name = await define(COUNT);
    const write = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) await endpoints.value(name, 'busy');
    };
    await Promise.all(Array.from({ length: 64 }, write));
    expect(pages('busy')).toBe(192);
  });

  it('count inside graph.transaction(), too', async () => {
    await put('inside', 0);
    const name = await define(`
      await graph.transaction(async (tx) => {
        const { Pages = 0 } = await graph.get('Book', body);
        await tx.update('Book', body, { Pages: Pages + 1 });
      });`);
    await Promise.all(Array.from({ length: 50 }, () => endpoints.value(name, 'inside')));
    expect(pages('inside')).toBe(50);
  });

  it('count where one endpoint runs another', async () => {
    await put('nested', 0);
    const inner = await define(COUNT);
    const name = await define(`await run('${inner}', body); await run('${inner}', body);`);
    await Promise.all(Array.from({ length: 10 }, () => endpoints.value(name, 'nested')));
    expect(pages('nested')).toBe(20);
  });

  it('count what a query finds by its type', async () => {
    const name = await define(`
      const count = await q().startAt('Author').count();
      await graph.addOrUpdate('Author', 'author ' + count);`);
    await Promise.all(Array.from({ length: 10 }, () => endpoints.value(name, '')));
    const { reader } = endpoints.graph;
    reader.refresh();
    expect(reader.countOfType('Author')).toBe(10);
  });
});

describe('nothing is written', () => {
  it.each([
    ['a throw', "throw new Error('no');"],
    ['a reply that is thrown', 'throw { status: 500 };'],
    ['an answer from 400 up', 'return status(409, {});'],
    ['a refusal', "return badRequest('no');"],
    ['what is no JSON', 'return 1n;'],
  ])('by %s', async (_what, end) => {
    const name = `nothing/${++made}`;
    const scope = '{ graph, status, badRequest }: Scope';
    await endpoints.define(
      name,
      scope,
      `void status; void badRequest; await graph.addOrUpdate('Book', 'nothing ${made}', { Pages: 1 }); ${end}`,
    );
    const before = endpoints.graph.reader.refresh();
    await endpoints.run(name).catch(() => undefined);
    expect(endpoints.graph.reader.refresh()).toBe(before);
  });

  it('by a call whose caller has gone, after a graph.commit() that it has caught', async () => {
    const gone = new AbortController();
    const code = `
      await graph.addOrUpdate('Book', body, { Pages: 1 });
      ${WAIT}
      await graph.commit().catch(() => {});
      log.info(body + ' goes on');`;
    const name = await define(code, { maxConcurrent: 1, maxQueued: 1 });
    const run = endpoints.run(name, { body: 'refused', signal: gone.signal });
    const ended = run.catch(() => 'refused');
    const goOn = await outsideRequest();
    gone.abort(new Problem('invalid_token', 'gone'));
    expect(await ended).toBe('refused');
    const next = endpoints.value(name, 'next');
    endpoints.log.length = 0;
    goOn();
    (await outsideRequest())();
    await next;
    expect([pages('refused'), pages('next')]).toEqual([undefined, 1]);
    expect(endpoints.log.map(({ message }) => message)).toEqual(['next goes on']);
  });

  it('by a call that takes too long', async () => {
    const name = await define(
      "await graph.addOrUpdate('Book', 'late', { Pages: 1 }); await new Promise(() => {});",
      { timeoutMs: 500 },
    );
    expect((await endpoints.problem(name, { body: '' })).code).toBe('endpoint_timeout');
    expect(pages('late')).toBeUndefined();
  });

  it('by a call whose caller has gone', async () => {
    const gone = new AbortController();
    const name = await define(`await graph.addOrUpdate('Book', 'gone', { Pages: 1 }); ${WAIT}`);
    const run = endpoints.run(name, { body: '', signal: gone.signal });
    const ended = run.catch(() => 'refused');
    const goOn = await outsideRequest();
    gone.abort(new Problem('job_cancelled', 'gone'));
    expect(await ended).toBe('refused');
    goOn();
    await put('after it', 1);
    expect(pages('gone')).toBeUndefined();
  });

  it('by a run whose caller has gone, which counts until its code has ended', async () => {
    const gone = new AbortController();
    const code = `await graph.addOrUpdate('Book', 'left', { Pages: 1 }); ${WAIT}`;
    const name = await define(code, { maxConcurrent: 1, maxQueued: 1 });
    const ended = endpoints.run(name, { body: '', signal: gone.signal }).catch(() => 'refused');
    const goOn = await outsideRequest();
    gone.abort(new Problem('job_cancelled', 'gone'));
    expect(await ended).toBe('refused');
    const next = endpoints.value(name, '');
    goOn();
    (await outsideRequest())();
    await next;
    expect(pages('left')).toBe(1);
  });

  it('of an endpoint that fails in another, which goes on', async () => {
    const inner = await define(
      "await graph.addOrUpdate('Book', 'inner', { Pages: 1 }); throw new Error('no');",
    );
    const name = await define(`
      await graph.addOrUpdate('Book', 'outer', { Pages: 1 });
      await run('${inner}', body).catch(() => {});
      return (await graph.tryGet('Book', 'inner')) === null;`);
    expect(await endpoints.value(name, '')).toBe(true);
    expect([pages('inner'), pages('outer')]).toEqual([undefined, 1]);
  });
});

describe('what a call reads', () => {
  it('is one commit, however long it takes', async () => {
    await put('steady', 1);
    const name = await define(`
      const read = async () => [
        (await graph.get('Book', 'steady')).Pages,
        await q().startAt('Book', 'steady').where('Pages', '>', 1).count(),
      ];
      const before = await read();
      ${WAIT}
      return [before, await read()];`);
    const run = endpoints.value(name, '');
    const goOn = await outsideRequest();
    await put('steady', 2);
    goOn();
    expect(await run).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it('has its own writes by name, and not in queries', async () => {
    const inner = await define("return (await graph.get('Book', 'own')).Pages;");
    const name = await define(`
      const { UID } = await graph.addOrUpdate('Book', 'own', { Pages: 1 });
      const byUid = await graph.get(UID ?? '');
      await graph.update('Book', 'own', { Pages: 2 });
      const [many] = await graph.getMany('Book', ['own']);
      return [
        byUid.Type === 'Book' && byUid.Pages, many?.Pages, await graph.version('Book', 'own'),
        await q().startAt('Book', 'own').count(), await run('${inner}', body),
      ];`);
    expect(await endpoints.value(name, '')).toEqual([1, 2, 2, 0, 2]);
  });

  it('is what is stored: the timestamp of a new node, too', async () => {
    const name = await define(
      "const { UID } = await graph.addOrUpdate({ type: 'Book', fields: { Pages: 1 } }); return graph.get(UID ?? '');",
    );
    const read = Object(await endpoints.value(name, ''));
    const { reader } = endpoints.graph;
    reader.refresh();
    expect(reader.node(reader.id({ uid: read.UID }) ?? 0)).toEqual(read);
  });
});

describe('a call that others are in the way of', () => {
  it('is refused when it has called something outside', async () => {
    await put('asked', 1);
    const name = await define(`${COUNT} ${WAIT}`);
    const run = endpoints.problem(name, { body: 'asked' });
    const goOn = await outsideRequest();
    await put('asked', 5);
    goOn();
    const { code } = await run;
    expect([code, pages('asked')]).toEqual(['write_conflict', 5]);
  });

  it('is not refused when it has read something else', async () => {
    await put('other', 1);
    const name = await define(`${COUNT} ${WAIT}`);
    const run = endpoints.value(name, 'other');
    const goOn = await outsideRequest();
    await put('something else', 5);
    goOn();
    await run;
    expect(pages('other')).toBe(2);
  });

  it('is not refused, having called outside, when only their turn is in its way', async () => {
    await put('turn', 0);
    // Of the two the one that runs again has its turn then, and waits outside with it.
    const holder = await define(`${COUNT} if (Pages === 1) ${WAIT}`);
    const holders = Promise.allSettled([1, 2].map(() => endpoints.value(holder, 'turn')));
    const letHolderGo = await outsideRequest();
    const name = await define(`${COUNT} ${WAIT}`);
    const run = endpoints.value(name, 'turn');
    const goOn = await outsideRequest();
    goOn();
    await run;
    expect(pages('turn')).toBe(2);
    letHolderGo();
    expect((await holders).map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
    ]);
  });

  it('waits for the turns of others without an attempt, and not for ever', async () => {
    await put('patient', 0);
    const name = await define(COUNT);
    const taken = vi.spyOn(WriteTurns.prototype, 'takenPlace').mockReturnValue('n');
    try {
      await endpoints.value(name, 'patient');
      expect(taken).toHaveBeenCalledTimes(TRANSACTION_TURNS_AWAITED_MAX);
    } finally {
      taken.mockRestore();
    }
    expect(pages('patient')).toBe(1);
  });

  it('logs once what it logs again', async () => {
    await put('logged', 0);
    const name = await define(`log.info('counting'); ${COUNT}`);
    endpoints.log.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => endpoints.value(name, 'logged')));
    expect(endpoints.log.filter(({ message }) => message === 'counting')).toHaveLength(10);
  });
});

it('a call is listed with the time at which it began', async () => {
  const { graph, service } = endpoints;
  const name = await define(WAIT);
  const run = endpoints.value(name, '');
  const begun = new Date(graph.clock.now()).toISOString();
  const goOn = await outsideRequest();
  graph.clock.time += 3_600_000;
  goOn();
  await run;
  expect(service.workbench.calls(ADMIN, name).items).toMatchObject([{ at: begun }]);
});

describe('graph.commit()', () => {
  it('ends a transaction, and what comes after reads what there is then', async () => {
    await put('half', 0);
    const name = await define(`
      ${COUNT}
      await graph.commit();
      const seen = await q().startAt('Book', body).where('Pages', '=', 1).count();
      await graph.update('Book', body, { Pages: 7 });
      throw new Error('seen ' + seen);`);
    const { message } = await endpoints.problem(name, { body: 'half' });
    expect(message).toContain('seen 1');
    expect(pages('half')).toBe(1);
  });

  it('is what a transaction that is too large is told', async () => {
    const name = await define(`
      const seen: unknown[] = [];
      const write = (i: number) => graph.tryAdd('Book', 'large ' + i, { Pages: i });
      for (let i = 0; i < ${INGEST_COMMIT_OPERATIONS_MAX}; i++) await write(i);
      await write(-1).catch((error: Problem) => seen.push(error.code, error.hint));
      await graph.commit();
      await write(-1);
      return seen;`);
    const [code, hint] = Object(await endpoints.value(name, ''));
    expect([code, hint]).toEqual(['invalid_request', expect.stringContaining('graph.commit()')]);
    expect([pages('large 0'), pages('large -1')]).toEqual([0, -1]);
  });

  it('is named when what came after it is not written', async () => {
    await put('stays', 0);
    const name = await define(`
      ${COUNT}
      await graph.commit();
      const { Pages: again = 0 } = await graph.get('Book', body);
      ${WAIT}
      await graph.update('Book', body, { Pages: again + 1 });`);
    const call = endpoints.problem(name, { body: 'stays' });
    const goOn = await outsideRequest();
    expect(pages('stays')).toBe(1);
    await put('stays', 5);
    goOn();
    const { code, hint } = await call;
    expect([code, hint]).toEqual(['write_conflict', expect.stringContaining('graph.commit()')]);
    expect(hint).not.toMatch(/nothing/i);
    expect(pages('stays')).toBe(5);
  });

  it('is refused in an endpoint that another one runs', async () => {
    const inner = await define(
      "return graph.commit().then(() => 'committed', (error: Problem) => error.code);",
    );
    expect(await endpoints.value(await define(`return run('${inner}', body);`), '')).toBe(
      'invalid_request',
    );
  });
});
