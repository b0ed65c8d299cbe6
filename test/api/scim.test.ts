import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, field, valueAt } from '../support/http-client.ts';
import { PASSWORD, People } from '../support/people.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.addToken('idp', { kind: 'api', name: 'idp', scopes: ['admin:scim'] });
});
afterAll(() => people[Symbol.asyncDispose]());

const V2 = '/api/scim/v2';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** As the providers send them, under SCIM's media type. */
function scim(method: string, path: string, body?: unknown, more = {}): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' };
  return people.as('idp', method, V2 + path, body, { ...type, ...more });
}

async function made(path: string, body: object): Promise<string> {
  const { status, json, text } = await scim('POST', path, body);
  expect(status, text).toBe(201);
  return field(json, 'id');
}

function filtered(path: string, filter: string, more = ''): Promise<Answer> {
  return scim('GET', `${path}?filter=${encodeURIComponent(filter)}${more}`);
}

const found = ({ json }: Answer): unknown[] =>
  Object(json).Resources.map(({ id }: { id: string }) => id);
const patchOf = (...operations: object[]) => ({ schemas: [PATCH], Operations: operations });

function refusal({ status, json, headers }: Answer): object {
  expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  expect(Object(json)).toMatchObject({
    schemas: [ERROR],
    status: String(status),
    detail: expect.any(String),
    error: { code: expect.any(String) },
    traceId: expect.any(String),
  });
  return { status, scimType: valueAt(json, 'scimType'), code: valueAt(json, 'error', 'code') };
}

