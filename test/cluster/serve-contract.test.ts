import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations.ts';
import { sampleRequest, type SampleRequest } from '@trellis/contract/testing/sample-requests.ts';
import { CALLER_KINDS, type CallerKind } from '../support/access-rows.ts';
import { field, type Answer, type Call } from '../support/http-client.ts';
import { ServingPair } from './serving-pair.ts';
import { manifestOf } from './stopped-state.ts';

let pair: ServingPair;
beforeAll(async () => {
  pair = await ServingPair.start();
});
afterAll(() => pair[Symbol.asyncDispose]());

function callOf({ method, path, body, form }: SampleRequest, token: string | undefined): Call {
  if (form === undefined) return { method, path, token, body };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    method,
    path,
    token,
    headers,
    body: new URLSearchParams(form).toString(),
  };
}

type Row = (typeof operations)[number];

async function requestOf(operation: Row): Promise<SampleRequest> {
  return await sampleRequest(operation, pair.scene, 0);
}

/** A packed file tells the second in which it was packed; what is in it other tests look at. */
const PACKED = 'packed';

/** Of one server: the id of a request, when it has last seen a token, or has counted. */
const OF_ONE: ReadonlySet<string> = new Set(['traceId', 'lastUsedAt', 'countedAt']);

/** All that two servers with one state must agree in. */
function essence({ status, headers, text, json }: Answer): object {
  const ofOne = (name: string, value: unknown): unknown => (OF_ONE.has(name) ? null : value);
  const type = headers.get('content-type');
  return {
    status,
    body:
      json === undefined
        ? type === 'application/zip'
          ? PACKED
          : text
        : JSON.stringify(json, ofOne),
    type,
    // That of the MCP server names its address.
    challenge: headers.get('www-authenticate')?.replace(/resource_metadata="[^"]+"/, ''),
  };
}

describe('every operation of the contract', () => {
  const rows = (onRow: Operation['onReplica']): (readonly [string, Row])[] =>
    operations
      .filter((operation) => operation.onReplica === onRow && operation.area !== 'status')
      .map((operation) => [operation.id, operation] as const);
  /** They tell of the server itself. */
  const OF_THE_SERVER = [
    'getReplicaRole',
    'getProtectedResource',
    'getMcpResource',
    'getAuthorizationServer',
    'createLogin',
    'getCompileStatus',
    'getEndpointMetrics',
    'listEndpointLogs',
    'listEndpointCalls',
    'getCallTrace',
    'watchEndpointLogs',
    'getPoolStatistics',
    'getOverviewStatistics',
    'getLicense',
    'listLogFiles',
    'downloadLogs',
    'searchLogs',
    'countLogs',
    'watchLogs',
    'getSearchIndex',
  ];

  test.each(rows('redirect'))('%s sends to the primary', async (_id, operation) => {
    const { path, ...request } = await requestOf(operation);
    for (const token of [pair.admin, undefined, 'h.c.s']) {
      const answer = await pair.replica.http.send(
        callOf({ ...request, path: `${path}?a=%2F` }, token),
      );
      // Who calls is asked first, where anything asks it at all.
      if (token !== pair.admin && operation.auth !== 'none') {
        expect(answer.status).toBe(401);
        const code = token === undefined ? 'missing_token' : 'invalid_token';
        expect(answer.json).toMatchObject({ error: { code } });
        continue;
      }
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`${pair.link.address}${path}?a=%2F`);
      expect(answer.text).toBe('');
    }
  });

  test.each(rows('serve').filter(([id]) => !OF_THE_SERVER.includes(id)))(
    '%s answers every caller as the primary does',
    async (_id, operation) => {
      const request = await requestOf(operation);
      for (const kind of CALLER_KINDS) await compare(kind, callOf(request, pair.scene.token(kind)));
    },
  );
});

test('each server tells of the license that it was started with', async () => {
  const call = { path: '/api/license', token: pair.admin };
  const none = { licensed: false, features: [], valid: false };
  expect((await pair.primary.send(call)).json).toEqual(none);
  const { json } = await pair.replica.http.send(call);
  expect(json).toMatchObject({ licensed: true, features: ['Replicas'], valid: true });
});

/**
 * The primary records refusals a moment later: the two are compared where they answer from one
 * sequence.
 */
async function compare(kind: CallerKind, call: Call): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const expected = await pair.primary.send(call);
    // A refusal waits for no sequence.
    await pair.afterwards({ path: '/api/schema', token: pair.admin }, expected);
    const answer = await pair.replica.http.send(call);
    // Not every answer has one.
    const [there, here] = [expected, answer].map(({ headers }) => headers.get('x-msk-sequence'));
    if (here !== there) continue;
    expect(essence(answer), `${call.path} as ${kind}`).toEqual(essence(expected));
    return;
  }
  throw new Error(`${call.path} as ${kind}: the two never answered from one sequence`);
}

test('people sign in at a replica, and their session is one at the primary', async () => {
  const body = { user: 'bystander', password: 'correct horse battery' };
  const answer = await pair.replica.http.send({ path: '/api/login/create', body });
  expect(answer.status).toBe(200);
  const call = { path: '/api/login/check', token: field(answer.json, 'token') };
  expect((await pair.primary.send(call)).status).toBe(200);
  expect((await pair.replica.http.send(call)).status).toBe(200);
  const wrong = { path: '/api/login/create', body: { ...body, password: 'wrong horse battery' } };
  expect((await pair.replica.http.send(wrong)).status).toBe(401);
});

test('pages of the primary may call it without being configured, and others may not', async () => {
  const preflight = async (origin: string): Promise<string | null> => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const answer = await pair.replica.http.send({
      method: 'OPTIONS',
      path: '/api/node/query',
      headers,
    });
    return answer.headers.get('access-control-allow-origin');
  };
  expect(await preflight(pair.link.address)).toBe(pair.link.address);
  expect(await preflight('https://elsewhere.example')).toBeNull();
  const headers = { origin: pair.link.address };
  const answer = await pair.replica.http.send({ path: '/api/schema', token: pair.admin, headers });
  expect(answer.headers.get('access-control-allow-origin')).toBe(pair.link.address);
  expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain(
    'x-msk-sequence',
  );
});

test('at the end the replica has the state of the primary, and nothing of its own', async () => {
  const { server, storage } = pair.scene.people.workspace;
  // It writes when tokens were used, and those who follow need not hear of it before it is gone.
  await server.stop();
  await using again = await pair.startPrimaryAgain();
  const read = { path: '/api/schema', token: pair.admin };
  const newest = await pair.primary.send(read);
  const caughtUp = async (): Promise<number> => (await pair.afterwards(read, newest)).status;
  await expect.poll(caughtUp).toBe(200);
  await again.stop();
  await pair.replica.process.stop();
  expect(await manifestOf(pair.replica.storage)).toEqual(await manifestOf(storage));
});
