import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_FETCH_BYTES_MAX, ENDPOINT_REQUESTS_MAX } from '#base/endpoint-limits.ts';
import { openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
let replica: TestEndpoints;
let origin: string;
/** What the other server was asked. */
const asked: { request: IncomingMessage; body: string }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => {
  const chunks: string[] = [];
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => chunks.push(chunk));
  request.on('end', () => {
    asked.push({ request, body: chunks.join('') });
    answer(request, response);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outside = { fetch, fetchAllowList: () => [origin, 'http://127.0.0.1:1'] };
  endpoints = await openTestEndpoints(1, false, outside);
  replica = await openTestEndpoints(1, true, { ...outside, primaryAddress: () => origin });
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await endpoints[Symbol.asyncDispose]();
  server.close();
});

describe('fetch', () => {
  beforeAll(async () => {
    const code = `try { const a = await fetch(...body); return { ok: a.ok, status: a.status, type: a.headers.get('Content-Type'), text: await a.text() }; }
      catch (error) { return (error as Problem).code ?? String(error); }`;
    await endpoints.define('fetches', '{ body, fetch }: Scope<[string, FetchOptions?]>', code);
  });
  const fetched = (url: string, options?: object) => endpoints.value('fetches', [url, options]);

  it('asks a server that is allowed, with what the code says', async () => {
    answer = (_request, response) =>
      response.writeHead(201, { 'content-type': 'text/x' }).end('grüße');
    const options = { method: 'put', headers: { 'x-mine': '1' }, body: '{"a":1}' };
    expect(await fetched(`${origin}/a?b=c`, options)).toEqual({
      ok: true,
      status: 201,
      type: 'text/x',
      text: 'grüße',
    });
    const { request, body } = asked.at(-1)!;
    expect([request.method, request.url, request.headers['x-mine'], body]).toEqual([
      'PUT',
      '/a?b=c',
      '1',
      '{"a":1}',
    ]);
  });

  it('gives JSON, and an error where it is none', async () => {
    answer = (request, response) => response.end(request.url === '/good' ? '{"a":[1]}' : '{');
    const code = 'return (await fetch(body)).json();';
    await endpoints.define('fetches-json', '{ body, fetch }: Scope<string>', code);
    expect(await endpoints.value('fetches-json', `${origin}/good`)).toEqual({ a: [1] });
    const problem = await endpoints.problem('fetches-json', { body: `${origin}/bad` });
    expect(problem.message).toContain('SyntaxError');
  });

  it.each([
    ['another host', 'http://127.0.0.2:80/'],
    ['another port', 'http://127.0.0.1:2/'],
    ['another scheme', 'https://127.0.0.1:1/'],
    ['a name of the same host', 'http://localhost:1/'],
    ['a host behind what looks like a user', 'http://127.0.0.1:1.example.com/'],
  ])('does not reach %s', async (_, url) => {
    expect(['forbidden', 'invalid_request']).toContain(await fetched(url));
  });

  it.each([
    ['file:///etc/hostname'],
    ['data:text/plain,x'],
    ['http://user:word@127.0.0.1:1/'],
    ['/a'],
    [''],
  ])('takes no %j', async (url) => {
    expect(await fetched(url)).toBe('invalid_request');
  });

  it('takes other spellings of an allowed origin, and of no other', async () => {
    answer = (_request, response) => response.end('x');
    const { port } = new URL(origin);
    expect(await fetched(`HTTP://0x7f.1:${port}/`)).toMatchObject({ text: 'x' });
    expect(await fetched(`http://[::ffff:7f00:1]:${port}/`)).toBe('forbidden');
  });

  it('does not follow redirects', async () => {
    answer = (_request, response) => response.writeHead(302, { location: 'http://other/' }).end();
    expect(await fetched(`${origin}/`)).toMatchObject({ ok: false, status: 302 });
  });

  it.each([['Host'], ['transfer-encoding'], ['Content-Length']])(
    'does not let code set the header %s',
    async (name) => {
      expect(await fetched(`${origin}/`, { headers: { [name]: 'x' } })).toBe('invalid_request');
    },
  );

  it('ends with a problem when there is no good answer', async () => {
    expect(await fetched('http://127.0.0.1:1/')).toBe('fetch_failed');
    answer = (_request, response) => response.destroy();
    expect(await fetched(`${origin}/`)).toBe('fetch_failed');
    answer = (_request, response) => response.end(Buffer.alloc(ENDPOINT_FETCH_BYTES_MAX + 1));
    expect(await fetched(`${origin}/`)).toBe('fetch_failed');
    expect(await fetched(`${origin}/`, { headers: { 'a\nb': 'c' } })).toBe('fetch_failed');
  });

  it('has so many requests under way and no more', async () => {
    const held: ServerResponse[] = [];
    answer = (_request, response) => {
      held.push(response);
      if (held.length === ENDPOINT_REQUESTS_MAX) for (const one of held) one.end('x');
    };
    const code = `const all = await Promise.allSettled(Array.from({ length: ${ENDPOINT_REQUESTS_MAX + 1} }, () => fetch(body)));
      return all.filter(({ status }) => status === 'fulfilled').length;`;
    await endpoints.define('fetches-much', '{ body, fetch }: Scope<string>', code);
    expect(await endpoints.value('fetches-much', `${origin}/`)).toBe(ENDPOINT_REQUESTS_MAX);
  });
});

describe('a request to another server ends', () => {
  /** Resolves once the server is asked; the promise inside, once the caller's side has let go. */
  function asking(): Promise<{ readonly hasEnded: Promise<unknown> }> {
    return new Promise((resolve) => {
      answer = (_request, response) => resolve({ hasEnded: once(response, 'close') });
    });
  }
  beforeAll(async () => {
    const scope = '{ body, fetch }: Scope<string>';
    await endpoints.define('fetches-long', scope, 'await fetch(body);');
    const asks = "return runOnPrimary('x');";
    await replica.define('asks-long', '{ runOnPrimary }: Scope', asks, { isReadOnly: true });
  });
  it.each([
    ['that code made', 'fetches-long', () => endpoints],
    ['to the primary', 'asks-long', () => replica],
  ])('%s, when the caller leaves', async (_, name, opened) => {
    const arrival = asking();
    const caller = new AbortController();
    const run = opened().run(name, { body: `${origin}/`, signal: caller.signal });
    const outcome = run.catch((error: unknown) => error);
    const { hasEnded } = await arrival;
    caller.abort(new Error('gone'));
    await hasEnded;
    expect(await outcome).toMatchObject({ message: 'gone' });
  });
  it('when the run fails of something else', async () => {
    const code = "fetch(body).catch(() => {}); await fetch(body + 'next'); throw new Error('x');";
    await endpoints.define('fetches-and-fails', '{ body, fetch }: Scope<string>', code);
    const arrival = asking();
    const hold = answer;
    answer = (request, response) => {
      if (request.url === '/next') void arrival.then(() => response.end());
      else hold(request, response);
    };
    const problem = await endpoints.problem('fetches-and-fails', { body: `${origin}/` });
    expect(problem).toMatchObject({ code: 'endpoint_failed' });
    const { hasEnded } = await arrival;
    await hasEnded;
  });
});

describe('runOnPrimary', () => {
  const code = "return runOnPrimary('writes/it', body);";

  it('on a primary runs the other endpoint, which may write', async () => {
    await endpoints.define(
      'writes/it',
      '{ body, graph }: Scope<string>',
      "await graph.addOrUpdate('Book', body); return 'written';",
    );
    const scope = '{ body, runOnPrimary }: Scope<string>';
    await endpoints.define('asks', scope, code, { isReadOnly: true });
    expect(await endpoints.value('asks', 'by primary')).toBe('written');
    expect(endpoints.graph.reader.id({ type: 'Book', key: 'by primary' })).toBeDefined();
  });

  it('on a replica asks the primary as the caller, until there is an answer', async () => {
    await replica.define('asks', '{ body, runOnPrimary }: Scope', code, { isReadOnly: true });
    const answers = [
      (response: ServerResponse) => response.writeHead(202, { 'msk-endpoint-key': 'k' }).end(),
      (response: ServerResponse) => response.end('{"done":1}'),
    ];
    answer = (_request, response) => answers.shift()?.(response);
    asked.length = 0;
    const run = { body: 'x', authorization: 'Bearer secret', caller: USER };
    expect(await replica.run('asks', run)).toEqual({ status: 200, body: '{"done":1}' });
    const seen = asked.map(({ request: { method, url, headers }, body }) => [
      `${method} ${url}`,
      headers.authorization,
      headers['msk-endpoint-key'],
      body,
    ]);
    const path = 'POST /api/endpoints/run/writes/it';
    expect(seen).toEqual([
      [path, 'Bearer secret', undefined, '"x"'],
      [path, 'Bearer secret', 'k', ''],
    ]);
    answers.push((response) => response.end('1'));
    await replica.run('asks', { ...run, caller: { ...USER, kind: 'endpoint' } });
    expect(asked.at(-1)?.request.url).toBe('/api/endpoints/token/run/writes/it');
  });

  it('on a replica throws what the primary refuses', async () => {
    const body =
      "try { await runOnPrimary('x'); } catch (error) { return (error as Problem).code; }";
    await replica.define('catches', '{ runOnPrimary }: Scope', body, { isReadOnly: true });
    const refusal = { error: { code: 'forbidden', message: 'not you' }, traceId: 't' };
    answer = (_request, response) => response.writeHead(403).end(JSON.stringify(refusal));
    expect(await replica.value('catches')).toBe('forbidden');
    answer = (_request, response) => response.writeHead(500).end('<html>');
    expect(await replica.value('catches')).toBe('endpoint_failed');
    answer = (_request, response) => response.destroy();
    expect(await replica.value('catches')).toBe('fetch_failed');
  });
});

describe('input and z', () => {
  const define = (name: string, code: string) =>
    endpoints.service.create({ ...USER, isAdmin: true }, { name, code });

  it('check the body before the function runs, and give what they make of it', async () => {
    const code = `export const input = z.object({ word: z.string().min(2), times: z.number().default(2), at: z.array(z.object({ n: z.int() })).optional() });
      export default async function ({ body, log }: Scope<typeof input>) { log.info('checked ran'); return body.word.repeat(body.times); }`;
    expect(await define('checked', code)).toMatchObject({ diagnostics: [] });
    expect(await endpoints.value('checked', { word: 'ab' })).toBe('abab');
    const fields = async (body: unknown) =>
      (await endpoints.problem('checked', { body, caller: USER })).details?.['fields'];
    expect(await fields({ word: 'a', at: [{ n: 1 }, { n: 1.5 }] })).toEqual([
      { path: 'word', message: expect.stringContaining('2') },
      { path: 'at.1.n', message: expect.stringContaining('int') },
    ]);
    expect(await fields(undefined)).toEqual([{ path: '', message: expect.any(String) }]);
    expect(await endpoints.problem('checked', { body: 1 })).toMatchObject({
      code: 'invalid_request',
    });
    expect(endpoints.log.filter(({ message }) => message === 'checked ran')).toHaveLength(1);
  });

  it('infer the type of the body', async () => {
    const code = `export const input = z.strictObject({ n: z.number() });
      export default ({ body }: Scope<typeof input>) => body.n.toUpperCase();`;
    const { diagnostics } = await define('inferred', code);
    expect(diagnostics).toMatchObject([
      { line: 2, message: expect.stringContaining('toUpperCase') },
    ]);
  });

  it('name what a strict object does not know', async () => {
    const code = `export const input = z.strictObject({ n: z.number() });
      export default ({ body }: Scope<typeof input>) => body.n;`;
    await define('strict', code);
    const { details } = await endpoints.problem('strict', { body: { n: 1, m: 2 } });
    expect(details).toEqual({ fields: [{ path: 'm', message: 'is not known here' }] });
  });

  it('may wait, and may fail', async () => {
    const code = `export const input = z.string().refine(async (text) => { if (text === 'throw') throw new Error('on purpose'); return text === 'good'; }, 'must be good');
      export default ({ body }: Scope<typeof input>) => body;`;
    await define('waits', code);
    expect(await endpoints.value('waits', 'good')).toBe('good');
    expect((await endpoints.problem('waits', { body: 'bad' })).message).toContain('must be good');
    expect((await endpoints.problem('waits', { body: 'throw' })).message).toContain('on purpose');
  });

  it('are there for any code, and not in realms that do not name them', async () => {
    await endpoints.define(
      'z',
      '{ z }: Scope',
      "return z.object({ a: z.email() }).safeParse({ a: 'b' }).success;",
    );
    expect(await endpoints.value('z')).toBe(false);
    await endpoints.define(
      'no-zod',
      '',
      'return Object.getOwnPropertyNames(globalThis).filter((name) => name.length === 1);',
    );
    expect(await endpoints.value('no-zod')).toEqual([]);
  });

  it('refuse an input that is no schema', async () => {
    await define('no-schema', 'export const input = { parse: 1 };\nexport default () => 1;');
    expect((await endpoints.problem('no-schema')).message).toContain('input is a schema');
  });
});
