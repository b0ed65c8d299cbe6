import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesIn, DefinitionsScene } from '../support/definitions-scene.ts';
import { MIGRATION } from '../support/every-definition.ts';

const OTHER = MIGRATION.replace('moved', 'moved again');
const FILES = { 'migrations/001.ts': MIGRATION, 'migrations/001.json': '{"runOnStartup": true}' };

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const migration = (name: string) => at.ok('GET', `/api/migrations/${name}`);

/** Runs it, and resolves when it has succeeded. */
async function run(name: string): Promise<void> {
  const { id } = await at.ok('POST', `/api/migrations/${name}/run`);
  await expect.poll(async () => (await at.ok('GET', `/api/jobs/${id}`)).state).toBe('succeeded');
}

test('an import makes migrations and runs none, not even those of a start', async () => {
  const dryRun = await at.import(FILES, '?dryRun=true');
  expect(changesIn(dryRun)).toEqual(['created migration 001']);
  expect(changesIn(await at.import(FILES))).toEqual(['created migration 001']);
  const made = await migration('001');
  expect(made).toMatchObject({ code: MIGRATION, runOnStartup: true, version: 1 });
  expect(made).toMatchObject({ status: 'pending', ranVersion: null, log: [] });
  expect((await at.ok('GET', '/api/jobs?kind=migration')).total).toBe(0);
  const { items } = await at.ok('GET', '/api/code/history/item/migration/001');
  expect(items).toMatchObject([{ action: 'created', by: { name: 'admin' } }]);
});

test('that it ran is in no export, and stays through an import of other code', async () => {
  const before = await at.exportedFiles();
  await run('001');
  expect(await at.exportedFiles()).toEqual(before);
  expect(JSON.parse(before['migrations/001.json']!)).toEqual({ runOnStartup: true });
  expect(changesIn(await at.import(FILES))).toEqual([]);
  const changed = await at.import({ 'migrations/001.ts': OTHER });
  expect(changesIn(changed)).toEqual(['changed migration 001']);
  const now = { code: OTHER, runOnStartup: false, version: 2 };
  expect(await migration('001')).toMatchObject({ ...now, status: 'succeeded', ranVersion: 1 });
});

test('code that does not compile is kept where that is wanted, and said; names and settings are checked', async () => {
  const broken = { 'migrations/002.ts': 'export default async () => missing;\n' };
  expect((await at.import(broken)).items[0]?.error?.code).toBe('migration_not_compiled');
  for (const query of ['?drafts=true&dryRun=true', '?drafts=true']) {
    const { items } = await at.import(broken, query);
    expect(items).toMatchObject([
      {
        action: 'created',
        diagnostics: [{ line: 1, message: expect.stringContaining('missing') }],
      },
    ]);
  }
  expect(await migration('002')).toMatchObject({ compiles: false, status: 'pending' });
  const wrong = {
    'migrations/a/b.ts': MIGRATION,
    'migrations/state.ts': MIGRATION,
    'migrations/state.json': '{"status": "succeeded"}',
    'migrations/alone.json': '{}',
  };
  expect(changesIn(await at.import(wrong)).toSorted()).toEqual([
    'failed migration a/b',
    'failed migration alone',
    'failed migration state',
  ]);
});

test('a file that is named like the UID of another migration is one of its own', async () => {
  const { UID } = await migration('001');
  const files = { [`migrations/${UID}.ts`]: MIGRATION };
  expect(changesIn(await at.import(files))).toEqual([`created migration ${UID}`]);
  expect(await migration('001')).toMatchObject({ code: OTHER });
  await at.ok('DELETE', `/api/migrations/${UID}`);
});

test('a mirror deletes those that the zip has not', async () => {
  const rest = Object.entries(await at.exportedFiles()).filter(([path]) => !path.includes('/002.'));
  const result = await at.import(Object.fromEntries(rest), '?mirror=true');
  expect(changesIn(result)).toEqual(['deleted migration 002']);
  const { items } = await at.ok('GET', '/api/migrations');
  expect(items).toMatchObject([{ name: '001', status: 'succeeded' }]);
});
