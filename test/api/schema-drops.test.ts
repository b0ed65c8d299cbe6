import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';

let people: People;
const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  people.as('admin', method, path, body);

const SCHEMA = {
  nodes: [
    {
      type: 'Word',
      key: 'Lemma',
      label: 'Text',
      fields: { Text: 'String', Score: 'Int', Secret: 'String' },
      indexes: [{ field: 'Score' }],
    },
    { type: 'Note', key: 'Name', fields: { Name: 'String', Body: 'String' } },
  ],
  edges: [
    { type: 'Means', inverse: 'MeantBy' },
    { type: 'MeantBy', inverse: 'Means' },
    { type: 'About' },
  ],
};

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob']) await people.add(name);
  await ok(admin('PUT', '/api/schema', SCHEMA));
  await ingest(
    ...['a', 'b', 'c'].map((key, i) => ({
      op: 'addOrUpdate',
      type: 'Word',
      key,
      fields: { Text: `zebra ${key}`, Score: i, Secret: 'hush' },
    })),
    { op: 'addOrUpdate', type: 'Note', key: 'n', fields: { Body: 'a note' } },
    link(word('a'), 'Means', word('b')),
    link({ type: 'Note', key: 'n' }, 'About', word('a')),
    { op: 'restrict', node: word('b'), user: people.uid('bob') },
  );
  await ok(admin('PUT', '/api/access/types', { types: RULES }));
});
afterAll(() => people[Symbol.asyncDispose]());

const RULES = { Word: { fields: { Secret: {} } } };

const word = (key: string) => ({ type: 'Word', key });

function link(from: object, edge: string, to: object) {
  return { op: 'link', from, edge, to };
}

async function ok(asked: Promise<Answer>): Promise<Record<string, unknown>> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return Object(answer.json);
}

async function refused(status: number, asked: Promise<Answer>): Promise<Record<string, unknown>> {
  const answer = await asked;
  expect(answer.status, answer.text).toBe(status);
  return Object(Object(answer.json).error);
}

const ingest = (...operations: readonly object[]) =>
  ok(admin('POST', '/api/ingest', { operations }));
const change = (body: object) => admin('POST', '/api/schema/changes', body);
const undo = (id: unknown) => admin('POST', `/api/schema/changes/${String(id)}/undo`);

async function nodes(type: string, as = 'admin'): Promise<Record<string, unknown>[]> {
  const answer = await people.as(as, 'POST', '/api/node/query', { type });
  return Object(answer.json).items ?? answer.status;
}

async function found(query: string): Promise<unknown> {
  await untilIndexed(people.workspace.http, people.token('admin'));
  const { total } = await ok(admin('POST', '/api/cce/system/search', { query }));
  return total;
}

test('a dry run names all that a drop breaks, and nothing happens without force', async () => {
  const code = `export default async ({ q }: Scope) => q().startWhere('Word', 'Score', '>', 0).count();`;
  const endpoint = { name: 'scores', code, access: 'admins' };
  expect((await ok(admin('POST', '/api/endpoints/create', endpoint)))['diagnostics']).toEqual([]);
  await ok(
    admin('POST', '/api/chatai/tools', { name: 'counts', description: 'x', endpoint: 'scores' }),
  );
  await ok(
    admin('PUT', '/api/search/settings', {
      types: { Word: { fields: { Text: { text: {} }, Score: { facet: true } } } },
    }),
  );
  const [a] = await nodes('Word');
  await ok(
    admin('PUT', '/api/search/golden-sets/words', {
      request: {
        types: ['Word'],
        fields: ['Text'],
        filters: [{ field: 'Score', op: '>=', value: 0 }],
      },
      queries: [{ query: 'zebra', relevant: [a?.['UID']] }],
    }),
  );
  const breaksOf = async (one: object): Promise<object> => {
    const dry = await ok(change({ changes: [one], dryRun: true }));
    const error = await refused(409, change({ changes: [one] }));
    expect(error).toMatchObject({ code: 'schema_in_use', details: dry });
    const { breaks, ...extent } = dry as { breaks: { kind: string; name: string }[] };
    return { breaks: breaks.map(({ kind, name }) => `${kind} ${name}`), ...extent };
  };
  expect(await breaksOf({ drop: { field: 'Word.Score' } })).toEqual({
    breaks: [
      'endpoint scores',
      'tool counts',
      'searchSetting Word.Score',
      'goldenSet words',
      'index Word (Score)',
    ],
    nodes: 3,
    edges: 0,
    lossy: true,
    lostValues: 3,
  });
  expect(await breaksOf({ drop: { type: 'Word' } })).toEqual({
    breaks: [
      'endpoint scores',
      'tool counts',
      'searchSetting Word',
      'access Word',
      'goldenSet words',
      'index Word (Score)',
    ],
    nodes: 3,
    // Both directions of Means, and About.
    edges: 3,
    lossy: true,
    lostValues: 0,
  });
  expect(await breaksOf({ retype: { type: 'Word', field: 'Text', to: 'Int' } })).toEqual({
    breaks: ['searchSetting Word.Text'],
    nodes: 3,
    edges: 0,
    lossy: true,
    lostValues: 3,
  });
  expect(await breaksOf({ drop: { field: 'Word.Secret' } })).toMatchObject({
    breaks: ['access Word.Secret'],
  });
  expect(await nodes('Word')).toHaveLength(3);
  expect((await ok(admin('GET', '/api/schema/changes')))['items']).toEqual([]);
});

