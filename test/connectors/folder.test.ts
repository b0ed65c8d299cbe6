import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectorScene } from './connector-scene.ts';

let at: ConnectorScene;
let folder: string;

beforeAll(async () => {
  at = await ConnectorScene.start(['ingestion', 'read']);
  folder = join(at.folder, 'documents');
  mkdirSync(join(folder, 'trips/2026'), { recursive: true });
});
afterAll(() => at[Symbol.asyncDispose]());

async function found(query: string): Promise<unknown[]> {
  const { json } = await at.people.as('admin', 'POST', '/api/endpoints/run/system/search', {
    query,
  });
  return Object(json).hits.map((hit: object) => basename(Object(Object(hit).node).Id));
}

const run = () => at.run('folder', ['--folder', folder]);

test('files come with their folders and what is in them, and search finds them by it', async () => {
  writeFileSync(join(folder, 'readme.txt'), 'A quokka lives on an island.');
  writeFileSync(join(folder, 'trips/2026/plan.txt'), 'To the lighthouse.');
  expect(await run()).toMatchObject({ rejected: 0 });
  expect(Object.keys(await at.nodes('Folder')).toSorted()).toEqual(['.', 'trips', 'trips/2026']);
  expect(await at.nodes('Document')).toMatchObject({
    'readme.txt': { Name: 'readme.txt', Bytes: 28 },
    'trips/2026/plan.txt': { Name: 'plan.txt' },
  });
  await expect.poll(() => found('quokka')).toEqual(['readme.txt']);
  const again = await run();
  expect(again).toMatchObject({ operations: 0 });
  expect(again.unchanged).toBe(again.rows);
});

test('a changed file is replaced, a moved one moves, a deleted one goes', async () => {
  writeFileSync(join(folder, 'readme.txt'), 'A wombat digs a burrow.');
  await run();
  await expect.poll(() => found('wombat')).toEqual(['readme.txt']);
  expect(await found('quokka')).toEqual([]);
  renameSync(join(folder, 'trips/2026/plan.txt'), join(folder, 'plan.txt'));
  await run();
  expect(Object.keys(await at.nodes('Document')).toSorted()).toEqual(['plan.txt', 'readme.txt']);
  await expect.poll(() => found('lighthouse')).toEqual(['plan.txt']);
  rmSync(join(folder, 'readme.txt'));
  await run();
  await expect.poll(() => found('wombat')).toEqual([]);
});

test('files are told apart, whatever their names end with', async () => {
  writeFileSync(join(folder, 'odd'), 'An okapi.');
  writeFileSync(join(folder, 'odd content'), 'A tapir.');
  await run();
  expect(Object.keys(await at.nodes('Document'))).toEqual(
    expect.arrayContaining(['odd', 'odd content']),
  );
  expect(await run()).toMatchObject({ operations: 0 });
});

test('a limit that is no number is refused, and nothing is brought', async () => {
  const args = ['--folder', folder, '--max-bytes', '5MB'];
  const { code, stderr } = await at.end(at.launch('folder', args));
  expect([code, stderr]).toEqual([1, 'folder: --max-bytes 5MB: a whole number is needed\n']);
});
