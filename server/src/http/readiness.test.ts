import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { errorBody, routerErrorBody } from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { isRouterOperation } from './error-answer.ts';
import { optionsOf, SAMPLE_REQUESTS } from './testing/sample-requests.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const byArea = Map.groupBy(operations, ({ area }) => (area === 'status' ? 'status' : 'data'));

describe('before the graph is loaded', () => {
  let at: TestServer;
  beforeAll(async () => {
    at = await startTestServer();
    at.services.isReady = false;
  });
  afterAll(() => at.server.close());

  it.each(must(byArea.get('data'), 'operations on data').map((row) => [row.id, row] as const))(
    '%s is not ready',
    async (id, operation) => {
      const sample = must(SAMPLE_REQUESTS[id], id);
      const response = await at.request(operation.method, sample.path, optionsOf(sample, 'admin'));
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      const shape = isRouterOperation(operation) ? routerErrorBody : errorBody;
      expect(shape.parse(response.json).error.code).toBe('not_ready');
    },
  );

  it('the status is told', async () => {
    const ready = await at.request('GET', '/api/graph/ready');
    expect([ready.status, ready.json]).toEqual([200, false]);
    const available = await at.request('GET', '/api/available-status');
    expect([available.status, available.text]).toEqual([503, 'not available']);
    expect(available.headers.get('content-type')).toContain('text/plain');
    const health = await at.request('GET', '/health');
    expect([health.status, health.json]).toEqual([
      503,
      expect.objectContaining({ status: 'starting', ready: false }),
    ]);
  });

  it('an unknown route is unknown all the same', async () => {
    expect((await at.request('GET', '/nowhere')).status).toBe(404);
  });
});

describe('once it is loaded', () => {
  it('everything is told so', async () => {
    await using at = await startTestServer();
    const ready = await at.request('GET', '/api/graph/ready');
    expect([ready.status, ready.text]).toEqual([200, 'true']);
    const available = await at.request('GET', '/api/available-status');
    expect([available.status, available.text]).toEqual([200, 'available']);
    expect((await at.request('GET', '/health')).status).toBe(200);
  });
});

describe('on a replica', () => {
  let at: TestServer;
  beforeAll(async () => {
    at = await startTestServer({ primaryAddress: 'https://primary.example.com' });
  });
  afterAll(() => at.server.close());
  beforeEach(() => {
    at.services.commits.length = 0;
  });

  it.each(operations.map((row) => [row.id, row.onReplica, row] as const))(
    '%s: %s',
    async (id, onReplica, operation) => {
      const sample = must(SAMPLE_REQUESTS[id], id);
      const response = await at.request(operation.method, sample.path, optionsOf(sample, 'admin'));
      if (onReplica === 'serve') {
        expect(response.status).not.toBe(303);
      } else {
        expect(response.status).toBe(303);
        expect(response.headers.get('location')).toBe(`https://primary.example.com${sample.path}`);
        expect(at.services.commits).toEqual([]);
      }
    },
  );

  const redirected = operations.filter(
    ({ onReplica, auth }) => onReplica === 'redirect' && auth !== 'none',
  );
  it.each(redirected.map((row) => [row.id, row] as const))(
    '%s sends nobody to the primary whom it does not know',
    async (id, operation) => {
      const sample = must(SAMPLE_REQUESTS[id], id);
      const { path } = sample;
      const { headers = {}, ...rest } = optionsOf(sample);
      for (const [authorization, code] of [
        [undefined, 'missing_token'],
        ['Basic abc', 'missing_token'],
        ['Bearer nobody', 'invalid_token'],
      ] as const) {
        const own = authorization === undefined ? headers : { ...headers, authorization };
        const response = await at.request(operation.method, path, { ...rest, headers: own });
        expect(response.status).toBe(401);
        expect(response.json).toMatchObject({ error: { code } });
        expect(response.headers.get('location')).toBeNull();
      }
    },
  );

  it('sends somebody on who knows more than it does, if the token was signed here', async () => {
    const ask = (authorization: string) =>
      at.request('POST', '/api/login/end', {
        headers: { authorization, 'x-msk-min-sequence': '999999' },
      });
    expect((await ask('Bearer user')).status).toBe(303);
    expect((await ask('Bearer nobody')).status).toBe(401);
  });
});

