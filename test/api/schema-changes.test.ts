import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import type { Answer } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { People } from '../support/people.ts';

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
    { type: 'Hidden', key: 'Name', fields: { Name: 'String' } },
    { type: 'Log', key: 'Key', fields: { Body: 'String' } },
  ],
  edges: [
    { type: 'Means', inverse: 'MeantBy', fields: { Weight: 'Int' } },
    { type: 'MeantBy', inverse: 'Means', fields: { Weight: 'Int' } },
  ],
};

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await ok(admin('PUT', '/api/schema', SCHEMA));
  await ingest(
    ...['a', 'b', 'c'].map((key, i) => ({
      op: 'addOrUpdate',
      type: 'Word',
      key,
      fields: { Text: `text of ${key}`, Score: i, Secret: 'hush' },
    })),
    { op: 'addOrUpdate', type: 'Hidden', key: 'h', fields: {} },
    link('a', 'b'),
  );
  await ok(
    admin('PUT', '/api/access/types', {
      types: { Word: { fields: { Secret: {} } }, Hidden: { visibleTo: 'restricted' } },
    }),
  );
});
afterAll(() => people[Symbol.asyncDispose]());

function link(
  from: string,
  to: string,
  type = 'Word',
  edge = 'Means',
  fields: object = { Weight: 7 },
) {
  return { op: 'link', from: { type, key: from }, edge, to: { type, key: to }, fields };
}

async function ok(asked: Promise<Answer>): Promise<Record<string, unknown>> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return Object(answer.json);
}

/** The error of an answer. */
async function refused(status: number, asked: Promise<Answer>): Promise<Record<string, unknown>> {
  const answer = await asked;
  expect(answer.status, answer.text).toBe(status);
  return Object(Object(answer.json).error);
}

const ingest = (...operations: readonly object[]) =>
  ok(admin('POST', '/api/ingest', { operations }));
const change = (body: object) => admin('POST', '/api/schema/changes', body);

let probes = 0;

/** Saves an endpoint, and answers its name. */
async function save(code: string, access = 'admins'): Promise<string> {
  const name = `probe-${++probes}`;
  const saved = await ok(admin('POST', '/api/endpoints/create', { name, code, access }));
  expect(saved['diagnostics']).toEqual([]);
  return name;
}

