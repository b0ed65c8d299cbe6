import { afterAll, beforeAll, expect, test } from 'vitest';
import { PRINCIPALS_MAX } from '@trellis/contract/limits.ts';
import { People } from '../support/people.ts';

const PATH = '/api/access/principals';
let people: People;
let ann = '';
let leaver = '';
let sales = '';

beforeAll(async () => {
  people = await People.start();
  ann = await people.add('Ann', { email: 'Ann.Lee@example.com' });
  leaver = await people.add('leaver');
  sales = await people.addTeam('Sales');
  const path = `/api/users/user/${leaver}/deactivate`;
  expect((await people.as('admin', 'POST', path)).status).toBe(204);
  const acl = { kind: 'connector', name: 'sync', scopes: ['ingestion', 'ingestion:acl'] };
  await people.addToken('sync', acl);
});
afterAll(() => people[Symbol.asyncDispose]());

async function resolve(names: object): Promise<unknown> {
  const { status, json, text } = await people.as('sync', 'POST', PATH, names);
  expect(status, text).toBe(200);
  return json;
}

test('users are found by name or address in any case, teams by name, those who left too', async () => {
  const users = ['ann', ' ANN ', 'ann.lee@EXAMPLE.com', 'leaver', 'leaver@example.com', 'carl', ''];
  expect(await resolve({ users, teams: ['sales', 'Sales', 'None'] })).toEqual({
    users: {
      ann,
      ' ANN ': ann,
      'ann.lee@EXAMPLE.com': ann,
      leaver,
      'leaver@example.com': leaver,
      carl: null,
      '': null,
    },
    teams: { sales, Sales: sales, None: null },
  });
  expect(await resolve({})).toEqual({ users: {}, teams: {} });
});

test('a node can be restricted to whom it found, and only they see it then', async () => {
  const schema = { nodes: [{ type: 'Memo', key: 'Name', fields: { Text: 'String' } }], edges: [] };
  await people.as('admin', 'PUT', '/api/schema', schema);
  await people.add('outsider');
  const found = Object(await resolve({ users: ['ann.lee@example.com'], teams: ['Sales'] }));
  const node = { type: 'Memo', key: 'm' };
  const operations = [
    { op: 'addOrUpdate', ...node, fields: { Text: 't' } },
    { op: 'addToTeam', team: { uid: found.teams.Sales }, user: { uid: ann } },
    { op: 'restrict', node, team: { uid: found.teams.Sales } },
  ];
  const made = await people.as('sync', 'POST', '/api/ingest', { operations });
  expect(made.status, made.text).toBe(200);
  const query = { type: 'Memo' };
  const seenBy = async (name: string) =>
    Object((await people.as(name, 'POST', '/api/node/query', query)).json).total;
  expect([await seenBy('Ann'), await seenBy('outsider')]).toEqual([1, 0]);
});

test('an address that a user has written into their own profile names nobody', async () => {
  const eve = await people.add('eve');
  const change = { email: 'chief@example.com' };
  const changed = await people.as('eve', 'PUT', `/api/users/user/${eve}`, change);
  expect(changed.status).toBe(200);
  const users = ['chief@example.com', 'eve'];
  expect(await resolve({ users })).toMatchObject({ users: { 'chief@example.com': null, eve } });
  await people.as('admin', 'PUT', `/api/users/user/${eve}`, change);
  expect(await resolve({ users })).toMatchObject({ users: { 'chief@example.com': eve, eve } });
});

test("what is one user's name and another's address is neither, as are two teams of one name", async () => {
  const named = await people.add('dan@example.com', { email: 'other@example.com' });
  expect(await resolve({ users: ['dan@example.com'] })).toMatchObject({
    users: { 'dan@example.com': named },
  });
  await people.add('dan', { email: 'dan@example.com' });
  const twins = ['a', 'b'].map((key) => ({
    op: 'addOrUpdate',
    type: '_AccessGroup',
    key,
    fields: { Name: 'Twins' },
  }));
  const made = await people.as('sync', 'POST', '/api/ingest', { operations: twins });
  expect(made.status, made.text).toBe(200);
  expect(await resolve({ users: ['dan@example.com'], teams: ['Twins'] })).toEqual({
    users: { 'dan@example.com': null },
    teams: { Twins: null },
  });
});

test('names that are properties of every object are names like others', async () => {
  const { text } = await people.as('sync', 'POST', PATH, {
    users: ['__proto__', 'constructor'],
    teams: ['toString'],
  });
  expect(JSON.parse(text)).toEqual(
    JSON.parse('{"users":{"__proto__":null,"constructor":null},"teams":{"toString":null}}'),
  );
  expect(text).toContain('"__proto__":null');
});

test('as many names as the limit says are taken, one more is refused', async () => {
  const users = Array.from({ length: PRINCIPALS_MAX }, (_, i) => `u${i}`);
  expect(Object.keys(Object(await resolve({ users })).users)).toHaveLength(PRINCIPALS_MAX);
  for (const names of [{ users: [...users, 'x'] }, { teams: [...users, 'x'] }]) {
    const refused = await people.outcome('sync', 'POST', PATH, names);
    expect(refused).toEqual([400, 'invalid_request']);
  }
});

test('it is for administrators and for tokens that write who may see what', async () => {
  await people.add('reader', { isReadOnlyAdmin: true });
  await people.addToken('plain', { kind: 'connector', name: 'plain', scopes: ['ingestion'] });
  const outcome = (name: string) => people.outcome(name, 'POST', PATH, { users: ['ann'] });
  expect(await outcome('admin')).toEqual([200, undefined]);
  expect(await outcome('reader')).toEqual([200, undefined]);
  expect(await outcome('Ann')).toEqual([403, 'forbidden']);
  expect(await outcome('plain')).toEqual([403, 'forbidden']);
  expect(await outcome('')).toEqual([401, 'missing_token']);
});