describe('a replica whose parts find out that they would have to write', () => {
  it('sends the caller to the primary, whatever the operation', async () => {
    await using server = await startTestServer({ primaryAddress: 'https://primary.example.com' });
    server.services.onRun = () => Promise.reject(new Problem('read_only_replica', 'not marked'));
    const path = '/api/endpoints/run/words/lookup?x=1';
    const response = await server.request('POST', path, { as: 'admin', json: {} });
    expect([response.status, response.headers.get('location'), response.text]).toEqual([
      303,
      `https://primary.example.com${path}`,
      '',
    ]);
  });
});

describe('the sequence', () => {
  const ask = (at: TestServer, sequence: string) =>
    at.request('GET', '/api/login/check', {
      as: 'user',
      headers: { 'x-msk-min-sequence': sequence },
    });

  it('stands on every answer, as it is after the request', async () => {
    await using at = await startTestServer();
    const before = at.services.sequence();
    const put = await at.request('PUT', '/api/schema', {
      as: 'admin',
      json: { nodes: [], edges: [] },
    });
    expect(put.headers.get('x-msk-sequence')).toBe(String(before + 1));
  });

  it('is not waited for when it is reached', async () => {
    await using at = await startTestServer();
    expect((await ask(at, String(at.services.sequence()))).status).toBe(200);
    expect((await ask(at, '0')).status).toBe(200);
  });

  /** Resolves, with the signal it got, once a request waits. */
  const waiting = ({ services }: TestServer): Promise<AbortSignal> => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const wait = services.waitForSequence.bind(services);
    services.waitForSequence = (...given) => {
      resolve(given[2]);
      return wait(...given);
    };
    return promise;
  };

  it.each(['GET', 'POST'])('is waited for by %s', async (method) => {
    await using at = await startTestServer();
    const isWaiting = waiting(at);
    const answer = at.request(method, method === 'GET' ? '/api/login/check' : '/api/cce/x', {
      as: 'user',
      headers: { 'x-msk-min-sequence': '9' },
      ...(method === 'GET' ? {} : { json: { word: 'dog' } }),
    });
    await isWaiting;
    expect((await at.request('GET', '/health')).status).toBe(200);
    at.services.advanceTo(9);
    const response = await answer;
    expect([response.status, response.headers.get('x-msk-sequence')]).toEqual([200, '9']);
  });

  it('is no longer waited for when the client has gone', async () => {
    await using at = await startTestServer();
    const isWaiting = waiting(at);
    const client = new AbortController();
    const answer = at.request('GET', '/api/login/check', {
      as: 'user',
      headers: { 'x-msk-min-sequence': '9' },
      signal: client.signal,
    });
    const signal = await isWaiting;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    client.abort();
    await expect(answer).rejects.toThrow('abort');
    await aborted;
  });

  it('is not waited for any longer than the limit', async () => {
    await using at = await startTestServer({ timeouts: { minSequenceWait: 20 } });
    const response = await ask(at, '9');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(errorBody.parse(response.json).error).toMatchObject({
      code: 'replica_behind',
      details: { sequence: 7 },
    });
  });

  it('is not waited for on behalf of strangers', async () => {
    await using at = await startTestServer();
    at.services.waitForSequence = () => Promise.reject(new Error('nobody should wait'));
    const headers = { 'x-msk-min-sequence': '9' };
    expect((await at.request('GET', '/api/login/check', { headers })).status).toBe(401);
    const forged = { ...headers, authorization: 'Bearer forged' };
    expect((await at.request('GET', '/api/login/check', { headers: forged })).status).toBe(401);
  });

  it.each(['-1', '1.5', 'x', '', '9'.repeat(16)])('is refused when it is %j', async (text) => {
    await using at = await startTestServer();
    const response = await ask(at, text);
    expect(response.status).toBe(400);
    expect(errorBody.parse(response.json).error.details).toEqual({
      fields: [{ path: 'X-MSK-Min-Sequence', message: 'must be a whole number' }],
    });
  });
});
