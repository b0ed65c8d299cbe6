import { afterAll, beforeAll, expect, it } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

const SEARCHES = `export default async ({ body, searchAsUser, passOn }: Scope) => {
  try {
    return await searchAsUser(body as SearchRequest);
  } catch (error) {
    return passOn(error);
  }
};`;
const FAILS = `export default ({ passOn }: Scope) => passOn(new Error('of its own'));`;
const WRITER = `export default async ({ graph }: Scope) => {
  await graph.addOrUpdate('Item', 'written');
  return 'written';
};`;
const READER = `export default async ({ runOnPrimary }: Scope) => runOnPrimary('writer');`;
const NESTED = `export default async ({ run }: Scope) => run('reader');`;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('bob');
  const nodes = [{ type: 'Item', key: 'Name', fields: { Text: 'String' } }];
  await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [] });
  const all = { searches: SEARCHES, fails: FAILS, writer: WRITER, reader: READER, nested: NESTED };
  for (const [name, code] of Object.entries(all)) {
    const endpoint = { name, code, isReadOnly: name !== 'writer' };
    const { status, text } = await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
    expect(status, text).toBe(201);
  }
  await untilIndexed(people.workspace.http, people.token('admin'));
});
afterAll(() => people[Symbol.asyncDispose]());

const BAD: readonly object[] = [
  { query: 'x'.repeat(100_000) },
  { query: 'a', facets: ['Nowhere'] },
  { query: 'a', take: 5_000 },
  { query: 'a', types: ['Nowhere'] },
  { query: 'a', nowhere: true },
];

it.each(BAD.map((body) => [JSON.stringify(body).slice(0, 60), body] as const))(
  'what the caller of an endpoint caused is theirs: %s',
  async (_, body) => {
    for (const path of ['/api/cce/searches', '/api/cce/system/search']) {
      const { status, json, text } = await people.as('bob', 'POST', path, body);
      expect(status, text).toBe(400);
      expect(json).toEqual({
        error: expect.objectContaining({
          code: expect.stringMatching(/^invalid_/),
          message: expect.any(String),
          hint: expect.any(String),
        }),
        traceId: expect.any(String),
      });
    }
  },
);

it.each([
  ['nodes', { type: 'Item', take: 5_000 }],
  ['nodes', { type: 'Nowhere' }],
  ['neighbors', { node: { type: 'Nowhere', key: 'x' } }],
  ['paths', { from: { type: 'Nowhere', key: 'x' }, to: { uid: 'y' } }],
  ['suggest', { query: 'a', types: ['Nowhere'] }],
  ['similar', { text: 'a', types: ['Nowhere'] }],
])('the errors of system/%s have the one error body', async (name, body) => {
  const { status, json } = await people.as('bob', 'POST', `/api/cce/system/${name}`, body);
  expect([400, 409]).toContain(status);
  expect(json).toEqual({ error: expect.any(Object), traceId: expect.any(String) });
});

it('an error of its own is none that is passed on', async () => {
  const { status, json } = await people.as('bob', 'POST', '/api/cce/fails', {});
  expect([status, valueAt(json, 'error', 'code')]).toEqual([500, 'endpoint_failed']);
});

it('what is offered to models as a reader does not write by way of the primary', async () => {
  const call = (name: string) =>
    people.workspace.http.send({
      path: '/api/mcp',
      token: people.token('bob'),
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
    });
  for (const name of ['reader', 'nested']) {
    const { text } = await call(name);
    expect(text).toContain('isError');
  }
  const body = { type: 'Item' };
  const { json } = await people.as('admin', 'POST', '/api/node/query', body);
  expect(valueAt(json, 'items')).toEqual([]);
  expect((await people.as('bob', 'POST', '/api/cce/reader', {})).json).toBe('written');
});
