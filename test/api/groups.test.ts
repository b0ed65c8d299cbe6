import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

let people: People;
let sales: string;
let east: string;

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob', 'cid']) await people.add(name);
  await people.add('reader', { isReadOnlyAdmin: true });
  await people.add('manager', { roles: ['CanManageTeams'] });
  await people.add('guest', { isGuest: true });
  sales = await people.addTeam('Sales', { admins: [people.uid('ann')] });
  east = await people.addTeam('Sales East', { add: [people.uid('bob'), people.uid('guest')] });
  await people.as('admin', 'PUT', `/api/groups/group/${sales}/users`, { add: [east] });
});
afterAll(() => people[Symbol.asyncDispose]());

const group = (uid: string, rest = ''): string => `/api/groups/group/${uid}${rest}`;

describe('a team', () => {
  test('is created by an administrator, and by who manages teams', async () => {
    const body = { name: 'Ops', description: 'Runs it' };
    const { status, json } = await people.as('manager', 'PUT', '/api/groups/group', body);
    expect([status, json]).toEqual([
      201,
      expect.objectContaining({ Type: '_AccessGroup', Name: 'Ops', Description: 'Runs it' }),
    ]);
    for (const who of ['ann', 'reader', 'guest']) {
      const outcome = await people.outcome(who, 'PUT', '/api/groups/group', { name: 'More' });
      expect(outcome).toEqual([403, 'forbidden']);
    }
  });

  test('has a name of its own, in any case', async () => {
    const create = await people.outcome('admin', 'PUT', '/api/groups/group', { name: 'sALES' });
    expect(create).toEqual([409, 'team_exists']);
    expect(await people.outcome('admin', 'PUT', group(east), { name: 'Sales' })).toEqual([
      409,
      'team_exists',
    ]);
    expect(await people.outcome('admin', 'PUT', group(sales), { name: 'Sales' })).toEqual([
      200,
      undefined,
    ]);
  });

  test('is listed to users, and to guests when they are in it, through nesting too', async () => {
    const seen = items(await people.as('cid', 'GET', '/api/groups?query=sales'));
    expect(seen.map((team) => team['Name'])).toEqual(['Sales', 'Sales East']);
    const ops = await people.addTeam('Hidden from guests');
    const asGuest = items(await people.as('guest', 'GET', '/api/groups'));
    expect(asGuest.map((team) => team['UID']).toSorted()).toEqual([sales, east].toSorted());
    expect(await people.outcome('guest', 'GET', group(ops))).toEqual([404, 'team_not_found']);
    // Nor by another way.
    const listed = await people.as('guest', 'POST', '/api/node/query', { type: '_AccessGroup' });
    expect(
      items(listed)
        .map((team) => team['UID'])
        .toSorted(),
    ).toEqual([sales, east].toSorted());
    expect(listed.json).toMatchObject({ total: 2 });
    expect(await people.outcome('guest', 'GET', `/api/node/${ops}`)).toEqual([
      404,
      'node_not_found',
    ]);
  });

  test('is changed and deleted by its own administrators', async () => {
    const change = { description: 'All of them' };
    const { json } = await people.as('ann', 'PUT', group(sales), change);
    expect(json).toMatchObject({ Description: 'All of them' });
    expect(await people.outcome('ann', 'PUT', group(east), change)).toEqual([403, 'forbidden']);
    expect(await people.outcome('bob', 'PUT', group(east), change)).toEqual([403, 'forbidden']);
    const own = await people.addTeam('Short-lived', { admins: [people.uid('cid')] });
    expect(await people.outcome('bob', 'POST', group(own, '/delete'))).toEqual([403, 'forbidden']);
    expect(await people.outcome('cid', 'POST', group(own, '/delete'))).toEqual([204, undefined]);
    expect(await people.outcome('admin', 'GET', group(own))).toEqual([404, 'team_not_found']);
  });

  test('that nodes are restricted to is not deleted: they would be everybody’s', async () => {
    const team = await people.addTeam('Legal');
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Note', key: 'Name', fields: {} }],
      edges: [],
    });
    const node = { type: 'Note', key: 'n' };
    const operations = [
      { op: 'addOrUpdate', ...node, fields: {} },
      { op: 'restrict', node, team: { uid: team } },
    ];
    expect((await people.as('admin', 'POST', '/api/ingest', { operations })).status).toBe(200);
    expect(await people.outcome('admin', 'POST', group(team, '/delete'))).toEqual([
      409,
      'team_in_use',
    ]);
    const open = { operations: [{ op: 'unrestrict', node }] };
    expect((await people.as('admin', 'POST', '/api/ingest', open)).status).toBe(200);
    expect(await people.outcome('admin', 'POST', group(team, '/delete'))).toEqual([204, undefined]);
  });
});

