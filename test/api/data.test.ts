import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob', 'cid']) await people.add(name);
  await people.add('reader', { isReadOnlyAdmin: true });
  const { status, text } = await people.as('admin', 'PUT', '/api/schema', {
    nodes: [
      {
        type: 'Task',
        key: 'Name',
        label: 'Title',
        fields: { Title: 'String', Cost: 'Int', Secret: 'String', Tags: 'String[]' },
        indexes: [{ field: 'Title', unique: true }],
      },
      { type: 'Person', fields: { Title: 'String' } },
      { type: 'Locked', key: 'Name', fields: { Title: 'String' } },
    ],
    edges: [
      { type: 'Needs', inverse: 'NeededBy', fields: { Weight: 'Int' } },
      { type: 'NeededBy', inverse: 'Needs' },
      { type: 'Knows' },
    ],
  });
  if (status !== 200) throw new Error(text);
  await allow({});
});
afterAll(() => people[Symbol.asyncDispose]());

/** Ann writes tasks, in a team that she is in by another team. */
async function allow(more: object, ofTask: object = {}): Promise<void> {
  if (team === undefined) {
    const inner = await people.addTeam('East', { add: [people.uid('ann')] });
    team = await people.addTeam('Sales', { add: [inner] });
  }
  const types = { Task: { writableBy: { teams: [team] }, ...ofTask }, ...more };
  const { status, text } = await people.as('admin', 'PUT', '/api/access/types', { types });
  if (status !== 200) throw new Error(text);
}
let team: string | undefined;
let made = 0;

interface Made {
  readonly uid: string;
  readonly version: number;
  readonly node: Readonly<Record<string, unknown>>;
}

async function create(who: string, body: object = {}): Promise<Made> {
  const given = { type: 'Task', key: `task ${++made}`, ...body };
  const { status, json, text } = await people.as(who, 'POST', '/api/node', given);
  if (status !== 201) throw new Error(text);
  const { node, version } = Object(json);
  return { uid: node.UID, version, node };
}

const path = (uid: string, more = ''): string => `/api/node/${uid}${more}`;

const record = async (who: string, uid: string) =>
  Object((await people.as(who, 'GET', path(uid, '/record'))).json);

async function restrictTo(name: string, uid: string): Promise<void> {
  const body = { users: [people.uid(name)] };
  const { status, text } = await people.as('admin', 'PUT', `/api/access/nodes/${uid}`, body);
  if (status !== 200) throw new Error(text);
}

async function newestEvent(): Promise<Record<string, unknown>> {
  const [event] = items(await people.as('admin', 'GET', '/api/audit?take=1'));
  return Object(event);
}

