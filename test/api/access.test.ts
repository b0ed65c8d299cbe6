import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

let people: People;
let sales: string;
let east: string;
const uids = new Map<string, string>();

/** Answers the keys of the notes that the caller sees, and what they see of them. */
const NOTES =
  "export default async function ({ q }: Scope) {\n  return q().startAt('Note').asUser().nodes();\n}\n";
const UID_OF =
  "export default async function ({ body, graph }: Scope<{ key: string }>) {\n  return graph.get('Note', body.key);\n}\n";

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob', 'cid']) await people.add(name);
  await people.add('reader', { isReadOnlyAdmin: true });
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', label: 'Text', fields: { Text: 'String', Price: 'Int' } }],
    edges: [],
  });
  sales = await people.addTeam('Sales');
  east = await people.addTeam('East', { add: [people.uid('bob')] });
  await people.as('admin', 'PUT', `/api/groups/group/${sales}/users`, { add: [east] });
  const ann = { type: '_User', key: 'ann' };
  const operations = ['open', 'sales', 'own'].flatMap((key) => [
    { op: 'addOrUpdate', type: 'Note', key, fields: { Text: `the ${key} one`, Price: 7 } },
  ]);
  await people.as('admin', 'POST', '/api/ingest', {
    operations: [
      ...operations,
      { op: 'restrict', node: { type: 'Note', key: 'sales' }, team: { uid: sales } },
      { op: 'link', from: ann, edge: '_Owns', to: { type: 'Note', key: 'own' } },
    ],
  });
  await endpoint('notes', NOTES);
  await endpoint('uid', UID_OF);
  for (const key of ['open', 'sales', 'own']) {
    const { json } = await people.as('admin', 'POST', '/api/cce/uid', { key });
    uids.set(key, field(json, 'UID'));
  }
});
afterAll(() => people[Symbol.asyncDispose]());

async function endpoint(name: string, code: string): Promise<void> {
  const body = { name, code, isReadOnly: true };
  const { json, text } = await people.as('admin', 'POST', '/api/endpoints/create', body);
  if (Object(json).compiles !== true) throw new Error(text);
}

const uid = (key: string): string => uids.get(key) ?? '';
const onNode = (key: string): string => `/api/access/nodes/${uid(key)}`;

async function seenBy(who: string): Promise<Record<string, unknown>[]> {
  return Object((await people.as(who, 'POST', '/api/cce/notes')).json);
}

async function keysSeenBy(who: string): Promise<string[]> {
  return (await seenBy(who)).map((note) => String(note['Id'])).toSorted();
}

describe('a restricted node', () => {
  test('is seen by the team, through nesting, and by administrators', async () => {
    expect(await keysSeenBy('ann')).toEqual(['open', 'own']);
    expect(await keysSeenBy('bob')).toEqual(['open', 'own', 'sales']);
    expect(await keysSeenBy('reader')).toEqual(['open', 'own', 'sales']);
  });

  test('follows the membership at once', async () => {
    const path = `/api/groups/group/${east}/users`;
    await people.as('admin', 'PUT', path, { add: [people.uid('cid')] });
    expect(await keysSeenBy('cid')).toContain('sales');
    await people.as('admin', 'PUT', path, { remove: [people.uid('cid')] });
    expect(await keysSeenBy('cid')).not.toContain('sales');
  });
});