test('a type is dropped with its nodes and edges, and comes back as restricted as it was', async () => {
  expect(await found('zebra')).toBe(3);
  const before = {
    schema: await ok(admin('GET', '/api/schema')),
    words: await nodes('Word'),
    statistics: (await admin('GET', '/api/admin/statistics/database')).text,
    ann: await nodes('Word', 'ann'),
  };
  expect(before.ann).toHaveLength(2);
  const done = await ok(change({ changes: [{ drop: { type: 'Word' } }], force: true }));
  expect(done).toMatchObject({ id: expect.any(String), nodes: 3, edges: 3, lossy: true });
  await refused(400, admin('POST', '/api/node/query', { type: 'Word' }));
  for (const { UID } of before.words) await refused(404, admin('GET', `/api/node/${String(UID)}`));
  const [note] = await nodes('Note');
  const code = `export default async ({ q }: Scope) => [
    await q().startAt('Note').out().count(), (await q().startAt('Note').edges()).length,
  ];`;
  const probe = { name: 'edges-of-note', code, access: 'admins' };
  await ok(admin('POST', '/api/endpoints/create', probe));
  const run = async () => (await admin('POST', '/api/endpoints/run/edges-of-note', {})).json;
  expect(note).toMatchObject({ Type: 'Note' });
  expect(await run()).toEqual([0, 0]);
  expect(await found('zebra')).toBe(0);
  // The rule is kept for the way back, and does not keep others from being set.
  expect(await ok(admin('GET', '/api/access/types'))).toEqual({ types: {} });
  await ok(admin('PUT', '/api/access/types', { types: { Note: { visibleTo: 'everyone' } } }));
  const settings = await ok(admin('GET', '/api/search/settings'));
  expect(JSON.stringify(settings)).not.toContain('Word');
  await ok(admin('PUT', '/api/search/settings', settings));

  const back = await ok(undo(done['id']));
  expect(back).toMatchObject({ nodes: 3 });
  expect(await nodes('Word')).toEqual(before.words);
  expect(await nodes('Word', 'ann')).toEqual(before.ann);
  expect(JSON.stringify(before.ann)).not.toContain('hush');
  expect(await run()).toEqual([1, 1]);
  expect(await found('zebra')).toBe(3);
  await expect
    .poll(async () => Object(await ok(admin('GET', '/api/schema'))).nodes)
    .toEqual(before.schema['nodes']);
  expect((await ok(admin('GET', '/api/access/types')))['types']).toMatchObject(RULES);
  expect(JSON.stringify(await ok(admin('GET', '/api/search/settings')))).toContain('Score');
  const { items } = await ok(admin('GET', '/api/schema/changes'));
  expect(items).toMatchObject([
    { changes: [{ restore: { type: 'Word' } }], undoes: done['id'] },
    { changes: [{ drop: { type: 'Word' } }], undoneBy: back['id'] },
  ]);
  expect(JSON.stringify(items)).not.toContain('rules');
  await refused(409, undo(back['id']));
});

test('a field is dropped and retyped; the way back has what was written before', async () => {
  const dropped = await ok(change({ changes: [{ drop: { field: 'Word.Text' } }], force: true }));
  expect(await nodes('Word')).not.toContainEqual(
    expect.objectContaining({ Text: expect.anything() }),
  );
  await refused(
    422,
    admin('POST', '/api/ingest', {
      operations: [{ op: 'addOrUpdate', type: 'Word', key: 'a', fields: { Text: 'x' } }],
    }),
  );
  await ingest({ op: 'addOrUpdate', type: 'Word', key: 'a', fields: { Score: 7 } });
  expect(await found('zebra')).toBe(0);
  await ok(undo(dropped['id']));
  expect(await found('zebra')).toBe(3);

  const retype = { retype: { type: 'Word', field: 'Score', to: 'String' } };
  const retyped = await ok(change({ changes: [retype], force: true }));
  expect(retyped).toMatchObject({ nodes: 3, lossy: false, lostValues: 0 });
  await ingest({ op: 'addOrUpdate', type: 'Word', key: 'b', fields: { Score: 'many' } });
  const scores = async () => (await nodes('Word')).map(({ Id, Score }) => [Id, Score]).toSorted();
  expect(await scores()).toEqual([
    ['a', '7'],
    ['b', 'many'],
    ['c', '2'],
  ]);
  const csv = await admin('POST', '/api/node/download/jsonl', { type: 'Word', fields: ['Score'] });
  expect(csv.text).toContain('"Score":"many"');
  const back = await ok(undo(retyped['id']));
  expect(back).toMatchObject({ lossy: true, lostValues: 1 });
  expect(await scores()).toEqual([
    ['a', 7],
    ['b', undefined],
    ['c', 2],
  ]);
  const rows = await admin('POST', '/api/node/download/jsonl', { type: 'Word', fields: ['Score'] });
  expect(rows.text).not.toContain('undefined');
  await ok(admin('POST', '/api/node/download/csv', { type: 'Word', fields: ['Score'] }));
});

