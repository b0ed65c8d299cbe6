import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesIn, DefinitionsScene, type Files } from '../support/definitions-scene.ts';
import { field, valueAt } from '../support/http-client.ts';

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
  await at.ok('PUT', '/api/schema', {
    nodes: [{ type: 'Word', key: 'Lemma', fields: { Text: 'String', Secret: 'String' } }],
    edges: [{ type: 'Means' }],
  });
  const word = { type: 'Word', key: 'a' };
  await at.ok('POST', '/api/ingest', {
    operations: [
      { op: 'addOrUpdate', ...word, fields: { Text: 'zebra', Secret: 'hush' } },
      { op: 'link', from: word, edge: 'Means', to: word },
    ],
  });
  await at.ok('PUT', '/api/access/types', { types: { Word: { fields: { Secret: {} } } } });
  await at.ok('PUT', '/api/search/settings', { types: { Word: { fields: { Text: {} } } } });
  await at.ok('POST', '/api/endpoints/create', { name: 'texts', code: codeOf('Word', 'Text') });
});
afterAll(() => at[Symbol.asyncDispose]());

const codeOf = (type: string, name: string) =>
  `export default async ({ q }: Scope) => (await q().startAt('${type}').nodes()).map((node) => node.${name});\n`;

const jsonFile = (value: object) => JSON.stringify(value);
const RENAMES = {
  renames: [
    { type: 'Word', to: 'Term' },
    { type: 'Term', field: 'Text', to: 'Title' },
    { field: 'Term.Secret', to: 'Hidden' },
    { edge: 'Means', to: 'Denotes' },
    { type: 'Nowhere', to: 'Somewhere' },
  ],
};
const FILES: Files = {
  'schema-renames.json': jsonFile(RENAMES),
  'schema.json': jsonFile({
    nodes: [{ type: 'Term', fields: { Title: 'String', Hidden: 'String', Rank: 'Int' } }],
    edges: [{ type: 'Denotes' }],
  }),
  'endpoints/texts.ts': codeOf('Term', 'Title'),
  'search-settings.json': jsonFile({ types: { Term: { fields: { Title: { text: {} } } } } }),
};

const nodesOf = (type: string) => at.ok('POST', '/api/node/query', { type });

test('an import that is told so renames, in the same commit as all the rest', async () => {
  const before = await nodesOf('Word');
  const dryRun = await at.import(FILES, '?dryRun=true');
  const changes = [
    'created schema-renames schema-renames',
    'changed schema schema',
    'changed search-settings search-settings',
    'changed endpoint texts',
  ];
  expect(changesIn(dryRun), JSON.stringify(dryRun.items)).toEqual(changes);
  expect(dryRun.items[0]?.diff).toContain('+      "to": "Term"');
  expect(dryRun.items[0]?.diff).not.toContain('Somewhere');
  expect(await nodesOf('Word')).toEqual(before);

  const token = await at.ok('POST', '/api/tokens', {
    kind: 'automation',
    name: 'pipeline',
    scopes: ['deploy'],
  });
  const done = await at.import(FILES, '', field(token, 'token'));
  expect(done).toMatchObject({ applied: true, totals: { failed: 0 } });
  expect(changesIn(done)).toEqual(changes);
  const uid = field(before, 'items', '0', 'UID');
  expect(valueAt(await nodesOf('Term'), 'items', '0')).toMatchObject({
    UID: uid,
    Type: 'Term',
    Title: 'zebra',
  });
  expect(await at.ok('GET', '/api/schema')).toMatchObject({
    nodes: [{ type: 'Term', fields: { Title: 'String', Hidden: 'String', Rank: 'Int' } }],
    edges: [{ type: 'Denotes' }],
    aliases: expect.arrayContaining([{ type: 'Term', alias: 'Word' }]),
  });
  expect(await at.ok('GET', '/api/access/types')).toMatchObject({
    types: { Term: { fields: { Hidden: {} } } },
  });
  expect(await at.ok('POST', '/api/endpoints/run/texts', {})).toEqual(['zebra']);

  const [change] = valueAt(await at.ok('GET', '/api/schema/changes'), 'items') as object[];
  expect(change).toMatchObject({
    changes: [
      { rename: { type: 'Word', to: 'Term' } },
      { rename: { type: 'Term', field: 'Text', to: 'Title' } },
      { rename: { type: 'Term', field: 'Secret', to: 'Hidden' } },
      { rename: { edge: 'Means', to: 'Denotes' } },
    ],
  });
  const again = await at.import(FILES);
  expect([changesIn(again), again.totals.failed]).toEqual([[], 0]);
  expect(await at.exportedFiles()).not.toHaveProperty(['schema-renames.json']);
});

test('what is wrong with a rename keeps all of the import from being made', async () => {
  const renamed = (renames: readonly object[]) =>
    at.import({ 'schema-renames.json': jsonFile({ renames }) });
  await at.ok('PUT', '/api/schema', {
    nodes: [{ type: 'Note', fields: { Body: 'String' } }],
    edges: [],
  });
  const refused = async (renames: readonly object[]) => {
    const { items, applied } = await renamed(renames);
    expect(applied).toBe(false);
    return items.flatMap(({ kind, name, error }) =>
      error === null ? [] : [`${kind} ${name}: ${error.code}`],
    );
  };
  expect(await refused([{ type: 'Note', to: 'Term' }])).toEqual([
    'schema-renames schema-renames: invalid_request',
  ]);
  expect(await refused([{ type: 'Note', to: '_Note' }])).toEqual([
    'schema-renames schema-renames: invalid_request',
  ]);
  expect(await refused([{ type: 'Note' }])).toEqual([
    'schema-renames schema-renames: invalid_request',
  ]);
  // The code that is left alone reads answers by the former name.
  expect(await refused([{ field: 'Term.Title', to: 'Heading' }])).toEqual([
    'endpoint texts: endpoint_not_compiled',
  ]);
  expect(await nodesOf('Note')).toMatchObject({ total: 0 });
});

test('a state from before a rename is not gone back to', async () => {
  const { items } = await at.ok('GET', '/api/deployments');
  const before = items.find(({ cause }: { readonly cause: string }) => cause === 'found');
  const schema = await at.ok('GET', '/api/schema');
  const term = await nodesOf('Term');
  for (const query of ['?dryRun=true', '']) {
    const refused = await at.rollBack(String(before?.id), query);
    expect(refused).toMatchObject({ applied: false, deploymentId: null });
    const errors = refused.items.map(({ kind, error }) => [kind, error?.code]);
    expect(errors).toContainEqual(['schema', 'schema_conflict']);
  }
  expect(await at.ok('GET', '/api/schema')).toEqual(schema);
  expect(await nodesOf('Term')).toEqual(term);
});
