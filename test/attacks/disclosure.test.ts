import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, type HttpClient } from '../support/http-client.ts';
import { People } from '../support/people.ts';

const MISSING = '1111111111111111111111';
const SEARCH = 'endpoints/run/system/search';
const NODES = 'endpoints/run/system/nodes';
const TABLE = 'endpoints/run/system/table';
const QUERY = 'endpoints/run/query';
/** Begins a query as its caller with one step. */
const ASK = `export const input = z.object({ step: z.string(), args: z.array(z.any()) });
export default async ({ q, body }: Scope<typeof input>) => {
  const start: any = q().asUser();
  return await start[body.step](...body.args).uids();
};`;

type Names = readonly [type: string, field: string];
const WAYS: readonly (readonly [string, string, (...names: Names) => object])[] = [
  ['a list', 'node/query', (type) => ({ type })],
  ['a list of some', 'node/query', (type) => ({ type, uids: [MISSING] })],
  ['a download', 'node/download/csv', (type) => ({ type })],
  ['columns', 'node/download/csv', (type, name) => ({ type, fields: [name] })],
  ['columns of some', 'node/download/csv', (_, name) => ({ uids: [MISSING], fields: [name] })],
  ['nodes', NODES, (type) => ({ type, total: true })],
  ['fields', NODES, (type, name) => ({ type, fields: [name] })],
  ['order', NODES, (type, name) => ({ type, sort: { by: 'field', field: name } })],
  ['a value', NODES, (type, name) => ({ type, where: [{ field: name, compare: '=', value: 1 }] })],
  ['rows', TABLE, (type) => ({ type, total: true, plan: true })],
  ['columns of rows', TABLE, (type, name) => ({ type, fields: [name] })],
  ['order of rows', TABLE, (type, name) => ({ type, sort: { field: name }, plan: true })],
  ['a row', TABLE, (type, name) => ({ type, where: [{ field: name, compare: '>', value: 'a' }] })],
  ['edges', 'endpoints/run/system/neighbors', (type) => ({ node: { type, key: 'x' } })],
  ['a search', SEARCH, (type) => ({ query: 'x', types: [type] })],
  ['meaning', SEARCH, (type) => ({ types: [type], mode: 'vector', vector: [1, 2] })],
  ['searched fields', SEARCH, (_, name) => ({ query: 'x', fields: [name] })],
  ['facets', SEARCH, (_, name) => ({ query: 'x', facets: [name] })],
  ['facets of a type', SEARCH, (type, name) => ({ query: 'x', types: [type], facets: [name] })],
  ['filters', SEARCH, (_, name) => ({ query: 'x', filters: { [name]: 1 } })],
  ['words', 'endpoints/run/system/suggest', (type) => ({ query: 'x', types: [type] })],
  ['startWhere', QUERY, (...names) => ({ step: 'startWhere', args: [...names, '=', 1] })],
  ['startNear', QUERY, (...at) => ({ step: 'startNear', args: [...at, { lat: 0, lon: 0 }, 1] })],
  ['startSearch', QUERY, (...names) => ({ step: 'startSearch', args: [...names, 'x'] })],
  ['startAtSimilar', QUERY, (type) => ({ step: 'startAtSimilar', args: [MISSING, 1, type] })],
];

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
  await people.as('admin', 'POST', '/api/endpoints/create', { name: 'query', code: ASK });
  await create('payroll', { access: 'admins', isReadOnly: true });
  const type = (name: string, text: string) => ({
    type: name,
    key: 'Name',
    fields: { [text]: 'String' },
  });
  const types = [type('Secret', 'Codename'), type('Bare', 'Nickname'), type('Seat', 'Color')];
  const schema = { nodes: types, edges: [] };
  await people.as('admin', 'PUT', '/api/schema', schema);
  const operations = [
    { op: 'addOrUpdate', type: 'Secret', key: 's', fields: { Codename: 'x' } },
    { op: 'addOrUpdate', type: 'Seat', key: 't', fields: { Color: 'red' } },
  ];
  await people.as('admin', 'POST', '/api/ingest', { operations });
  const restricted = { types: { Secret: { visibleTo: 'restricted' } } };
  await people.as('admin', 'PUT', '/api/access/types', restricted);
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
    const endpoint = (who: string, body: object) =>
      people.as(who, 'POST', '/api/endpoints/run/system/nodes', body);
    expect((await endpoint('ann', { type: 'Secre' })).text).not.toContain('Secret');
    const search = { query: 'x', types: ['Secre'], mode: 'hybrid' };
    expect((await people.as('ann', 'POST', `/api/${SEARCH}`, search)).text).not.toContain('Secret');
  });

  test.each(WAYS)('%s of a type of theirs is as of one without nodes', async (_, path, body) => {
    const ask = (who: string, ...names: Names) =>
      people.as(who, 'POST', `/api/${path}`, body(...names));
    const told = async (...names: Names) => {
      const { status, text } = await ask('ann', ...names);
      const same = text.replaceAll(names[0], 'Type').replaceAll(names[1], 'Field');
      return [status, same.replaceAll(/"(?:traceId|tookMs)":[^,}]+/g, '')];
    };
    expect(await told('Secret', 'Codename')).toEqual(await told('Bare', 'Nickname'));
    const [found] = await told('Secret', 'Codename');
    const namesTheType = JSON.stringify(body('Secret', '')).includes('Secret');
    if (namesTheType && !path.endsWith('neighbors')) expect(found).toBe(200);
    expect((await ask('admin', 'Invented', 'Unheard')).status).toBeGreaterThanOrEqual(400);
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