describe('a node is created', () => {
  test('with a key, fields, a time, aliases and links, and answers what it is', async () => {
    const other = await create('admin');
    const { status, json } = await people.as('ann', 'POST', '/api/node', {
      type: 'Task',
      fields: { Name: 'paint', Title: 'Paint it', Cost: 3, Tags: ['a', 'b'] },
      timestamp: '2026-01-02T03:04:05.000Z',
      aliases: ['colour'],
      links: [
        { edge: 'Needs', to: { uid: other.uid }, fields: { Weight: 2 } },
        { edge: 'Knows', from: { type: 'Task', key: String(other.node['Id']) } },
      ],
    });
    expect([status, json]).toMatchObject([
      201,
      {
        node: {
          Type: 'Task',
          Id: 'paint',
          Name: 'paint',
          Title: 'Paint it',
          Cost: 3,
          Tags: ['a', 'b'],
          Timestamp: '2026-01-02T03:04:05.000Z',
        },
        version: 1,
      },
    ]);
    expect(await record('ann', String(valueAt(json, 'node', 'UID')))).toMatchObject({
      version: 1,
      mayWrite: true,
      edges: [
        { edge: 'Needs', direction: 'out', count: 1 },
        { edge: 'NeededBy', direction: 'in', count: 1 },
        { edge: 'Knows', direction: 'in', count: 1 },
      ],
      files: 0,
    });
  });

  test('without a key: each has a UID of its own', async () => {
    const body = { type: 'Person', fields: { Title: 'Ada' } };
    const answers = [1, 2].map(() => people.as('admin', 'POST', '/api/node', body));
    const uids = (await Promise.all(answers)).map(({ json }) => valueAt(json, 'node', 'UID'));
    expect(new Set(uids).size).toBe(2);
  });

  test('not with a key that is taken: the answer has the node, for whoever sees it', async () => {
    const { uid, node } = await create('admin', { fields: { Cost: 1 } });
    const again = { type: 'Task', key: node['Id'], fields: { Cost: 2 } };
    const { status, json } = await people.as('ann', 'POST', '/api/node', again);
    expect([status, valueAt(json, 'error')]).toMatchObject([
      409,
      { code: 'version_conflict', details: { uid, version: 1, node: { Cost: 1 } } },
    ]);
    await restrictTo('bob', uid);
    const hidden = await people.as('ann', 'POST', '/api/node', again);
    expect(hidden.status).toBe(409);
    expect(valueAt(hidden.json, 'error', 'details')).toBe(undefined);
  });

  test.each([
    [{ type: 'Task', key: 'x', fields: { Cost: 'much' } }, 'fields.Cost'],
    [{ type: 'Task', key: 'x', fields: { Price: 1 } }, 'fields.Price'],
    [{ type: 'Task', key: 'x', timestamp: 'soon' }, 'timestamp'],
    [{ type: 'Nothing' }, 'type'],
    [{ type: 'Task', key: 'x', links: [{ edge: 'Nope', to: 'SELF' }] }, 'links.0.edge'],
  ])('not as %j: the answer names the place', async (body, place) => {
    const { uid } = await create('admin');
    const text = JSON.stringify(body).replace('"SELF"', JSON.stringify({ uid }));
    const { status, json } = await people.as('admin', 'POST', '/api/node', JSON.parse(text));
    expect([status, valueAt(json, 'error', 'code')]).toEqual([422, 'invalid_operation']);
    expect(valueAt(json, 'error', 'details', 'path')).toBe(place);
  });

  test('not with a link to what the caller does not see; nothing is written', async () => {
    const { uid } = await create('admin');
    await restrictTo('bob', uid);
    const links = [{ edge: 'Needs', to: { uid } }];
    const body = { type: 'Task', key: 'never', links };
    expect(await people.outcome('ann', 'POST', '/api/node', body)).toEqual([404, 'node_not_found']);
    const found = await people.as('admin', 'POST', '/api/ingest', {
      operations: [{ op: 'delete', type: 'Task', key: 'never' }],
    });
    expect(valueAt(found.json, 'nodes')).toBe(0);
  });

  test('not with a value that a unique index gave to another node', async () => {
    const { uid } = await create('admin', { fields: { Title: 'only one' } });
    const body = { type: 'Task', key: 'second', fields: { Title: 'only one' } };
    const seen = await people.as('ann', 'POST', '/api/node', body);
    expect([seen.status, valueAt(seen.json, 'error', 'details', 'uid')]).toEqual([422, uid]);
    await restrictTo('bob', uid);
    const hidden = await people.as('ann', 'POST', '/api/node', body);
    expect(valueAt(hidden.json, 'error', 'code')).toBe('not_unique');
    expect(JSON.stringify(hidden.json)).not.toContain(uid);
  });
});

describe('a node is changed', () => {
  test('by field; null removes one; the history has the user', async () => {
    const { uid } = await create('ann', { fields: { Cost: 1, Tags: ['a'] } });
    const body = { fields: { Cost: 2, Tags: null }, ifVersion: 1 };
    const { status, json } = await people.as('ann', 'PATCH', path(uid), body);
    expect([status, valueAt(json, 'version'), valueAt(json, 'node', 'Cost')]).toEqual([200, 2, 2]);
    expect(valueAt(json, 'node', 'Tags')).toBe(undefined);
    const [newest] = items(await people.as('admin', 'GET', path(uid, '/history')));
    expect(newest).toMatchObject({ version: 2, actor: { name: 'ann' } });
  });

  test('not upon a version that is past: the second editor sees both', async () => {
    const { uid } = await create('ann', { fields: { Cost: 1 } });
    await people.as('ann', 'PATCH', path(uid), { fields: { Cost: 2 }, ifVersion: 1 });
    const second = { fields: { Cost: 3 }, ifVersion: 1 };
    const { status, json } = await people.as('admin', 'PATCH', path(uid), second);
    expect([status, valueAt(json, 'error')]).toMatchObject([
      409,
      { code: 'version_conflict', details: { uid, version: 2, ifVersion: 1, node: { Cost: 2 } } },
    ]);
  });

  test('nor its key, nor with a value of another type', async () => {
    const { uid } = await create('ann');
    for (const fields of [{ Name: 'other' }, { Cost: 'much' }]) {
      const outcome = await people.outcome('ann', 'PATCH', path(uid), { fields });
      expect(outcome).toEqual([422, 'invalid_operation']);
    }
  });
});

