import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, field, valueAt } from '../support/http-client.ts';
import { PASSWORD, People } from '../support/people.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.addToken('idp', { kind: 'api', name: 'idp', scopes: ['admin:scim'] });
});
afterAll(() => people[Symbol.asyncDispose]());

/** As somebody who has stolen the token of the identity provider. */
function scim(method: string, path: string, body?: unknown): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/scim+json' };
  return people.as('idp', method, `/api/scim/v2${path}`, body, { ...type });
}

async function made(path: string, body: object): Promise<string> {
  const { status, json, text } = await scim('POST', path, body);
  expect(status, text).toBe(201);
  return field(json, 'id');
}

test('nobody becomes an administrator by a new address, or by deleting and creating', async () => {
  const chief = await people.add('chief', { isAdmin: true });
  const user = `/api/users/user/${chief}`;
  await people.as('admin', 'PUT', user, { source: 'scim' });
  const emails = [{ value: 'mallory@evil.example', primary: true }];
  const move = { op: 'replace', path: 'emails', value: emails };
  expect((await scim('PATCH', `/Users/${chief}`, { Operations: [move] })).status).toBe(200);
  const shown = async () => Object((await people.as('admin', 'GET', user)).json);
  expect(await shown()).toMatchObject({ Email: 'mallory@evil.example', Confirmed: false });

  expect((await scim('DELETE', `/Users/${chief}`)).status).toBe(204);
  const password = 'a password of mallory';
  const back = { userName: 'chief', emails: [{ value: 'mallory@evil.example' }] };
  const { status, json } = await scim('POST', '/Users', { ...back, password });
  expect([status, valueAt(json, 'error', 'code')]).toEqual([403, 'scim_not_managed']);
  expect(await shown()).toMatchObject({ Active: false });
  expect(await made('/Users', back)).toBe(chief);
  expect(await shown()).toMatchObject({ Active: true, IsAdmin: true, Confirmed: false });
});

test('whom an administrator has taken back is theirs, also after a deletion', async () => {
  const eve = await made('/Users', { userName: 'eve', externalId: 'e1' });
  const user = `/api/users/user/${eve}`;
  expect((await scim('DELETE', `/Users/${eve}`)).status).toBe(204);
  await people.as('admin', 'PUT', user, { source: null, active: true, isAdmin: true });
  const taking = { userName: 'eve', password: PASSWORD, emails: [{ value: 'm@evil.example' }] };
  expect((await scim('POST', '/Users', taking)).status).toBe(409);
  expect(field((await scim('GET', `/Users/${eve}`)).json, 'userName')).toBe('eve');
  const shown = (await people.as('admin', 'GET', user)).json;
  expect(Object(shown)).toMatchObject({ Active: true, IsAdmin: true });
  expect(Object(shown).Email).toBeUndefined();
});
