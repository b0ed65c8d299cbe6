import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { valueAt, type Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilEmbedded, untilIndexed } from '../support/search-index.ts';

/** Texts are embedded by a server of its own; `cove` is restricted to Ada's team. */
const NOTES = {
  harbour: 'Ships lie in the harbour at night.',
  harbours: 'A ship lies at night in one of the harbours.',
  cove: 'Hidden ships lie in the cove at night.',
  bread: 'Flour, water, salt, and time.',
} as const;

let embeddings: EmbeddingServer;
let people: People;

beforeAll(async () => {
  embeddings = await EmbeddingServer.start();
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  const team = await people.addTeam('Smugglers', { add: [people.uid('ada')] });
  const nodes = [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }];
  await admin('PUT', '/api/schema', { nodes, edges: [] });
  const provider = { provider: 'openai-compatible', baseUrl: embeddings.url, model: 'small' };
  await admin('PUT', '/api/chatai/providers', { embeddings: { ...provider, apiKey: 'sk-1' } });
  const fields = { Text: { text: {}, vector: {} } };
  await admin('PUT', '/api/search/settings', { types: { Note: { language: 'en', fields } } });
  await write(NOTES);
  const node = { type: 'Note', key: 'cove' };
  await admin('POST', '/api/ingest', {
    operations: [{ op: 'restrict', node, team: { uid: team } }],
  });
  await untilWhole();
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await embeddings[Symbol.asyncDispose]();
});

beforeEach(() => {
  embeddings.script.fault = undefined;
});

async function admin(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await people.as('admin', method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

async function write(notes: Readonly<Record<string, string>>): Promise<number> {
  const { json } = await admin('POST', '/api/ingest', {
    operations: Object.entries(notes).map(([key, Text]) => ({
      op: 'addOrUpdate',
      type: 'Note',
      key,
      fields: { Text },
    })),
  });
  return Number(valueAt(json, 'sequence'));
}

async function index() {
  const { json } = await admin('GET', '/api/search/index');
  return Object(json);
}

const untilWhole = () => untilEmbedded(people.workspace.http, people.workspace.token);

function search(who: string, request: object): Promise<Answer> {
  return people.as(who, 'POST', '/api/cce/system/search', request);
}

const hitsOf = ({ json, text }: Answer) => {
  if (!Array.isArray(Object(json).hits)) throw new Error(text);
  return Object(json).hits.map(({ node, from }: { node: { Id: string }; from: string }) => [
    node.Id,
    from,
  ]);
};

const MEANING = { query: 'at night a ship lies in the harbour', mode: 'vector' };

test('texts are found by what they mean, the nearest first', async () => {
  const hits = hitsOf(await search('ada', { ...MEANING, take: 3 }));
  expect(hits.toSorted()).toEqual([
    ['cove', 'vector'],
    ['harbour', 'vector'],
    ['harbours', 'vector'],
  ]);
});

test('nobody finds by meaning what they may not see, and nothing counts it', async () => {
  const { json } = await search('bob', { ...MEANING, facets: ['Type'] });
  expect(hitsOf(await search('bob', MEANING)).flat()).not.toContain('cove');
  expect(json).toMatchObject({ total: 3, facets: { Type: [{ value: 'Note', count: 3 }] } });
});

test('words and meaning together: what has both comes first', async () => {
  const answer = await search('ada', { query: 'harbour', mode: 'hybrid', explain: true });
  const hits = hitsOf(answer);
  expect(hits.slice(0, 2).toSorted()).toEqual([
    ['harbour', 'both'],
    ['harbours', 'both'],
  ]);
  expect(hits.slice(2)).toContainEqual(['bread', 'vector']);
  expect(Object(answer.json).total).toBe(4);
});

test('the same text is embedded once, wherever it stands', async () => {
  const before = embeddings.texts.length;
  await write({ copy: NOTES.bread });
  await untilWhole();
  expect(embeddings.texts.slice(before)).toEqual([]);
  const { vectors } = await index();
  expect(vectors).toMatchObject([{ type: 'Note', field: 'Text', model: 'small', vectors: 5 }]);
  await admin('POST', '/api/ingest', {
    operations: [{ op: 'delete', type: 'Note', key: 'copy' }],
  });
});

test('a query in code begins with a meaning, and goes on from nodes', async () => {
  const code = `export default async function ({ body, q }: Scope<{ text: string }>) {
    const found = await q().startAtSimilarText(body.text, 1).asUser().nodes();
    const like = await q().startAtSimilar(found, 2, 'Note').asUser().scored();
    return { found, like };
  }`;
  await admin('POST', '/api/endpoints/create', { name: 'like', code, isReadOnly: true });
  const body = { text: NOTES.harbour };
  const { json, text } = await people.as('bob', 'POST', '/api/endpoints/run/like', body);
  const { found, like } = Object(json);
  expect(found, text).toMatchObject([{ Id: 'harbour' }]);
  expect(like).toMatchObject([{ node: { Id: 'harbours' } }, { node: { Id: 'bread' } }]);
  expect(like[0].score).toBeGreaterThan(like[1].score);
});

describe('while the provider is down', () => {
  test('words are found, meaning is refused, and what was written waits', async () => {
    embeddings.script.fault = { status: 500, body: 'sorry' };
    await write({ lamp: 'A lamp shines on the pier.' });
    await untilIndexed(people.workspace.http, people.workspace.token);
    expect(hitsOf(await search('ada', { query: 'lamp' }))).toEqual([['lamp', 'text']]);
    const refused = await search('ada', { query: 'a light at sea', mode: 'vector' });
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({ error: { code: 'embeddings_unavailable' } });
    expect(refused.text).not.toContain('sorry');
    await expect.poll(index).toMatchObject({
      texts: { waiting: 1 },
      embedder: { status: 'waiting', lastError: expect.any(String) },
    });
    embeddings.script.fault = undefined;
    await untilWhole();
    expect(hitsOf(await search('ada', { query: 'a lamp on a pier', mode: 'vector' }))[0]).toEqual([
      'lamp',
      'vector',
    ]);
  });
});

test('a text that the provider does not take is counted, and does not hold up the others', async () => {
  embeddings.script.isRefused = (text) => text.includes('unspeakable');
  await write({ bad: 'An unspeakable text.', good: 'A text like any other.' });
  await untilWhole();
  expect(await index()).toMatchObject({ texts: { waiting: 0, refused: 1 } });
  const found = await search('ada', { query: 'a text like any other', mode: 'vector', take: 1 });
  expect(hitsOf(found)).toEqual([['good', 'vector']]);
  // Another provider, or the same one with other settings, may take it.
  embeddings.script.isRefused = () => false;
  await admin('PUT', '/api/chatai/providers', {
    embeddings: { provider: 'openai-compatible', baseUrl: embeddings.url, model: 'small' },
  });
  await expect.poll(index).toMatchObject({ texts: { waiting: 0, refused: 0 } });
});

test('a golden set may search by meaning', async () => {
  const { json } = await admin('POST', '/api/node/query', { type: 'Note' });
  const notes = Object(json).items as { Id: string; UID: string }[];
  const set = {
    request: { mode: 'vector', types: ['Note'] },
    queries: [
      {
        query: NOTES.bread,
        relevant: notes.filter(({ Id }) => Id === 'bread').map(({ UID }) => UID),
      },
    ],
  };
  await admin('PUT', '/api/search/golden-sets/meaning', set);
  const run = await admin('POST', '/api/search/golden-sets/meaning/run');
  expect(run.json).toMatchObject({ queries: 1, metrics: { mrr: 1 } });
});
