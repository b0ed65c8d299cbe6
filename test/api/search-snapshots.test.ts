import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';

let people: People;
/** What happens while the code of an endpoint waits outside. */
let between: () => Promise<void>;
const outside = createServer((_request, response) => {
  void between().finally(() => response.end('{}'));
});

const run = async (name: string) => {
  const answer = await people.as('admin', 'POST', `/api/endpoints/run/${name}`, {});
  return { status: answer.status, json: Object(answer.json) };
};

async function ok(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await people.as('admin', method, path, body);
  expect(status, text).toBeLessThan(300);
}

const put = (key: string, Text: string) =>
  ({ op: 'addOrUpdate', type: 'Note', key, fields: { Text } }) as const;

/** Until search finds these and nothing else. */
async function indexed(...names: readonly string[]): Promise<void> {
  await expect.poll(async () => (await run('finds')).json).toEqual(names.toSorted());
}

const names = (found: string) => `${found}.hits.map(({ node }) => node.Name).toSorted()`;
const SEARCH = `search({ query: 'lamp', types: ['Note'] })`;

beforeAll(async () => {
  people = await People.start();
  outside.listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  await ok('PUT', '/api/workspace/settings', { fetchAllowList: [url] });
  await ok('PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
  await ok('PUT', '/api/search/settings', { types: { Note: { fields: { Text: { text: {} } } } } });
  const endpoints = {
    finds: `export default async ({ search }: Scope) => {
  const found = await ${SEARCH};
  return ${names('found')};
};`,
    waits: `export default async ({ search, searchAsUser, fetch }: Scope) => {
  const shown = ({ hits, total }: Awaited<ReturnType<typeof search>>) => ({
    total, notes: hits.map(({ node, highlights }) => [Object(node).Name, Object(node).Text, highlights.length]).toSorted(),
  });
  const before = shown(await ${SEARCH});
  await fetch('${url}/');
  const asUser = await searchAsUser({ query: 'lamp', types: ['Note'] });
  return { before, after: shown(await ${SEARCH}), asUser: shown(asUser) };
};`,
    writes: `export default async ({ search, graph, fetch }: Scope) => {
  const found = await ${SEARCH};
  await fetch('${url}/');
  await graph.addOrUpdate('Note', 'sum', { Text: found.hits.map(({ node }) => node.Text).join() });
};`,
  };
  for (const [name, code] of Object.entries(endpoints)) {
    const made = await people.as('admin', 'POST', '/api/endpoints/create', { name, code });
    expect(made.json).toMatchObject({ diagnostics: [] });
  }
});
afterAll(async () => {
  outside.close();
  await people[Symbol.asyncDispose]();
});

test('a search shows nodes as they are at the commit that the call reads', async () => {
  await ok('POST', '/api/ingest', { operations: [put('a', 'A lamp'), put('b', 'The lamp')] });
  await indexed('a', 'b');
  between = async () => {
    const operations = [put('b', 'Another lamp'), put('c', 'A lamp of others')];
    await ok('POST', '/api/ingest', { operations });
    await indexed('a', 'b', 'c');
  };
  const { json } = await run('waits');
  const a = ['a', 'A lamp', 1];
  expect(json.before).toEqual({ total: 2, notes: [a, ['b', 'The lamp', 1]] });
  // What is highlighted is no text that the call may know.
  const after = { total: 2, notes: [a, ['b', 'The lamp', 0]] };
  expect([json.after, json.asUser]).toEqual([after, after]);
});

test('what a search has found counts as read', async () => {
  between = () => ok('POST', '/api/ingest', { operations: [put('z', 'Something else')] });
  expect((await run('writes')).status).toBe(200);
  between = () => ok('POST', '/api/ingest', { operations: [put('a', 'A lamp of mine')] });
  expect(await run('writes')).toMatchObject({
    status: 409,
    json: { error: { code: 'write_conflict' } },
  });
});
