import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesIn, DefinitionsScene, MANIFEST } from '../support/definitions-scene.ts';
import { zipOf } from '../support/zip.ts';

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const MAP = JSON.stringify({ version: 3, sources: ['a.js'], names: [], mappings: 'AAAA' });

function mapOf(more: object): { readonly map: string } {
  return { map: JSON.stringify({ version: 3, sources: ['a.js'], mappings: 'AAAA', ...more }) };
}

function bundle(code: string, more: Readonly<Record<string, unknown>> = {}): string {
  const head = { package: 'ours', version: '1.0.0', license: 'MIT', isCommonJs: false };
  return JSON.stringify({ ...head, typesEntry: null, types: {}, code, map: MAP, ...more });
}

const FILES = {
  'npm/ours.json': bundle('const price = 3;\nexport { price };\n'),
  'endpoints/cost.ts':
    "import { price } from 'ours';\nexport default async () => ({ price: price as number });\n",
};
const cost = () => at.ok('POST', '/api/endpoints/run/cost', {});

async function statusOf(method: string, path: string, body?: unknown): Promise<number> {
  const { http, token } = at.workspace;
  return (await http.send({ method, path, token, body })).status;
}

/** Why one file is refused. */
async function refusalOf(path: string, text: string): Promise<string> {
  const { items } = await at.import({ [path]: text }, '?dryRun=true');
  const [item] = items;
  return item?.error?.message ?? '';
}

test('a package is imported before what imports it, listed, exported and deleted', async () => {
  expect(changesIn(await at.import(FILES))).toEqual([
    'created package ours',
    'created endpoint cost',
  ]);
  expect(await cost()).toEqual({ price: 3 });
  expect(await at.ok('GET', '/api/packages')).toMatchObject({
    total: 1,
    items: [
      {
        specifier: 'ours',
        version: '1.0.0',
        license: 'MIT',
        codeBytes: 35,
        typesBytes: 0,
        revision: 1,
        usedBy: [{ kind: 'endpoint', name: 'cost', compiles: true }],
      },
    ],
  });
  const files = await at.exportedFiles();
  expect(Object.keys(files)).toContain('npm/ours.json');
  expect(changesIn(await at.import(files, '?mirror=true'))).toEqual([]);
});

test('a CPU profile has its functions where their author has them', async () => {
  const spins = `function spin(until) {
  while (Date.now() < until) for (let i = 0; i < 1000; i++) Math.sqrt(i);
}
export { spin };
`;
  // Line 1 of the bundle is line 5 of the file.
  const sources = ['node_modules/spins/index.js'];
  const map = JSON.stringify({ version: 3, sources, names: [], mappings: 'AAIA' });
  const code = `import { spin } from 'spins';
export default async () => { spin(Date.now() + 200); };
`;
  await at.import({ 'npm/spins.json': bundle(spins, { package: 'spins', map }) });
  const draft = { name: 'profiled', code, profile: true };
  const { profile } = await at.ok('POST', '/api/build/run-draft', draft);
  const frames = profile.nodes.map(({ callFrame }: { callFrame: object }) => callFrame);
  const [url] = sources;
  expect(frames).toContainEqual(
    expect.objectContaining({ functionName: 'spin', url, lineNumber: 4 }),
  );
  expect(JSON.stringify(profile)).not.toContain('npm:');
  const { 'npm/spins.json': _, ...others } = await at.exportedFiles();
  await at.import(others, '?mirror=true');
});

test('it is no module: none of its routes shows it', async () => {
  expect(await at.ok('GET', '/api/modules')).toMatchObject({ total: 0 });
  const { items } = Object(await at.ok('GET', '/api/build/catalog'));
  expect(JSON.stringify(items)).not.toContain('npm:');
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const body = method === 'PUT' ? { code: 'export const price = 4;' } : undefined;
    expect([method, await statusOf(method, '/api/modules/npm:ours', body)]).toEqual([method, 404]);
  }
  const made = { name: 'npm:ours', code: 'export const price = 4;' };
  expect(await statusOf('POST', '/api/modules/create', made)).toBe(400);
});

test('it changes together with the code that imports it, or not at all', async () => {
  const renamed = { 'npm/ours.json': bundle('const cost = 4;\nexport { cost };\n', TYPED) };
  expect((await at.import(renamed)).applied).toBe(false);
  expect(await cost()).toEqual({ price: 3 });
  const both = {
    ...renamed,
    'endpoints/cost.ts': "import { cost } from 'ours';\nexport default async () => cost;\n",
  };
  expect((await at.import(both)).applied).toBe(true);
  expect(Number(await cost())).toBe(4);
});