describe('as Entra sends it', () => {
  let ann = '';

  test('looks whether there is the user, and creates them', async () => {
    expect(Object((await scim('GET', '/ServiceProviderConfig')).json)).toMatchObject({
      patch: { supported: true },
      filter: { supported: true, maxResults: 1_000 },
      bulk: { supported: false },
    });
    const before = await filtered('/Users', 'userName eq "Ann@Contoso.example"');
    expect(Object(before.json)).toMatchObject({ totalResults: 0, Resources: [] });
    const { status, json, headers, text } = await scim('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Ann@Contoso.example',
      active: true,
      displayName: 'Ann Lee',
      emails: [{ primary: true, type: 'work', value: 'ann@contoso.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Ann Lee', familyName: 'Lee', givenName: 'Ann' },
      roles: [],
      [ENTERPRISE]: { department: 'Sales' },
    });
    expect(status, text).toBe(201);
    ann = field(json, 'id');
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(headers.get('location')).toBe(`${people.workspace.server.url}${V2}/Users/${ann}`);
    expect(headers.get('etag')).toBe(field(json, 'meta', 'version'));
    expect(Object(json)).toEqual({
      schemas: [USER],
      id: ann,
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Ann@Contoso.example',
      name: { formatted: 'Ann Lee', givenName: 'Ann', familyName: 'Lee' },
      displayName: 'Ann Lee',
      emails: [{ value: 'ann@contoso.example', type: 'work', primary: true }],
      active: true,
      groups: [],
      meta: expect.objectContaining({ resourceType: 'User' }),
    });
    expect(found(await filtered('/Users', 'userName eq "ann@contoso.example"'))).toEqual([ann]);
    const byId = 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"';
    expect(found(await filtered('/Users', byId))).toEqual([ann]);
  });

  test('changes attributes, each at its path', async () => {
    const { status, json, text } = await scim(
      'PATCH',
      `/Users/${ann}`,
      patchOf(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ann.day@contoso.example' },
        { op: 'Replace', path: 'name.familyName', value: 'Day' },
        { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Finance' },
        { op: 'Add', value: { 'name.givenName': 'Anne' } },
      ),
    );
    expect(status, text).toBe(200);
    expect(Object(json)).toMatchObject({
      displayName: 'Anne Day',
      name: { givenName: 'Anne', familyName: 'Day' },
      emails: [{ value: 'ann.day@contoso.example' }],
    });
  });

  test('gives the user another name, by which alone they are found then', async () => {
    const rename = (value: string) =>
      scim('PATCH', `/Users/${ann}`, patchOf({ op: 'Replace', path: 'userName', value }));
    expect((await rename('anne@contoso.example')).status).toBe(200);
    expect(found(await filtered('/Users', 'userName eq "ANNE@contoso.example"'))).toEqual([ann]);
    expect(found(await filtered('/Users', 'userName eq "ann@contoso.example"'))).toEqual([]);
    const old = { schemas: [USER], userName: 'ann@contoso.example' };
    expect(refusal(await scim('POST', '/Users', old))).toMatchObject({ scimType: 'uniqueness' });
    await made('/Users', { schemas: [USER], userName: 'bea@contoso.example' });
    expect(refusal(await rename('BEA@contoso.example'))).toEqual({
      status: 409,
      scimType: 'uniqueness',
      code: 'user_exists',
    });
    expect((await rename('ann@contoso.example')).status).toBe(200);
    expect(found(await filtered('/Users', 'userName eq "ann@contoso.example"'))).toEqual([ann]);
    expect(found(await filtered('/Users', 'userName eq "anne@contoso.example"'))).toEqual([]);
  });

  test('pushes a group, and adds and removes members in both of its ways', async () => {
    const group = await made('/Groups', {
      schemas: [GROUP],
      externalId: 'e-sales',
      displayName: 'Sales',
      meta: { resourceType: 'Group' },
    });
    const path = `/Groups/${group}`;
    const asked = `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "sales"')}`;
    const { json } = await scim('GET', asked);
    expect(Object(json).Resources).toMatchObject([{ id: group, externalId: 'e-sales' }]);
    expect(Object(json).Resources[0]).not.toHaveProperty('members');
    const bea = found(await filtered('/Users', 'userName eq "bea@contoso.example"'))[0];
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: ann }, { value: bea }] };
    expect((await scim('PATCH', path, patchOf(add))).status).toBe(200);
    const members = async () =>
      Object((await scim('GET', path)).json).members.map(({ value }: { value: string }) => value);
    expect((await members()).toSorted()).toEqual([ann, bea].toSorted());
    expect(Object((await scim('GET', `/Users/${ann}`)).json).groups).toMatchObject([
      { value: group, display: 'Sales', type: 'direct' },
    ]);
    const one = { op: 'Remove', path: 'members', value: [{ value: ann }] };
    expect((await scim('PATCH', path, patchOf(one))).status).toBe(200);
    expect(await members()).toEqual([bea]);
    const other = { op: 'Remove', path: `members[value eq "${String(bea)}"]` };
    expect((await scim('PATCH', path, patchOf(other))).status).toBe(200);
    expect(await members()).toEqual([]);
    const name = patchOf({ op: 'Replace', path: 'displayName', value: 'Sales EU' });
    expect(Object((await scim('PATCH', path, name)).json).displayName).toBe('Sales EU');
    expect((await scim('DELETE', path)).status).toBe(204);
    expect(refusal(await scim('GET', path))).toMatchObject({ status: 404 });
  });

  test('deactivates with a text, and the sessions and tokens of the user are over', async () => {
    const cid = await made('/Users', { userName: 'cid@contoso.example', password: PASSWORD });
    const session = await people.workspace.http.signIn('cid@contoso.example', PASSWORD);
    const mcp = { kind: 'mcp', name: 'of cid', actingUser: cid };
    await people.addToken('mcp of cid', mcp);
    const check = async (token: string | undefined) =>
      (await people.workspace.http.send({ path: '/api/login/check', token })).status;
    expect(await check(session)).toBe(200);
    const flag = (value: string) =>
      scim('PATCH', `/Users/${cid}`, patchOf({ op: 'Replace', path: 'active', value }));
    expect(Object((await flag('False')).json).active).toBe(false);
    expect(await check(session)).toBe(401);
    expect(Object((await flag('True')).json).active).toBe(true);
    expect(await check(session)).toBe(401);
    const { json } = await people.as('admin', 'GET', '/api/tokens?kind=mcp');
    expect(Object(json).items).toMatchObject([{ actingUser: cid, revoked: true }]);
    await expect(people.workspace.http.signIn('cid@contoso.example', PASSWORD)).resolves.toBeTypeOf(
      'string',
    );
  });
});

