import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  errorBody,
  isOAuthPath,
  oauthErrorBody,
  routerErrorBody,
  scimErrorBody,
} from '@trellis/contract/errors.ts';
import { operations } from '@trellis/contract/operations.ts';
import { samplePath } from '@trellis/contract/testing/sample-requests.ts';
import { isRouterOperation } from './error-answer.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const byArea = Map.groupBy(operations, ({ area }) => (area === 'status' ? 'status' : 'data'));

describe('before the graph is loaded', () => {
  let at: TestServer;
  beforeAll(async () => {
    at = await startTestServer({ isReady: false });
  });
  afterAll(() => at.server.close());

  it.each(must(byArea.get('data'), 'operations on data').map((row) => [row.id, row] as const))(
    '%s is not ready',
    async (_, operation) => {
      const response = await at.request(operation.method, samplePath(operation), { as: 'admin' });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      if (isOAuthPath(operation.path)) {
        const { error } = oauthErrorBody.parse(response.json);
        return expect(error).toBe('temporarily_unavailable');
      }
      const ofScim = operation.area === 'scim' ? scimErrorBody : errorBody;
      const shape = isRouterOperation(operation) ? routerErrorBody : ofScim;
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
    at = await startTestServer({ primaryAddress: () => 'https://primary.example.com' });
  });
  afterAll(() => at.server.close());

  it.each(operations.map((row) => [row.id, row.onReplica, row] as const))(
    '%s: %s',
    async (_, onReplica, operation) => {
      const path = samplePath(operation);
      const before = at.services.sequence();
      const { method } = operation;
      const headers = { authorization: `Bearer ${at.tokens.admin}` };
      const response = await fetch(at.url + path, { method, headers, redirect: 'manual' });
      // A stream would go on.
      await response.body?.cancel();
      if (onReplica === 'serve') {
        expect(response.status).not.toBe(303);
      } else {
        expect(response.status).toBe(303);
        expect(response.headers.get('location')).toBe(`https://primary.example.com${path}`);
        expect(at.services.sequence()).toBe(before);
      }
    },
  );

  const redirected = operations.filter(
    ({ onReplica, auth }) => onReplica === 'redirect' && auth !== 'none',
  );
  it.each(redirected.map((row) => [row.id, row] as const))(
    '%s sends nobody to the primary whom it does not know',
    async (_, operation) => {
      const path = samplePath(operation);
      for (const [authorization, code] of [
        [undefined, 'missing_token'],
        ['Basic abc', 'missing_token'],
        ['Bearer nobody', 'invalid_token'],
      ] as const) {
        const headers = authorization === undefined ? {} : { authorization };
        const response = await at.request(operation.method, path, { headers });
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
    expect((await ask(`Bearer ${at.tokens.user}`)).status).toBe(303);
    expect((await ask('Bearer nobody')).status).toBe(401);
  });
});

describe('a replica whose parts find out that they would have to write', () => {
  it('sends the caller to the primary, whatever the operation', async () => {
    await using server = await startTestServer({
      primaryAddress: () => 'https://primary.example.com',
    });
    const refused = new Problem('read_only_replica', 'not marked');
    vi.spyOn(server.services.endpoints, 'run').mockRejectedValue(refused);
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
      json: { nodes: [{ type: 'Word', fields: {} }], edges: [] },
    });
    expect(put.status).toBe(200);
    expect(at.services.sequence()).toBeGreaterThan(before);
    expect(put.headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
  });

  it('is not waited for when it is reached', async () => {
    await using at = await startTestServer();
    expect((await ask(at, String(at.services.sequence()))).status).toBe(200);
    expect((await ask(at, '0')).status).toBe(200);
  });

  /** Resolves, with the signal it got, once a request waits. */
  const waiting = ({ services }: TestServer): Promise<AbortSignal> => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const wait = services.waitForSequence;
    vi.spyOn(services, 'waitForSequence').mockImplementation((...given) => {
      resolve(given[2]);
      return wait(...given);
    });
    return promise;
  };

  it.each(['GET', 'POST'])('is waited for by %s', async (method) => {
    await using at = await startTestServer();
    vi.spyOn(at.services.endpoints, 'run').mockResolvedValue({ status: 200, body: null });
    const isWaiting = waiting(at);
    const next = String(at.services.sequence() + 1);
    const answer = at.request(method, method === 'GET' ? '/api/login/check' : '/api/cce/x', {
      as: 'user',
      headers: { 'x-msk-min-sequence': next },
      ...(method === 'GET' ? {} : { json: { word: 'dog' } }),
    });
    await isWaiting;
    expect((await at.request('GET', '/health')).status).toBe(200);
    await at.advance();
    const response = await answer;
    expect([response.status, response.headers.get('x-msk-sequence')]).toEqual([
      200,
      String(at.services.sequence()),
    ]);
  });

  it('is no longer waited for when the client has gone', async () => {
    await using at = await startTestServer();
    const isWaiting = waiting(at);
    const client = new AbortController();
    const answer = at.request('GET', '/api/login/check', {
      as: 'user',
      headers: { 'x-msk-min-sequence': String(at.services.sequence() + 1) },
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
    const sequence = at.services.sequence();
    const response = await ask(at, String(sequence + 1));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(errorBody.parse(response.json).error).toMatchObject({
      code: 'replica_behind',
      details: { sequence },
    });
  });

  it('is not waited for on behalf of strangers', async () => {
    await using at = await startTestServer();
    const waits = vi.spyOn(at.services, 'waitForSequence');
    const headers = { 'x-msk-min-sequence': String(at.services.sequence() + 1) };
    expect((await at.request('GET', '/api/login/check', { headers })).status).toBe(401);
    const forged = { ...headers, authorization: 'Bearer forged' };
    expect((await at.request('GET', '/api/login/check', { headers: forged })).status).toBe(401);
    expect(waits).not.toHaveBeenCalled();
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