const TYPED = {
  typesEntry: 'ours/index.d.ts',
  types: { 'ours/index.d.ts': 'export declare const cost: number;\n' },
};

test('a rollback brings a package back with its code, and each version is in the history', async () => {
  const { items } = await at.ok('GET', '/api/deployments');
  const [, before] = items;
  expect((await at.rollBack(before.id)).applied).toBe(true);
  expect(await cost()).toEqual({ price: 3 });
  expect((await at.rollBack(items[0].id)).applied).toBe(true);
  expect(Number(await cost())).toBe(4);
  const listed = await at.ok('GET', '/api/packages');
  expect(listed.items[0].revision).toBe(4);
});

test('what is still imported stays, and what nothing imports goes with a mirror', async () => {
  const all = await at.exportedFiles();
  const { 'npm/ours.json': _, ...without } = all;
  const refused = await at.import(without, '?mirror=true');
  expect(JSON.stringify(refused.items)).toContain('is imported by the endpoint');
  const { 'endpoints/cost.ts': _code, 'endpoints/cost.json': _settings, ...neither } = without;
  expect(changesIn(await at.import(neither, '?mirror=true')).toSorted()).toEqual([
    'deleted endpoint cost',
    'deleted package ours',
  ]);
  await at.import(all);
});

test.for([
  ["import 'node:fs';\n", 'line 1 of its code imports'],
  ["const a = 1;\nimport('x');\n", 'line 2 of its code imports'],
  ['export const a = import.meta;\n', 'line 1 of its code imports'],
  ["export * from 'theirs';\n", 'line 1 of its code imports'],
  ['const a = 1 <!-- 2;\n', 'has "<!--"'],
  ['const a = 1;\n--> 2;\n', 'line 2 of its code has "-->"'],
  ['export const a = await 1;\n', 'await'],
  ['}); (function () {\n', ''],
  ['const a = ;\n', 'Unexpected token'],
  ['\ud800', 'well-formed'],
] as const)('code like %j is refused', async ([code, why]) => {
  const message = await refusalOf('npm/bad.json', bundle(code));
  expect(message).not.toBe('');
  expect(message).toContain(why);
});

test('code that is made to be slow to read is read at once', async () => {
  const code = `export default ${'/*x*/'.repeat(200_000)}1;`;
  expect(await refusalOf('npm/slow.json', bundle(code))).toBe('');
});

test('code that is nested too deeply is refused', async () => {
  const message = await refusalOf('npm/bad.json', bundle(`const a = ${'!'.repeat(1_000_000)}1;`));
  expect(message).toContain('its code is nested too deeply');
});

test.for([
  ['its name', 'npm/a b.json', bundle('')],
  ['its name', 'npm/_b.json', bundle('')],
  ['a member too many', 'npm/bad.json', bundle('', { more: 1 })],
  ['a file of types elsewhere', 'npm/bad.json', bundle('', { types: { '../a/b.d.ts': '' } })],
  ['a file of another kind', 'npm/bad.json', bundle('', { types: { 'a/b.ts': '' } })],
  ['types that are not there', 'npm/bad.json', bundle('', { typesEntry: 'a/b.d.ts' })],
  ['a source map', 'npm/bad.json', bundle('', { map: '{' })],
  ['a map without an end', 'npm/bad.json', bundle('', mapOf({ mappings: { length: 1e15 } }))],
  ['a map of too many files', 'npm/bad.json', bundle('', mapOf({ sources: { length: 1e15 } }))],
  ['a map of maps', 'npm/bad.json', bundle('', mapOf({ sections: [], mappings: undefined }))],
  ['the name of a file', 'npm/bad.json', bundle('', mapOf({ sources: ['x'.repeat(2_000)] }))],
  ['too much code', 'npm/bad.json', bundle('x'.repeat(1024 * 1024 + 1))],
  [
    'too many types',
    'npm/bad.json',
    bundle('', { types: { 'a/b.d.ts': 'x'.repeat(2 ** 20 + 1) } }),
  ],
  ['too many files', 'npm/bad.json', bundle('', { types: manyFiles(1_001) })],
] as const)('%s may be wrong', async ([, path, text]) => {
  const zip = await zipOf({ ...MANIFEST, [path]: text });
  const answer = await at.upload(zip, '?dryRun=true');
  const said = await answer.text();
  expect(answer.status < 500 && /"failed":1|"code":"invalid_definitions"/.test(said), said).toBe(
    true,
  );
});

function manyFiles(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`a/f${i}.d.ts`, '']));
}