describe('as Okta sends it', () => {
  let eve = '';
  const profile = (more: object = {}) => ({
    schemas: [USER],
    userName: 'eve@okta.example',
    name: { givenName: 'Eve', familyName: 'Moss' },
    emails: [{ primary: true, value: 'eve@okta.example', type: 'work' }],
    displayName: 'Eve Moss',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    active: true,
    ...more,
  });

  test('tests the connection, creates a user and pushes the profile with PUT', async () => {
    const { json } = await scim('GET', '/Users?startIndex=1&count=2');
    expect(Object(json)).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    eve = await made('/Users', profile());
    const change = profile({ id: eve, name: { givenName: 'Eva', familyName: 'Moss' } });
    const { status, json: changed } = await scim('PUT', `/Users/${eve}`, change);
    expect(status).toBe(200);
    expect(Object(changed)).toMatchObject({ name: { givenName: 'Eva' }, displayName: 'Eve Moss' });
  });

  test('deactivates with an object, and with PUT', async () => {
    const off = await scim(
      'PATCH',
      `/Users/${eve}`,
      patchOf({ op: 'replace', value: { active: false } }),
    );
    expect([off.status, Object(off.json).active]).toEqual([200, false]);
    const on = await scim('PUT', `/Users/${eve}`, profile({ id: eve }));
    expect([on.status, Object(on.json).active]).toEqual([200, true]);
    const again = await scim('PUT', `/Users/${eve}`, profile({ id: eve, active: false }));
    expect([again.status, Object(again.json).active]).toEqual([200, false]);
    await scim('PUT', `/Users/${eve}`, profile({ id: eve }));
  });

  test('pushes a group whole, and its changes', async () => {
    const group = await made('/Groups', {
      schemas: [GROUP],
      displayName: 'Engineering',
      members: [{ value: eve, display: 'eve@okta.example' }],
    });
    const path = `/Groups/${group}`;
    const rename = { op: 'replace', value: { id: group, displayName: 'Engineers' } };
    expect(Object((await scim('PATCH', path, patchOf(rename))).json)).toMatchObject({
      displayName: 'Engineers',
      members: [{ value: eve, type: 'User', display: 'eve@okta.example' }],
    });
    const replace = { op: 'replace', path: 'members', value: [] };
    expect(Object((await scim('PATCH', path, patchOf(replace))).json).members).toEqual([]);
    const inner = await made('/Groups', { displayName: 'Inner', members: [{ value: group }] });
    const cycle = { op: 'add', path: 'members', value: [{ value: inner }] };
    expect(refusal(await scim('PATCH', path, patchOf(cycle)))).toMatchObject({
      scimType: 'invalidValue',
    });
    const whole = { displayName: 'Engineers', members: [{ value: eve }] };
    expect(Object((await scim('PUT', path, whole)).json).members).toMatchObject([{ value: eve }]);
    expect(
      Object((await scim('PUT', path, { displayName: 'Engineers' })).json).members,
    ).toHaveLength(1);
  });

  test('names the source of a team in the explanation of access', async () => {
    const [team] = found(await filtered('/Groups', 'displayName eq "Engineers"'));
    const nodes = [{ type: 'Plan', key: 'Name', fields: {} }];
    await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [] });
    const node = { type: 'Plan', key: 'secret' };
    const operations = [
      { op: 'addOrUpdate', ...node },
      { op: 'restrict', node, team: { uid: team } },
    ];
    await people.as('admin', 'POST', '/api/ingest', { operations });
    const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'Plan' });
    const uid = field(Object(json).items[0], 'UID');
    const asked = `/api/access/explain?user=eve%40okta.example&node=${uid}`;
    const told = await people.as('admin', 'GET', asked);
    expect(Object(told.json)).toMatchObject({
      visible: true,
      reasons: [
        {
          kind: 'restricted-to-team',
          message: 'The node is restricted to the team Engineers, which SCIM keeps: as a member.',
          path: [{ uid: team, name: 'Engineers', source: 'scim' }],
        },
      ],
    });
    expect(refusal(await scim('DELETE', `/Groups/${String(team)}`))).toMatchObject({
      status: 409,
      code: 'team_in_use',
    });
  });
});