describe('the members of a team', () => {
  test('are listed as users see one another, directly or through nesting', async () => {
    const direct = items(await people.as('cid', 'GET', group(sales, '/users')));
    expect(direct).toEqual([]);
    const nested = items(await people.as('cid', 'GET', group(sales, '/users?nested=true')));
    expect(nested.map((user) => user['UserName'])).toEqual(['bob', 'guest']);
    expect(nested[0]).not.toHaveProperty('Active');
    const asReader = items(await people.as('reader', 'GET', group(east, '/users')));
    expect(asReader[0]).toHaveProperty('Active', true);
  });

  test('are changed by the administrators of the team', async () => {
    const add = { add: [people.uid('cid')], admins: [people.uid('ann'), people.uid('bob')] };
    const { json } = await people.as('ann', 'PUT', group(sales, '/users'), add);
    expect(json).toEqual({
      users: [people.uid('cid')],
      teams: [east],
      admins: expect.arrayContaining([people.uid('ann'), people.uid('bob')]),
    });
    const back = { remove: [people.uid('cid')], admins: [people.uid('ann')] };
    expect((await people.as('bob', 'PUT', group(sales, '/users'), back)).json).toEqual({
      users: [],
      teams: [east],
      admins: [people.uid('ann')],
    });
    const path = group(sales, '/users');
    expect(await people.outcome('bob', 'PUT', path, back)).toEqual([403, 'forbidden']);
    expect(await people.outcome('guest', 'PUT', path, back)).toEqual([403, 'forbidden']);
  });

  test('are never the team itself, directly or through others', async () => {
    for (const add of [sales, east].map((uid) => [uid])) {
      const path = group(add[0] === sales ? east : sales, '/users');
      const expected = add[0] === sales ? [422, 'team_cycle'] : [200, undefined];
      expect(await people.outcome('admin', 'PUT', path, { add })).toEqual(expected);
    }
    const self = await people.outcome('admin', 'PUT', group(sales, '/users'), { add: [sales] });
    expect(self).toEqual([422, 'team_cycle']);
  });

  test.each([
    ['add', '1111111111111111111111'],
    ['remove', 'nonsense'],
    ['admins', '1111111111111111111111'],
  ])('in %s are users or teams that exist', async (list, uid) => {
    const answer = await people.as('admin', 'PUT', group(sales, '/users'), { [list]: [uid] });
    expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([400, 'invalid_request']);
    expect(answer.json).toMatchObject({ error: { details: { fields: [{ path: `${list}.0` }] } } });
  });

  test('are in the claims of a session, nested teams included', async () => {
    const token = await people.workspace.http.signIn('bob', 'correct horse battery');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.teams.toSorted()).toEqual([sales, east].toSorted());
  });
});

describe('while teams are disabled', () => {
  beforeAll(() => people.as('admin', 'PUT', '/api/workspace/settings', { teamsEnabled: false }));
  afterAll(() => people.as('admin', 'PUT', '/api/workspace/settings', { teamsEnabled: true }));

  test.each([
    ['PUT', '/api/groups/group', { name: 'New' }],
    ['PUT', 'update', { name: 'Sales' }],
    ['POST', 'delete', undefined],
    ['PUT', 'users', { add: [] }],
  ])('%s %s is refused with the reason, but for administrators', async (method, what, body) => {
    const paths: Record<string, string> = {
      update: group(sales),
      delete: group(sales, '/delete'),
      users: group(sales, '/users'),
    };
    const path = paths[what] ?? what;
    for (const who of ['ann', 'manager', 'guest', 'reader']) {
      expect(await people.outcome(who, method, path, body)).toEqual([403, 'teams_disabled']);
    }
    if (path !== what) {
      const unknown = path.replace(sales, '1111111111111111111111');
      const refused = await people.outcome('ann', method, unknown, body);
      expect(refused).toEqual([403, 'teams_disabled']);
    }
    if (what === 'update') {
      expect(await people.outcome('admin', method, path, body)).toEqual([200, undefined]);
    }
  });

  test('they are read as before', async () => {
    expect(items(await people.as('ann', 'GET', '/api/groups')).length).toBeGreaterThan(1);
  });
});

describe('the settings of the workspace', () => {
  test('are read by administrators and changed in part by those who may write', async () => {
    const path = '/api/workspace/settings';
    expect((await people.as('reader', 'GET', path)).json).toEqual({
      name: 'Trellis',
      teamsEnabled: true,
      ReplicaURLs: '',
      fetchAllowList: [],
      interface: null,
    });
    expect(await people.outcome('ann', 'GET', path)).toEqual([403, 'forbidden']);
    expect(await people.outcome('reader', 'PUT', path, { name: 'X' })).toEqual([403, 'forbidden']);
    const changed = await people.as('admin', 'PUT', path, { name: 'Ours' });
    expect(changed.json).toMatchObject({ name: 'Ours', teamsEnabled: true });
    expect(await people.outcome('admin', 'PUT', path, { names: 'X' })).toEqual([
      400,
      'invalid_request',
    ]);
  });
});
