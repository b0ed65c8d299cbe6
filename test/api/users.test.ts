import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { items, PASSWORD, People } from '../support/people.ts';

let people: People;

beforeAll(async () => {
  people = await People.start();
  await people.add('ann', { firstName: 'Ann', lastName: 'Lee' });
  await people.add('bob');
  await people.add('root', { isAdmin: true });
  await people.add('reader', { isReadOnlyAdmin: true });
  await people.add('manager', { roles: ['CanManageUsers', 'CanManageTeams'] });
  await people.add('guest', { isGuest: true });
});
afterAll(() => people[Symbol.asyncDispose]());

const EIGHT = [
  'Email',
  'FirstName',
  'FullName',
  'LastName',
  'Timestamp',
  'Type',
  'UID',
  'UserName',
];

describe('creating a user', () => {
  test('answers the whole user, who can sign in', async () => {
    const answer = await people.as('admin', 'POST', '/api/users', {
      userName: 'Eva',
      email: 'eva@example.com',
      password: PASSWORD,
      roles: ['CanManageSynonyms'],
    });
    expect([answer.status, answer.json]).toEqual([
      201,
      expect.objectContaining({
        Type: '_User',
        UserName: 'Eva',
        FullName: 'Eva',
        Email: 'eva@example.com',
        Active: true,
        IsAdmin: false,
        Roles: ['CanManageSynonyms'],
      }),
    ]);
    await expect(people.workspace.http.signIn('eva', PASSWORD)).resolves.toBeTypeOf('string');
  });

  test.each([
    ['a name in another case', { userName: 'ANN', email: 'x@example.com' }, 409, 'user_exists'],
    ['an address in another case', { userName: 'x', email: 'ANN@example.com' }, 409, 'user_exists'],
    [
      'a short password',
      { userName: 'x', email: 'x@example.com', password: 'short' },
      422,
      'weak_password',
    ],
    [
      'an unknown role',
      { userName: 'x', email: 'x@example.com', roles: ['King'] },
      400,
      'invalid_request',
    ],
    ['no address', { userName: 'x' }, 400, 'invalid_request'],
    ['an address that is none', { userName: 'x', email: 'x' }, 400, 'invalid_request'],
    [
      'a line break in the name',
      { userName: 'x\ny', email: 'x@example.com' },
      400,
      'invalid_request',
    ],
    [
      'a guest who administers',
      { userName: 'x', email: 'x@example.com', isGuest: true, isAdmin: true },
      400,
      'invalid_request',
    ],
    [
      'an unknown member',
      { userName: 'x', email: 'x@example.com', admin: true },
      400,
      'invalid_request',
    ],
  ])('with %s is refused', async (_case, body, status, code) => {
    expect(await people.outcome('admin', 'POST', '/api/users', body)).toEqual([status, code]);
  });

  test.each(['ann', 'manager', 'reader', 'guest'])('is not for %s', async (who) => {
    const body = { userName: 'y', email: 'y@example.com' };
    expect(await people.outcome(who, 'POST', '/api/users', body)).toEqual([403, 'forbidden']);
  });
});

describe('reading users', () => {
  test('the list shows others in eight fields, administrators everything, by name', async () => {
    const asAnn = items(await people.as('ann', 'GET', '/api/users?take=1000'));
    const bob = asAnn.find((user) => user['UserName'] === 'bob');
    expect(Object.keys(bob ?? {}).every((field) => EIGHT.includes(field))).toBe(true);
    const own = asAnn.find((user) => user['UserName'] === 'ann');
    expect(own).toMatchObject({ Active: true, FullName: 'Ann Lee' });
    const names = asAnn.map((user) => String(user['UserName']).toLowerCase());
    expect(names).toEqual(names.toSorted());
    const asReader = items(await people.as('reader', 'GET', '/api/users?take=1000'));
    expect(asReader.every((user) => 'Active' in user)).toBe(true);
  });

  test('is paged, and searched in names and addresses', async () => {
    const page = await people.as('ann', 'GET', '/api/users?skip=1&take=2');
    expect(page.json).toMatchObject({ skip: 1, take: 2 });
    expect(items(page)).toHaveLength(2);
    const found = items(await people.as('ann', 'GET', '/api/users?query=LEE'));
    expect(found.map((user) => user['UserName'])).toEqual(['ann']);
  });

  test('a whole user is for the user and for administrators', async () => {
    const path = `/api/users/user/${people.uid('bob')}`;
    expect((await people.as('bob', 'GET', path)).json).toMatchObject({ Active: true });
    expect((await people.as('reader', 'GET', path)).json).toMatchObject({ Active: true });
    expect(await people.outcome('ann', 'GET', path)).toEqual([403, 'forbidden']);
    const nobody = '/api/users/user/1111111111111111111111';
    expect(await people.outcome('admin', 'GET', nobody)).toEqual([404, 'user_not_found']);
    expect(await people.outcome('ann', 'GET', nobody)).toEqual([403, 'forbidden']);
  });
});

