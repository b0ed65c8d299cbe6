import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '#access/audit-event.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import { DB } from '#store/databases.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { ProviderSettings, type ProvidersChange } from './provider-settings.ts';

const CALLER = { ...ADMINISTRATOR, userUid: '1111111111111111111111', userName: 'ada' };
const SERVER = {
  provider: 'openai-compatible',
  baseUrl: 'https://models.example/v1',
  model: 'small',
} as const;
const KEY = 'sk-a-key-that-nobody-else-sees';

let graph: TestGraph;
let vault: ReturnType<typeof openSnapshotReader>;
let events: AuditEvent[];
let changes: number;
let settings: ProviderSettings;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  vault = openSnapshotReader({ storage: graph.storage, environments: ['graph', 'vault'] });
  events = [];
  changes = 0;
  settings = new ProviderSettings({
    isClosed: false,
    reader: graph.reader,
    secrets: { get: secret },
    commits: graph.writer,
    audit: auditInMemory(events),
    onProvidersChanged: () => changes++,
  });
});
afterEach(async () => {
  vault[Symbol.dispose]();
  await graph[Symbol.asyncDispose]();
});

function secret(key: string): Uint8Array | undefined {
  vault.refresh();
  return vault.get(DB.vault, Buffer.from(key))?.slice();
}

const put = (embeddings: ProvidersChange['embeddings']) =>
  settings.put(CALLER, { embeddings }, '192.0.2.1');

describe('the provider of embeddings', () => {
  it('is none at first', () => {
    expect(settings.get(CALLER)).toEqual({ chat: null, furtherChat: [], embeddings: null });
    expect([settings.embeddingModel(), settings.embeddingTarget()]).toEqual([undefined, undefined]);
  });

  it('is what was put, with its key, which is not told', async () => {
    const put1 = await put({ ...SERVER, apiKey: KEY });
    expect(put1).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: true },
    });
    expect(settings.get(CALLER)).toEqual(put1);
    expect(settings.embeddingModel()).toBe('small');
    expect(settings.embeddingTarget()).toEqual({ baseUrl: SERVER.baseUrl, apiKey: KEY });
    expect(changes).toBe(1);
    expect(events).toMatchObject([
      {
        action: 'ai.providers-changed',
        actor: { name: 'ada' },
        address: '192.0.2.1',
        details: {
          changed: ['provider', 'baseUrl', 'model', 'apiKey'].map((name) => `embeddings.${name}`),
        },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(KEY);
    graph.reader.refresh();
    const stored = graph.reader.node(graph.idOf('_Setting', 'ai.providers'));
    expect(JSON.stringify(stored)).not.toContain(KEY);
  });

  it('needs no key', async () => {
    expect(await put(SERVER)).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: false },
    });
    expect(settings.embeddingTarget()).toEqual({ baseUrl: SERVER.baseUrl, apiKey: null });
    // Then there is none that could get to another server.
    const elsewhere = { ...SERVER, baseUrl: 'https://other.example/v1' };
    expect(await put(elsewhere)).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...elsewhere, hasApiKey: false },
    });
  });

  it('goes, with its key', async () => {
    await put({ ...SERVER, apiKey: KEY });
    expect(await put(null)).toEqual({ chat: null, furtherChat: [], embeddings: null });
    expect(settings.embeddingTarget()).toBeUndefined();
    expect(await put(SERVER)).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: false },
    });
  });

  it('stays when it is left out', async () => {
    await put({ ...SERVER, apiKey: KEY });
    const kept = await settings.put(CALLER, {}, '192.0.2.1');
    expect(kept).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: true },
    });
    expect([changes, events.length]).toEqual([1, 1]);
  });
});

describe('a stored key', () => {
  beforeEach(() => put({ ...SERVER, apiKey: KEY }));

  it.each([
    ['another model', { ...SERVER, model: 'large' }],
    ['the same address with a slash', { ...SERVER, baseUrl: `${SERVER.baseUrl}/` }],
  ])('stays with %s', async (_name, change) => {
    expect(await put(change)).toMatchObject({ embeddings: { hasApiKey: true } });
    expect(settings.embeddingTarget()).toEqual({ baseUrl: SERVER.baseUrl, apiKey: KEY });
  });

  it.each([
    'https://other.example/v1',
    'http://models.example/v1',
    'https://models.example:444/v1',
    'https://models.example/v2',
    'https://models.example.other/v1',
  ])('does not go to %s', async (baseUrl) => {
    const problem = await problemOf(() => put({ ...SERVER, baseUrl }));
    const fields = [{ path: 'embeddings.apiKey', message: expect.any(String) }];
    expect(problem).toMatchObject({ code: 'invalid_request', details: { fields } });
    expect(settings.get(CALLER)).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: true },
    });
    expect(await put({ ...SERVER, baseUrl, apiKey: null })).toMatchObject({
      embeddings: { baseUrl, hasApiKey: false },
    });
    expect(await put({ ...SERVER, apiKey: 'another' })).toMatchObject({
      embeddings: { hasApiKey: true },
    });
    expect(settings.embeddingTarget()?.apiKey).toBe('another');
  });

  it('is not used for a server that the settings name by other ways', async () => {
    const value = { embeddings: { ...SERVER, baseUrl: 'https://other.example/v1' } };
    await graph.writer.commit({
      system: true,
      operations: [
        { op: 'addOrUpdate', type: '_Setting', key: 'ai.providers', fields: { Value: value } },
      ],
    });
    expect(settings.embeddingTarget()?.apiKey).toBeNull();
    expect(settings.get(CALLER)).toMatchObject({ embeddings: { hasApiKey: false } });
  });
});

