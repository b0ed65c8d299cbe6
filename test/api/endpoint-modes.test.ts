import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, type Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  await admin('PUT', '/api/schema', LIBRARY_SCHEMA);
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);

async function create(name: string, code: string, more: object = {}): Promise<void> {
  const { status, text, json } = await admin('POST', '/api/endpoints/create', {
    name,
    code,
    ...more,
  });
  expect([status, Object(json).diagnostics], text).toEqual([201, []]);
}

interface RunOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
  readonly token?: string;
}

function run(user: string, name: string, options: RunOptions = {}): Promise<Answer> {
  const { path = '/api/endpoints/run/', method = 'POST', ...rest } = options;
  const token = options.token ?? people.token(user);
  return people.workspace.http.send({ ...rest, method, path: `${path}${name}`, token });
}

const keyOf = ({ headers }: Answer): string => headers.get('msk-endpoint-key') ?? '';
const keyHeader = (key: string) => ({ 'MSK-ENDPOINT-KEY': key });
const codeOf = ({ json }: Answer): unknown => Object(Object(json).error).code;

/** Lets the endpoints below go on that wait for it. */
const open = (key: string) =>
  admin('POST', '/api/ingest', { operations: [{ op: 'tryAdd', type: 'Book', key }] });

/** Asks again as long as it is 202. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 202) return answer;
  }
}

const WAITS = `export default async function ({ body, graph, progress }: Scope<{ until: string }>) {
  progress(0.5, 'größer');
  while ((await graph.tryGet('Book', body.until)) === null) await graph.commit();
  return { until: body.until, time: Math.random() };
}
`;

describe('mode "pooling"', () => {
  beforeAll(() => create('slow/report', WAITS, { mode: 'pooling' }));

  test('a run that takes long is joined by its key, or by the same request, of its caller', async () => {
    const body = { until: 'joined' };
    const first = await run('ada', 'slow/report', { body });
    expect([first.status, first.text, first.headers.has('content-type')]).toEqual([202, '', false]);
    const key = keyOf(first);
    const again = await run('ada', 'slow/report', { body });
    expect([again.status, keyOf(again)]).toEqual([202, key]);
    const alias = { 'X-MSK-ENDPOINT-KEY': key };
    const poll = async () => {
      const polled = await run('ada', 'slow/report', { headers: alias, path: '/api/cce/' });
      expect([polled.status, polled.text, keyOf(polled)]).toEqual([202, '', key]);
      return [...new URLSearchParams(polled.headers.get('msk-endpoint-progress') ?? '')];
    };
    // The first run waits for a worker to start.
    await expect.poll(poll).toEqual([
      ['fraction', '0.5'],
      ['text', 'größer'],
    ]);
    const bobs = await run('bob', 'slow/report', { body });
    expect(bobs.status).toBe(202);
    expect(keyOf(bobs)).not.toBe(key);

    await open('joined');
    const headers = keyHeader(key);
    const answers = [
      await untilAnswered(() => run('ada', 'slow/report', { headers })),
      await run('ada', 'slow/report', { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.json).toMatchObject(body);
    expect(answers[1]?.json).toEqual(answers[0]?.json);
    expect(answers.map(keyOf)).toEqual([key, key]);
    const bobsAnswer = await untilAnswered(() => run('bob', 'slow/report', { body }));
    expect(bobsAnswer.json).toMatchObject(body);
    expect(bobsAnswer.json).not.toEqual(answers[0]?.json);
    // A new request is a new run.
    const anew = await untilAnswered(() => run('ada', 'slow/report', { body }));
    expect(anew.status).toBe(200);
    expect(anew.json).not.toEqual(answers[0]?.json);
  });

  test('a key is nothing to others, and nothing when it was made up', async () => {
    const key = keyOf(await run('ada', 'slow/report', { body: { until: 'never' } }));
    await create('slow/other', WAITS, { mode: 'pooling' });
    const headers = keyHeader(key);
    const answers = [
      await run('bob', 'slow/report', { headers }),
      await run('admin', 'slow/report', { headers }),
      await run('ada', 'slow/other', { headers }),
      await run('ada', 'slow/report', { headers: keyHeader(`${key.slice(0, -1)}_`) }),
      await run('bob', 'slow/report', { headers, method: 'DELETE' }),
      await run('ada', 'slow/report', { method: 'DELETE' }),
    ];
    for (const answer of answers) {
      expect([answer.status, codeOf(answer)]).toEqual([404, 'run_not_found']);
    }
    const cancelled = await run('ada', 'slow/report', { headers, method: 'DELETE' });
    expect([cancelled.status, cancelled.text]).toEqual([204, '']);
    for (const method of ['POST', 'DELETE']) {
      const answer = await run('ada', 'slow/report', { headers, method });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'run_not_found']);
    }
  });

  test('an endpoint token polls and cancels on its own path', async () => {
    const mint = async (path: string) => {
      const { json } = await admin('POST', '/api/tokens', { kind: 'endpoint', name: path, path });
      return field(json, 'token');
    };
    const path = '/api/endpoints/token/run/';
    const own = { path, token: await mint('slow/') };
    const key = keyOf(await run('', 'slow/report', { ...own, body: { until: 'never' } }));
    const headers = keyHeader(key);
    expect((await run('', 'slow/report', { ...own, headers })).status).toBe(202);
    const foreign = { path, token: await mint('other/'), headers };
    for (const method of ['POST', 'DELETE']) {
      const answer = await run('', 'slow/report', { ...foreign, method });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'endpoint_not_found']);
    }
    expect((await run('', 'slow/report', { ...own, headers, method: 'DELETE' })).status).toBe(204);
  });

  test('a run ends at its time, and an error is an answer', async () => {
    await create('slow/late', WAITS, { mode: 'pooling', timeoutMs: 600 });
    const body = { until: 'never' };
    const first = await run('ada', 'slow/late', { body });
    const headers = keyHeader(keyOf(first));
    const answer = await untilAnswered(() => run('ada', 'slow/late', { headers }));
    expect([first.status, answer.status, codeOf(answer)]).toEqual([202, 504, 'endpoint_timeout']);
  });
});

test('a caller who leaves ends a synchronous run', async () => {
  const code = `export default async function ({ body, signal, graph, log }: Scope<number>) {
  await graph.addOrUpdate('Book', 'begun ' + body);
  await graph.commit();
  await new Promise<void>((go) => signal.addEventListener('abort', go));
  log.info('left ' + body);
  await graph.addOrUpdate('Book', 'left');
}
`;
  await create('sync/left', code);
  const url = `${people.workspace.server.url}/api/endpoints/run/sync/left`;
  const headers = {
    authorization: `Bearer ${people.token('ada')}`,
    'content-type': 'application/json',
  };
  const books = async () =>
    Object((await admin('POST', '/api/node/query', { type: 'Book' })).json).items.map(
      (book: { readonly Id: string }) => book.Id,
    );
  const leave = async (round: number) => {
    const caller = new AbortController();
    const { signal } = caller;
    const call = fetch(url, { method: 'POST', headers, signal, body: String(round) });
    await expect.poll(books).toContain(`begun ${round}`);
    if (round === 0) expect(await books()).not.toContain('left');
    caller.abort();
    await expect(call).rejects.toThrow('aborted');
  };
  // Code that nobody waits for ends with its worker, when other code on it does not end.
  let round = 0;
  const leftOnceMore = async () => {
    await leave(round++);
    const { json } = await admin('GET', '/api/endpoints/logs?query=left');
    return Object(json).total;
  };
  await expect.poll(leftOnceMore, { interval: 2_000 }).toBeGreaterThan(0);
  expect(await books()).not.toContain('left');
});

describe('cacheSeconds', () => {
  const code = `export default async function ({ body }: Scope) { return [body, Math.random()]; }\n`;

  test('an answer is given again to the same caller and body, and to the same version', async () => {
    await create('cached', code, { isReadOnly: true, cacheSeconds: 3_600 });
    const first = await run('ada', 'cached', { body: 1 });
    const again = await run('ada', 'cached', { body: 1 });
    expect(first.headers.has('msk-cache')).toBe(false);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('msk-cache')).toBe('hit');
    expect(again.headers.get('age')).toMatch(/^\d+$/);
    const others = [
      await run('bob', 'cached', { body: 1 }),
      await run('ada', 'cached', { body: 2 }),
      await run('ada', 'cached'),
    ];
    expect(others.map(({ headers }) => headers.has('msk-cache'))).toEqual([false, false, false]);
    await admin('PUT', '/api/endpoints/cached', { code: `${code}// changed\n` });
    expect((await run('ada', 'cached', { body: 1 })).text).not.toBe(first.text);
  });

  test('an answer is never older than the write that the caller knows of', async () => {
    const count = "export default ({ q }: Scope) => q().startAt('Book').count();\n";
    await create('cached-count', count, { isReadOnly: true, cacheSeconds: 3_600 });
    const before = await run('ada', 'cached-count');
    const written = await open('counted');
    expect((await run('ada', 'cached-count')).text).toBe(before.text);
    const sequence = written.headers.get('x-msk-sequence') ?? '';
    const headers = { 'X-MSK-Min-Sequence': sequence };
    const after = await run('ada', 'cached-count', { headers });
    expect(Number(after.text)).toBe(Number(before.text) + 1);
  });

  test('the answer of a run that wrote is not kept', async () => {
    const writes = "export default ({ graph }: Scope) => graph.addOrUpdate('Book', 'written');\n";
    await create('cached-writes', writes, { cacheSeconds: 3_600 });
    await run('ada', 'cached-writes');
    expect((await run('ada', 'cached-writes')).headers.has('msk-cache')).toBe(false);
  });
});

test('an endpoint with a limit of its own refuses what is too much', async () => {
  await create('narrow', WAITS, { maxConcurrent: 1, maxQueued: 0 });
  const body = { until: 'narrowed' };
  const calls = [run('ada', 'narrow', { body }), run('bob', 'narrow', { body })];
  const refused = await Promise.race(calls);
  expect([refused.status, codeOf(refused)]).toEqual([503, 'endpoint_overloaded']);
  expect(refused.headers.get('retry-after')).toBe('1');
  await open('narrowed');
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 503]);
  expect((await run('ada', 'narrow', { body })).status).toBe(200);
});

test('a body that the input does not take is refused with what is wrong with it', async () => {
  const code = `export const input = z.object({ word: z.string(), at: z.array(z.int()).max(2) });
export default function ({ body }: Scope<typeof input>) { return body.word.length + body.at.length; }
`;
  await create('checked', code);
  expect((await run('ada', 'checked', { body: { word: 'dog', at: [1] } })).json).toBe(4);
  const refused = await run('ada', 'checked', { body: { word: 7, at: [1, 'x'] } });
  expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid_request']);
  const paths = Object(refused.json).error.details.fields.map(
    ({ path }: { readonly path: string }) => path,
  );
  expect(paths).toEqual(['word', 'at.1']);
});

test('an administrator sees where in their own file it failed, and nobody else', async () => {
  const code = `interface Word { readonly text: string }
export const input = z.object({ text: z.string() });

function shout(word: Word): string {
  if (word.text === '') throw new RangeError('nothing to shout');
  return word.text.toUpperCase();
}

export default async function ({ body }: Scope<typeof input>): Promise<string> {
  return shout(body);
}
`;
  await create('shouts', code);
  const body = { text: '' };
  const { json } = await run('admin', 'shouts', { body });
  expect(Object(json).error).toMatchObject({
    code: 'endpoint_failed',
    message: 'RangeError: nothing to shout (line 5, column 31)',
    details: { line: 5, column: 31 },
  });
  const toAda = await run('ada', 'shouts', { body });
  expect(toAda.text).not.toContain('nothing to shout');
  expect(Object(toAda.json).error.details).toBeUndefined();
});

test('fetch reaches what an administrator has allowed, and nothing before', async () => {
  const server = createServer((_request, response) => response.end('{"hello":"there"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const code = `export default async function ({ body, fetch }: Scope<{ url: string }>) {
  return (await fetch(body.url)).json();
}
`;
    await create('fetches', code);
    const refused = await run('admin', 'fetches', { body: { url: `${origin}/x` } });
    expect(Object(refused.json).error.message).toContain(`fetch() may not reach ${origin}`);
    const bad = await admin('PUT', '/api/workspace/settings', { fetchAllowList: [`${origin}/x`] });
    expect([bad.status, codeOf(bad)]).toEqual([400, 'invalid_request']);
    const good = await admin('PUT', '/api/workspace/settings', { fetchAllowList: [origin] });
    expect(good.json).toMatchObject({ fetchAllowList: [origin] });
    expect((await run('ada', 'fetches', { body: { url: `${origin}/x` } })).json).toEqual({
      hello: 'there',
    });
  } finally {
    server.close();
  }
});