describe('changing a user', () => {
  test('oneself: names, address and preferences', async () => {
    const change = { firstName: 'Anna', email: 'anna@example.com', preferences: { theme: 'dark' } };
    const { json } = await people.as('ann', 'PUT', `/api/users/user/${people.uid('ann')}`, change);
    expect(json).toMatchObject({
      FullName: 'Anna Lee',
      Email: 'anna@example.com',
      Confirmed: false,
      Preferences: { theme: 'dark' },
    });
  });

  test.each([
    ['ann', 'ann', { isAdmin: true }],
    ['ann', 'ann', { roles: ['CanManageTeams'] }],
    ['ann', 'bob', { firstName: 'B' }],
    ['reader', 'bob', { firstName: 'B' }],
    ['guest', 'bob', { firstName: 'B' }],
    ['manager', 'bob', { isAdmin: true }],
    ['manager', 'bob', { active: false }],
    ['manager', 'bob', { roles: ['CanManageSynonyms'] }],
    ['manager', 'root', { firstName: 'R' }],
    ['manager', 'reader', { email: 'mine@example.com' }],
    ['manager', 'manager', { roles: ['CanManageUsers', 'CanManageTeams', 'CanManageSynonyms'] }],
    ['root', 'root', { isReadOnlyAdmin: true }],
  ])('%s may not change %s to %j', async (who, whom, change) => {
    const path = `/api/users/user/${people.uid(whom)}`;
    expect(await people.outcome(who, 'PUT', path, change)).toEqual([403, 'forbidden']);
  });

  test.each([
    ['manager', 'bob', { firstName: 'Bob' }],
    ['manager', 'bob', { roles: ['CanManageTeams'] }],
    ['manager', 'bob', { roles: [] }],
    ['root', 'bob', { roles: ['CanManageSynonyms'], isGuest: true }],
    ['root', 'bob', { roles: [], isGuest: false }],
    ['admin', 'manager', { lastName: 'M' }],
  ])('%s may change %s to %j', async (who, whom, change) => {
    const path = `/api/users/user/${people.uid(whom)}`;
    expect(await people.outcome(who, 'PUT', path, change)).toEqual([200, undefined]);
  });

  test.each([
    ['reader', { isGuest: true }],
    ['guest', { isAdmin: true }],
    ['bob', { isGuest: true, isReadOnlyAdmin: true }],
  ])('%s does not become guest and administrator at once by %j', async (whom, change) => {
    const path = `/api/users/user/${people.uid(whom)}`;
    expect(await people.outcome('admin', 'PUT', path, change)).toEqual([400, 'invalid_request']);
  });

  test('shows who changed somebody else the eight fields, and administrators everything', async () => {
    const path = `/api/users/user/${people.uid('bob')}`;
    const { json } = await people.as('manager', 'PUT', path, { lastName: 'Bo' });
    expect(Object.keys(Object(json)).filter((name) => !EIGHT.includes(name))).toEqual([]);
    expect(json).toMatchObject({ LastName: 'Bo' });
    const asAdmin = await people.as('admin', 'PUT', path, { lastName: 'Bo' });
    expect(asAdmin.json).toMatchObject({ Active: true });
  });

  test('to what they are already writes nothing', async () => {
    const path = `/api/users/user/${people.uid('ann')}`;
    const before = (await people.as('ann', 'PUT', path, {})).headers.get('x-msk-sequence');
    const again = await people.as('ann', 'PUT', path, { preferences: { theme: 'dark' } });
    expect([again.status, again.headers.get('x-msk-sequence')]).toEqual([200, before]);
  });

  test('has preferences that are not too large', async () => {
    const path = `/api/users/user/${people.uid('ann')}`;
    const change = { preferences: { text: 'x'.repeat(64 * 1024) } };
    expect(await people.outcome('ann', 'PUT', path, change)).toEqual([400, 'invalid_request']);
  });

  test('a taken address is refused', async () => {
    const path = `/api/users/user/${people.uid('bob')}`;
    const change = { email: 'ROOT@example.com' };
    expect(await people.outcome('admin', 'PUT', path, change)).toEqual([409, 'user_exists']);
  });
});

describe('deactivating a user', () => {
  test('ends their sessions at once and keeps them out, until they are active again', async () => {
    const uid = await people.add('leaver');
    expect((await people.as('leaver', 'GET', '/api/login/check')).status).toBe(200);
    const path = `/api/users/user/${uid}/deactivate`;
    expect(await people.outcome('reader', 'POST', path)).toEqual([403, 'forbidden']);
    expect(await people.outcome('admin', 'POST', path)).toEqual([204, undefined]);
    expect(await people.outcome('leaver', 'GET', '/api/login/check')).toEqual([
      401,
      'invalid_token',
    ]);
    await expect(people.workspace.http.signIn('leaver', PASSWORD)).rejects.toThrow('401');
    await people.as('admin', 'PUT', `/api/users/user/${uid}`, { active: true });
    expect(await people.outcome('leaver', 'GET', '/api/login/check')).toEqual([
      401,
      'invalid_token',
    ]);
    await expect(people.workspace.http.signIn('leaver', PASSWORD)).resolves.toBeTypeOf('string');
  });

  test('leaves an administrator, whatever happens at the same moment', async () => {
    const admin = String(
      Object(Object((await people.as('admin', 'GET', '/api/login/check')).json).user).uid,
    );
    const root = people.uid('root');
    const outcomes = await Promise.all([
      people.outcome('root', 'PUT', `/api/users/user/${admin}`, { isAdmin: false }),
      people.outcome('admin', 'PUT', `/api/users/user/${root}`, { isAdmin: false }),
    ]);
    expect(outcomes.map(([status]) => status).toSorted()).toContain(200);
    const left = items(await people.as('reader', 'GET', '/api/users?take=1000'));
    const administrators = left.filter(
      (user) => user['IsAdmin'] === true && user['Active'] === true,
    );
    expect(administrators).toHaveLength(1);
    const last = String(administrators[0]?.['UserName']);
    const lastUid = String(administrators[0]?.['UID']);
    expect(await people.outcome(last, 'POST', `/api/users/user/${lastUid}/deactivate`)).toEqual([
      403,
      'forbidden',
    ]);
  });
});
