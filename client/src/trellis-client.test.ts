import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations.ts';
import type { operations as login } from '@trellis/contract/operations/login.ts';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { failureOf, refusal, scripted } from './testing/scripted-server.ts';
import type { Immutable } from '@trellis/contract/immutable.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import type { TokenKind } from '@trellis/contract/rights.ts';
import { callTo, type Namespace } from './operation-methods.ts';
import type { CallOptions } from './transport.ts';
import { nodeUid } from './uid.ts';
import type { TrellisClient } from './trellis-client.ts';

/** The LLM router is called by the clients of the protocols that it speaks. */
/** Clients of language models, of MCP, and identity providers. */
const isOfOtherClients = ({ area, auth, sdk }: Operation) =>
  sdk === undefined &&
  (area === 'scim' || area === 'oauth' || (area === 'llm' && auth === 'token'));

describe('operations', () => {
  it('are methods by the names that the contract gives them, each of them once', async () => {
    const { client } = await scripted([{}]);
    const names = operations.flatMap(({ sdk }: Operation) => (sdk === undefined ? [] : [sdk]));
    expect(new Set(names).size).toBe(names.length);
    const isMethod = (name: string) => {
      const [namespace = '', method = ''] = name.split('.');
      return typeof Object(Object(client)[namespace])[method] === 'function';
    };
    expect(names.filter((name) => !isMethod(name))).toEqual([]);
  });

  it('have no method where they are for other clients', () => {
    const others = operations.filter(({ sdk }: Operation) => sdk === undefined);
    const ofOthers = operations.filter(isOfOtherClients);
    expect(others.map(({ id }) => id).toSorted()).toEqual(
      // Servers speak one among themselves, with a key that no client has; load balancers ask one.
      [
        'callMcp',
        'getPrimaryHealth',
        'registerReplica',
        ...ofOthers.map(({ id }) => id),
      ].toSorted(),
    );
  });

  it('answer with the types of the contract', () => {
    type Body<T extends { responses: { 200: { body: z.ZodType } } }> = Immutable<
      z.infer<T['responses'][200]['body']>
    >;
    expectTypeOf<TrellisClient['login']['create']>().returns.resolves.toEqualTypeOf<
      Body<typeof login.createLogin>
    >();
    expectTypeOf<TrellisClient['login']['check']>().returns.resolves.toEqualTypeOf<
      Body<typeof login.checkLogin>
    >();
  });

  it('name a node in a path by its UID, which follows from its type and key', async () => {
    const { client, seen } = await scripted([{ body: {} }, { body: {} }, { body: {} }]);
    await client.nodes.get('u');
    await client.nodes.get({ uid: 'u' });
    await client.nodes.get({ type: 'Word', key: 'dog' });
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/node/u',
      '/api/node/u',
      `/api/node/${nodeUid('Word', 'dog')}`,
    ]);
  });

  it('take what the path names, the body, the query and the options, in this order', () => {
    expectTypeOf<TrellisClient['users']['get']>().parameters.toEqualTypeOf<
      [node: NodeReference, options?: CallOptions]
    >();
    expectTypeOf<TrellisClient['tokens']['list']>().parameter(0).toEqualTypeOf<
      | {
          readonly skip?: number | undefined;
          readonly take?: number | undefined;
          readonly kind?: TokenKind | undefined;
          readonly revoked?: boolean | undefined;
        }
      | undefined
    >();
    expectTypeOf<Parameters<TrellisClient['embeddings']['get']>['length']>().toEqualTypeOf<1 | 2>();
  });

  it('go to replicas where the contract says that they answer', () => {
    const rows = operations.filter((row: Operation) => row.sdk !== undefined);
    const served = rows.filter(({ sdk }: Operation) => {
      const [namespace, method] = (sdk ?? '').split('.') as [Namespace, never];
      return callTo(namespace, method, 'a', 'b', 'c').isServedByReplicas === true;
    });
    const isOfTheServerItself = ({ area }: Operation) =>
      area === 'status' || area === 'replicas' || area === 'stats';
    const expected = rows.filter((row) => row.onReplica === 'serve' && !isOfTheServerItself(row));
    expect(served.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  it('escape each segment of an endpoint name', async () => {
    const { client, seen } = await scripted([{ body: {} }, { status: 204 }]);
    await client.endpoints.get('system/a b?c');
    await client.endpoints.delete('x/y');
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
    expect(await client.status.getHealth()).toEqual(health);
    const balancer = await scripted([
      { status: 503, body: 'not available' },
      { body: 'available' },
    ]);
    expect(await balancer.client.status.getAvailable()).toBe('not available');
    expect(await balancer.client.status.getAvailable()).toBe('available');
  });

  it('a refusal is an error all the same', async () => {
    const { client } = await scripted([{ status: 503, body: refusal('server_stopping') }]);
    expect(await failureOf(client.status.getHealth())).toMatchObject({ code: 'server_stopping' });
  });
});

describe('runEndpoint', () => {
  it('sends the body and gives the JSON', async () => {
    const { client, seen } = await scripted([{ body: { n: 1 } }, { status: 204 }]);
    expect(await client.endpoints.run<{ n: number }>('a/b', { word: 'dog' })).toEqual({ n: 1 });
    expect(await client.endpoints.runAlias('a/b')).toBeUndefined();
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
    const answer = await client.endpoints.runForAnswer('a/b', '{ "n": 1 }');
    expect([answer.status, answer.headers.get('msk-cache'), answer.text]).toEqual([
      418,
      'hit',
      '{"tea":true}',
    ]);
    expect(seen[0]?.body).toBe('{ "n": 1 }');
    expect(await failureOf(client.endpoints.runForAnswer('a/c'))).toMatchObject({
      code: 'endpoint_not_found',
    });
  });

  it('joins a run that takes long, by its key', async () => {
    const running = { status: 202, headers: { 'msk-endpoint-key': 'k1' } };
    const { client, seen } = await scripted([running, running, { body: 42 }]);
    expect(await client.endpoints.run('slow', { n: 1 })).toBe(42);
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
    const run = client.endpoints.run('a/slow', 1, {
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
