import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flipLongValues, flipText } from '../support/flipped-values.ts';
import { field, HttpClient, valueAt, type Answer } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const MASTER_KEY = 'a master key of more than thirty-two bytes';
const FORMS = [
  { form: 'plain', env: {} },
  { form: 'encrypted', env: { MSK_GRAPH_MASTER_KEY: MASTER_KEY } },
];
/**
 * Each with a text of another number of pages, so that its value is found in the file of either
 * form.
 */
const NOTES = Array.from({ length: 8 }, (_, i) => ({ key: `note ${i}`, pages: 30 + 4 * i }));
const PAGE_BYTES = 4_096;
const NODES = '/api/cce/system/nodes';
/** A field's name, that stands in the schema alone. */
const SCHEMA_WORD = 'Wordintheschema';
const SOUND = { key: 'sound', text: 'harbour and lighthouse' };
const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      fields: { Text: 'String', At: 'Float[]', [SCHEMA_WORD]: 'String' },
    },
  ],
  edges: [],
};
const SEARCHED = {
  types: { Note: { fields: { Text: { text: {} }, At: { vector: { model: 'm' } } } } },
};
const READ_CODE = `export default async function ({ graph, body }: Scope) {
  const { key, caught } = body as { key: string; caught: boolean };
  try {
    return { text: (await graph.get('Note', key)).Text };
  } catch (error) {
    if (!caught) throw error;
    return { caught: JSON.stringify(error) + String(error) };
  }
}`;

const textOf = (pages: number): string =>
  'harbour lantern compass '.repeat(PAGE_BYTES * pages).slice(0, PAGE_BYTES * (pages - 1));

/** What is there of a stopped server. */
interface Filled extends AsyncDisposable {
  readonly path: string;
  readonly uids: ReadonlyMap<string, string>;
}

