import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replicaHealth } from '@trellis/contract/shapes/replica.ts';
import { field, type Answer } from '../support/http-client.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { ServingPair } from './serving-pair.ts';
import { sequenceOf } from './workload.ts';

let pair: ServingPair;
beforeAll(async () => {
  pair = await ServingPair.start();
});
afterAll(() => pair[Symbol.asyncDispose]());

describe('endpoints', () => {
  const create = (name: string, code: string, isReadOnly: boolean): Promise<Answer> =>
    pair.asAdmin('POST', '/api/endpoints/create', { name, code, isReadOnly });

  test('one that is not read-only is sent to the primary, whoever calls; one that is not there is 404', async () => {
    const made = await create('writes', 'export default async () => 1;', false);
    expect(Object(made.json).compiles).toBe(true);
    for (const path of ['/api/endpoints/run/writes?b=1', '/api/cce/writes']) {
      const answer = await pair.afterwards({ method: 'POST', path, token: pair.admin }, made);
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        pair.link.address + path,
      ]);
      expect((await pair.afterwards({ method: 'POST', path }, made)).status).toBe(401);
    }
    const absent = { method: 'POST', path: '/api/endpoints/run/absent', token: pair.admin };
    expect((await pair.afterwards(absent, made)).status).toBe(404);
  });

  test('a change is effective at the sequence of the change', async () => {
    const call = { method: 'POST', path: '/api/endpoints/run/changes', token: pair.admin };
    let changed = await create('changes', 'export default async () => 0;', true);
    for (let version = 1; version <= 20; version++) {
      const code = `export default async () => ${version};`;
      changed = await pair.asAdmin('PUT', '/api/endpoints/changes', { code });
      expect((await pair.afterwards(call, changed)).json).toBe(version);
    }
    const restricted = { access: 'admins', isReadOnly: false };
    changed = await pair.asAdmin('PUT', '/api/endpoints/changes', restricted);
    expect((await pair.afterwards(call, changed)).status).toBe(303);
    changed = await pair.asAdmin('DELETE', '/api/endpoints/changes');
    expect((await pair.afterwards(call, changed)).status).toBe(404);
  });

  test('one that is read-only cannot write, nor reach what writes', async () => {
    const code =
      'export default async (scope: Scope) => [Object.keys(scope.graph).sort(), "runOnPrimary" in scope];';
    const made = await create('grasps', code, true);
    const call = { method: 'POST', path: '/api/endpoints/run/grasps', token: pair.admin };
    const there = await pair.primary.send(call);
    const here = await pair.afterwards(call, made);
    expect(here.json).toEqual(there.json);
    expect(JSON.stringify(here.json)).not.toMatch(/addOrUpdate|delete|transaction/);
  });
});

test('a tool follows its endpoint: one that reads runs on a replica, one that writes says where it does', async () => {
  const code = 'export default async () => ({ n: 1 });';
  const tools = [
    ['tool_reads', 'tools/reads', true],
    ['tool_writes', 'tools/writes', false],
  ] as const;
  let sequence = 0;
  for (const [name, endpoint, isReadOnly] of tools) {
    await pair.asAdmin('POST', '/api/endpoints/create', { name: endpoint, code, isReadOnly });
    const tool = { name, endpoint, description: 'A tool.' };
    const made = await pair.asAdmin('POST', '/api/chatai/tools', tool);
    expect(made.status).toBe(201);
    sequence = sequenceOf(made);
  }
  const headers = { 'x-msk-min-sequence': String(sequence) };
  await using here = await connectMcp(pair.replica.address, pair.admin, headers);
  const { tools: offered } = await here.client.listTools();
  const names = offered.map(({ name }) => name);
  expect(names).toContain('tool_reads');
  expect(names).not.toContain('tool_writes');
  expect((await callTool(here, 'tool_reads')).value).toEqual({ n: 1 });
  const refused = await callTool(here, 'tool_writes');
  expect(refused.value).toMatchObject({ error: { code: 'read_only_replica' } });
});

