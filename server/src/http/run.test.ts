import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { must } from '#base/assert.ts';
import { errorBody } from '@trellis/contract/errors.ts';
import { JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';
import type { EndpointRun } from '#runtime/invocation.ts';
import { RawConnection, rawRun } from './testing/raw-connection.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());
/** An endpoint that answers its body. */
beforeEach(() => {
  vi.spyOn(at.services.endpoints, 'run').mockImplementation(async ({ body }) => ({
    status: 200,
    body,
  }));
});

const calls = () => vi.mocked(at.services.endpoints.run).mock.calls;
const lastCall = (): EndpointRun => must(calls().at(-1)?.[0], 'a call');
const onRun = (run: typeof at.services.endpoints.run) =>
  void vi.mocked(at.services.endpoints.run).mockImplementation(run);
const JSON_TYPE = { 'content-type': 'application/json' };

describe('running an endpoint', () => {
  it.each([
    ['/api/cce/lookup', 'lookup'],
    ['/api/endpoints/run/words/lookup-v2', 'words/lookup-v2'],
    ['/api/cce/words%2Flookup', 'words/lookup'],
    ['/api/cce/gr%C3%BC%C3%9Fe?x=1', 'grüße'],
    ['/api/endpoints/run/create', 'create'],
    [`/api/cce/${'x'.repeat(1_000)}`, 'x'.repeat(1_000)],
  ])('at %s calls %s', async (path, name) => {
    expect((await at.request('POST', path, { as: 'user' })).status).toBe(200);
    expect(lastCall()).toMatchObject({ name, caller: { kind: 'session', userName: 'user' } });
  });

  it.each(['/api/cce/', '/api/cce', '/api/endpoints/run/'])('at %s calls nothing', async (path) => {
    const response = await at.request('POST', path, { as: 'user' });
    expect([404, 405]).toContain(response.status);
    expect(calls()).toEqual([]);
  });

  it.each([
    ['{"word":"dog"}'],
    ['  [1, 2,\n3] '],
    ['{"not json'],
    ['{"__proto__":{"x":1}}'],
    ['"\u{1f415} é"'],
  ])('hands on the text of the body untouched: %j', async (text) => {
    const response = await at.request('POST', '/api/cce/x', {
      as: 'user',
      body: text,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(lastCall().body).toBe(text);
    expect([response.status, response.text]).toEqual([200, text]);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
  });

  it('has no body when none is sent', async () => {
    const bare = await at.request('POST', '/api/cce/x', { as: 'user' });
    expect([lastCall().body, bare.text]).toEqual([null, '']);
    await at.request('POST', '/api/cce/x', { as: 'user', headers: JSON_TYPE });
    expect(lastCall().body).toBeNull();
  });

  it('takes bodies up to the limit, and not a byte more', async () => {
    const send = (bytes: number) =>
      at.request('POST', '/api/cce/x', {
        as: 'user',
        body: `"${'x'.repeat(bytes - 2)}"`,
        headers: JSON_TYPE,
      });
    expect((await send(JSON_BODY_BYTES_MAX)).status).toBe(200);
    expect(lastCall().body).toHaveLength(JSON_BODY_BYTES_MAX);
    const refused = await send(JSON_BODY_BYTES_MAX + 1);
    expect([refused.status, errorBody.parse(refused.json).error.code]).toEqual([
      413,
      'body_too_large',
    ]);
    expect(calls()).toHaveLength(1);
  });

  it('tells the endpoint the headers, without what proves who calls', async () => {
    await at.request('POST', '/api/cce/x', {
      as: 'user',
      headers: { cookie: 'a=b', 'proxy-authorization': 'Basic x', 'x-mine': '1', ...JSON_TYPE },
    });
    const headers = JSON.parse(lastCall().headers) as object;
    expect(headers).toMatchObject({ 'x-mine': '1', ...JSON_TYPE });
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/authorization|cookie/)]),
    );
  });

  it.each([
    [{}, null],
    [{ 'MSK-ENDPOINT-KEY': 'k1' }, 'k1'],
    [{ 'X-MSK-ENDPOINT-KEY': 'k2' }, 'k2'],
    [{ 'MSK-ENDPOINT-KEY': '' }, null],
  ])('continues the run that %j names', async (headers, runKey) => {
    await at.request('POST', '/api/cce/x', { as: 'user', headers });
    expect(lastCall().runKey).toBe(runKey);
  });

  it.each([
    [202, { 'MSK-ENDPOINT-KEY': 'k1' }, null, { 'msk-endpoint-key': 'k1' }],
    [
      303,
      { location: 'https://primary/api/cce/x' },
      null,
      { location: 'https://primary/api/cce/x' },
    ],
    [200, { 'cache-control': 'max-age=5' }, '1', { 'cache-control': 'max-age=5' }],
    [418, {}, '{"short":true}', {}],
    [204, {}, null, {}],
  ])('answers %d as the endpoint says', async (status, headers, body, expected) => {
    onRun(async () => ({ status, headers, body }));
    const response = await at.request('POST', '/api/cce/x', { as: 'user' });
    expect([response.status, response.text]).toEqual([status, body ?? '']);
    expect(Object.fromEntries(response.headers)).toMatchObject(expected);
    expect(response.headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
    expect(response.headers.has('content-type')).toBe(body !== null);
  });
});

describe('the signal of a run', () => {
  it('aborts when the client goes away', async () => {
    const started = Promise.withResolvers<EndpointRun['signal']>();
    const answer = Promise.withResolvers<void>();
    onRun(async ({ signal }) => {
      started.resolve(signal);
      await answer.promise;
      return { status: 200, body: '1' };
    });
    const connection = await RawConnection.open(at.port);
    connection.send(rawRun(at.tokens.user));
    const signal = await started.promise;
    expect(signal.aborted).toBe(false);
    await connection[Symbol.asyncDispose]();
    await expect.poll(() => signal.aborted).toBe(true);
    answer.resolve();
    // The server is none the worse for an answer that nobody reads.
    expect((await at.request('GET', '/health')).status).toBe(200);
  });

  it('is quiet when the answer went out, whatever happens to the connection', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(rawRun(at.tokens.user));
    expect((await connection.response()).status).toBe(200);
    const { signal } = lastCall();
    await connection[Symbol.asyncDispose]();
    expect((await at.request('GET', '/health')).status).toBe(200);
    expect(signal.aborted).toBe(false);
  });

  it('does not fire because the body has arrived', async () => {
    const started = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    onRun(async ({ signal }) => {
      started.resolve();
      await answer.promise;
      return { status: 200, body: String(signal.aborted) };
    });
    const response = at.request('POST', '/api/cce/x', { as: 'user', json: { a: 1 } });
    await started.promise;
    expect((await at.request('GET', '/health')).status).toBe(200);
    answer.resolve();
    expect((await response).text).toBe('false');
  });
});