describe('what people made here', () => {
  test('is seen, and not taken over until an administrator hands it over', async () => {
    const dan = await people.add('dan', { firstName: 'Dan' });
    const path = `/Users/${dan}`;
    expect(found(await filtered('/Users', 'userName eq "dan"'))).toEqual([dan]);
    const refused = { status: 403, scimType: undefined, code: 'scim_not_managed' };
    const rename = patchOf({ op: 'replace', path: 'name.givenName', value: 'Daniel' });
    expect(refusal(await scim('PATCH', path, rename))).toEqual(refused);
    expect(refusal(await scim('DELETE', path))).toEqual(refused);
    expect(refusal(await scim('POST', '/Users', { userName: 'DAN' }))).toMatchObject({
      status: 409,
    });
    const same = patchOf({ op: 'replace', path: 'name.givenName', value: 'Dan' });
    expect((await scim('PATCH', path, same)).status).toBe(200);
    const off = patchOf({ op: 'replace', path: 'active', value: false });
    expect((await scim('PATCH', path, off)).status).toBe(200);
    const on = patchOf({ op: 'replace', path: 'active', value: true });
    expect(refusal(await scim('PATCH', path, on))).toEqual(refused);
    const handOver = { source: 'scim' };
    expect(await people.outcome('dan', 'PUT', `/api/users/user/${dan}`, handOver)).toEqual([
      401,
      'invalid_token',
    ]);
    const manager = { roles: ['CanManageUsers', 'CanManageTeams'] };
    await people.add('manager', manager);
    expect(await people.outcome('manager', 'PUT', `/api/users/user/${dan}`, handOver)).toEqual([
      403,
      'forbidden',
    ]);
    expect((await people.as('admin', 'PUT', `/api/users/user/${dan}`, handOver)).status).toBe(200);
    expect((await scim('PATCH', path, on)).status).toBe(200);
    expect((await scim('PATCH', path, rename)).status).toBe(200);
    const team = await people.addTeam('Board');
    const join = patchOf({ op: 'add', path: 'members', value: [{ value: dan }] });
    expect(refusal(await scim('PATCH', `/Groups/${team}`, join))).toEqual(refused);
    expect(refusal(await scim('DELETE', `/Groups/${team}`))).toEqual(refused);
    expect(refusal(await scim('POST', '/Groups', { displayName: 'board' }))).toMatchObject({
      status: 409,
      scimType: 'uniqueness',
    });
    const group = `/api/groups/group/${team}`;
    expect(await people.outcome('manager', 'PUT', group, handOver)).toEqual([403, 'forbidden']);
    expect((await people.as('admin', 'PUT', group, handOver)).status).toBe(200);
    expect((await scim('PATCH', `/Groups/${team}`, join)).status).toBe(200);
  });

  test('an administrator is no business of SCIM', async () => {
    const root = await people.add('root', { isAdmin: true });
    const path = `/Users/${root}`;
    const off = patchOf({ op: 'replace', path: 'active', value: false });
    expect(refusal(await scim('PATCH', path, off))).toMatchObject({ code: 'scim_not_managed' });
    await people.as('admin', 'PUT', `/api/users/user/${root}`, { source: 'scim' });
    const password = patchOf({ op: 'replace', path: 'password', value: PASSWORD });
    expect(refusal(await scim('PATCH', path, password))).toMatchObject({
      code: 'scim_not_managed',
    });
    expect((await scim('PATCH', path, off)).status).toBe(200);
  });
});

