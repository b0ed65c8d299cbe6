import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesIn, DefinitionsScene } from '../support/definitions-scene.ts';

const FILES = {
  'lib/a/total.ts': "import { price } from '#lib/prices.ts';\nexport const total = () => price;\n",
  'lib/prices.ts': 'export const price = 3;\n',
  'endpoints/total.ts':
    "import { total } from '#lib/a/total.ts';\nexport default async () => total();\n",
};
const EVERYTHING = ['created module prices', 'created module a/total', 'created endpoint total'];

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const run = () => at.ok('POST', '/api/endpoints/run/total', {});
const noDiagnostics = (report: {
  readonly items: readonly { readonly diagnostics: readonly unknown[] }[];
}) => report.items.flatMap(({ diagnostics }) => diagnostics);

test('an import makes modules before what imports them, each after what it imports', async () => {
  const dryRun = await at.import(FILES, '?dryRun=true');
  expect(changesIn(dryRun)).toEqual(EVERYTHING);
  expect(noDiagnostics(dryRun)).toEqual([]);
  const done = await at.import(FILES);
  expect(changesIn(done)).toEqual(EVERYTHING);
  expect(noDiagnostics(done)).toEqual([]);
  expect(Number(await run())).toBe(3);
});

test('an export has them as text alone, and imports to nothing new', async () => {
  const files = await at.exportedFiles();
  const ofModules = Object.keys(files).filter((path) => path.startsWith('lib/'));
  expect(ofModules).toEqual(['lib/a/total.ts', 'lib/prices.ts']);
  expect(files['lib/prices.ts']).toBe(FILES['lib/prices.ts']);
  expect(changesIn(await at.import(files))).toEqual([]);
});

test('a module and who imports it change together', async () => {
  const renamed = {
    'lib/prices.ts': 'export const cost = 4;\n',
    'lib/a/total.ts': FILES['lib/a/total.ts']
      .replaceAll('price }', 'cost }')
      .replace('=> price', '=> cost'),
  };
  const dryRun = await at.import(renamed, '?dryRun=true');
  expect(noDiagnostics(dryRun)).toEqual([]);
  await at.import(renamed);
  expect(Number(await run())).toBe(4);
});

test('names and members are checked', async () => {
  const { items } = await at.import({
    'lib/.hidden.ts': '',
    'lib/a.d.ts': 'export {};',
    'lib/more.ts': 'export const a = 1;\n',
    'lib/more.json': '{"description": "x"}',
  });
  expect(items).toMatchObject([
    { name: 'a.d', action: 'failed', error: { code: 'invalid_request' } },
    { name: 'more', action: 'failed', error: { code: 'invalid_request' } },
  ]);
});

test('a mirror deletes those that nothing imports any more', async () => {
  const files = await at.exportedFiles();
  const kept = Object.entries(files).filter(([path]) => !/^(lib|endpoints)\//.test(path));
  const report = await at.import(Object.fromEntries(kept), '?mirror=true');
  expect(changesIn(report)).toEqual([
    'deleted endpoint total',
    'deleted module a/total',
    'deleted module prices',
  ]);
});
