import { existsSync } from 'node:fs';
import { execFile } from 'node:child_process';
import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled } from '../support/scale.ts';
import { CleanRoot, packageNames } from '../support/clean-root.ts';
import { arm64Packages, EMULATOR } from '../../tools/emulation.ts';
import { requireArm64, requireRoot } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { InstalledPackage } from './installed-package.ts';
import { expectToServe, expectToServeAgain } from './whole-workspace.ts';

/** What is given away, installed where there is no repository (specification, section 9). */

const execute = promisify(execFile);
const BUILD = 42;
/** To make all packages, of which two are large, and to install them. */
const PACKAGES_MS = 600_000;
const COMPILER = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** By the name that Node gives a processor, what files with its code have in their heads. */
const MACHINES = { x64: 0x3e, arm64: 0xb7 } as const;
const ELF = '\u007fELF';
const MACHINE_AT = 18;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let installed: InstalledPackage;

beforeAll(async () => {
  folder = await temporaryFolder();
  const standalone = Object.keys(MACHINES).flatMap((cpu) => ['--standalone', cpu]);
  installed = await InstalledPackage.install(folder.path, BUILD, standalone);
}, PACKAGES_MS);
afterAll(() => folder?.[Symbol.asyncDispose]());

describe('the program', () => {
  test('has a calendar version with the number of its build, and helps', async () => {
    const { stdout } = await installed.run('npx', ['trellis', '--version']);
    expect(stdout.trim()).toMatch(/^\d\d\.([1-9]|1[0-2])\.42$/);
    expect((await installed.run('npx', ['trellis', '--help'])).stdout).toContain('serve');
  });

  test('begins a project with the packages of its own version', async () => {
    const made = join(folder.path, 'made');
    const books = join(folder.path, 'books');
    await installed.run('npx', ['trellis', 'init', books, '--packages', made]);
    const { devDependencies } = JSON.parse(await readFile(join(books, 'package.json'), 'utf8'));
    expect(devDependencies['@trellis/endpoint']).toMatch(/^file:packages\/.*\.42\.tgz$/);
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

/** Only what Debian's package says that it needs, and the shell. */
async function cleanRoot(path: string, debianPackage: string): Promise<CleanRoot> {
  const { stdout: needs } = await execute('dpkg-deb', ['--field', debianPackage, 'Depends']);
  return CleanRoot.make(path, ['dash', ...packageNames(needs)]);
}

/** Files with code of a processor below a folder, by their paths, and of which one it is. */
async function programsIn(path: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    await using handle = await open(file);
    const head = Buffer.alloc(MACHINE_AT + 2);
    await handle.read(head, 0, head.length, 0);
    if (head.toString('latin1', 0, ELF.length) !== ELF) continue;
    found.set(relative(path, file), head.readUInt16LE(MACHINE_AT));
  }
  return found;
}

/** The archive or the package for a processor. */
function fileFor(cpu: keyof typeof MACHINES, end: '.deb' | '.tar.gz'): string {
  const name = end === '.deb' ? { x64: 'amd64', arm64: 'arm64' }[cpu] : cpu;
  const file = installed.archives.find((path) => path.endsWith(`${name}${end}`));
  if (file === undefined) throw new Error(`there is no ${end} for ${cpu}`);
  return file;
}

test('the archives for each processor have the same programs, for that processor', async () => {
  const packages: string[][] = [];
  for (const cpu of ['x64', 'arm64'] as const) {
    const place = join(folder.path, cpu);
    await mkdir(place);
    await execute('tar', ['-xzf', fileFor(cpu, '.tar.gz'), '--strip-components=1', '-C', place]);
    const programs = await programsIn(place);
    expect(new Set(programs.values()), cpu).toEqual(new Set([MACHINES[cpu]]));
    packages.push([
      ...new Set(programs.keys().map((path) => dirname(path).replaceAll(cpu, 'CPU'))),
    ]);
    expect(programs.keys().toArray()).toContain('lib/node');
  }
  const [first, second] = packages;
  expect(second?.toSorted()).toEqual(first?.toSorted());
});

describe.skipIf(requireRoot())('with Node in it, where nothing else is installed', () => {
  const fileWith = (end: '.deb' | '.tar.gz'): string =>
    fileFor(process.arch === 'arm64' ? 'arm64' : 'x64', end);

  test('the package of Debian is installed, serves the workspace, and is removed', async () => {
    const root = await cleanRoot(await mkdtemp(join(folder.path, 'debian-')), fileWith('.deb'));
    await root.install(fileWith('.deb'));
    const unit = await readFile(join(root.path, 'usr/lib/systemd/system/trellis.service'), 'utf8');
    const [, settings = 'none', program = 'none'] =
      /^EnvironmentFile=(\S+)\n[^]*^ExecStart=(\S+) serve$/m.exec(unit) ?? [];
    const command = [...root.enter(), program];
    await expectToServe({ storage: '/var/lib/trellis', command });
    await root.remove('trellis');
    const isThere = [program, settings, '/usr/bin/trellis', '/var/lib/trellis/store.json'].map(
      (path) => existsSync(join(root.path, path)),
    );
    expect(isThere).toEqual([false, true, false, true]);
  });

  test('the archive serves the workspace, wherever it is unpacked', async () => {
    const root = await cleanRoot(await mkdtemp(join(folder.path, 'anywhere-')), fileWith('.deb'));
    const home = join(root.path, 'home/ada');
    await mkdir(home, { recursive: true });
    await execute('tar', ['-xzf', fileWith('.tar.gz'), '-C', home]);
    const [name = ''] = await readdir(home);
    expect(name).toMatch(/^trellis-\d\d\.\d+\.42-linux-\w+$/);
    await symlink(`/home/ada/${name}/bin/trellis`, join(root.path, 'usr/bin/trellis'));
    const command = [...root.enter(), '/usr/bin/trellis'];
    await expectToServe({ storage: '/data', command });
  });
});

describe.skipIf(requireRoot() || requireArm64())('for arm64, emulated', () => {
  const arm64Root = async (name: string): Promise<CleanRoot> =>
    CleanRoot.makeArm64(await mkdtemp(join(folder.path, name)), arm64Packages(), EMULATOR);

  const ways = [
    {
      what: 'the archive serves the workspace, and again after a restart',
      run: async () => {
        const root = await arm64Root('arm64-archive-');
        await execute('tar', ['-xzf', fileFor('arm64', '.tar.gz'), '-C', root.path]);
        const name = (await readdir(root.path)).find((entry) => entry.startsWith('trellis-'));
        const options = { storage: '/data', command: [...root.enter(), `/${name}/bin/trellis`] };
        await expectToServe({ ...options, isEmulated: true });
        await expectToServeAgain(options);
      },
    },
    {
      what: 'the package of Debian is installed by the dpkg for arm64, and serves',
      run: async () => {
        const root = await arm64Root('arm64-debian-');
        await copyFile(fileFor('arm64', '.deb'), join(root.path, 'trellis.deb'));
        const [enter, ...inside] = root.enter();
        await execute(enter, [...inside, 'dpkg', '--install', '/trellis.deb']);
        await expectToServe({
          storage: '/var/lib/trellis',
          command: [enter, ...inside, '/usr/bin/trellis'],
          isEmulated: true,
        });
      },
    },
  ];
  // Each takes minutes.
  test.each(sampled(ways, 1))('$what', ({ run }) => run());
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