async function fill(env: Readonly<Record<string, string>>): Promise<Filled> {
  const folder = await temporaryFolder();
  await using server = await TrellisProcess.start({ storage: folder.path, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const change = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const { status, text, json } = await http.send({ method, path, token, body });
    expect(status, text).toBeLessThan(300);
    return json;
  };
  await change('PUT', '/api/schema', SCHEMA);
  await change('PUT', '/api/search/settings', SEARCHED);
  const notes = [...NOTES.map(({ key, pages }) => ({ key, text: textOf(pages) })), SOUND];
  await change('POST', '/api/ingest', {
    operations: notes.map(({ key, text }, i) => ({
      op: 'addOrUpdate',
      type: 'Note',
      key,
      fields: { Text: text, At: [1, i] },
    })),
  });
  const created = { name: 'read', isReadOnly: true, code: READ_CODE };
  expect(await change('POST', '/api/endpoints/create', created)).toMatchObject({ compiles: true });
  const { items } = (await change('POST', '/api/node/query', { type: 'Note' })) as {
    items: { UID: string; Id: string }[];
  };
  await untilIndexed(http, token);
  expect(await server.stop()).toBe(0);
  return {
    path: folder.path,
    uids: new Map(items.map(({ Id, UID }) => [Id, UID])),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe.each(FORMS)('of a $form store', ({ form, env }) => {
  let filled: Filled;
  beforeAll(async () => {
    filled = await fill(env);
  });
  afterAll(() => filled[Symbol.asyncDispose]());

  async function copied(): Promise<AsyncDisposable & { readonly path: string }> {
    const folder = await temporaryFolder();
    await cp(filled.path, folder.path, { recursive: true });
    return folder;
  }

  test('a flipped bit in a value is told by every read, 8 of 8, and is never another value', async () => {
    await using folder = await copied();
    const random = seededRandom(28);
    for (const { pages } of NOTES) {
      expect(await flipLongValues(folder.path, pages, random)).toBeGreaterThan(0);
    }
    await using server = await TrellisProcess.start({ storage: folder.path, env });
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    const read = (path: string, body?: unknown): Promise<Answer> =>
      http.send({ path, token, body });
    const isTold = ({ status, json, text }: Answer): void => {
      expect(status, text).toBe(500);
      expect(valueAt(json, 'error', 'code')).toBe('storage_corrupt');
      expect(text).not.toMatch(/harbour|nodes under/);
      // The log of the server says which.
      const lines = server.stderr
        .split('\n')
        .filter((line) => line.includes(field(json, 'traceId')));
      expect(lines.join('\n')).toMatch(/nodes under [0-9a-f]+ is not what was written/);
    };
    for (const { key } of NOTES) {
      const uid = filled.uids.get(key)!;
      isTold(await read(`/api/node/${uid}`));
      isTold(await read(NODES, { uids: [uid] }));
      isTold(await read(`/api/embeddings/similar/${uid}`));
      isTold(await read('/api/embeddings/uids', { UIDs: [uid] }));
      isTold(await read('/api/endpoints/run/read', { key }));
      const caught = await read('/api/endpoints/run/read', { key, caught: true });
      expect(caught.status, caught.text).toBe(200);
      expect(caught.text).toContain('the storage of the server failed');
      expect(caught.text).not.toMatch(/harbour|nodes under/);
    }
    const hits = await read('/api/cce/system/search', { query: 'lantern' });
    if (form === 'plain') isTold(hits);
    else {
      // Its index is not kept, and made without them.
      expect(hits.json).toMatchObject({ total: 0 });
      const told = server.stderr.match(/search does not find a node: what is stored in nodes/g);
      expect(told?.length).toBeGreaterThanOrEqual(NOTES.length);
    }
    isTold(await read('/api/node/query', { type: 'Note' }));
    // What is whole is there, and the server goes on.
    const sound = await read(`/api/node/${filled.uids.get(SOUND.key)}`);
    expect(valueAt(sound.json, 'Text'), sound.text).toBe(SOUND.text);
    const found = await read('/api/cce/system/search', { query: 'lighthouse' });
    expect(found.status, found.text).toBe(200);
    expect(found.text).toContain(SOUND.text);
    expect(await server.stop()).toBe(0);
  });

  test('a commit that meets a damaged value fails as a whole, and others are kept', async () => {
    await using folder = await copied();
    const [damaged] = NOTES;
    await flipLongValues(folder.path, damaged!.pages, seededRandom(21));
    const put = (key: string, text: string) => ({
      op: 'addOrUpdate',
      type: 'Note',
      key,
      fields: { Text: text },
    });
    {
      await using server = await TrellisProcess.start({ storage: folder.path, env });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      const ingest = (...operations: object[]): Promise<Answer> =>
        http.send({ path: '/api/ingest', token, body: { operations } });
      const refused = await ingest(put('beside', 'x'), put(damaged!.key, 'anew'));
      expect(refused.status, refused.text).toBe(500);
      expect(valueAt(refused.json, 'error', 'code')).toBe('storage_corrupt');
      expect(server.stderr).toMatch(/nodes under [0-9a-f]+ is not what was written/);
      for (let i = 0; i < 5; i++) {
        expect((await ingest(put(`kept ${i}`, 'y'))).status).toBe(200);
      }
      await server.kill();
    }
    await using server = await TrellisProcess.start({ storage: folder.path, env });
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    const found = async (key: string): Promise<unknown> => {
      const body = { type: 'Note', keys: [key] };
      const { status, json, text } = await http.send({ path: NODES, token, body });
      expect(status, text).toBe(200);
      return valueAt(json, 'items');
    };
    expect(await found('beside')).toEqual([]);
    for (let i = 0; i < 5; i++) {
      expect(await found(`kept ${i}`)).toMatchObject([{ Text: 'y' }]);
    }
    const still = await http.send({
      path: NODES,
      token,
      body: { type: 'Note', keys: [damaged!.key] },
    });
    expect(valueAt(still.json, 'error', 'code'), still.text).toBe('storage_corrupt');
  });
});

test.each([
  {
    what: 'how far the state is',
    flippedIn: async (storage: string): Promise<Buffer> => {
      const manifest = await readFile(join(storage, 'log', 'log.json'), 'utf8');
      return Buffer.from(/[0-9a-f]{32}/.exec(manifest)![0], 'hex');
    },
    place: 'applied under 00',
  },
  {
    what: 'the schema',
    flippedIn: async (): Promise<Buffer> => Buffer.from(SCHEMA_WORD),
    place: 'meta under',
  },
])('a flipped bit in $what is told at the start, with the remedy', async ({ flippedIn, place }) => {
  await using filled = await fill({});
  const flipped = await flipText(filled.path, await flippedIn(filled.path), seededRandom(3));
  expect(flipped).toBeGreaterThan(0);
  const { code, stderr } = await TrellisProcess.startRefused({ storage: filled.path });
  expect(code).toBe(1);
  expect(stderr).toContain(`what is stored in ${place}`);
  expect(stderr).toMatch(/is not what was written\n.*restore the newest backup/);
});