describe('a node is deleted', () => {
  test('with its edges, at the version that is named', async () => {
    const { uid } = await create('ann');
    const { uid: other } = await create('ann', { links: [{ edge: 'Needs', to: { uid } }] });
    const old = await people.outcome('ann', 'DELETE', path(uid, '?ifVersion=9'));
    expect(old).toEqual([409, 'version_conflict']);
    expect((await people.as('ann', 'DELETE', path(uid, '?ifVersion=1'))).status).toBe(204);
    expect(await people.outcome('ann', 'DELETE', path(uid))).toEqual([404, 'node_not_found']);
    expect((await record('ann', other)).edges).toEqual([]);
  });
});

describe('the ETag of a node is a condition of its changes', () => {
  const patch = { fields: { Cost: 7 } };
  const sent = async (method: string, at: string, tag: string, body?: object) => {
    const { status, json } = await people.as('ann', method, at, body, { 'if-match': tag });
    return [status, valueAt(json, 'error', 'code')];
  };

  test('one that is past is version_conflict', async () => {
    const { uid } = await create('ann');
    const { headers } = await people.as('ann', 'GET', path(uid));
    const tag = headers.get('etag') ?? '';
    expect(tag).toBe('"1"');
    expect(await sent('PATCH', path(uid), tag, patch)).toEqual([200, undefined]);
    const links = { add: [{ edge: 'Needs', to: { uid } }] };
    for (const [method, more, body] of [
      ['PATCH', '', patch],
      ['DELETE', '', undefined],
      ['POST', '/links', links],
      ['POST', '/restore', { version: 1 }],
    ] as const) {
      const outcome = await sent(method, path(uid, more), tag, body);
      expect(outcome, `${method} ${more}`).toEqual([409, 'version_conflict']);
    }
    expect(await sent('POST', path(uid, '/links'), '"7", "2"', links)).toEqual([200, undefined]);
    expect(await sent('DELETE', path(uid), '*')).toEqual([204, undefined]);
  });

  test.each(['W/"1"', '1', '"x"', '"1",', '', `"${'1'.repeat(11)}"`])(
    'what is none is refused: %s',
    async (tag) => {
      const { uid } = await create('ann');
      expect(await sent('PATCH', path(uid), tag, patch)).toEqual([400, 'invalid_request']);
    },
  );

  test('beside another ifVersion it is refused', async () => {
    const { uid } = await create('ann');
    const both = { ...patch, ifVersion: 2 };
    expect(await sent('PATCH', path(uid), '"1"', both)).toEqual([400, 'invalid_request']);
    expect(await sent('PATCH', path(uid), '"2", "1"', { ...patch, ifVersion: 1 })).toEqual([
      200,
      undefined,
    ]);
  });
});

