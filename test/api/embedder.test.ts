import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';

const KEY = 'sk-a-key-that-nobody-else-sees';
const TEXTS = Array.from({ length: 150 }, (_, i) => `note ${i} of many`);

let embeddings: EmbeddingServer;
let people: People;
beforeAll(async () => {
  embeddings = await EmbeddingServer.start();
  embeddings.script.authorization = `Bearer ${KEY}`;
  people = await People.start();
  await change('PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
  await change('PUT', '/api/search/settings', {
    types: { Note: { fields: { Text: { vector: { model: 'words' } } } } },
  });
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await embeddings[Symbol.asyncDispose]();
});

async function change(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await people.as('admin', method, path, body);
  expect(status, text).toBe(200);
}

function configure(apiKey: string): Promise<void> {
  const baseUrl = embeddings.url;
  const server = { provider: 'openai-compatible', baseUrl, model: 'words', apiKey };
  return change('PUT', '/api/chatai/providers', { embeddings: server });
}

function write(...texts: readonly string[]): Promise<void> {
  const operations = texts.map((Text) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key: Text,
    fields: { Text },
  }));
  return change('POST', '/api/ingest', { operations });
}

const index = async (): Promise<unknown> =>
  (await people.as('admin', 'GET', '/api/search/index')).json;
const until = async (state: object): Promise<void> => {
  await expect.poll(index).toMatchObject(state);
};

test('texts wait for a provider that can be asked, which then has them all, once', async () => {
  await write(...TEXTS);
  await until({ texts: { waiting: TEXTS.length }, embedder: { status: 'off' } });
  await configure('sk-wrong');
  await until({ embedder: { status: 'waiting', embedded: 0, retryAt: expect.any(String) } });
  const lastError = valueAt(await index(), 'embedder', 'lastError');
  expect(lastError).toBe('the provider answers 401');
  const wrong = embeddings.texts.length;
  await configure(KEY);
  const all = { type: 'Note', field: 'Text', model: 'words', vectors: TEXTS.length };
  await until({
    vectors: [{ ...all, dimensions: 64 }],
    texts: { waiting: 0, refused: 0 },
    embedder: { status: 'idle', embedded: TEXTS.length, lastError: null, retryAt: null },
  });
  expect(embeddings.texts.slice(wrong).toSorted()).toEqual(TEXTS.toSorted());
  for (const secret of [KEY, 'sk-wrong']) {
    expect(people.workspace.server.stderr).not.toContain(secret);
    expect(JSON.stringify(await index())).not.toContain(secret);
  }
});

test('a text that the provider does not take keeps no other from having its vector', async () => {
  embeddings.script.isRefused = (text) => text.includes('bad');
  const texts = ['one', 'two', 'a bad one', 'three', 'four'];
  await write(...texts);
  await until({
    vectors: [{ vectors: TEXTS.length + 4 }],
    texts: { waiting: 0, refused: 1 },
    embedder: { status: 'idle', refused: 1, lastError: expect.stringContaining('too long') },
  });
});

test('what was embedded before is not sent again', async () => {
  const sent = embeddings.texts.length;
  await write('later');
  await change('POST', '/api/ingest', {
    operations: [{ op: 'addOrUpdate', type: 'Note', key: 'copy', fields: { Text: 'two' } }],
  });
  await until({ vectors: [{ vectors: TEXTS.length + 6 }], texts: { waiting: 0 } });
  expect(embeddings.texts.slice(sent)).toEqual(['later']);
});
