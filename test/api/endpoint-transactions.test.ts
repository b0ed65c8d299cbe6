import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';

const CALLERS = 50;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await admin('PUT', '/api/schema', {
    nodes: [{ type: 'Counter', key: 'Name', fields: { Value: 'Int' } }],
    edges: [],
  });
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);
const run = (name: string, body: unknown = {}) => admin('POST', `/api/endpoints/run/${name}`, body);

async function create(name: string, code: string): Promise<void> {
  const made = await admin('POST', '/api/endpoints/create', { name, code });
  expect(made.json).toMatchObject({ diagnostics: [] });
}

async function set(key: string, value: number): Promise<void> {
  const operation = { op: 'addOrUpdate', type: 'Counter', key, fields: { Value: value } };
  await admin('POST', '/api/ingest', { operations: [operation] });
}

async function valueOf(key: string): Promise<unknown> {
  return (await run('value', { key })).json;
}

test('callers at once that read a number and write it back count each of them', async () => {
  await create(
    'value',
    `export default async ({ body, graph }: Scope<{ key: string }>) =>
  (await graph.tryGet('Counter', body.key))?.Value ?? null;
`,
  );
  await create(
    'count',
    `export default async ({ graph }: Scope) => {
  const { Value } = await graph.get('Counter', 'hits');
  await graph.update('Counter', 'hits', { Value: (Value ?? 0) + 1 });
};
`,
  );
  await set('hits', 0);
  const answers = await Promise.all(Array.from({ length: CALLERS }, () => run('count')));
  expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
  expect(await valueOf('hits')).toBe(CALLERS);
});

test('callers at once that count the nodes of a type and add one add each of them', async () => {
  await create(
    'add',
    `export default async ({ q, graph }: Scope) => {
  const n = await q().startAt('Counter').count();
  await graph.addOrUpdate('Counter', 'of ' + n, { Value: n });
};
`,
  );
  const count = `export default ({ q }: Scope) => q().startAt('Counter').count();\n`;
  await create('counters', count);
  const before = Number((await run('counters')).json);
  const answers = await Promise.all(Array.from({ length: CALLERS }, () => run('add')));
  expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
  expect((await run('counters')).json).toBe(before + CALLERS);
});

test.each([
  ['throws', `throw new Error('too late');`, 500],
  ['answers from 400 up', `return notFound('not this one');`, 404],
])('a call that %s writes nothing', async (what, end, status) => {
  const name = what.replaceAll(' ', '-');
  await create(
    name,
    `export default async ({ graph, notFound }: Scope) => {
  await graph.addOrUpdate('Counter', 'never', { Value: 1 });
  ${end}
};
`,
  );
  expect((await run(name)).status).toBe(status);
  expect(await valueOf('never')).toBeNull();
});

test('a call that has called outside is told when others were in its way, and what to do', async () => {
  const between = createServer((_request, response) => {
    void set('outside', 5).then(() => response.end('{}'));
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  await admin('PUT', '/api/workspace/settings', { fetchAllowList: [url] });
  await create(
    'asks-outside',
    `export default async ({ graph, fetch }: Scope) => {
  const { Value } = await graph.get('Counter', 'outside');
  await fetch('${url}/');
  await graph.update('Counter', 'outside', { Value: (Value ?? 0) + 1 });
};
`,
  );
  await set('outside', 0);
  const refused = await run('asks-outside');
  expect(refused).toMatchObject({ status: 409, json: { error: { code: 'write_conflict' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await valueOf('outside')).toBe(5);
  between.close();
});
