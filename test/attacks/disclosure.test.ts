import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, type HttpClient } from '../support/http-client.ts';
import { People } from '../support/people.ts';

let people: People;
let http: HttpClient;

beforeAll(async () => {
  people = await People.start();
  http = people.workspace.http;
  await people.add('ann');
  await people.add('reader', { isReadOnlyAdmin: true });
  const code = 'export default async () => 1;';
  const create = (name: string, settings: object) =>
    people.as('admin', 'POST', '/api/endpoints/create', { name, code, ...settings });
  await create('salaries', { access: 'admins' });
  await create('payroll', { access: 'admins', isReadOnly: true });
  const type = (name: string, text: string) => ({
    type: name,
    key: 'Name',
    fields: { [text]: 'String' },
  });
  const schema = { nodes: [type('Secret', 'Codename'), type('Seat', 'Color')], edges: [] };
  await people.as('admin', 'PUT', '/api/schema', schema);
  const operations = [
    { op: 'addOrUpdate', type: 'Secret', key: 's', fields: { Codename: 'x' } },
    { op: 'addOrUpdate', type: 'Seat', key: 't', fields: { Color: 'red' } },
  ];
  await people.as('admin', 'POST', '/api/ingest', { operations });
  const types = { Secret: { visibleTo: 'restricted' } };
  await people.as('admin', 'PUT', '/api/access/types', { types });
});
afterAll(() => people[Symbol.asyncDispose]());

describe('what only administrators may know of', () => {
  test.each(['salaries', 'payroll'])(
    'an endpoint of theirs, %s, is to others as if it were not',
    async (name) => {
      for (const method of ['POST', 'GET']) {
        const at = (path: string) => people.as('ann', method, `/api/cce/${path}`);
        const [there, nowhere] = [await at(name), await at('nowhere')];
        expect(there.status).toBe(nowhere.status);
        const error = (text: string) => JSON.stringify(Object(JSON.parse(text)).error);
        expect(error(there.text)).toBe(error(nowhere.text).replaceAll('nowhere', name));
      }
      const { status, json } = await people.as('ann', 'POST', `/api/endpoints/run/${name}`);
      expect([status, field(json, 'error', 'code')]).toEqual([404, 'endpoint_not_found']);
      expect((await people.as('admin', 'POST', `/api/endpoints/run/${name}`)).status).toBe(200);
    },
  );

  test('a type whose nodes are hidden is named by no hint', async () => {
    const ask = (who: string, type: string) => people.as(who, 'POST', '/api/node/query', { type });
    expect((await ask('ann', 'Secre')).text).not.toContain('Secret');
    expect((await ask('admin', 'Secre')).text).toContain('Did you mean \\"Secret\\"?');
    expect((await ask('ann', 'Sea')).text).toContain('Did you mean \\"Seat\\"?');
    const endpoint = (who: string, body: object) =>
      people.as(who, 'POST', '/api/endpoints/run/system/nodes', body);
    expect((await endpoint('ann', { type: 'Secre' })).text).not.toContain('Secret');
  });

  test('what a server consists of is told to them alone', async () => {
    const told = { status: 'ok', ready: true, memory: { status: 'ok' }, disk: { status: 'ok' } };
    for (const token of [undefined, people.tokenOf('ann'), 'nonsense']) {
      const { status, json, text } = await http.send({ path: '/health', token });
      expect([status, json]).toMatchObject([200, told]);
      expect(text).not.toMatch(/version|Bytes|parts|writer/);
    }
    for (const who of ['admin', 'reader']) {
      const { json } = await people.as(who, 'GET', '/health');
      expect(json).toMatchObject({
        version: expect.stringMatching(/^\d+\./),
        memory: { rssBytes: expect.any(Number) },
        disk: { freeBytes: expect.any(Number) },
        parts: expect.arrayContaining([{ name: 'writer', status: 'ok', reason: null }]),
      });
    }
  });
});

test('an address that somebody has written into their own profile blocks nobody', async () => {
  const profile = `/api/users/user/${people.uid('ann')}`;
  const change = { email: 'Boss@example.com' };
  expect((await people.as('ann', 'PUT', profile, change)).status).toBe(200);
  const user = { userName: 'boss', email: 'boss@example.com', password: 'a password of mine' };
  expect((await people.as('admin', 'POST', '/api/users', user)).status).toBe(201);
  const again = await people.as('admin', 'POST', '/api/users', { ...user, userName: 'boss2' });
  expect([again.status, field(again.json, 'error', 'code')]).toEqual([409, 'user_exists']);
  await expect(http.signIn('boss', user.password)).resolves.toBeTypeOf('string');
});
