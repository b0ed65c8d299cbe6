import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesIn, DefinitionsScene, EXPORT, filesIn } from '../support/definitions-scene.ts';
import { CODE, defineEverything } from '../support/every-definition.ts';

let at: DefinitionsScene;
let id: string;
let token: string;
beforeAll(async () => {
  at = await DefinitionsScene.start();
  await defineEverything(at);
  const body = { kind: 'automation', name: 'ci', scopes: ['deploy'] };
  ({ id, token } = await at.ok('POST', '/api/tokens', body));
});
afterAll(() => at[Symbol.asyncDispose]());

/** Names of the people and teams that `defineEverything` makes. */
const PEOPLE = /Editors|"admin"/;

async function exported() {
  const answer = await at.send(EXPORT, {}, token);
  expect(answer.status).toBe(200);
  return filesIn(new Uint8Array(await answer.arrayBuffer()));
}

test('it exports what is not about people and their rights', async () => {
  const files = await exported();
  const all = await at.exportedFiles();
  const missing = Object.keys(all).filter((path) => !(path in files));
  expect(missing).toEqual([
    expect.stringMatching(/^connectors\//),
    'tasks/Every night.json',
    'type-access.json',
    'workspace-settings.json',
  ]);
  expect(JSON.stringify(files)).not.toMatch(PEOPLE);
  const { kinds } = JSON.parse(files['manifest.json']!);
  expect(kinds).not.toContain('type-access');
  expect(kinds).toContain('agent');
});

test('it imports, and the deployment and the audit name it', async () => {
  const result = await at.import({ 'endpoints/made.ts': CODE }, '', token);
  expect(changesIn(result)).toEqual(['created endpoint made']);
  const made = await at.ok('GET', `/api/deployments/${result.deploymentId}`);
  expect(made).toMatchObject({ by: null, token: { id, name: 'ci' } });
  const { items } = await at.ok('GET', '/api/audit?action=definitions.imported');
  expect(items[0].details).toMatchObject({ token: { id, name: 'ci' } });
});

test('it changes what administrators have kept to themselves, such as their agents', async () => {
  const files = await exported();
  const { 'agents/librarian.json': settings, 'agents/librarian.md': text } = files;
  const changed = { 'agents/librarian.json': settings!, 'agents/librarian.md': `${text}Please.\n` };
  expect(changesIn(await at.import(changed, '', token))).toEqual(['changed agent librarian']);
});

test('it leaves out who may see what, tasks and settings of the workspace, and tells nothing of them', async () => {
  const before = await at.exportedFiles();
  const source = '{"kind": "csv", "url": "https://api.example.com/", "type": "T", "key": "k"}';
  const files = {
    'connectors/mine.json': `{"name": "Mine", "source": ${source}}`,
    'type-access.json': '{"types": {}}',
    'workspace-settings.json': '{"name": "Mine", "fetchAllowList": ["https://evil.example"]}',
    'tasks/Every night.json': '{"cron": "@hourly", "endpoint": "made", "actingUser": "admin"}',
    'tasks/more.json': '{"cron": "@hourly", "endpoint": "made", "actingUser": "admin"}',
  };
  for (const query of ['?dryRun=true', '', '?mirror=true&dryRun=true']) {
    const events = await at.events(files, query, token);
    const result = Object(events.at(-2)?.data);
    expect(result.ignored).toEqual(Object.keys(files).toSorted());
    expect(JSON.stringify(events)).not.toMatch(PEOPLE);
    const kinds = result.items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).not.toContain('task');
    expect(kinds).not.toContain('connector');
    expect(kinds).not.toContain('type-access');
  }
  expect(await at.exportedFiles()).toEqual(before);
});

test('it cannot give the name of one type to another, and so the rule of access', async () => {
  const nodes = ['Sealed', 'Shown'].map((type) => ({ type, fields: { Text: 'String' } }));
  await at.ok('PUT', '/api/schema', { nodes, edges: [] });
  const { types } = await at.ok('GET', '/api/access/types');
  await at.ok('PUT', '/api/access/types', {
    types: { ...types, Sealed: { visibleTo: 'restricted' } },
  });
  const before = await at.exportedFiles();
  const swap = [
    { type: 'Sealed', to: 'Spare' },
    { type: 'Shown', to: 'Sealed' },
    { type: 'Spare', to: 'Shown' },
  ];
  const schema = JSON.stringify({ nodes: [nodes[0]] });
  for (const [renames, files] of [
    [swap, {}],
    [swap.slice(0, 2), {}],
    [swap.slice(1), {}],
    // The former name belongs to the data that had it, whatever the schema of the files says.
    [swap.slice(0, 1), { 'schema.json': schema }],
  ] as const) {
    const renaming = { 'schema-renames.json': JSON.stringify({ renames }) };
    const result = await at.import({ ...renaming, ...files }, '', token);
    expect([renames, result.applied]).toEqual([renames, false]);
  }
  expect(await at.exportedFiles()).toEqual(before);
});

test('it reads the types, and nothing else of the workspace', async () => {
  const status = async (path: string, init: RequestInit = {}) =>
    (await at.send(path, init, token)).status;
  expect(await status('/api/build/types?scope=full')).toBe(200);
  expect(await status('/api/build/program-types')).toBe(200);
  const refused = [
    '/api/schema',
    '/api/users',
    '/api/tokens',
    '/api/audit',
    '/api/deployments',
    '/api/endpoints',
    '/api/access/types',
  ];
  for (const path of refused) expect([path, await status(path)]).toEqual([path, 403]);
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  expect(await status('/api/cce/made', post)).toBe(403);
  expect(await status('/api/node/query', post)).toBe(403);
});

test('no other kind of token can have the scope', async () => {
  const { workspace } = at;
  for (const kind of ['api', 'connector']) {
    const body = { kind, name: 'no', scopes: ['deploy'] };
    const { status, json } = await workspace.http.send({
      path: '/api/tokens',
      token: workspace.token,
      body,
    });
    expect([status, Object(json).error.code]).toEqual([400, 'invalid_request']);
  }
});