test('what is offered as a reader on a replica does not write by way of the primary', async () => {
  const endpoints = {
    'tools/leaves':
      'export default async ({ graph }: Scope) => { await graph.addOrUpdate("Left", "x"); };',
    'tools/asks': "export default async ({ runOnPrimary }: Scope) => runOnPrimary('tools/leaves');",
    'tools/passes': "export default async ({ run }: Scope) => run('tools/asks');",
  };
  const schema = { nodes: [{ type: 'Left', key: 'Name', fields: {} }], edges: [] };
  await pair.asAdmin('PUT', '/api/schema', schema);
  let made: Answer | undefined;
  for (const [name, code] of Object.entries(endpoints)) {
    const isReadOnly = name !== 'tools/leaves';
    made = await pair.asAdmin('POST', '/api/endpoints/create', { name, code, isReadOnly });
  }
  const headers = { 'x-msk-min-sequence': String(sequenceOf(made!)) };
  await using here = await connectMcp(pair.replica.address, pair.admin, headers);
  const asks = (await here.client.listTools()).tools.find(({ name }) => name === 'tools__asks');
  expect(asks).toMatchObject({
    annotations: { readOnlyHint: true },
    _meta: { 'trellis/mayRunOnPrimary': true },
  });
  const left = async () =>
    Object((await pair.asAdmin('POST', '/api/node/query', { type: 'Left' })).json).items;
  for (const name of ['tools__asks', 'tools__passes']) {
    expect((await callTool(here, name)).isError).toBe(true);
  }
  expect(await left()).toEqual([]);
  const call = { method: 'POST', path: '/api/endpoints/run/tools/asks', token: pair.admin };
  expect((await pair.afterwards(call, made!)).status).toBe(200);
  expect(await left()).toHaveLength(1);
});

/** An error names the one request that it is of. */
function withoutTrace({ status, json }: Answer): unknown[] {
  return [status, { ...Object(json), traceId: null }];
}

test('the endpoints under system/ answer the user who asks, here as there', async () => {
  const schema = {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [{ type: 'Refers' }],
  };
  const changed = await pair.asAdmin('PUT', '/api/schema', schema);
  expect(changed.status, changed.text).toBe(200);
  const { people, uids } = pair.scene;
  const add = [await people.add('insider')];
  await pair.asAdmin('PUT', `/api/groups/group/${uids.team}/users`, { add });
  const [n, kept] = ['n', 'kept'].map((key) => ({ type: 'Note', key }));
  const operations = [
    { op: 'link', from: n, edge: 'Refers', to: kept },
    { op: 'link', from: kept, edge: 'Refers', to: n },
  ];
  const written = await pair.asAdmin('POST', '/api/ingest', { operations });
  expect(written.status, written.text).toBe(200);
  const calls = [
    { path: '/api/cce/system/nodes', body: { type: 'Note', keys: ['n', 'kept'], total: true } },
    { path: '/api/cce/system/neighbors', body: { node: n } },
    { path: '/api/cce/system/paths', body: { from: n, to: kept } },
  ];
  const seen = new Map<string, string[]>();
  for (const user of ['insider', 'bystander']) {
    const token = people.token(user);
    const texts: string[] = [];
    for (const call of calls) {
      const there = await pair.primary.send({ ...call, token });
      const here = await pair.afterwards({ ...call, token }, written);
      expect(withoutTrace(here), call.path).toEqual(withoutTrace(there));
      texts.push(here.text);
    }
    seen.set(user, texts);
  }
  const isNamed = (user: string) => seen.get(user)?.map((text) => text.includes('"kept"'));
  expect(isNamed('insider')).toEqual([true, true, true]);
  expect(isNamed('bystander')).toEqual([false, false, false]);
});