describe('the provider of chat', () => {
  const CHAT = {
    provider: 'anthropic',
    baseUrl: 'https://chat.example/v1',
    model: 'large',
    models: ['small', 'large', 'small'],
    tokensPerAnswer: 100,
    tokensPerUserAndDay: 1_000,
  } as const;
  const STORED = { ...CHAT, models: ['large', 'small'] };
  const OTHER_KEY = `${KEY}-of-chat`;

  it('is put beside the other, each with its own key', async () => {
    expect(settings.chatTargets()).toEqual([]);
    const change = {
      chat: { ...CHAT, apiKey: OTHER_KEY },
      embeddings: { ...SERVER, apiKey: KEY },
    };
    expect(await settings.put(CALLER, change, '192.0.2.1')).toEqual({
      chat: { ...STORED, hasApiKey: true },
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: true },
    });
    expect(settings.chatTargets()).toEqual([{ ...STORED, name: '', apiKey: OTHER_KEY }]);
    expect(settings.embeddingTarget()?.apiKey).toBe(KEY);
    expect(JSON.stringify(events)).not.toContain(KEY);
    expect([changes, events.length]).toEqual([1, 1]);
  });

  it('goes and stays without the other', async () => {
    await settings.put(CALLER, { chat: { ...CHAT, apiKey: OTHER_KEY } }, '192.0.2.1');
    await put({ ...SERVER, apiKey: KEY });
    expect(settings.chatTargets()[0]?.apiKey).toBe(OTHER_KEY);
    expect(await settings.put(CALLER, { chat: null }, '192.0.2.1')).toEqual({
      chat: null,
      furtherChat: [],
      embeddings: { ...SERVER, hasApiKey: true },
    });
    expect(settings.chatTargets()).toEqual([]);
  });

  it('keeps its key from another server', async () => {
    await settings.put(CALLER, { chat: { ...CHAT, apiKey: OTHER_KEY } }, '192.0.2.1');
    const moved = { ...CHAT, baseUrl: SERVER.baseUrl };
    const problem = await problemOf(() => settings.put(CALLER, { chat: moved }, '192.0.2.1'));
    const fields = [{ path: 'chat.apiKey', message: expect.any(String) }];
    expect(problem).toMatchObject({ code: 'invalid_request', details: { fields } });
    const given = { chat: { ...moved, apiKey: null } };
    expect(await settings.put(CALLER, given, '192.0.2.1')).toMatchObject({
      chat: { baseUrl: SERVER.baseUrl, hasApiKey: false },
    });
  });
});

it('a change in the same moment as another is refused', async () => {
  await put(SERVER);
  const both = await Promise.allSettled([
    put({ ...SERVER, model: 'a' }),
    put({ ...SERVER, model: 'b' }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const rejected = both.find((one) => one.status === 'rejected');
  expect(rejected?.reason).toMatchObject({ code: 'version_conflict' });
});

describe('further providers of chat', () => {
  const CHAT = {
    provider: 'openai-compatible',
    baseUrl: 'https://chat.example/v1',
    model: 'large',
    models: [],
    tokensPerAnswer: 100,
    tokensPerUserAndDay: 1_000,
  } as const;
  const LOCAL = {
    name: 'local',
    provider: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    models: ['tiny', 'tinier'],
    tokensPerAnswer: 50,
  } as const;
  const OTHER = { ...LOCAL, name: 'other', provider: 'anthropic', models: ['wise'] } as const;
  const put1 = (change: ProvidersChange) => settings.put(CALLER, change, '192.0.2.1');
  const targets = () => settings.chatTargets().map(({ name, apiKey }) => [name, apiKey]);

  it('are asked beside the first, each with its own key', async () => {
    const furtherChat = [{ ...LOCAL, apiKey: KEY }, OTHER];
    const { furtherChat: seen } = await put1({ chat: CHAT, furtherChat });
    expect(seen).toEqual([
      { ...LOCAL, hasApiKey: true },
      { ...OTHER, hasApiKey: false },
    ]);
    expect(targets()).toEqual([
      ['', null],
      ['local', KEY],
      ['other', null],
    ]);
    expect(settings.tokensPerUserAndDay()).toBe(1_000);
    expect(JSON.stringify([events, seen])).not.toContain(KEY);
    await put1({ chat: null });
    expect(targets()).toEqual([]);
  });

  it('stay with a change of others, keep their keys, and lose them when they go', async () => {
    await put1({ chat: CHAT, furtherChat: [{ ...LOCAL, apiKey: KEY }] });
    await put1({ chat: { ...CHAT, tokensPerAnswer: 7 } });
    await put1({ furtherChat: [OTHER, { ...LOCAL, models: ['tiny'] }] });
    expect(targets()).toContainEqual(['local', KEY]);
    await put1({ furtherChat: [OTHER] });
    await put1({ furtherChat: [OTHER, LOCAL] });
    expect(targets()).toContainEqual(['local', null]);
  });

  it.each([
    [
      'a key for another server',
      { ...LOCAL, baseUrl: 'https://evil.example/v1' },
      'chat/local.apiKey',
    ],
    ['a name twice', { ...LOCAL, models: ['x'] }, 'furtherChat.1.name'],
    ['a model of another one', { ...OTHER, models: ['large'] }, 'furtherChat.1.models'],
  ])('are refused with %s', async (what, wrong, path) => {
    await put1({ chat: CHAT, furtherChat: [{ ...LOCAL, apiKey: KEY }] });
    const furtherChat = what.startsWith('a key') ? [wrong] : [LOCAL, wrong];
    expect(await problemOf(() => put1({ furtherChat }))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path }] },
    });
    expect(targets()).toContainEqual(['local', KEY]);
  });
});
