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
    expect(settings.get(CALLER)).toEqual({ embeddings: null });
    expect([settings.embeddingModel(), settings.embeddingTarget()]).toEqual([undefined, undefined]);
  });

  it('is what was put, with its key, which is not told', async () => {
    const put1 = await put({ ...SERVER, apiKey: KEY });
    expect(put1).toEqual({ embeddings: { ...SERVER, hasApiKey: true } });
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
    expect(await put(SERVER)).toEqual({ embeddings: { ...SERVER, hasApiKey: false } });
    expect(settings.embeddingTarget()).toEqual({ baseUrl: SERVER.baseUrl, apiKey: null });
    // Then there is none that could get to another server.
    const elsewhere = { ...SERVER, baseUrl: 'https://other.example/v1' };
    expect(await put(elsewhere)).toEqual({ embeddings: { ...elsewhere, hasApiKey: false } });
  });

  it('goes, with its key', async () => {
    await put({ ...SERVER, apiKey: KEY });
    expect(await put(null)).toEqual({ embeddings: null });
    expect(settings.embeddingTarget()).toBeUndefined();
    expect(await put(SERVER)).toEqual({ embeddings: { ...SERVER, hasApiKey: false } });
  });

  it('stays when it is left out', async () => {
    await put({ ...SERVER, apiKey: KEY });
    const kept = await settings.put(CALLER, {}, '192.0.2.1');
    expect(kept).toEqual({ embeddings: { ...SERVER, hasApiKey: true } });
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
    expect(settings.get(CALLER)).toEqual({ embeddings: { ...SERVER, hasApiKey: true } });
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