test('an undo never shows more than the rule of then, whoever has the name meanwhile', async () => {
  const types = { Word: { visibleTo: 'restricted', fields: { Secret: {} } } };
  await ok(admin('PUT', '/api/access/types', { types }));
  expect(await nodes('Word', 'ann')).toEqual([]);
  const first = await ok(change({ changes: [{ drop: { type: 'Word' } }], force: true }));
  const nodeTypes = [{ type: 'Word', key: 'Lemma', fields: { Secret: 'String' } }];
  await ok(admin('PUT', '/api/schema', { nodes: nodeTypes, edges: [] }));
  await ingest({ op: 'addOrUpdate', type: 'Word', key: 'new', fields: { Secret: 'new' } });
  // The rule that stays holds for the new type, too, until somebody says otherwise.
  expect(await nodes('Word', 'ann')).toEqual([]);
  const open = { Word: { visibleTo: 'everyone', fields: {} } };
  await ok(admin('PUT', '/api/access/types', { types: open }));
  expect(await nodes('Word', 'ann')).toHaveLength(1);
  await refused(409, undo(first['id']));
  const second = await ok(
    change({
      changes: [{ rename: { type: 'Word', to: 'Other' } }, { drop: { type: 'Other' } }],
      force: true,
    }),
  );
  await ok(undo(first['id']));
  expect(await nodes('Word', 'ann')).toEqual([]);
  expect(await nodes('Word')).toHaveLength(3);
  expect(JSON.stringify(await nodes('Word'))).toContain('hush');
  // Its name is taken by now.
  await refused(409, undo(second['id']));
});

test('an undo lets nobody write what nobody could write then', async () => {
  const rule = async (): Promise<Record<string, unknown>> =>
    Object(Object(await ok(admin('GET', '/api/access/types')))['types']).Word;
  const writableBy = { users: [people.uid('bob')] };
  const put = (Word: object) => ok(admin('PUT', '/api/access/types', { types: { Word } }));
  const drop = { changes: [{ drop: { type: 'Word' } }], force: true };
  await put({ visibleTo: 'everyone', fields: { Secret: {} } });
  const first = await ok(change(drop));
  await ok(admin('PUT', '/api/schema', { nodes: [{ type: 'Word', fields: {} }], edges: [] }));
  await put({ visibleTo: 'everyone', writableBy });
  await ok(change(drop));
  await ok(undo(first['id']));
  expect(await rule()).not.toHaveProperty('writableBy');
  expect(await rule()).toMatchObject({ fields: { Secret: {} } });
  // A field that comes back changes nothing about who writes its type.
  await put({ visibleTo: 'everyone', writableBy, fields: { Secret: {} } });
  const field = await ok(change({ changes: [{ drop: { field: 'Word.Secret' } }], force: true }));
  await ok(undo(field['id']));
  expect(await rule()).toMatchObject({ writableBy, fields: { Secret: {} } });
});

test.each([
  [{ drop: { type: 'None' } }, 'changes[0].drop.type'],
  [{ drop: { type: '_User' } }, 'changes[0].drop.type'],
  [{ drop: { edge: '_Owns' } }, 'changes[0].drop.edge'],
  [{ drop: { field: 'Word.Lemma' } }, 'changes[0].drop.field'],
  [{ retype: { field: 'Word.Nothing', to: 'Int' } }, 'changes[0].retype.field'],
  [{ retype: { type: 'Word', field: 'Score', to: 'Int' } }, 'changes[0].retype.to'],
])('%j cannot be had', async (one, path) => {
  for (const how of [{ dryRun: true }, { force: true }]) {
    const error = await refused(400, change({ changes: [one], ...how }));
    expect(error['details']).toMatchObject({ fields: [{ path }] });
  }
});