async function run(name: string, as = 'admin'): Promise<unknown> {
  const answer = await people.as(as, 'POST', `/api/endpoints/run/${name}`, {});
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function uidOf(type: string, key: string): Promise<string> {
  const found = await ok(admin('POST', '/api/node/query', { uids: [{ type, key }] }));
  return String((found['items'] as { UID: string }[])[0]?.UID);
}

const READS = `export default async ({ q, graph }: Scope) => ({
  all: (await q().startAt('Word').sortBy('Lemma').uids()).length,
  one: (await graph.tryGet('Word', 'a'))?.UID,
  scored: await q().startWhere('Word', 'Score', '>', 0).count(),
  out: await q().startAt('Word', 'a').out('Word', 'Means').count(),
});`;

test('a rename of a type, an edge and a field that code uses is refused, and then forced', async () => {
  const reads = await save(READS);
  const before = Object(await run(reads));
  expect(before).toMatchObject({ all: 3, scored: 2, out: 1 });
  const changes = [
    { rename: { type: 'Word', to: 'Term' } },
    { rename: { type: 'Term', field: 'Score', to: 'Points' } },
    { rename: { field: 'Term.Text', to: 'Title' } },
    { rename: { type: 'Term', field: 'Lemma', to: 'Name' } },
    { rename: { edge: 'Means', to: 'Signifies' } },
    { rename: { edge: 'Signifies', field: 'Weight', to: 'Share' } },
  ];
  await ok(
    admin('POST', '/api/chatai/tools', { name: 'counts', description: 'Counts', endpoint: reads }),
  );
  const dry = await ok(change({ changes, dryRun: true }));
  expect(dry).toMatchObject({ nodes: 3, edges: 1, lossy: false });
  expect(dry['breaks']).toMatchObject([
    { kind: 'endpoint', name: reads, diagnostics: expect.any(Array) },
    { kind: 'tool', name: 'counts' },
  ]);
  const [{ diagnostics }] = dry['breaks'] as [{ diagnostics: { line: number; message: string }[] }];
  expect(diagnostics[0]).toMatchObject({ line: 2, message: 'There is no node type "Word".' });
  expect((await ok(admin('GET', '/api/schema')))['aliases']).toBeUndefined();
  const error = await refused(409, change({ changes }));
  expect(error).toMatchObject({
    code: 'schema_in_use',
    details: { breaks: dry['breaks'], nodes: 3 },
  });

  const uid = await uidOf('Word', 'a');
  const done = await ok(change({ changes, force: true }));
  expect(done).toMatchObject({ id: expect.any(String), nodes: 3, edges: 1, lossy: false });

  const schema = await ok(admin('GET', '/api/schema'));
  expect(schema['nodes']).toMatchObject([
    {
      type: 'Term',
      key: 'Name',
      label: 'Title',
      fields: { Title: 'String', Points: 'Int', Secret: 'String' },
      indexes: [{ field: 'Points', entries: 3 }],
    },
    {},
    {},
  ]);
  expect(schema['edges']).toEqual([
    { type: 'Signifies', inverse: 'MeantBy', fields: { Share: 'Int' } },
    { type: 'MeantBy', inverse: 'Signifies', fields: { Share: 'Int' } },
  ]);
  expect(schema['aliases']).toEqual([
    { type: 'Term', alias: 'Word' },
    { type: 'Term', field: 'Name', alias: 'Lemma' },
    { type: 'Term', field: 'Title', alias: 'Text' },
    { type: 'Term', field: 'Points', alias: 'Score' },
    { edge: 'Signifies', alias: 'Means' },
    { edge: 'Signifies', field: 'Share', alias: 'Weight' },
    { edge: 'MeantBy', field: 'Share', alias: 'Weight' },
  ]);
  // Nodes keep their UIDs, and both names address them.
  expect(await ok(admin('GET', `/api/node/${uid}`))).toEqual({
    UID: uid,
    Type: 'Term',
    Timestamp: expect.any(String),
    Id: 'a',
    Name: 'a',
    Title: 'text of a',
    Points: 0,
    Secret: 'hush',
  });
  expect([await uidOf('Word', 'a'), await uidOf('Term', 'a')]).toEqual([uid, uid]);
  // The endpoint serves as before, by the former names.
  expect(await run(reads)).toEqual(before);
  const renamed = READS.replaceAll('Word', 'Term')
    .replace('Lemma', 'Name')
    .replace('Score', 'Points')
    .replace('Means', 'Signifies');
  expect(await run(await save(renamed))).toEqual(before);
});

test('reads take the former names, writes the present ones', async () => {
  for (const type of ['Word', 'Term']) {
    expect(await ok(admin('POST', '/api/node/query', { type }))).toMatchObject({ total: 3 });
  }
  const uid = await uidOf('Term', 'b');
  const read = (field: string) => ok(admin('POST', '/api/node/many/field', { uids: [uid], field }));
  expect([await read('Text'), await read('Title')]).toEqual([
    { [uid]: 'text of b' },
    { [uid]: 'text of b' },
  ]);
  const add = { op: 'addOrUpdate', type: 'Term', key: 'd', fields: { Title: 'new' } };
  const bad = (...operations: object[]) =>
    refused(422, admin('POST', '/api/ingest', { operations }));
  for (const one of [
    { ...add, type: 'Word' },
    { ...add, fields: { Text: 'old' } },
    link('a', 'b', 'Term', 'Means', {}),
    link('a', 'b', 'Term', 'Signifies', { Weight: 1 }),
  ]) {
    expect(await bad(one)).toMatchObject({
      code: 'invalid_operation',
      message: expect.stringContaining('was renamed'),
    });
  }
  await ingest(
    add,
    { op: 'update', type: 'Word', key: 'd', fields: { Points: 9 } },
    link('d', 'c', 'Word', 'Signifies', { Share: 2 }),
    { op: 'delete', type: 'Word', key: 'd' },
  );
  // An old document would bring the old names back beside the new ones.
  const put = { nodes: [{ type: 'Word', fields: { Other: 'String' } }], edges: [] };
  expect(await refused(409, admin('PUT', '/api/schema', put))).toMatchObject({
    code: 'schema_conflict',
  });
  const field = { nodes: [{ type: 'Term', fields: { Score: 'Int' } }], edges: [] };
  await refused(409, admin('PUT', '/api/schema', field));
  // What was read can be put.
  await ok(admin('PUT', '/api/schema', await ok(admin('GET', '/api/schema'))));
});

test('what may not be seen is not seen by any name', async () => {
  await ok(change({ changes: [{ rename: { type: 'Hidden', to: 'Veiled' } }] }));
  await ok(change({ changes: [{ rename: { field: 'Term.Secret', to: 'Whisper' } }] }));
  const { types } = await ok(admin('GET', '/api/access/types'));
  expect(types).toEqual({ Term: { fields: { Whisper: {} } }, Veiled: { visibleTo: 'restricted' } });
  const uid = await uidOf('Term', 'a');
  for (const field of ['Secret', 'Whisper']) {
    const read = await people.as('ann', 'POST', '/api/node/many/field', { uids: [uid], field });
    expect(read.json).toEqual({ [uid]: 'BLOCKED' });
  }
  for (const type of ['Hidden', 'Veiled']) {
    const list = await people.as('ann', 'POST', '/api/node/query', { type });
    expect(list.json).toMatchObject({ items: [], total: 0 });
    const count = await save(
      `export default async ({ q }: Scope) => [
      await q().startAt('${type}' as 'Veiled').asUser().count(),
      await q().startAt('Term').where('${type === 'Hidden' ? 'Secret' : 'Whisper'}' as 'Whisper', '=', 'hush').asUser().count(),
    ];`,
      'users',
    );
    expect(await run(count)).toEqual([1, 3]);
    expect(await run(count, 'ann')).toEqual([0, 0]);
  }
});

test('search finds by the new names without indexing again', async () => {
  const search = await save(`export default async ({ search }: Scope) =>
    (await search({ query: 'text', types: ['Term'], fields: ['Title'] })).hits.length;`);
  await expect.poll(() => run(search)).toBe(3);
});

test('a golden set with former names goes on, and so do facets and filters', async () => {
  const settings = { fields: { Title: { text: {} }, Points: { facet: true } } };
  await ok(admin('PUT', '/api/search/settings', { types: { Term: settings } }));
  const set = {
    request: {
      types: ['Word'],
      fields: ['Text'],
      filters: [{ field: 'Score', op: '>=', value: 0 }],
    },
    queries: [{ query: 'text', relevant: [await uidOf('Term', 'a')] }],
  };
  await ok(admin('PUT', '/api/search/golden-sets/terms', set));
  await untilIndexed(people.workspace.http, people.token('admin'));
  const search = { ...set.request, query: 'text', facets: ['Score'] };
  expect(await ok(admin('POST', '/api/cce/system/search', search))).toMatchObject({
    total: 3,
    facets: { Score: expect.arrayContaining([{ value: '0', count: 1 }]) },
  });
  const report = await ok(admin('POST', '/api/search/golden-sets/terms/run'));
  expect(report).toMatchObject({ metrics: { recall: 1 }, unfound: { total: 0 } });
});

test('a migration that is still to be run breaks, one that has run does not', async () => {
  const code = `export default async ({ q }: Scope) => q().startAt('Term').count();`;
  for (const name of ['001', '002']) await ok(admin('POST', '/api/migrations', { name, code }));
  const job = await ok(admin('POST', '/api/migrations/001/run'));
  await expect
    .poll(async () => (await ok(admin('GET', `/api/jobs/${String(job['id'])}`)))['state'])
    .toBe('succeeded');
  const dry = await ok(
    change({ changes: [{ rename: { type: 'Term', to: 'Idiom' } }], dryRun: true }),
  );
  const { breaks } = dry as { breaks: { kind: string; name: string }[] };
  expect(breaks.filter(({ kind }) => kind === 'migration')).toMatchObject([
    { name: '002', diagnostics: [{ message: 'There is no node type "Term".' }] },
  ]);
  await ok(admin('DELETE', '/api/migrations/002'));
});

test('webhooks and triggers follow', async () => {
  await using receiver = await WebhookReceiver.start();
  await ok(admin('PUT', '/api/workspace/settings', { fetchAllowList: [receiver.origin] }));
  await ok(admin('POST', '/api/webhooks', { name: 'terms', url: receiver.url, types: ['Term'] }));
  const trigger = `// trellis: on created Term
export default async ({ body, graph }: Scope<{ key: string; type: string }>) => {
  await graph.addOrUpdate('Log', body.key, { Body: body.type });
};`;
  await save(trigger);
  await ok(change({ changes: [{ rename: { type: 'Term', to: 'Lexeme' } }], force: true }));
  await ingest({ op: 'addOrUpdate', type: 'Lexeme', key: 'e', fields: { Title: 'seen' } });
  await expect
    .poll(async () => (await ok(admin('POST', '/api/node/query', { type: 'Log' })))['items'])
    .toMatchObject([{ Id: 'e', Body: 'Term' }]);
  const { items } = await ok(admin('GET', '/api/webhooks'));
  expect(items).toMatchObject([{ types: ['Lexeme'] }]);
});

test('a change is in the history and can be undone once', async () => {
  const { items } = await ok(admin('GET', '/api/schema/changes'));
  const [last] = items as { id: string }[];
  expect(last).toMatchObject({
    changes: [{ rename: { type: 'Term', to: 'Lexeme' } }],
    forced: true,
    undoes: null,
    undoneBy: null,
    by: { name: 'admin' },
  });
  const undone = await ok(admin('POST', `/api/schema/changes/${last?.id}/undo`));
  const listed = await ok(admin('GET', '/api/schema/changes'));
  expect(listed['items']).toMatchObject([
    { id: undone['id'], undoes: last?.id },
    { id: last?.id, undoneBy: undone['id'] },
    {},
    {},
    {},
  ]);
  expect(Object(await ok(admin('GET', '/api/schema'))).nodes[0].type).toBe('Term');
  expect(await uidOf('Term', 'e')).toBe(await uidOf('Lexeme', 'e'));
  const again = await refused(409, admin('POST', `/api/schema/changes/${last?.id}/undo`));
  expect(again['code']).toBe('schema_conflict');
  await refused(404, admin('POST', '/api/schema/changes/none/undo'));
  const audit = await ok(admin('GET', '/api/audit?action=schema.changed'));
  expect(audit['items']).toHaveLength(5);
});

test('an alias that is removed frees its name, for a type with nodes of its own', async () => {
  const taken = { rename: { type: 'Log', to: 'Word' } };
  expect(await refused(400, change({ changes: [taken] }))).toMatchObject({
    details: { fields: [{ path: 'changes[0].rename.to' }] },
  });
  const uid = await uidOf('Word', 'a');
  await ok(admin('DELETE', '/api/schema/aliases', { type: 'Term', alias: 'Word' }));
  await refused(404, admin('DELETE', '/api/schema/aliases', { type: 'Term', alias: 'Word' }));
  await refused(400, admin('POST', '/api/node/query', { type: 'Word' }));
  await ok(admin('PUT', '/api/schema', { nodes: [{ type: 'Word', fields: {} }], edges: [] }));
  await ingest({ op: 'addOrUpdate', type: 'Word', key: 'a', fields: {} });
  const other = await uidOf('Word', 'a');
  expect(other).not.toBe(uid);
  expect(await uidOf('Term', 'a')).toBe(uid);
});

test.each([
  [{ type: 'None', to: 'Other' }, 'changes[0].rename.type'],
  [{ type: '_User', to: 'Other' }, 'changes[0].rename.type'],
  [{ type: 'Term', to: '_User' }, 'changes[0].rename.to'],
  [{ type: 'Term', to: 'Veiled' }, 'changes[0].rename.to'],
  [{ type: 'Term', to: '1x' }, 'changes[0].rename.to'],
  [{ type: 'Term', to: 'Term' }, 'changes[0].rename.to'],
  [{ type: 'Term', field: 'None', to: 'Other' }, 'changes[0].rename.field'],
  [{ type: 'Term', field: 'Title', to: 'UID' }, 'changes[0].rename.to'],
  [{ type: 'Term', field: 'Title', to: 'Points' }, 'changes[0].rename.to'],
  [{ edge: 'RestrictAccessToUser', to: 'Other' }, 'changes[0].rename.edge'],
  [{ edge: 'Signifies', field: 'Share', to: 'from' }, 'changes[0].rename.to'],
])('%j cannot be had', async (rename, path) => {
  const error = await refused(400, change({ changes: [{ rename }], dryRun: true }));
  expect(error['details']).toMatchObject({ fields: [{ path }] });
});

test('a rule about the key holds when the key is renamed, also to Id and back', async () => {
  const nodes = [{ type: 'Agent', key: 'Code', fields: { Code: 'String' } }];
  await ok(admin('PUT', '/api/schema', { nodes, edges: [] }));
  await ingest({ op: 'addOrUpdate', type: 'Agent', key: 'double-o', fields: {} });
  const uid = await uidOf('Agent', 'double-o');
  const before = Object(await ok(admin('GET', '/api/access/types'))).types;
  const me = { users: [people.uid('ann')] };
  const isHidden = async () => {
    const { json } = await people.as('ann', 'GET', `/api/node/${uid}`);
    expect(json).toMatchObject({ UID: uid, Type: 'Agent' });
    return !JSON.stringify(json).includes('double-o');
  };
  for (const fields of [{ Id: {} }, { Code: me, Id: {} }, { Code: {}, Id: me }]) {
    const types = { ...before, Agent: { fields } };
    await ok(admin('PUT', '/api/access/types', { types }));
    expect(await isHidden()).toBe(true);
    await ok(change({ changes: [{ rename: { type: 'Agent', field: 'Code', to: 'Id' } }] }));
    expect(await isHidden()).toBe(true);
    await ok(change({ changes: [{ rename: { type: 'Agent', field: 'Id', to: 'Code' } }] }));
    expect(await isHidden()).toBe(true);
  }
  await ok(admin('PUT', '/api/access/types', { types: before }));
});

test('a rule that is set while its type is renamed is not lost', async () => {
  const nodes = [{ type: 'Draft0', key: 'Name', fields: { Name: 'String' } }];
  await ok(admin('PUT', '/api/schema', { nodes, edges: [] }));
  await ingest({ op: 'addOrUpdate', type: 'Draft0', key: 'x', fields: {} });
  const before = Object(await ok(admin('GET', '/api/access/types'))).types;
  for (let i = 0; i < 20; i++) {
    const [type, to] = [`Draft${i}`, `Draft${i + 1}`];
    const types = { ...before, [type]: { visibleTo: 'restricted' } };
    const [put] = await Promise.all([
      admin('PUT', '/api/access/types', { types }),
      ok(change({ changes: [{ rename: { type, to } }], force: true })),
    ]);
    const list = await people.as('ann', 'POST', '/api/node/query', { type: to });
    // Whoever was told that the rule holds is right.
    expect([put.status < 300, Object(list.json).total]).toEqual([
      put.status < 300,
      put.status < 300 ? 0 : 1,
    ]);
    await ok(admin('DELETE', '/api/schema/aliases', { type: to, alias: type }));
    await ok(admin('PUT', '/api/access/types', { types: before }));
  }
});

test('a type gets no more writers and readers by the rule of a type that was dropped', async () => {
  const node = (type: string) => ({ type, key: 'Name', fields: { Name: 'String' } });
  await ok(admin('PUT', '/api/schema', { nodes: [node('Lent'), node('Own')], edges: [] }));
  const before = Object(await ok(admin('GET', '/api/access/types'))).types;
  const writableBy = { users: [people.uid('ann')] };
  const types = { ...before, Lent: { writableBy, visibleTo: 'restricted' } };
  await ok(admin('PUT', '/api/access/types', { types }));
  await ok(change({ changes: [{ drop: { type: 'Lent' } }], force: true }));
  await ok(change({ changes: [{ rename: { type: 'Own', to: 'Lent' } }], force: true }));
  const after = Object(await ok(admin('GET', '/api/access/types'))).types;
  expect(after).toEqual({ ...before, Lent: { visibleTo: 'restricted' } });
  await ok(admin('PUT', '/api/access/types', { types: before }));
});
