import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace();
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function trellis(args: readonly string[], options: { input?: string; token?: string } = {}) {
  return runTrellis(args, { home: folder.path, server: workspace.server.url, ...options });
}

const asAdmin = (args: readonly string[], input?: string) =>
  trellis(args, { token: workspace.token, ...(input === undefined ? {} : { input }) });

test('login keeps the session for later commands, logout forgets it', async () => {
  const before = await trellis(['endpoint', 'list']);
  expect(before.code).toBe(1);
  expect(before.stderr).toContain('trellis login');
  const login = await trellis(['login', '--user', 'admin', '--password-stdin'], {
    input: `${ADMIN_PASSWORD}\n`,
  });
  expect([login.code, login.stderr]).toEqual([0, expect.stringContaining('admin')]);
  expect((await trellis(['endpoint', 'list', '--json'])).code).toBe(0);
  await trellis(['logout']);
  expect((await trellis(['endpoint', 'list'])).code).toBe(1);
});

test('CSV is imported with its schema, and imported again changes nothing', async () => {
  const file = join(folder.path, 'people.csv');
  await writeFile(
    file,
    'Email,Name,Age,Boss\nann@x.org,Ann,40,\nbob@x.org,"Bob, the second",35,ann@x.org\n',
  );
  const dryRun = await asAdmin([
    'import',
    'csv',
    file,
    '--type',
    'Person',
    '--key',
    'Email',
    '--types',
    'Age:Int',
    '--link',
    'Boss:ReportsTo:Person',
    '--dry-run',
    '--json',
  ]);
  expect([dryRun.code, dryRun.stderr]).toEqual([0, expect.any(String)]);
  const args = [
    'import',
    'csv',
    file,
    '--type',
    'Person',
    '--key',
    'Email',
    '--types',
    'Age:Int',
    '--link',
    'Boss:ReportsTo:Person',
    '--create-schema',
    '--json',
  ];
  const first = await asAdmin(args);
  expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
  expect(JSON.parse(first.stdout)).toMatchObject({ nodes: 2, edges: 1 });
  expect(JSON.parse((await asAdmin(args)).stdout)).toMatchObject({ nodes: 0, edges: 0 });
  const schema = JSON.parse((await asAdmin(['schema', 'get', '--json'])).stdout);
  expect(schema.nodes).toContainEqual(
    expect.objectContaining({ type: 'Person', fields: expect.objectContaining({ Age: 'Int' }) }),
  );
});

test('NDJSON operations are imported, and a bad line is named', async () => {
  await asAdmin(
    ['schema', 'put', '-'],
    JSON.stringify({ nodes: [{ type: 'Note', fields: { Text: 'String' } }], edges: [] }),
  );
  const note = (key: string, field: string) =>
    JSON.stringify({ op: 'addOrUpdate', type: 'Note', key, fields: { [field]: 'x' } });
  const good = await asAdmin(
    ['import', 'ndjson', '-', '--json'],
    `${note('a', 'Text')}\n${note('b', 'Text')}\n`,
  );
  expect([good.code, JSON.parse(good.stdout)]).toEqual([0, expect.objectContaining({ nodes: 2 })]);
  const file = join(folder.path, 'bad.ndjson');
  await writeFile(file, `${note('c', 'Text')}\n${note('d', 'Txet')}\n`);
  const bad = await asAdmin(['import', 'ndjson', file]);
  expect(bad.code).toBe(1);
  expect(bad.stderr).toContain('bad.ndjson:2');
  expect(bad.stderr).toContain('Txet');

  const rejects = join(folder.path, 'rejects.ndjson');
  const skipping = await asAdmin(['import', 'ndjson', file, '--rejects', rejects, '--json']);
  expect([skipping.code, JSON.parse(skipping.stdout)]).toEqual([
    0,
    expect.objectContaining({ operations: 1, nodes: 1, skipped: 1 }),
  ]);
  expect(JSON.parse(await readFile(rejects, 'utf8'))).toEqual({
    line: 2,
    reason: expect.stringContaining('Txet'),
    text: note('d', 'Txet'),
  });
});

test('endpoints are pushed from files, listed and run; one that does not compile is shown with its place', async () => {
  const endpoints = join(folder.path, 'endpoints');
  await mkdir(join(endpoints, 'reports'), { recursive: true });
  await writeFile(
    join(endpoints, 'reports/echo.ts'),
    '// trellis: readOnly\nexport default async function ({ body }: Scope<{ word: string }>) {\n  return { word: body.word };\n}\n',
  );
  const pushed = await asAdmin(['endpoint', 'push', endpoints]);
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.any(String)]);
  const run = await asAdmin(['endpoint', 'run', 'reports/echo', '{"word":"hello"}', '--json']);
  expect([run.code, JSON.parse(run.stdout)]).toEqual([0, { word: 'hello' }]);
  const listed = JSON.parse((await asAdmin(['endpoint', 'list', '--json'])).stdout);
  expect(JSON.stringify(listed)).toContain('"isReadOnly":true');

  const broken = join(endpoints, 'broken.ts');
  await writeFile(
    broken,
    'export default async function ({ graph }: Scope) {\n  return graph.nothing();\n}\n',
  );
  const refused = await asAdmin(['endpoint', 'push', endpoints]);
  expect(refused.code).toBe(1);
  expect(refused.stderr + refused.stdout).toMatch(/broken\.ts:2:\d+/);
});

test('a server that is not there is said to be so', async () => {
  const gone = await trellis(['status', '--server', 'http://127.0.0.1:9']);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toContain('http://127.0.0.1:9');
  expect((await trellis(['no-such-command'])).code).toBe(2);
});