describe('links are changed', () => {
  test('added and removed in one commit', async () => {
    const [from, old, next] = [await create('ann'), await create('ann'), await create('ann')];
    const links = path(from.uid, '/links');
    const to = (one: Made) => ({ edge: 'Needs', to: { uid: one.uid } });
    await people.as('ann', 'POST', links, { add: [to(old)] });
    const { json } = await people.as('ann', 'POST', links, {
      add: [to(next), { edge: 'Knows', from: { uid: old.uid } }],
      remove: [to(old), to(next)],
    });
    expect(json).toEqual({ added: 2, removed: 1 });
    expect((await record('ann', from.uid)).edges).toEqual([
      { edge: 'Needs', direction: 'out', count: 1 },
      { edge: 'NeededBy', direction: 'in', count: 1 },
      { edge: 'Knows', direction: 'in', count: 1 },
    ]);
  });

  test('not upon a version of the node that is past, whichever end it is', async () => {
    const [one, other] = [await create('ann'), await create('ann')];
    await people.as('ann', 'PATCH', path(one.uid), { fields: { Cost: 2 } });
    const out = { edge: 'Needs', to: { uid: other.uid } };
    const back = { edge: 'Knows', from: { uid: other.uid } };
    const change = (body: object) => people.as('ann', 'POST', path(one.uid, '/links'), body);
    for (const links of [
      { add: [out] },
      { add: [back] },
      { remove: [back] },
      { add: [back, out] },
    ]) {
      const { status, json } = await change({ ...links, ifVersion: 1 });
      expect([status, valueAt(json, 'error')]).toMatchObject([
        409,
        { code: 'version_conflict', details: { uid: one.uid, version: 2, node: { Cost: 2 } } },
      ]);
    }
    expect((await record('ann', one.uid)).edges).toEqual([]);
    expect((await change({ add: [back, out], ifVersion: 2 })).json).toMatchObject({ removed: 0 });
  });

  test('all of them or none', async () => {
    const [from, to] = [await create('ann'), await create('ann')];
    const good = { edge: 'Needs', to: { uid: to.uid } };
    const bad = { edge: 'Needs', to: { type: 'Task', key: 'is not there' } };
    const body = { add: [good, bad] };
    const outcome = await people.outcome('ann', 'POST', path(from.uid, '/links'), body);
    expect(outcome).toEqual([404, 'node_not_found']);
    expect((await record('ann', from.uid)).edges).toEqual([]);
  });

  test.each(['_Owns', 'RestrictAccessToUser', '_MemberOf', '_HasFile'])(
    'not those of the server: %s',
    async (edge) => {
      const { uid } = await create('ann');
      for (const who of ['ann', 'admin']) {
        const add = [{ edge, to: { uid: people.uid('bob') } }];
        const [status] = await people.outcome(who, 'POST', path(uid, '/links'), { add });
        expect([403, 422]).toContain(status);
      }
    },
  );
});

describe('who may write', () => {
  const patch = { fields: { Cost: 9 } };

  test('administrators and whom the type names, not who only sees the node', async () => {
    const { uid } = await create('admin');
    expect(await people.outcome('ann', 'PATCH', path(uid), patch)).toEqual([200, undefined]);
    for (const who of ['bob', 'reader']) {
      for (const [method, more, body] of [
        ['PATCH', '', patch],
        ['DELETE', '', undefined],
        ['POST', '/links', { add: [{ edge: 'Knows', to: { uid } }] }],
      ] as const) {
        const outcome = await people.outcome(who, method, path(uid, more), body);
        expect(outcome, `${who} ${method}`).toEqual([403, 'forbidden']);
      }
      const creation = { type: 'Task', key: 'nope' };
      expect(await people.outcome(who, 'POST', '/api/node', creation)).toEqual([403, 'forbidden']);
      expect(await record(who, uid)).toMatchObject({ mayWrite: false });
    }
  });

  test('nobody else than administrators where nobody is named; types that are not there alike', async () => {
    for (const type of ['Person', 'Nothing', '_User', '_Setting']) {
      expect(await people.outcome('ann', 'POST', '/api/node', { type })).toEqual([
        403,
        'forbidden',
      ]);
    }
    for (const type of ['_User', '_AccessGroup', '_Setting', '_Endpoint']) {
      expect(await people.outcome('admin', 'POST', '/api/node', { type })).toEqual([
        403,
        'forbidden',
      ]);
    }
  });

  test('a writer writes no node that they do not see', async () => {
    const { uid } = await create('admin');
    await restrictTo('bob', uid);
    for (const [method, more, body] of [
      ['GET', '/record', undefined],
      ['PATCH', '', patch],
      ['DELETE', '', undefined],
      ['POST', '/links', {}],
    ] as const) {
      const outcome = await people.outcome('ann', method, path(uid, more), body);
      expect(outcome, method).toEqual([404, 'node_not_found']);
    }
  });

  test('a link needs the right to write its from end, and sight of both', async () => {
    const task = await create('admin');
    const person = await create('admin', { type: 'Person', key: undefined });
    const add = (edge: string) => ({ add: [{ edge, to: { uid: task.uid } }] });
    const links = path(person.uid, '/links');
    expect(await people.outcome('ann', 'POST', links, add('Knows'))).toEqual([403, 'forbidden']);
    const fromTask = { add: [{ edge: 'Knows', from: { uid: task.uid } }] };
    expect((await people.as('ann', 'POST', links, fromTask)).status).toBe(200);
  });

  test('fields that a writer may not read are none of the type', async () => {
    const { uid } = await create('admin', { fields: { Secret: 'x' } });
    await allow({}, { fields: { Secret: { users: [people.uid('bob')] } } });
    const body = { fields: { Secret: 'y' } };
    const { status, json } = await people.as('ann', 'PATCH', path(uid), body);
    expect([status, valueAt(json, 'error', 'message')]).toEqual([
      422,
      'fields.Secret: "Task" has no field "Secret"',
    ]);
    const types = (await people.as('ann', 'GET', '/api/node/types')).json;
    expect(JSON.stringify(types)).not.toContain('Secret');
    expect((await people.as('ann', 'PATCH', path(uid), patch)).status).toBe(200);
    await allow({});
  });

  test('a writer of a type that is restricted owns what they create', async () => {
    await allow({
      Locked: { visibleTo: 'restricted', writableBy: { users: [people.uid('cid')] } },
    });
    const { uid } = await create('cid', { type: 'Locked', key: 'mine' });
    const patched = await people.as('cid', 'PATCH', path(uid), { fields: { Title: 'Mine' } });
    expect(patched.status).toBe(200);
    const access = await people.as('cid', 'GET', `/api/access/nodes/${uid}`);
    expect(valueAt(access.json, 'owners')).toEqual([people.uid('cid')]);
    await allow({});
  });

  test('the right ends with the rule', async () => {
    const { uid } = await create('ann');
    await people.as('admin', 'PUT', '/api/access/types', { types: {} });
    expect(await people.outcome('ann', 'PATCH', path(uid), patch)).toEqual([403, 'forbidden']);
    await allow({});
    expect(await people.outcome('ann', 'PATCH', path(uid), patch)).toEqual([200, undefined]);
  });

  test('a built-in type has no writers, and a rule names those that there are', async () => {
    for (const types of [
      { _User: { writableBy: {} } },
      { Task: { writableBy: { teams: ['1'.repeat(22)] } } },
      { Task: { writableBy: { users: ['nobody'] } } },
    ]) {
      const outcome = await people.outcome('admin', 'PUT', '/api/access/types', { types });
      expect(outcome).toEqual([400, 'invalid_request']);
    }
  });
});

