import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failureOf, listen, refusal, scripted } from './testing/scripted-server.ts';
import { TrellisClient } from './trellis-client.ts';

describe('requests', () => {
  it('carry the token, JSON, and the path below the base URL', async () => {
    const { baseUrl, seen } = await scripted([{ body: { token: 't', expiresAt: 'e' } }]);
    const client = new TrellisClient({ baseUrl: `${baseUrl}/behind/proxy`, token: 'abc' });
    expect(await client.login.create({ user: 'u', password: 'p' })).toEqual({
      token: 't',
      expiresAt: 'e',
    });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/behind/proxy/api/login/create' });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ user: 'u', password: 'p' });
  });

  it('take a token that is set later', async () => {
    const { client, seen } = await scripted([{ body: { user: { uid: 'x', name: 'n' } } }]);
    await client.login.check();
    client.token = 'later';
    await client.login.check();
    expect(seen.map((request) => request.headers.authorization)).toEqual([
      undefined,
      'Bearer later',
    ]);
  });

  it.each([
    [303, '/api/endpoints/run/e'],
    [303, '/collect'],
    [302, '/api/endpoints/run/e'],
    [307, '/api/endpoints/run/e'],
    [308, '/collect'],
  ])(
    'do not follow a redirect, which would carry the token there: %i to %s',
    async (status, to) => {
      const elsewhere = await scripted([{ body: [] }]);
      const location = `${elsewhere.baseUrl}${to}`;
      const { client } = await scripted([{ status, headers: { location } }], { token: 't' });
      const failure = await failureOf(client.endpoints.run('e', { a: 1 }));
      expect(failure).toMatchObject({ status, code: 'unexpected_answer' });
      expect(failure.message).toContain(`redirects to ${location}`);
      expect(elsewhere.seen).toEqual([]);
    },
  );
});

describe('errors', () => {
  it('carry everything that the error body says', async () => {
    const error = { code: 'schema_conflict', message: 'no', hint: 'do', details: { type: 'A' } };
    const { client } = await scripted([{ status: 409, body: { error, traceId: 'trace-7' } }]);
    const failure = await failureOf(client.schema.put({ nodes: [], edges: [] }));
    expect(failure).toMatchObject({ status: 409, ...error, traceId: 'trace-7' });
  });

  it.each([
    [404, '<html>nginx</html>'],
    [400, '{"error":"text"}'],
    [200, '<html>sign in to the network</html>'],
  ])('tell an answer that is not of the service: %i %s', async (status, body) => {
    const { client } = await scripted([{ status, body }]);
    const failure = await failureOf(client.schema.get());
    expect(failure).toMatchObject({ status, code: 'unexpected_answer' });
    expect(failure.message).toContain(body);
  });

  it('name the address and the reason when nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, 'close');
    const client = new TrellisClient({ baseUrl, retry: { retriesMax: 0 } });
    const failure = await failureOf(client.schema.get());
    expect(failure).toMatchObject({ status: 0, code: 'connection_failed' });
    expect(failure.message).toBe(`cannot reach ${baseUrl}: connection refused`);
  });

  it('keep the reason of an abort', async () => {
    const arrived = Promise.withResolvers<void>();
    const baseUrl = await listen(() => arrived.resolve());
    const client = new TrellisClient({ baseUrl });
    const controller = new AbortController();
    const pending = client.schema.get({ signal: controller.signal });
    await arrived.promise;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await expect(client.schema.get({ signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('retries', () => {
  it.each([[{ status: 502 }], [{ status: 503 }], [{ status: 504 }], [{ reset: true }]])(
    'repeat a read after %j',
    async (reply) => {
      const { client, seen } = await scripted([reply, reply, { body: { nodes: [], edges: [] } }]);
      expect(await client.schema.get()).toEqual({ nodes: [], edges: [] });
      expect(seen).toHaveLength(3);
    },
  );

  it.each([[{ status: 502 }], [{ status: 503 }], [{ reset: true }]])(
    'never repeat a write after %j, which may have happened',
    async (reply) => {
      const { client, seen } = await scripted([reply, { body: {} }]);
      await failureOf(client.graph.ingest([]));
      expect(seen).toHaveLength(1);
    },
  );

  it.each([429, 503])('repeat a write after %i with Retry-After', async (status) => {
    const busy = { status, headers: { 'retry-after': '0' }, body: refusal('busy') };
    const { client, seen } = await scripted([busy, { body: { nodes: 1 } }]);
    expect(await client.graph.ingest([{ op: 'delete', uid: 'x' }])).toEqual({ nodes: 1 });
    expect(seen[1]?.body).toBe(seen[0]?.body);
  });

  it('understand a date in Retry-After', async () => {
    const headers = { 'retry-after': new Date(0).toUTCString() };
    const { client } = await scripted([{ status: 503, headers }, { body: { nodes: 1 } }]);
    expect(await client.graph.ingest([])).toEqual({ nodes: 1 });
  });

  it('do not wait longer than allowed', async () => {
    const busy = { status: 429, headers: { 'retry-after': '60' }, body: refusal('busy') };
    const { client, seen } = await scripted([busy]);
    const failure = await failureOf(client.login.create({ user: 'u', password: 'p' }));
    expect(failure.code).toBe('busy');
    expect(seen).toHaveLength(1);
  });

  it('are bounded', async () => {
    const { client, seen } = await scripted([{ status: 503, body: refusal('not_ready') }]);
    expect(await failureOf(client.schema.get())).toMatchObject({
      code: 'not_ready',
      traceId: 't1',
    });
    expect(seen).toHaveLength(5);
  });

  it('end at once when the call is aborted', async () => {
    const controller = new AbortController();
    const baseUrl = await listen((_, response) => {
      response.writeHead(503, { 'retry-after': '10' }).end(() => controller.abort());
    });
    const client = new TrellisClient({ baseUrl });
    await expect(client.schema.get({ signal: controller.signal })).rejects.toThrow('aborted');
  });
});

describe('read your writes', () => {
  const replies = [
    { headers: { 'x-msk-sequence': '41' }, body: {} },
    { headers: { 'x-msk-sequence': '99' }, body: {} },
  ];

  it('ask for the sequence of the last write, not of a read', async () => {
    const { client, seen } = await scripted(replies, { readYourWrites: true });
    await client.graph.ingest([]);
    expect(client.lastWriteSequence).toBe(41);
    await client.schema.get();
    await client.schema.get();
    expect(client.lastWriteSequence).toBe(41);
    const asked = seen.map(({ headers }) => headers['x-msk-min-sequence']);
    expect(asked).toEqual([undefined, '41', '41']);
  });

  it('is off unless asked for', async () => {
    const { client, seen } = await scripted(replies);
    await client.graph.ingest([]);
    await client.schema.get();
    expect(seen[1]?.headers['x-msk-min-sequence']).toBeUndefined();
  });
});
