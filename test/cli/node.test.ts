import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { runTrellis } from '../support/command-line.ts';
import { startWorkspace, LIBRARY_SCHEMA, type TestWorkspace } from '../support/workspace.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace();
  const { http, token } = workspace;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (...args: readonly string[]) =>
  runTrellis(['node', ...args], {
    home: folder.path,
    server: workspace.server.url,
    token: workspace.token,
  });
const record = async (name: string) => JSON.parse((await run('get', name, '--json')).stdout);
/** The exit code, and what was wrong as `--json` tells it. */
async function failure(...args: readonly string[]): Promise<readonly [number | null, unknown]> {
  const { code, stderr } = await run(...args, '--json');
  return [code, Object(JSON.parse(stderr).error).code];
}

test('a node is created, shown, changed, linked and deleted', async () => {
  const author = await run('create', 'Author', '--key', 'Frank Herbert', '--set', 'Born=1920');
  expect([author.code, author.stdout]).toEqual([0, `${nodeUid('Author', 'Frank Herbert')}\n`]);
  const values = ['--set', 'Title=Dune=1', '--set', 'Pages=412', '--set', 'Tags=sand; spice'];
  const made = await run('create', 'Book', '--key', 'dune', ...values, '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({
    version: 1,
    node: { Isbn: 'dune', Title: 'Dune=1', Pages: 412, Tags: ['sand', 'spice'] },
  });

  const link = ['Book/dune', 'WrittenBy', 'Author/Frank Herbert'];
  expect((await run('link', ...link, '--set', 'Role=author')).stderr).toBe('Added the link.\n');
  expect((await run('link', ...link, '--set', 'Role=author')).stderr).toContain('already');
  const shown = await run('get', 'Book/dune');
  expect(shown.stdout).toMatch(/^FIELD +VALUE\n(?:.*\n)*Title +Dune=1\n(?:.*\n)*Version +1\n/);
  expect(shown.stdout).toMatch(/WrittenBy +out +1/);

  const change = ['--set', 'Pages=500', '--unset', 'Tags', '--alias', 'dune-1965'];
  const changed = await run('update', 'Book/dune', ...change, '--if-version', '1', '--json');
  expect(JSON.parse(changed.stdout).version).toBe(2);
  const { node } = await record(nodeUid('Book', 'dune'));
  expect(node).toMatchObject({ Pages: 500, Title: 'Dune=1' });
  expect(node).not.toHaveProperty('Tags');

  const back = ['Author/Frank Herbert', 'WrittenBy', 'Book/dune', '--incoming', '--remove'];
  expect(await failure('link', ...back, '--if-version', '9')).toEqual([1, 'version_conflict']);
  expect((await run('link', ...back)).stderr).toBe('Removed the link.\n');
  expect((await run('link', ...back)).stderr).toBe('There was no such link.\n');
  expect((await record('Book/dune')).edges).toEqual([]);

  expect(await failure('delete', 'Book/dune', '--if-version', '1')).toEqual([
    1,
    'version_conflict',
  ]);
  expect((await run('delete', 'Book/dune', '--if-version', '2')).code).toBe(0);
  expect(await failure('get', 'Book/dune')).toEqual([1, 'node_not_found']);
});

test('a node without a key is linked as it is created', async () => {
  await run('create', 'Author', '--key', 'Ann', '--json');
  const { stdout } = await run(
    'create',
    'Book',
    '--set',
    'Title=Lost',
    '--link',
    'WrittenBy=Author/Ann',
  );
  const { edges } = await record(stdout.trim());
  expect(edges).toContainEqual({ edge: 'WrittenBy', direction: 'out', count: 1 });
});

test.each([
  ['a node that has no name', 2, 'wrong_usage', ['get', 'dog']],
  ['a value without a field', 2, 'wrong_usage', ['create', 'Book', '--set', 'Pages']],
  ['a link without a node', 2, 'wrong_usage', ['create', 'Book', '--link', 'WrittenBy']],
  ['no change', 2, 'wrong_usage', ['update', 'Book/x', '--if-version', '1']],
  ['a version that is none', 2, 'wrong_usage', ['delete', 'Book/x', '--if-version', '0']],
  [
    'a link that is taken away with fields',
    2,
    'wrong_usage',
    ['link', 'Book/x', 'WrittenBy', 'Author/y', '--remove', '--set', 'Role=z'],
  ],
  ['a field that there is not', 1, 'unknown_field', ['create', 'Book', '--set', 'Page=1']],
  ['a type that there is not', 1, 'unknown_type', ['create', 'Bok', '--set', 'Page=1']],
  ['text for a number', 1, 'invalid_value', ['create', 'Book', '--set', 'Pages=many']],
  [
    'an edge that there is not',
    1,
    'invalid_operation',
    ['create', 'Book', '--link', 'Wrot=Author/Ann'],
  ],
  ['a node that there is not', 1, 'node_not_found', ['update', 'Book/none', '--set', 'Pages=1']],
])('%s is refused', async (_what, code, error, args) => {
  expect(await failure(...args)).toEqual([code, error]);
});
