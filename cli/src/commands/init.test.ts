import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { scratchFolder, trellis } from '../testing/command-line.ts';

const execute = promisify(execFile);
const MODULES = join(import.meta.dirname, '../../../node_modules');
const INSTALLED = ['@trellis/endpoint', '@types/node', 'undici-types', 'zod'];
const FILES = [
  '.github/workflows/ci.yml',
  '.github/workflows/deploy.yml',
  '.gitignore',
  '.gitlab-ci.yml',
  'README.md',
  'endpoints/books-by.test.ts',
  'endpoints/books-by.ts',
  'endpoints/trellis.d.ts',
  'manifest.json',
  'package.json',
  'schema.json',
  'tsconfig.json',
];

/** The paths of all files, with slashes. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

async function made(name: string, ...options: readonly string[]): Promise<string> {
  const folder = join(scratchFolder(), name);
  const { code, stderr } = await trellis(['init', folder, ...options]);
  expect(code, stderr).toBe(0);
  return folder;
}

describe('trellis init', () => {
  it('makes schema, endpoints, tests, types and a file for CI', async () => {
    const folder = await made('My Books!');
    expect(filesOf(folder)).toEqual(FILES);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest.name).toBe('my-books');
    const { devDependencies } = manifest;
    const { version } = packageJson;
    expect(devDependencies['@trellis/endpoint']).toBe(version);
    for (const name of ['@types/node', 'typescript']) {
      const { version: ours } = JSON.parse(
        readFileSync(join(MODULES, name, 'package.json'), 'utf8'),
      );
      expect([name, devDependencies[name]]).toEqual([name, ours]);
    }
    const steps = parse(readFileSync(join(folder, '.github/workflows/ci.yml'), 'utf8')).jobs.test
      .steps;
    const scripts = Object.keys(manifest.scripts);
    expect(steps.map(({ run }: { run?: string }) => run)).toEqual(
      expect.arrayContaining(['npm ci', 'npm run check', 'npm test']),
    );
    expect(scripts).toEqual(expect.arrayContaining(['check', 'test']));
  });

  it('makes what compiles strictly and passes its tests, and fails when it is wrong', async () => {
    const folder = await made('books');
    for (const name of INSTALLED) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(MODULES, name), join(folder, 'node_modules', name));
    }
    const run = (...args: readonly string[]) =>
      execute(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'] } });
    const compiler = join(MODULES, 'typescript/bin/tsc');
    expect(await run(compiler, '--noEmit', '--pretty', 'false')).toMatchObject({ stdout: '' });
    expect((await run('--test')).stdout).toContain('pass 1');
    const file = join(folder, 'endpoints/books-by.ts');
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, code.replace("'Author'", "'Autor'").replace('Title);', 'Title + 1);'));
    await expect(run(compiler, '--noEmit', '--pretty', 'false')).rejects.toMatchObject({
      stdout: expect.stringMatching(/^endpoints\/books-by\.ts\(8,.*Autor/m),
    });
    await expect(run('--test')).rejects.toMatchObject({ code: 1 });
  });

  it('overwrites nothing, and then writes nothing', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'schema.json'), 'mine');
    const { code, stderr } = await trellis(['init', folder, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'files_exist',
      hint: expect.any(String),
    });
    expect(filesOf(folder)).toEqual(['schema.json']);
    expect(readFileSync(join(folder, 'schema.json'), 'utf8')).toBe('mine');
  });

  it('tells what it wrote', async () => {
    const folder = join(scratchFolder(), 'books');
    const { stdout } = await trellis(['init', folder, '--json']);
    expect(JSON.parse(stdout)).toEqual({ folder, template: 'endpoints', files: FILES });
  });

  it('refuses a template that is not there', async () => {
    const { code, stderr } = await trellis(['init', scratchFolder(), '--template', '../src']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are ')]);
  });
});

describe('trellis init --packages', () => {
  const names = ['contract', 'endpoint', 'server'];
  const archiveOf = (name: string): string => `trellis-${name}-${packageJson.version}.tgz`;

  it('keeps archives with the files, wherever they lie below the folder', async () => {
    const dist = scratchFolder();
    for (const name of names) {
      mkdirSync(join(dist, name));
      writeFileSync(join(dist, name, archiveOf(name)), name);
    }
    const folder = await made('books', '--packages', dist);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const name of names) {
      const file = `packages/${archiveOf(name)}`;
      expect(manifest.devDependencies[`@trellis/${name}`]).toBe(`file:${file}`);
      expect(readFileSync(join(folder, file), 'utf8')).toBe(name);
    }
  });

  it('says which archive is missing, and writes nothing', async () => {
    const folder = join(scratchFolder(), 'books');
    const { code, stderr } = await trellis(['init', folder, '--packages', scratchFolder()]);
    expect([code, existsSync(folder)]).toEqual([1, false]);
    expect(stderr).toContain(`there is no ${archiveOf('contract')} in`);
    expect(stderr).toContain('Name the folder that "npm run package" has filled.');
  });

  it('says that archives are of another version', async () => {
    const dist = scratchFolder();
    writeFileSync(join(dist, 'trellis-contract-20.1.0.tgz'), '');
    const folder = join(scratchFolder(), 'books');
    const { code, stderr } = await trellis(['init', folder, '--packages', dist]);
    expect([code, existsSync(folder)]).toEqual([1, false]);
    expect(stderr).toContain('trellis-contract-20.1.0.tgz is of another version');
  });
});
