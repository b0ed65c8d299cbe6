import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

let people: People;
let team: string;
beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob']) await people.add(name);
  team = await people.addTeam('Sales', { add: [people.uid('ann')] });
  await ok('PUT', '/api/schema', {
    nodes: [
      {
        type: 'Task',
        key: 'Name',
        fields: { Title: 'String', Cost: 'Decimal', Secret: 'String', Tags: 'String[]' },
      },
    ],
    edges: [
      { type: 'Needs', inverse: 'NeededBy' },
      { type: 'NeededBy', inverse: 'Needs' },
    ],
  });
  await allow({});
});
afterAll(() => people[Symbol.asyncDispose]());

async function ok(method: string, path: string, body?: unknown, who = 'admin') {
  const { status, json, text } = await people.as(who, method, path, body);
  if (status >= 300) throw new Error(text);
  return Object(json);
}

const allow = (more: object) =>
  ok('PUT', '/api/access/types', {
    types: { Task: { writableBy: { users: [people.uid('ann')] }, ...more } },
  });

let made = 0;
async function create(fields: object = {}): Promise<string> {
  const body = { type: 'Task', key: `task ${++made}`, fields };
  return (await ok('POST', '/api/node', body)).node.UID;
}

async function createMany(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => `task ${++made}`);
  const operations = keys.map((key) => ({ op: 'addOrUpdate', type: 'Task', key }));
  await ok('POST', '/api/ingest', { operations });
  const { items: rows } = await ok('POST', '/api/cce/system/table', { type: 'Task', take: 1_000 });
  const byKey = new Map(rows.map(({ Id, UID }: Record<string, string>) => [Id, UID]));
  return keys.map((key) => String(byKey.get(key)));
}

const restrictTo = (name: string, uid: string) =>
  ok('PUT', `/api/access/nodes/${uid}`, { users: [people.uid(name)] });

describe('a version is restored', () => {
  test('as a new one, with fields, their absence and the time; the history says who', async () => {
    const uid = await create({ Title: 'one', Cost: '0.10', Tags: ['a'] });
    const path = `/api/node/${uid}`;
    const before = (await ok('GET', path)) as Record<string, unknown>;
    await ok('PATCH', path, { fields: { Title: 'two', Cost: null }, timestamp: 0 });
    await ok('PATCH', path, { fields: { Tags: null, Secret: 's' } });
    const { node, version } = await ok('POST', `${path}/restore`, { version: 1 }, 'ann');
    expect([node, version]).toEqual([before, 4]);
    const [newest] = items(await people.as('admin', 'GET', `${path}/history`));
    expect(newest).toMatchObject({ version: 4, actor: { name: 'ann' } });
    const undone = await ok('POST', `${path}/restore`, { version: 3, ifVersion: 4 }, 'ann');
    expect(undone).toMatchObject({ version: 5, node: { Title: 'two', Secret: 's' } });
    const [event] = items(await people.as('admin', 'GET', '/api/audit?take=1'));
    expect(event).toMatchObject({ action: 'node.changed', details: { restored: 3 } });
  });

  test('only in fields that the caller may read', async () => {
    const uid = await create({ Title: 'one', Secret: 'old' });
    await ok('PATCH', `/api/node/${uid}`, { fields: { Title: 'two', Secret: 'new' } });
    await allow({ fields: { Secret: {} } });
    const history = await ok('GET', `/api/node/${uid}/history`, undefined, 'ann');
    expect(history.items).toMatchObject([{ version: 2, changes: [{ field: 'Title' }] }]);
    await ok('POST', `/api/node/${uid}/restore`, { version: 1 }, 'ann');
    expect(await ok('GET', `/api/node/${uid}`)).toMatchObject({ Title: 'one', Secret: 'new' });
    await allow({});
  });

  test('not upon another version, nor one that the history lacks', async () => {
    const uid = await create({ Title: 'one' });
    const path = `/api/node/${uid}/restore`;
    await ok('PATCH', `/api/node/${uid}`, { fields: { Title: 'two' } });
    const old = await people.as('admin', 'POST', path, { version: 1, ifVersion: 1 });
    expect([old.status, valueAt(old.json, 'error', 'details', 'node', 'Title')]).toEqual([
      409,
      'two',
    ]);
    expect(await people.outcome('admin', 'POST', path, { version: 3 })).toEqual([
      404,
      'node_version_not_found',
    ]);
    const large = 'x'.repeat(100_000);
    await ok('PATCH', `/api/node/${uid}`, { fields: { Title: large } });
    await ok('PATCH', `/api/node/${uid}`, { fields: { Title: 'four' } });
    const lost = await people.as('admin', 'POST', path, { version: 3 });
    expect([lost.status, valueAt(lost.json, 'error', 'details')]).toEqual([
      404,
      { fields: ['Title'] },
    ]);
  });

  test('by whoever may write the node', async () => {
    const uid = await create();
    const path = `/api/node/${uid}/restore`;
    expect(await people.outcome('bob', 'POST', path, { version: 1 })).toEqual([403, 'forbidden']);
    await restrictTo('bob', uid);
    expect(await people.outcome('ann', 'POST', path, { version: 1 })).toEqual([
      404,
      'node_not_found',
    ]);
  });
});

