import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations.ts';
import type { checkLogin, createLogin } from '@trellis/contract/operations/login.ts';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { failureOf, refusal, scripted } from './testing/scripted-server.ts';
import { TrellisClient } from './trellis-client.ts';

/** The LLM router is called by the clients of the protocols that it speaks. */
const isOfOtherClients = ({ area, auth }: Operation) => area === 'llm' && auth === 'token';

describe('operations', () => {
  it('have one method for each operation that is for clients, under its id', () => {
    const methods = new Set<string>();
    for (
      let level: unknown = TrellisClient.prototype;
      level !== Object.prototype;
      level = Object.getPrototypeOf(level)
    ) {
      for (const name of Object.getOwnPropertyNames(level)) methods.add(name);
    }
    const beyond =
      'constructor baseUrl token lastWriteSequence setReplicas ingestStream editor beginLogin runEndpointForAnswer streamChatMessage streamAdminAgentMessage uploadFileInPieces get post put tell'.split(
        ' ',
      );
    // Servers speak the one among themselves, with a key that no client has; the other is for clients of its own protocol.
    const withoutMethod = [
      'registerReplica',
      'callMcp',
      ...operations.filter(isOfOtherClients).map(({ id }) => id),
    ];
    const ids = operations.map(({ id }) => id).filter((id) => !withoutMethod.includes(id));
    const own = [...methods].filter((method) => !beyond.includes(method));
    expect(own.toSorted()).toEqual(ids.toSorted());
  });

  it('answer with the types of the contract', () => {
    type Body<T extends { responses: { 200: { body: z.ZodType } } }> = z.infer<
      T['responses'][200]['body']
    >;
    expectTypeOf<TrellisClient['createLogin']>().returns.resolves.toEqualTypeOf<
      Body<typeof createLogin>
    >();
    expectTypeOf<TrellisClient['checkLogin']>().returns.resolves.toEqualTypeOf<
      Body<typeof checkLogin>
    >();
  });

  it('escape each segment of an endpoint name', async () => {
    const { client, seen } = await scripted([{ body: {} }, { status: 204 }]);
    await client.getEndpoint('system/a b?c');
    await client.deleteEndpoint('x/y');
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/endpoints/system/a%20b%3Fc',
      'DELETE /api/endpoints/x/y',
    ]);
  });
});

describe('status', () => {
  it('not being ready is an answer', async () => {
    const health = { status: 'starting', ready: false };
    const { client } = await scripted([{ status: 503, body: health }]);
    expect(await client.getHealth()).toEqual(health);
    const balancer = await scripted([
      { status: 503, body: 'not available' },
      { body: 'available' },
    ]);
    expect(await balancer.client.getAvailableStatus()).toBe('not available');
    expect(await balancer.client.getAvailableStatus()).toBe('available');
  });

  it('a refusal is an error all the same', async () => {
    const { client } = await scripted([{ status: 503, body: refusal('server_stopping') }]);
    expect(await failureOf(client.getHealth())).toMatchObject({ code: 'server_stopping' });
  });
});

describe('runEndpoint', () => {
  it('sends the body and gives the JSON', async () => {
    const { client, seen } = await scripted([{ body: { n: 1 } }, { status: 204 }]);
    expect(await client.runEndpoint<{ n: number }>('a/b', { word: 'dog' })).toEqual({ n: 1 });
    expect(await client.runEndpointAlias('a/b')).toBeUndefined();
    expect(seen.map(({ url, body }) => `${url} ${body}`)).toEqual([
      '/api/endpoints/run/a/b {"word":"dog"}',
      '/api/cce/a/b ',
    ]);
  });

  it('gives the answer as it came, also one that the endpoint refuses with in words of its own', async () => {
    const { client, seen } = await scripted([
      { status: 202, headers: { 'msk-endpoint-key': 'k1' } },
      { status: 418, headers: { 'msk-cache': 'hit' }, body: { tea: true } },
      { status: 404, body: refusal('endpoint_not_found') },
    ]);
    const answer = await client.runEndpointForAnswer('a/b', '{ "n": 1 }');
    expect([answer.status, answer.headers.get('msk-cache'), answer.text]).toEqual([
      418,
      'hit',
      '{"tea":true}',
    ]);
    expect(seen[0]?.body).toBe('{ "n": 1 }');
    expect(await failureOf(client.runEndpointForAnswer('a/c'))).toMatchObject({
      code: 'endpoint_not_found',
    });
  });

  it('joins a run that takes long, by its key', async () => {
    const running = { status: 202, headers: { 'msk-endpoint-key': 'k1' } };
    const { client, seen } = await scripted([running, running, { body: 42 }]);
    expect(await client.runEndpoint('slow', { n: 1 })).toBe(42);
    const keys = seen.map(({ headers, body }) => [headers['msk-endpoint-key'], body]);
    expect(keys).toEqual([
      [undefined, '{"n":1}'],
      ['k1', ''],
      ['k1', ''],
    ]);
  });

  it('tells how far it is, and cancels it where it runs', async () => {
    const progress = 'fraction=0.25&text=so+far+%C3%BC';
    const headers = { 'msk-endpoint-key': 'k1', 'msk-endpoint-progress': progress };
    const running = { status: 202, headers };
    const { client, seen } = await scripted([
      running,
      { status: 204 },
      { status: 404, body: refusal('run_not_found') },
    ]);
    const told: object[] = [];
    const run = client.runEndpoint('a/slow', 1, {
      onRunning: ({ cancel, ...rest }) => {
        told.push(rest);
        return cancel();
      },
    });
    expect(await failureOf(run)).toMatchObject({ code: 'run_not_found' });
    expect(told).toEqual([{ key: 'k1', fraction: 0.25, text: 'so far ü' }]);
    expect(
      seen.map(({ method, url, headers: sent }) => [method, url, sent['msk-endpoint-key']]),
    ).toEqual([
      ['POST', '/api/endpoints/run/a/slow', undefined],
      ['DELETE', '/api/endpoints/run/a/slow', 'k1'],
      ['POST', '/api/endpoints/run/a/slow', 'k1'],
    ]);
  });
});
