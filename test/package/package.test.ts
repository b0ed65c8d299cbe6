import { existsSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { HttpClient } from '../support/http-client.ts';
import { requireRoot } from '../support/requires.ts';
import {
  ADMIN_PASSWORD,
  type StartOptions,
  TrellisProcess,
  temporaryFolder,
} from '../support/trellis-process.ts';
import { InstalledPackage } from './installed-package.ts';

/** What is given away, installed where there is no repository (specification, section 9). */

const execute = promisify(execFile);
const BUILD = 42;
/** To make all packages, of which two are large, and to install them. */
const PACKAGES_MS = 600_000;
const COMPILER = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let installed: InstalledPackage;

beforeAll(async () => {
  folder = await temporaryFolder();
  installed = await InstalledPackage.install(folder.path, BUILD, ['--standalone', process.arch]);
}, PACKAGES_MS);
afterAll(() => folder?.[Symbol.asyncDispose]());

describe('the program', () => {
  test('has a calendar version with the number of its build, and helps', async () => {
    const { stdout } = await installed.run('npx', ['trellis', '--version']);
    expect(stdout.trim()).toMatch(/^\d\d\.([1-9]|1[0-2])\.42$/);
    expect((await installed.run('npx', ['trellis', '--help'])).stdout).toContain('serve');
  });

  test('serves the workspace: sign-in, a checked endpoint, search, the front end', async () => {
    await expectToServe({ storage: join(folder.path, 'data'), program: installed.program });
  });

  test('is JavaScript with maps, and says what it consists of', async () => {
    const files = await installed.ownFiles();
    const modules = files.filter((file) => file.includes('/src/') && file.endsWith('.js'));
    expect(modules.length).toBeGreaterThan(500);
    expect(modules.filter((file) => !existsSync(`${file}.map`))).toEqual([]);
    // Templates are the beginning of what others write and test.
    const own = files.filter((file) => !file.includes('/templates/'));
    expect(own.filter((file) => /\.test\.|\/testing\//.test(file))).toEqual([]);
    const root = join(installed.folder, 'node_modules/trellis');
    const bill = JSON.parse(await readFile(join(root, 'sbom.cdx.json'), 'utf8'));
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const named = bill.components.map(({ name }: { name: string }) => name);
    const foreign = Object.keys(manifest.dependencies).filter(
      (name) => !name.startsWith('@trellis/'),
    );
    expect(named).toEqual(expect.arrayContaining([...foreign, 'react']));
    expect(bill.metadata.component).toMatchObject({ name: 'trellis', version: manifest.version });
  });
});

/** The whole workspace: sign-in, a checked endpoint, search, the front end. */
async function expectToServe(options: StartOptions): Promise<void> {
  await using server = await TrellisProcess.start(options);
  const http = new HttpClient(server.url);
  const token = await http.signIn('admin', ADMIN_PASSWORD);
  const post = (path: string, body: object) => http.send({ method: 'POST', path, token, body });

  const code =
    'export default async ({ q }: Scope) => ({ users: await q().startAt("_User").count() });';
  const broken = code.replace('count()', 'counted()');
  const check = await post('/api/endpoints/check', { code: broken });
  expect(check.json).toMatchObject({ diagnostics: [{ line: 1 }] });
  const created = await post('/api/endpoints/create', { name: 'users', code, isReadOnly: true });
  expect(created).toMatchObject({ status: 201, json: { compiles: true } });
  expect((await post('/api/endpoints/run/users', {})).json).toEqual({ users: 1 });
  const found = await post('/api/cce/system/search', { query: 'admin' });
  expect(found.status, found.text).toBe(200);

  await expectTextOfFile(new TrellisClient({ baseUrl: server.url, token }));
  const page = await http.send({ path: '/' });
  expect(page.status).toBe(200);
  const [, script] = /<script[^>]* src="([^"]+)"/.exec(page.text) ?? [];
  const asset = await http.send({ path: new URL(String(script), `${server.url}/`).pathname });
  expect(asset.status).toBe(200);
  const documents = await http.send({ path: '/docs/tutorial.html' });
  expect(documents.text).toContain('Your own data in 15 minutes');
  expect((await http.send({ path: '/health', token })).json).toMatchObject({
    version: expect.stringMatching(/\.42$/),
  });
  expect(await server.stop()).toBe(0);
}

/** Text is taken out of files by programs of their own, which may read little. */
async function expectTextOfFile(client: TrellisClient): Promise<void> {
  await client.schema.put({ nodes: [{ type: 'Note', key: 'Title', fields: {} }], edges: [] });
  await client.graph.ingest([{ op: 'addOrUpdate', type: 'Note', key: 'first' }]);
  const page = new Blob(['<h1>Trellis</h1>'], { type: 'text/html' });
  const file = await client.files.uploadInPieces(nodeUid('Note', 'first'), 'page.html', page);
  const state = async () => (await client.files.get(file.UID)).TextState;
  await expect.poll(state).toBe('extracted');
}

/** Only what Debian's package says that it needs, the shell, and devices that every process has. */
async function cleanRoot(path: string, debianPackage: string): Promise<void> {
  const { stdout: needs } = await execute('dpkg-deb', ['--field', debianPackage, 'Depends']);
  const names = new Set(['dash', ...packageNames(needs)]);
  // A set also visits what is added while it is read.
  for (const name of names) {
    const fields = ['--show', '--showformat', '${Pre-Depends},${Depends}', name];
    const { stdout } = await execute('dpkg-query', fields);
    for (const needed of packageNames(stdout)) names.add(needed);
  }
  const listed = await Promise.all([...names].map((name) => execute('dpkg', ['-L', name])));
  const files = listed
    .flatMap(({ stdout }) => stdout.split('\n'))
    .filter((file) => existsSync(file));
  const list = `${path}.files`;
  await writeFile(list, files.join('\n'));
  const links = ['bin', 'lib', 'lib64'].map(async (name) => {
    await mkdir(join(path, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(path, name));
  });
  await Promise.all(links);
  for (const name of ['dev', 'proc', 'tmp']) await mkdir(join(path, name));
  await execute(
    'sh',
    [
      '-e',
      '-c',
      `tar -C / --no-recursion -cf - -T "$1" | tar -C "$2" --keep-directory-symlink -xf -
cp -a /dev/null /dev/urandom "$2/dev/"`,
      'sh',
      list,
      path,
    ],
    { maxBuffer: 2 ** 26 },
  );
}

/** `trellis` in that root, with a view of the processes, which is gone when it ends. */
function commandIn(root: string): string[] {
  const enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/trellis "$@"';
  return ['unshare', '--mount', 'sh', '-c', enter, root];
}

/** Of a field of Debian, of alternatives the first. */
function packageNames(field: string): string[] {
  return field
    .split(',')
    .map((one) => one.trim().split(/[ :|(]/, 1)[0] ?? '')
    .filter((name) => name !== '');
}

describe.skipIf(requireRoot())('with Node in it, where nothing else is installed', () => {
  const fileWith = (end: string): string =>
    installed.archives.find((path) => path.endsWith(end)) ?? `there is no ${end}`;

  test('the package of Debian serves the workspace', async () => {
    const root = join(folder.path, 'debian');
    await cleanRoot(root, fileWith('.deb'));
    await execute('dpkg-deb', ['-x', fileWith('.deb'), root]);
    const command = commandIn(root);
    await expectToServe({ storage: '/var/lib/trellis', command });
    const unit = await readFile(join(root, 'usr/lib/systemd/system/trellis.service'), 'utf8');
    const [, settings = 'none', program = 'none'] =
      /^EnvironmentFile=\/(\S+)\n[^]*^ExecStart=\/(\S+) serve$/m.exec(unit) ?? [];
    expect([program, settings].map((path) => existsSync(join(root, path)))).toEqual([true, true]);
  });

  test('the archive serves the workspace, wherever it is unpacked', async () => {
    const root = join(folder.path, 'anywhere');
    await cleanRoot(root, fileWith('.deb'));
    await mkdir(join(root, 'home/ada'), { recursive: true });
    await execute('tar', ['-xzf', fileWith('.tar.gz'), '-C', join(root, 'home/ada')]);
    const [name = ''] = await readdir(join(root, 'home/ada'));
    expect(name).toMatch(/^trellis-\d\d\.\d+\.42-linux-\w+$/);
    await symlink(`/home/ada/${name}/bin/trellis`, join(root, 'usr/bin/trellis'));
    const command = commandIn(root);
    await expectToServe({ storage: '/data', command });
  });
});

/** As in docs/sdk.md, docs/endpoints.md and docs/connectors.md. */
const PROGRAM = `
import { testWorkspace } from '@trellis/endpoint/testing';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { runConnector } from '@trellis/connector/run-connector.ts';

const client = new TrellisClient({ baseUrl: 'http://127.0.0.1:9' });
const failure = await client.login.check().catch((error: unknown) => error);
await using workspace = await testWorkspace({ schema: { nodes: [{ type: 'Word', key: 'Lemma', fields: { Lemma: 'String' } }], edges: [] } });
const answer = await workspace.run({ default: ({ body }: { body: unknown }) => ({ body }) }, { body: 7 });
const { rows } = await runConnector({ client, name: 'none', schema: { nodes: [], edges: [] }, state: ':memory:', dryRun: true }, (run) => run.row('1', []));
console.log(JSON.stringify({ answer: answer.body, rows, failed: failure instanceof TrellisError || failure instanceof Error }));
`;

describe('the packages to write programs with', () => {
  test('have types that a strict compiler takes, and run', async () => {
    await writeFile(join(installed.folder, 'program.ts'), PROGRAM);
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
    const lenient = ['--types', 'node', '--skipLibCheck', '--allowImportingTsExtensions'];
    await installed
      .run(process.execPath, [COMPILER, ...options, ...lenient, 'program.ts'])
      .catch(({ stdout }: { stdout: string }) => expect(stdout).toBe(''));
    const wrong = PROGRAM.replace('login.check', 'login.checks');
    await writeFile(join(installed.folder, 'wrong.ts'), wrong);
    await expect(
      installed.run(process.execPath, [COMPILER, ...options, ...lenient, 'wrong.ts']),
    ).rejects.toMatchObject({ stdout: expect.stringContaining("'checks' does not exist") });
    const { stdout } = await installed.run(process.execPath, ['program.ts']);
    expect(JSON.parse(stdout)).toEqual({ answer: { body: 7 }, rows: 1, failed: true });
  });
});