describe('the owner of a node', () => {
  test('restricts it to themselves, to users and to teams of theirs, and opens it again', async () => {
    const only = { users: [people.uid('ann')], teams: [] };
    const { status, json } = await people.as('ann', 'PUT', onNode('own'), only);
    expect([status, json]).toEqual([200, { ...only, owners: [people.uid('ann')] }]);
    expect(await keysSeenBy('bob')).not.toContain('own');
    expect(await keysSeenBy('ann')).toContain('own');
    const shared = { users: [people.uid('bob')] };
    await people.as('ann', 'PUT', onNode('own'), shared);
    expect(await keysSeenBy('bob')).toContain('own');
    expect(await keysSeenBy('ann')).toContain('own');
    await people.as('ann', 'PUT', onNode('own'), { users: [] });
    expect(await keysSeenBy('cid')).toContain('own');
  });

  test.each([
    ['a team that they are not in', () => ({ teams: [sales] }), 'teams.0'],
    ['a user who does not exist', () => ({ users: ['1111111111111111111111'] }), 'users.0'],
    ['a team as a user', () => ({ users: [sales] }), 'users.0'],
  ])('cannot name %s', async (_case, change, path) => {
    const { status, json } = await people.as('ann', 'PUT', onNode('own'), change());
    expect([status, Object(json).error.details]).toEqual([
      400,
      { fields: [expect.objectContaining({ path })] },
    ]);
  });

  test('is alone with administrators in reading and changing it', async () => {
    expect(await people.outcome('bob', 'GET', onNode('own'))).toEqual([403, 'forbidden']);
    expect(await people.outcome('bob', 'PUT', onNode('own'), {})).toEqual([403, 'forbidden']);
    expect(await people.outcome('ann', 'GET', onNode('sales'))).toEqual([404, 'node_not_found']);
    expect(await people.outcome('reader', 'GET', onNode('own'))).toEqual([200, undefined]);
    expect(await people.outcome('reader', 'PUT', onNode('own'), {})).toEqual([403, 'forbidden']);
    expect(await people.outcome('admin', 'PUT', onNode('own'), {})).toEqual([200, undefined]);
  });

  test('keeps a team that somebody else has given, and changes nothing as a read-only administrator', async () => {
    await people.as('admin', 'PUT', onNode('own'), { teams: [sales], users: [] });
    const kept = { teams: [sales], users: [people.uid('cid')] };
    expect((await people.as('ann', 'PUT', onNode('own'), kept)).json).toMatchObject(kept);
    const own = { type: 'Note', key: 'own' };
    const owner = { op: 'link', from: { uid: people.uid('reader') }, edge: '_Owns', to: own };
    await people.as('admin', 'POST', '/api/ingest', { operations: [owner] });
    expect(await people.outcome('reader', 'PUT', onNode('own'), {})).toEqual([403, 'forbidden']);
    const back = {
      operations: [
        { ...owner, op: 'unlink' },
        { op: 'unrestrict', node: own },
      ],
    };
    await people.as('admin', 'POST', '/api/ingest', back);
  });

  test('leaves a trace', async () => {
    const events = items(await people.as('admin', 'GET', '/api/audit?action=access.node-changed'));
    expect(events[0]).toMatchObject({ target: { kind: 'node', id: uid('own') } });
  });
});

describe('the rules of a type', () => {
  const path = '/api/access/types';
  afterAll(() => people.as('admin', 'PUT', path, { types: {} }));

  test('hide its nodes from all but owners and administrators', async () => {
    const types = { Note: { visibleTo: 'restricted' } };
    expect((await people.as('admin', 'PUT', path, { types })).json).toEqual({ types });
    expect((await people.as('reader', 'GET', path)).json).toEqual({ types });
    expect(await keysSeenBy('ann')).toEqual(['own']);
    expect(await keysSeenBy('bob')).toEqual(['sales']);
    expect(await keysSeenBy('cid')).toEqual([]);
    expect(await keysSeenBy('reader')).toHaveLength(3);
  });

  test('withhold a field from all but those who are named', async () => {
    const types = { Note: { fields: { Price: { teams: [sales], users: [] } } } };
    await people.as('admin', 'PUT', path, { types });
    expect((await seenBy('ann')).every((note) => !('Price' in note))).toBe(true);
    expect((await seenBy('bob')).every((note) => note['Price'] === 7)).toBe(true);
    expect((await seenBy('reader')).every((note) => note['Price'] === 7)).toBe(true);
  });

  test.each(['Id', 'Name'])('withhold the key under both of its names, by %s', async (name) => {
    const types = { Note: { fields: { [name]: { users: [people.uid('bob')] } } } };
    await people.as('admin', 'PUT', path, { types });
    for (const note of await seenBy('ann')) {
      expect(Object.keys(note)).not.toEqual(expect.arrayContaining(['Id']));
      expect(Object.keys(note)).not.toEqual(expect.arrayContaining(['Name']));
    }
    for (const note of await seenBy('bob')) expect(note['Id']).toBe(note['Name']);
    expect(await keysSeenBy('bob')).toContain('sales');
    const fields = { uids: [uid('open')], field: 'Name' };
    const read = await people.as('ann', 'POST', '/api/node/many/field', fields);
    expect(read.json).toEqual({ [uid('open')]: 'BLOCKED' });
  });

  test('of a key under both names let only those read it whom both name', async () => {
    const fields = { Id: { users: [people.uid('bob')] }, Name: { users: [people.uid('cid')] } };
    await people.as('admin', 'PUT', path, { types: { Note: { fields } } });
    expect((await seenBy('bob')).every((note) => !('Id' in note) && !('Name' in note))).toBe(true);
    expect((await seenBy('cid')).every((note) => !('Id' in note) && !('Name' in note))).toBe(true);
  });

  test.each([
    [{ Nothing: {} }, 'types.Nothing'],
    [{ Note: { fields: { Prize: {} } } }, 'types.Note.fields.Prize'],
    [{ Note: { fields: { UID: {} } } }, 'types.Note.fields.UID'],
    [{ Note: { fields: { Price: { teams: ['x'] } } } }, 'types.Note.fields.Price.teams.0'],
    [{ _Endpoint: { visibleTo: 'everyone' } }, 'types._Endpoint'],
    [{ Note: { visibleTo: 'friends' } }, 'types.Note.visibleTo'],
  ])('%j are refused, naming the place', async (types, where) => {
    const { status, json } = await people.as('admin', 'PUT', path, { types });
    expect([status, Object(json).error.details.fields[0].path]).toEqual([400, where]);
  });

  test('are for administrators, and written by those who may write', async () => {
    expect(await people.outcome('ann', 'GET', path)).toEqual([403, 'forbidden']);
    expect(await people.outcome('reader', 'PUT', path, { types: {} })).toEqual([403, 'forbidden']);
  });
});