describe('many nodes are changed', () => {
  const many = (who: string, uids: readonly string[], change: object) =>
    ok('POST', '/api/node/bulk', { uids, change }, who);

  test('deleted: those that the caller may, with an outcome for each', async () => {
    const uids = await createMany(4);
    const [first = '', second = ''] = uids;
    await restrictTo('bob', second);
    const nothing = '1'.repeat(22);
    const answer = await many('ann', [...uids, first, nothing], { delete: true });
    expect(answer.done).toBe(3);
    expect(
      answer.outcomes.map(({ uid, done }: { uid: string; done: boolean }) => [uid, done]),
    ).toEqual([...uids, nothing].map((uid) => [uid, uid !== second && uid !== nothing]));
    expect(answer.outcomes[1].error).toMatchObject({ code: 'node_not_found' });
    expect(answer.outcomes[4].error).toEqual(answer.outcomes[1].error);
    const [event] = items(await people.as('admin', 'GET', '/api/audit?take=1'));
    expect(event).toMatchObject({
      action: 'node.deleted',
      actor: { name: 'ann' },
      target: { kind: 'nodes', id: '3' },
    });
    expect(await people.outcome('bob', 'GET', `/api/node/${second}`)).toEqual([200, undefined]);
  });

  test('linked and unlinked with one other node', async () => {
    const uids = await createMany(3);
    const to = { uid: await create() };
    expect(await many('ann', uids, { add: { edge: 'Needs', to } })).toMatchObject({ done: 3 });
    const record = async () => (await ok('GET', `/api/node/${to.uid}/record`)).edges;
    expect((await record())[0]).toMatchObject({ count: 3 });
    expect(await many('ann', uids.slice(1), { remove: { edge: 'Needs', to } })).toMatchObject({
      done: 2,
    });
    expect((await record())[0]).toMatchObject({ count: 1 });
    const refused = await many('bob', uids, { add: { edge: 'Needs', to } });
    expect(refused.outcomes[0]).toMatchObject({ done: false, error: { code: 'forbidden' } });
    const wrong = await many('admin', uids, { add: { edge: 'Nope', to } });
    expect(wrong).toMatchObject({ done: 0 });
    expect(wrong.outcomes[2].error).toMatchObject({ code: 'invalid_operation' });
    const body = { uids, change: { add: { edge: 'Needs', to: { type: 'Task', key: 'no' } } } };
    expect(await people.outcome('ann', 'POST', '/api/node/bulk', body)).toEqual([
      404,
      'node_not_found',
    ]);
  });

  test('shared: by administrators and owners', async () => {
    const uids = await createMany(3);
    const access = { teams: [team] };
    expect(await many('admin', uids, { access })).toMatchObject({ done: 3 });
    for (const uid of uids) {
      expect(await ok('GET', `/api/access/nodes/${uid}`)).toMatchObject({ teams: [team] });
    }
    expect(await many('admin', uids, { access: { teams: [] } })).toMatchObject({ done: 3 });
    const refused = await many('ann', uids, { access });
    expect(refused.outcomes[0]).toMatchObject({ done: false, error: { code: 'forbidden' } });
    const wrong = await many('admin', uids, { access: { teams: ['1'.repeat(22)] } });
    expect(wrong.outcomes[0].error).toMatchObject({ code: 'invalid_request' });
  });

  test.each<[string, (other: string) => object, string]>([
    ['deleted', () => ({ delete: true }), 'ann'],
    ['linked from them', (uid) => ({ add: { edge: 'Needs', to: { uid } } }), 'ann'],
    ['linked to them', (uid) => ({ add: { edge: 'Needs', from: { uid } } }), 'ann'],
    ['shared', () => ({ access: { teams: [team] } }), 'admin'],
  ])('%s: those that are at the version they were seen at', async (_what, change, who) => {
    const uids = [await create(), await create(), await create()];
    const [same = '', changed = '', any = ''] = uids;
    await ok('PATCH', `/api/node/${changed}`, { fields: { Title: 'by somebody else' } });
    const nodes = [{ uid: same, ifVersion: 1 }, { uid: changed, ifVersion: 1 }, any];
    const body = { uids: nodes, change: change(await create()) };
    const { done, outcomes } = await ok('POST', '/api/node/bulk', body, who);
    const error = { code: 'version_conflict', message: expect.stringContaining('at version 2') };
    expect([done, outcomes]).toEqual([
      2,
      [
        { uid: same, done: true },
        { uid: changed, done: false, error },
        { uid: any, done: true },
      ],
    ]);
  });

  test('those of whose versions the writer knows better: nothing is written over', async () => {
    const uids = await Promise.all(Array.from({ length: 12 }, () => create()));
    const nodes = uids.map((uid) => ({ uid, ifVersion: 1 }));
    const change = { delete: true };
    const [bulk, ...writes] = await Promise.all([
      ok('POST', '/api/node/bulk', { uids: nodes, change }, 'ann'),
      ...uids.map((uid) =>
        people.outcome('admin', 'PATCH', `/api/node/${uid}`, { fields: { Title: 'x' } }),
      ),
    ]);
    const isDeleted = bulk.outcomes.map((one: { done: boolean }) => one.done);
    // Whoever came first: a node was changed and stays, or was deleted and could not be changed.
    const wasChanged = writes.map(([status]) => status === 200);
    expect(isDeleted).toEqual(wasChanged.map((isChanged) => !isChanged));
  });

  test('more than one commit holds', async () => {
    const keys = Array.from({ length: 1_001 }, (_, i) => `many ${i}`);
    const operations = keys.map((key) => ({ op: 'addOrUpdate', type: 'Task', key }));
    await ok('POST', '/api/ingest', { operations });
    const table = {
      type: 'Task',
      where: [{ field: 'Name', compare: 'startsWith', value: 'many' }],
    };
    const page = await ok('POST', '/api/cce/system/table', { ...table, take: 1_000 });
    const last = await ok('POST', '/api/cce/system/table', { ...table, after: page.next });
    const uids = [...page.items, ...last.items].map(({ UID }) => UID);
    expect(uids).toHaveLength(1_001);
    expect(await many('ann', uids, { delete: true })).toMatchObject({ done: 1_001 });
    const events = items(await people.as('admin', 'GET', '/api/audit?take=2'));
    expect(events.map(({ target }) => Object(target).id)).toEqual(['1', '1000']);
  });

  test.each([
    [{ uids: [], change: { delete: true } }],
    [{ uids: Array.from({ length: 10_001 }, () => 'x'), change: { delete: true } }],
    [{ uids: ['x'], change: {} }],
    [{ uids: [{ uid: 'x', ifVersion: 0 }], change: { delete: true } }],
    [{ uids: [{ ifVersion: 1 }], change: { delete: true } }],
    [{ uids: ['x'], change: { delete: false } }],
    [{ uids: ['x'], change: { delete: true, access: {} } }],
  ])('not %#', async (body) => {
    expect(await people.outcome('admin', 'POST', '/api/node/bulk', body)).toEqual([
      400,
      'invalid_request',
    ]);
  });
});
