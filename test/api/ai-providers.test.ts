import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { People } from '../support/people.ts';

const PATH = '/api/chatai/providers';
const SERVER = {
  provider: 'openai-compatible',
  baseUrl: 'https://models.example/v1',
  model: 'small',
};
const KEY = 'sk-a-key-that-nobody-else-sees';

let people: People;
beforeAll(async () => {
  people = await People.start();
});
afterAll(() => people[Symbol.asyncDispose]());

const put = (embeddings: unknown) => people.as('admin', 'PUT', PATH, { embeddings });
const errorOf = ({ json }: { readonly json: unknown }) => Object(Object(json).error);

test('nobody is asked for embeddings at first', async () => {
  expect((await people.as('admin', 'GET', PATH)).json).toEqual({
    chat: null,
    furtherChat: [],
    embeddings: null,
  });
});

test('a provider is kept with its key, which nobody is told', async () => {
  const answers = [
    await put({ ...SERVER, apiKey: KEY }),
    await people.as('admin', 'GET', PATH),
    await put({ ...SERVER, baseUrl: `${SERVER.baseUrl}/`, model: 'small' }),
  ];
  for (const { status, json } of answers) {
    expect([status, json]).toEqual([
      200,
      { chat: null, furtherChat: [], embeddings: { ...SERVER, hasApiKey: true } },
    ]);
  }
  const audit = await people.as('admin', 'GET', '/api/audit?action=ai.providers-changed');
  expect(Object(audit.json).items).toHaveLength(2);
  expect(JSON.stringify(audit.json)).toContain('embeddings.apiKey');
  expect(JSON.stringify(audit.json)).not.toContain(KEY);
  expect(people.workspace.server.stderr).not.toContain(KEY);
});

test('the key does not follow the address to another server', async () => {
  const baseUrl = 'https://other.example/v1';
  const moved = await put({ ...SERVER, baseUrl });
  expect(moved.status).toBe(400);
  const fields = [{ path: 'embeddings.apiKey', message: expect.any(String) }];
  expect(errorOf(moved)).toMatchObject({ code: 'invalid_request', details: { fields } });
  const stored = { chat: null, furtherChat: [], embeddings: { ...SERVER, hasApiKey: true } };
  expect((await people.as('admin', 'GET', PATH)).json).toEqual(stored);
  const without = await put({ ...SERVER, baseUrl, apiKey: null });
  expect(without.json).toEqual({
    chat: null,
    furtherChat: [],
    embeddings: { ...SERVER, baseUrl, hasApiKey: false },
  });
  expect((await put(null)).json).toEqual({ chat: null, furtherChat: [], embeddings: null });
});

test('the provider of chat has limits where none are named', async () => {
  const chat = { ...SERVER, provider: 'anthropic', apiKey: KEY };
  const { status, json } = await people.as('admin', 'PUT', PATH, { chat });
  const limits = { tokensPerAnswer: 8_192, tokensPerUserAndDay: 1_000_000 };
  const { apiKey: _, ...shown } = chat;
  expect([status, json]).toEqual([
    200,
    {
      chat: { ...shown, models: ['small'], ...limits, hasApiKey: true },
      furtherChat: [],
      embeddings: null,
    },
  ]);
  const text = JSON.stringify((await people.as('admin', 'GET', '/api/audit')).json);
  expect(text + people.workspace.server.stderr).not.toContain(KEY);
});

test.each([
  [{ provider: 'other' }, 'chat.provider'],
  [{ models: [' '] }, 'chat.models.0'],
  [{ tokensPerAnswer: 0 }, 'chat.tokensPerAnswer'],
  [{ tokensPerUserAndDay: 1.5 }, 'chat.tokensPerUserAndDay'],
  [{ apiKey: 'ключ' }, 'chat.apiKey'],
])('a provider of chat with %j is refused, with where', async (change, path) => {
  const answer = await people.as('admin', 'PUT', PATH, { chat: { ...SERVER, ...change } });
  expect(answer.status).toBe(400);
  expect(errorOf(answer)).toMatchObject({ details: { fields: [{ path }] } });
});

describe('what is refused', () => {
  test.each([
    [{ provider: 'other' }, 'embeddings.provider'],
    [{ baseUrl: 'models.example' }, 'embeddings.baseUrl'],
    [{ baseUrl: 'file:///etc/passwd' }, 'embeddings.baseUrl'],
    [{ baseUrl: 'https://ann:secret@models.example/v1' }, 'embeddings.baseUrl'],
    [{ baseUrl: 'https://models.example/v1?key=1' }, 'embeddings.baseUrl'],
    [{ model: ' ' }, 'embeddings.model'],
    [{ model: 'x'.repeat(201) }, 'embeddings.model'],
    [{ apiKey: '' }, 'embeddings.apiKey'],
    [{ apiKey: `${KEY}\r\nhost: other.example` }, 'embeddings.apiKey'],
    [{ apiKey: 'ключ' }, 'embeddings.apiKey'],
  ])('%j, with where', async (change, path) => {
    const answer = await put({ ...SERVER, ...change });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path }] },
    });
    expect(JSON.stringify(answer.json)).not.toContain(KEY);
  });
});