describe('an explanation', () => {
  const explain = (user: string, key: string) =>
    people.as('reader', 'GET', `/api/access/explain?user=${user}&node=${uid(key)}`);

  test('names the way through the teams', async () => {
    const { json } = await explain('bob', 'sales');
    expect(json).toMatchObject({
      user: { uid: people.uid('bob'), name: 'bob' },
      node: { uid: uid('sales'), type: 'Note', name: 'the sales one' },
      visible: true,
      reasons: [
        {
          kind: 'restricted-to-team',
          grants: true,
          path: [
            { uid: east, name: 'East' },
            { uid: sales, name: 'Sales' },
          ],
        },
      ],
    });
  });

  test.each([
    ['ann', 'sales', false, ['restricted-to-others']],
    ['ann', 'open', true, ['everyone']],
    ['ann', 'own', true, ['owner', 'everyone']],
    ['reader', 'sales', true, ['administrator', 'restricted-to-others']],
  ])('of %s and %s', async (who, key, visible, kinds) => {
    const { json } = await explain(who, key);
    expect(Object(json).visible).toBe(visible);
    expect(Object(json).reasons.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
  });

  test('tells who may write a node, and why', async () => {
    const why = async (who: string, key: string) => {
      const { mayWrite, writeReasons } = Object((await explain(who, key)).json);
      return [mayWrite, ...writeReasons.map(({ kind }: { kind: string }) => kind)];
    };
    expect(await why('ann', 'open')).toEqual([false, 'no-writer']);
    expect(await why('admin', 'open')).toEqual([true, 'administrator']);
    expect(await why('reader', 'open')).toEqual([false, 'read-only-administrator', 'no-writer']);
    const types = { Note: { writableBy: { teams: [sales], users: [people.uid('ann')] } } };
    await people.as('admin', 'PUT', '/api/access/types', { types });
    expect(await why('ann', 'open')).toEqual([true, 'writer-user']);
    expect(await why('ann', 'sales')).toEqual([false, 'hidden', 'writer-user']);
    expect((await explain('bob', 'sales')).json).toMatchObject({
      mayWrite: true,
      writeReasons: [{ kind: 'writer-team', path: [{ name: 'East' }, { name: 'Sales' }] }],
    });
    await people.as('admin', 'PUT', '/api/access/types', { types: {} });
  });

  test('knows which teams a guest sees', async () => {
    await people.add('guest', { isGuest: true });
    const club = await people.addTeam('Club', { add: [people.uid('guest')] });
    const why = async (team: string) =>
      (await people.as('admin', 'GET', `/api/access/explain?user=guest&node=${team}`)).json;
    expect(await why(sales)).toMatchObject({ visible: false, reasons: [{ kind: 'guest' }] });
    expect(await why(club)).toMatchObject({ visible: true, reasons: [{ kind: 'everyone' }] });
  });

  test('says what is withheld, and that a user is deactivated', async () => {
    const types = { Note: { fields: { Price: {} } } };
    await people.as('admin', 'PUT', '/api/access/types', { types });
    expect((await explain(people.uid('ann'), 'open')).json).toMatchObject({
      withheldFields: ['Price'],
    });
    await people.as('admin', 'PUT', '/api/access/types', { types: {} });
    await people.as('admin', 'POST', `/api/users/user/${people.uid('cid')}/deactivate`);
    const { json } = await explain('cid', 'open');
    expect([Object(json).visible, Object(json).reasons[0].kind]).toEqual([false, 'deactivated']);
  });

  test('is for administrators, of what there is', async () => {
    const path = `/api/access/explain?user=ann&node=${uid('open')}`;
    expect(await people.outcome('ann', 'GET', path)).toEqual([403, 'forbidden']);
    const nobody = `/api/access/explain?user=nobody&node=${uid('open')}`;
    expect(await people.outcome('admin', 'GET', nobody)).toEqual([404, 'user_not_found']);
    const nothing = '/api/access/explain?user=ann&node=1111111111111111111111';
    expect(await people.outcome('admin', 'GET', nothing)).toEqual([404, 'node_not_found']);
    expect(await people.outcome('admin', 'GET', '/api/access/explain?user=ann')).toEqual([
      400,
      'invalid_request',
    ]);
  });
});