test('types are listed with their counts, as the caller may see and write them', async () => {
  const { uid } = await create('admin', { type: 'Person', key: undefined });
  await restrictTo('bob', uid);
  const of = async (who: string) => Object((await people.as(who, 'GET', '/api/node/types')).json);
  const [admin, ann, bob] = [await of('admin'), await of('ann'), await of('bob')];
  const task = (one: typeof ann) =>
    one.types.find((some: { type: string }) => some.type === 'Task');
  expect(task(admin)).toMatchObject({ mayWrite: true, key: 'Name', label: 'Title' });
  expect(task(admin).fields).toMatchObject({ Cost: 'Int', Tags: 'String[]' });
  expect(task(ann).mayWrite).toBe(true);
  expect(task(bob).mayWrite).toBe(false);
  expect(task(ann).count).toBeLessThan(task(admin).count);
  expect(ann.edges.map(({ type }: { type: string }) => type)).toContain('Needs');
  expect(bob.edges).toEqual([]);
  expect(JSON.stringify([admin, ann, bob])).not.toMatch(/_User|_Owns|RestrictAccess/);
});

test('each change has its event, with the user who made it', async () => {
  const { uid } = await create('ann');
  const actor = { name: 'ann' };
  expect(await newestEvent()).toMatchObject({
    action: 'node.created',
    actor,
    target: { kind: 'node', id: uid },
  });
  await people.as('ann', 'PATCH', path(uid), { fields: { Cost: 1 } });
  expect(await newestEvent()).toMatchObject({
    action: 'node.changed',
    actor,
    details: { type: 'Task', fields: ['Cost'] },
  });
  // What changes nothing has none.
  await people.as('admin', 'PATCH', path(uid), { fields: { Cost: 1 } });
  expect(await newestEvent()).toMatchObject({ action: 'node.changed', actor });
  await people.as('ann', 'POST', path(uid, '/links'), { add: [{ edge: 'Knows', to: { uid } }] });
  expect(await newestEvent()).toMatchObject({
    action: 'node.linked',
    details: { edges: ['Knows'] },
  });
  await people.as('ann', 'DELETE', path(uid));
  expect(await newestEvent()).toMatchObject({ action: 'node.deleted', target: { id: uid } });
});