describe('X-MSK-Min-Sequence', () => {
  test('everybody reads their own writes, however many write at once', async () => {
    const writer = async (name: string): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        const key = `${name}-${i}`;
        const body = {
          operations: [{ op: 'addOrUpdate', type: 'Note', key, fields: { Text: key } }],
        };
        const written = await pair.primary.send({ path: '/api/ingest', token: pair.admin, body });
        const read = {
          path: '/api/node/query',
          token: pair.admin,
          body: { type: 'Note', take: 1_000 },
        };
        const answer = await pair.afterwards(read, written);
        expect(answer.text).toContain(`"${key}"`);
        expect(sequenceOf(answer)).toBeGreaterThanOrEqual(sequenceOf(written));
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => writer(`writer-${i}`)));
  });

  test('a token that was just made works, and one that was just revoked does not', async () => {
    for (let i = 0; i < 10; i++) {
      const body = { kind: 'api', name: `token ${i}`, scopes: ['ingestion'] };
      const made = await pair.asAdmin('POST', '/api/tokens', body);
      const call = { path: '/api/schema', token: field(made.json, 'token') };
      const expected = await pair.primary.send(call);
      expect((await pair.afterwards(call, made)).status).toBe(expected.status);
      const path = `/api/tokens/${field(made.json, 'id')}`;
      const revoked = await pair.asAdmin('DELETE', path);
      const answer = await pair.afterwards(call, revoked);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
    }
  });

  test('a user who was just made is known', async () => {
    for (let i = 0; i < 5; i++) {
      await pair.scene.people.add(`new-${i}`);
      const call = { path: '/api/login/check', token: pair.scene.people.token(`new-${i}`) };
      const answer = await pair.afterwards(call, await pair.primary.send(call));
      expect(answer.status).toBe(200);
    }
  });

  test('503 replica_behind when the link is cut, and what came meanwhile once it is back', async () => {
    pair.link.cut();
    const late = { op: 'addOrUpdate', type: 'Note', key: 'late', fields: { Text: 'late' } };
    const body = { operations: [late] };
    const written = await pair.primary.send({ path: '/api/ingest', token: pair.admin, body });
    const call = {
      path: '/api/node/query',
      token: pair.admin,
      body: { type: 'Note', take: 1_000 },
    };
    const behind = await pair.afterwards(call, written);
    expect([behind.status, field(behind.json, 'error', 'code')]).toEqual([503, 'replica_behind']);
    expect(Number(behind.headers.get('retry-after'))).toBeGreaterThan(0);
    const old = await pair.replica.http.send(call);
    expect(old.status, 'it serves what it has').toBe(200);
    expect(old.text).not.toContain('"late"');
    pair.link.mend();
    await expect.poll(async () => (await pair.afterwards(call, written)).status).toBe(200);
    expect((await pair.afterwards(call, written)).text).toContain('"late"');
  });

  test('a token that is revoked while the link holds the news back is refused by whoever waits for it', async () => {
    const made = await pair.asAdmin('POST', '/api/tokens', {
      kind: 'api',
      name: 'held back',
      scopes: ['ingestion'],
    });
    const call = { path: '/api/schema', token: field(made.json, 'token') };
    expect((await pair.afterwards(call, made)).status).not.toBe(401);
    pair.link.hold();
    const path = `/api/tokens/${field(made.json, 'id')}`;
    const revoked = await pair.asAdmin('DELETE', path);
    const waiting = pair.afterwards(call, revoked);
    pair.link.mend();
    expect((await waiting).status).toBe(401);
  });
});

describe('what the two tell of themselves', () => {
  test('GET /health', async () => {
    const [there, here] = await Promise.all(
      [pair.primary, pair.replica.http].map((http) => http.send({ path: '/health' })),
    );
    expect([there?.status, Object(there?.json).role]).toEqual([200, 'primary']);
    expect([here?.status, Object(here?.json).role]).toEqual([200, 'replica']);
    expect(Object.keys(Object(here?.json))).toEqual(Object.keys(Object(there?.json)));
    expect(Object(here?.json).ready).toBe(true);
  });

  test('GET /health/replica and GET /api/graph/replica', async () => {
    const here = await pair.replica.http.send({ path: '/health/replica' });
    const replicaUID = field(here.json, 'replicaUID');
    const replicaName = field(here.json, 'replicaName');
    expect(here.json).toEqual({ isReplica: true, hasReplicas: false, replicaUID, replicaName });
    expect((await pair.replica.process.ready).uid).toBe(replicaUID);
    const role = { path: '/api/graph/replica', token: pair.admin };
    expect((await pair.replica.http.send(role)).json).toEqual(here.json);
    expect((await pair.primary.send(role)).json).toEqual({ isReplica: false, hasReplicas: true });
    await expect
      .poll(async () => (await pair.primary.send({ path: '/health/replica' })).json)
      .toMatchObject({ replicas: [{ replicaUID, replicaName, lagVersions: 0 }], currentLag: 0 });
    const there = await pair.primary.send({ path: '/health/replica' });
    expect(replicaHealth.parse(there.json)).toEqual(there.json);
    const fields = [
      'isReplica',
      'hasReplicas',
      'currentLag',
      'averageLag',
      'emaLag',
      'recommendedDelayMs',
      'replicas',
    ];
    expect(Object.keys(Object(there.json)).toSorted()).toEqual(fields.toSorted());
    expect((await pair.replica.http.send({ path: '/api/graph/replica' })).status).toBe(401);
  });

  test('the lag of a replica that hears nothing stays the last one; one that starts again is a new one', async () => {
    const before = await pair.replica.http.send({ path: '/health/replica' });
    await pair.replica.process.stop();
    await pair.replica.startReplica(pair.link);
    expect(pair.replica.process.count(/copying \d+ of/)).toBe(0);
    const after = await pair.replica.http.send({ path: '/health/replica' });
    expect(field(after.json, 'replicaUID')).not.toBe(field(before.json, 'replicaUID'));
    const there = await pair.primary.send({ path: '/health/replica' });
    const names = Object(there.json).replicas.map((entry: unknown) => Object(entry).replicaName);
    expect(names).toEqual([field(before.json, 'replicaName'), field(after.json, 'replicaName')]);
  });
});