describe('the protocol', () => {
  test('a user who was deleted is gone, and comes back as the same', async () => {
    const path = '/Users';
    const gone = await made(path, { userName: 'gone@x.example', externalId: 'g1' });
    const team = await made('/Groups', { displayName: 'Leavers', members: [{ value: gone }] });
    const total = async () => Object((await scim('GET', '/Users?count=0')).json).totalResults;
    const before = await total();
    expect((await scim('DELETE', `${path}/${gone}`)).status).toBe(204);
    expect(await total()).toBe(before - 1);
    for (const method of ['GET', 'DELETE'])
      expect(refusal(await scim(method, `${path}/${gone}`))).toMatchObject({ status: 404 });
    expect(found(await filtered(path, 'externalId eq "g1"'))).toEqual([]);
    expect(found(await filtered(path, 'userName sw "gone"'))).toEqual([]);
    expect(Object((await scim('GET', `/Groups/${team}`)).json).members).toEqual([]);
    const { json } = await people.as('admin', 'GET', `/api/users/user/${gone}`);
    expect(Object(json)).toMatchObject({ Active: false, Source: 'scim' });
    expect(await made(path, { userName: 'Gone@x.example', externalId: 'g2' })).toBe(gone);
    expect(await total()).toBe(before);
    expect(Object((await scim('GET', `${path}/${gone}`)).json)).toMatchObject({
      active: true,
      externalId: 'g2',
      groups: [],
    });
  });

  test('pages go through all users once, in one order', async () => {
    const ids: unknown[] = [];
    const { json } = await scim('GET', '/Users?startIndex=-5&count=-1');
    const total = Number(Object(json).totalResults);
    expect(Object(json)).toMatchObject({ startIndex: 1, itemsPerPage: 0, Resources: [] });
    for (let at = 1; at <= total; at += 3) {
      ids.push(...found(await scim('GET', `/Users?startIndex=${at}&count=3&attributes=userName`)));
    }
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
    const all = await scim('GET', '/Users?count=100000');
    expect(found(all)).toEqual(ids);
    const some = await filtered('/Users', 'userName ew ".example" and active eq true', '&count=2');
    expect(Object(some.json)).toMatchObject({ itemsPerPage: 2 });
    expect(Object(some.json).totalResults).toBeGreaterThan(2);
  });

  test('a version that is not the present one changes nothing', async () => {
    const id = await made('/Users', { userName: 'etag@x.example' });
    const path = `/Users/${id}`;
    const version = field((await scim('GET', path)).json, 'meta', 'version');
    const rename = (value: string, tag: string) => {
      const change = patchOf({ op: 'replace', path: 'displayName', value });
      return scim('PATCH', path, change, { 'if-match': tag });
    };
    const { status, headers } = await rename('One', version);
    expect(status).toBe(200);
    expect(refusal(await rename('Two', version))).toMatchObject({ status: 412 });
    expect((await rename('Three', `"x", ${headers.get('etag')}`)).status).toBe(200);
    expect((await rename('Four', '*')).status).toBe(200);
    const group = await made('/Groups', { displayName: 'Tagged' });
    const tag = (await scim('GET', `/Groups/${group}`)).headers.get('etag');
    const join = patchOf({ op: 'add', path: 'members', value: [{ value: id }] });
    expect((await scim('PATCH', `/Groups/${group}`, join)).status).toBe(200);
    const late = await scim('DELETE', `/Groups/${group}`, undefined, { 'if-match': String(tag) });
    expect(refusal(late)).toMatchObject({ status: 412 });
  });

  test.each<[string, string, string, unknown, object]>([
    ['no JSON', 'POST', '/Users', '{"userName":', { status: 400, scimType: 'invalidSyntax' }],
    ['a list', 'POST', '/Users', [], { status: 400, scimType: 'invalidValue' }],
    ['no name', 'POST', '/Users', {}, { status: 400, scimType: 'invalidValue' }],
    ['a name of control', 'POST', '/Users', { userName: 'a\u0000' }, { scimType: 'invalidValue' }],
    ['a long name', 'POST', '/Users', { userName: 'a'.repeat(101) }, { scimType: 'invalidValue' }],
    ['a number as name', 'POST', '/Users', { userName: 7 }, { scimType: 'invalidValue' }],
    [
      'a weak password',
      'POST',
      '/Users',
      { userName: 'weak', password: 'short' },
      { scimType: 'invalidValue' },
    ],
    [
      'no address',
      'POST',
      '/Users',
      { userName: 'x', emails: [{ value: 'nowhere' }] },
      { scimType: 'invalidValue' },
    ],
    [
      'an address of somebody',
      'POST',
      '/Users',
      { userName: 'x', emails: [{ value: 'EVE@okta.example' }] },
      { status: 409, scimType: 'uniqueness' },
    ],
    [
      'an id of somebody',
      'POST',
      '/Users',
      { userName: 'x', externalId: '00ujl29u0le5T6Aj10h7' },
      { status: 409, scimType: 'uniqueness' },
    ],
    [
      'a member who is nobody',
      'POST',
      '/Groups',
      { displayName: 'g', members: [{ value: 'nobody' }] },
      { status: 400, scimType: 'invalidValue' },
    ],
    ['nobody', 'GET', '/Users/nobody', undefined, { status: 404 }],
    ['no filter', 'GET', '/Users?filter=userName', undefined, { scimType: 'invalidFilter' }],
    ['no number', 'GET', '/Users?count=x', undefined, { status: 400, scimType: 'invalidValue' }],
    ['a schema that is none', 'GET', '/Schemas/urn:x', undefined, { status: 404 }],
  ])('refuses %s in its own shape', async (_, method, path, body, expected) => {
    expect(refusal(await scim(method, path, body))).toMatchObject(expected);
  });

  test('is for tokens with its scope alone', async () => {
    await people.addToken('reader', { kind: 'api', name: 'r', scopes: ['read'] });
    for (const who of ['admin', 'reader']) {
      const answer = await people.as(who, 'GET', `${V2}/Users`);
      expect(refusal(answer)).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(refusal(await people.as('', 'GET', `${V2}/Users`))).toMatchObject({ status: 401 });
    const other = await people.as('idp', 'GET', '/api/users');
    expect(other.status).toBe(403);
  });

  test('says what it knows', async () => {
    const types = Object((await scim('GET', '/ResourceTypes')).json);
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual([
      '/Users',
      '/Groups',
    ]);
    expect(Object((await scim('GET', '/ResourceTypes/User')).json).schema).toBe(USER);
    const schemas = Object((await scim('GET', '/Schemas')).json);
    expect(schemas.totalResults).toBe(2);
    expect(Object((await scim('GET', `/Schemas/${GROUP}`)).json).attributes).toHaveLength(3);
  });

  test('writes what it does into the audit trail', async () => {
    const { json } = await people.as('admin', 'GET', '/api/audit?take=1000');
    const events: readonly Record<string, unknown>[] = Object(json).items;
    const byScim = events.filter(({ details }) => Object(details).via === 'scim');
    const actions = new Set(byScim.map(({ action }) => action));
    for (const action of ['user.created', 'user.changed', 'user.deactivated', 'team.created'])
      expect(actions).toContain(action);
    expect(actions).toContain('team.members-changed');
    expect(JSON.stringify(events)).not.toContain(PASSWORD);
  });
});
