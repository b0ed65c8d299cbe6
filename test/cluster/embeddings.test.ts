import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddingServer } from '../support/embedding-server.ts';
import type { HttpClient } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { sequenceOf } from './workload.ts';

const NOTES = {
  boats: 'sailing boats in the harbour of the island',
  bread: 'baking bread in an old oven',
  birds: 'watching birds in the forest',
};
/** The name of the nearest note, or what a search throws: its code, and when it may be repeated. */
const SEARCH = `export default async function ({ body, search }: Scope<typeof input>) {
  try {
    const request: SearchRequest & { mode: 'vector' } = { ...body, mode: 'vector', take: 1 };
    const { hits } = await search(request);
    return hits.map(({ node }) => (node.Type === 'Note' ? node.Name : ''));
  } catch (error) {
    const { code, details } = error as { code: string; details?: { retryAfterSeconds: number } };
    return [code, details?.retryAfterSeconds ?? null];
  }
}
export const input = z.strictObject({ query: z.string() });
`;

let embeddings: EmbeddingServer;
let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let token: string;
let sequence = 0;

beforeAll(async () => {
  embeddings = await EmbeddingServer.start();
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  token = await primary.http.signIn();
  await configure();
  await change('PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
  await change('PUT', '/api/search/settings', {
    types: { Note: { fields: { Text: { text: {}, vector: {} } } } },
  });
  await change('POST', '/api/endpoints/create', { name: 'near', code: SEARCH, isReadOnly: true });
  const operations = Object.entries(NOTES).map(([key, Text]) => {
    return { op: 'addOrUpdate', type: 'Note', key, fields: { Text } };
  });
  await change('POST', '/api/ingest', { operations });
  replica = await cluster.node('replica');
  await replica.startReplica(await cluster.link(primary));
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await embeddings[Symbol.asyncDispose]();
});

async function change(method: string, path: string, body: unknown): Promise<void> {
  const answer = await primary.http.send({ method, path, token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  sequence = Math.max(sequence, sequenceOf(answer));
}

function configure(): Promise<void> {
  const server = { provider: 'openai-compatible', baseUrl: embeddings.url, model: 'words' };
  return change('PUT', '/api/chatai/providers', { embeddings: server });
}

async function near({ http }: { readonly http: HttpClient }, query: string): Promise<unknown> {
  const headers = { 'x-msk-min-sequence': String(sequence) };
  const answer = await http.send({ path: '/api/cce/near', token, headers, body: { query } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

/** What was sent to the provider meanwhile. */
async function sentDuring(run: () => Promise<void>): Promise<string[]> {
  const before = embeddings.texts.length;
  await run();
  return embeddings.texts.slice(before);
}

test('the primary has texts embedded, once, and a replica finds them by meaning', async () => {
  await untilIndexed(primary.http, token, sequence);
  for (const node of [primary, replica]) {
    await expect.poll(() => near(node, NOTES.birds)).toEqual(['birds']);
  }
  // And the query: that a node has the same text is nothing to be told by how fast it is answered.
  const sent = [...Object.values(NOTES), NOTES.birds];
  expect(embeddings.texts.toSorted()).toEqual(sent.toSorted());
});

test('a query at a replica is embedded by the primary, which then has it too', async () => {
  const query = 'a boat on the sea at the island';
  const sent = await sentDuring(async () => {
    const answers = await Promise.all([1, 2, 3].map(() => near(replica, query)));
    expect(answers).toEqual([['boats'], ['boats'], ['boats']]);
    expect(await near(primary, query)).toEqual(['boats']);
  });
  // Had the replica asked the provider, the primary would have had to ask as well.
  expect(sent).toEqual([query]);
});

test('a replica tells of the provider what the primary tells', async () => {
  embeddings.script.fault = { status: 429, headers: { 'retry-after': '17' } };
  for (const node of [primary, replica]) {
    expect(await near(node, 'an oven')).toEqual(['embeddings_unavailable', 17]);
  }
  embeddings.script.fault = undefined;
  await change('PUT', '/api/chatai/providers', { embeddings: null });
  for (const node of [primary, replica]) {
    expect(await near(node, 'an oven')).toEqual(['embeddings_not_configured', null]);
  }
  await configure();
  expect(await near(replica, 'an oven')).toEqual(['bread']);
});

test('without its primary a replica has the vectors of queries that it knows', async () => {
  await primary.process.stop();
  const sent = await sentDuring(async () => {
    expect(await near(replica, 'an oven')).toEqual(['bread']);
    expect(await near(replica, 'a kitchen')).toEqual(['embeddings_unavailable', null]);
  });
  expect(sent).toEqual([]);
});
