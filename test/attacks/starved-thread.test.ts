import { afterAll, beforeAll, expect, it } from 'vitest';
import { People } from '../support/people.ts';
import { scale } from '../support/scale.ts';
import { untilIndexed } from '../support/search-index.ts';

/**
 * One user asks again and again, 12 times at once, for what takes the server long; another one's
 * small call stays answered.
 */
const SENDERS = 12;
const NODES = 12_000;
const ROUNDS = scale({ sample: 3, soak: 30 });
const SCHEMA = {
  nodes: [{ type: 'Thing', key: 'Name', fields: { Text: 'String', At: 'Float[]' } }],
  edges: [],
};
const SETTINGS = { types: { Thing: { language: '--', fields: { At: { vector: {} } } } } };
const SMALL = `export default function () { return 'small'; }`;

let people: People;
let uids: readonly string[] = [];
beforeAll(async () => {
  people = await People.start();
  for (const name of ['mallory', 'bob']) await people.add(name);
  await people.as('admin', 'PUT', '/api/schema', SCHEMA);
  await people.as('admin', 'PUT', '/api/search/settings', SETTINGS);
  for (let at = 0; at < NODES; at += 2_000) {
    const operations = Array.from({ length: 2_000 }, (_, i) => thing(at + i));
    const { status, text } = await people.as('admin', 'POST', '/api/ingest', { operations });
    expect(status, text).toBe(200);
  }
  const small = { name: 'small', code: SMALL, isReadOnly: true };
  await people.as('admin', 'POST', '/api/endpoints/create', small);
  await untilIndexed(people.workspace.http, people.token('admin'));
  const { json } = await people.as('bob', 'POST', '/api/node/query', { type: 'Thing', take: 500 });
  uids = (Object(json).items as { readonly UID: string }[]).map(({ UID }) => UID);
});
afterAll(() => people[Symbol.asyncDispose]());

it.each<[string, () => readonly [path: string, body: object]]>([
  ['long lists', () => ['/api/node/query', { type: 'Thing', take: 1_000 }]],
  ['far pages', () => ['/api/node/query', { type: 'Thing', skip: NODES - 10, take: 10 }]],
  ['many nodes', () => ['/api/node/many/full', { uids }]],
  ['similar nodes', () => [`/api/embeddings/similar/${uids[0]}?count=1000`, {}]],
])('others are answered while one caller asks for %s', async (_what, requestOf) => {
  const over = new AbortController();
  let heavy = 0;
  const senders = Array.from({ length: SENDERS }, async () => {
    for (let call = 0; call < ROUNDS; call++) {
      const [path, body] = requestOf();
      expect(await take(path, body)).toBe(200);
      heavy++;
    }
  });
  const all = Promise.all(senders).finally(() => over.abort());
  let small = 0;
  while (!over.signal.aborted) {
    expect((await people.as('bob', 'POST', '/api/cce/small')).status).toBe(200);
    small++;
  }
  await all;
  // Behind all that waits, a small call came back once for each dozen or two of the others.
  expect(small).toBeGreaterThan(heavy / 2);
});

function thing(i: number): object {
  const At = Array.from({ length: 64 }, (_, d) => Math.sin((i + 1) * (d + 1)));
  return { op: 'addOrUpdate', type: 'Thing', key: `t${i}`, fields: { Text: `thing ${i}`, At } };
}

/** Asks as mallory, and reads the answer without making anything of it. */
async function take(path: string, body: object): Promise<number> {
  const answer = await fetch(new URL(path, people.workspace.server.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${people.token('mallory')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}
