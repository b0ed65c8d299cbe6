import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { makeBackup } from '../support/backups.ts';
import { type Outcome, runTrellis } from '../support/command-line.ts';
import { DefinitionsScene } from '../support/definitions-scene.ts';
import { CODE, defineEverything } from '../support/every-definition.ts';
import { PROGRAM } from '../support/program.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let at: DefinitionsScene;
let home: Awaited<ReturnType<typeof temporaryFolder>>;
let token: string;
beforeAll(async () => {
  home = await temporaryFolder();
  at = await DefinitionsScene.start({ MSK_GRAPH_BACKUP_FOLDER: join(home.path, 'backups') });
  const { server, token: ofAdmin } = at.workspace;
  await makeBackup(new TrellisClient({ baseUrl: server.url, token: ofAdmin }));
  const body = { kind: 'automation', name: 'ci', scopes: ['deploy'] };
  ({ token } = await at.ok('POST', '/api/tokens', body));
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const run = (args: readonly string[], as: string = token): Promise<Outcome> =>
  runTrellis(args, { home: home.path, server: at.workspace.server.url, token: as });

/** Runs a line of a pipeline in a folder, as its shell does. */
function inShell(line: string, folder: string): Promise<Outcome> {
  const PATH = [join(home.path, 'bin'), process.env['PATH']].join(delimiter);
  const env = {
    PATH,
    HOME: home.path,
    TRELLIS_SERVER: at.workspace.server.url,
    TRELLIS_TOKEN: token,
    MSK_GRAPH_BACKUP_FOLDER: join(home.path, 'backups'),
  };
  return new Promise((resolve) => {
    execFile('sh', ['-ec', line], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The command as a pipeline has installed it. */
async function installCommand(): Promise<void> {
  await mkdir(join(home.path, 'bin'), { recursive: true });
  const file = join(home.path, 'bin/trellis');
  const command = `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${PROGRAM}" "$@"`;
  await writeFile(file, `#!/bin/sh\n${command}\n`);
  await chmod(file, 0o755);
}

/** What each file of a pipeline runs for a change, and once it is merged. */
const PIPELINES = {
  '.github/workflows/deploy.yml': (file: PipelineFile, job: string) =>
    file.jobs?.[job]?.steps?.flatMap(({ run: line }) => line ?? []) ?? [],
  '.gitlab-ci.yml': (file: PipelineFile, job: string) => file[job]?.script ?? [],
} as const;

interface PipelineFile {
  readonly jobs?: Readonly<
    Record<string, { readonly steps?: readonly { readonly run?: string }[] }>
  >;
  readonly [job: string]: { readonly script?: readonly string[] } | undefined;
}

describe.each(Object.entries(PIPELINES))('the pipeline %s', (path, linesOf) => {
  test('shows what a change would do, deploys it, and refuses one that does not compile', async () => {
    await installCommand();
    const folder = join(home.path, path.replaceAll(/\W/g, ''), 'books');
    expect((await run(['init', folder])).code).toBe(0);
    const file = parse(await readFile(join(folder, path), 'utf8')) as PipelineFile;
    const all = await at.exportedFiles();
    if ('endpoints/books-by.ts' in all) await at.ok('DELETE', '/api/endpoints/books-by');
    const ran = async (job: string): Promise<Outcome> => {
      const [packages, install, ...lines] = linesOf(file, job);
      // The packages and the command are there already.
      expect(packages).toBe('npm ci');
      expect(install).toBe('npm install --global "$TRELLIS_PACKAGE"');
      expect(lines).toHaveLength(1);
      return inShell(lines.join('\n'), folder);
    };
    const plan = await ran('plan');
    expect([plan.code, plan.stderr]).toEqual([
      0,
      expect.stringContaining('Would create the endpoint "books-by".'),
    ]);
    expect(await at.exportedFiles()).not.toHaveProperty(['endpoints/books-by.ts']);
    const preview = await ran('preview');
    expect([preview.code, preview.stderr]).toEqual([
      0,
      expect.stringContaining('Created the endpoint "books-by".'),
    ]);
    expect(await at.exportedFiles()).not.toHaveProperty(['endpoints/books-by.ts']);
    const deployed = await ran('deploy');
    expect([deployed.code, deployed.stderr]).toEqual([0, expect.stringContaining('Deployment ')]);
    const { description, access, isReadOnly } = await at.ok('GET', '/api/endpoints/books-by');
    // As the lines at the top of its file say.
    expect([access, isReadOnly, description]).toEqual([
      'users',
      true,
      expect.stringContaining('titles'),
    ]);

    await writeFile(join(folder, 'endpoints/wrong.ts'), 'export default async () =>\n  nothing;\n');
    for (const job of ['plan', 'preview', 'deploy']) {
      const { code, stderr } = await ran(job);
      expect([job, code]).toEqual([job, 1]);
      expect(stderr).toContain('endpoints/wrong.ts:2:3: ');
    }
    expect(await at.exportedFiles()).not.toHaveProperty(['endpoints/wrong.ts']);
  });
});

test('a dry run tells the steps of the schema', async () => {
  const folder = join(home.path, 'schema');
  expect((await run(['pull', folder])).code).toBe(0);
  const nodes = [{ type: 'Shelf', fields: { Label: 'String' } }];
  await writeFile(join(folder, 'schema.json'), JSON.stringify({ nodes }));
  const { code, stderr, stdout } = await run(['push', folder, '--dry-run', '--json']);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('Schema: + node Shelf.Label: String'),
  ]);
  expect(JSON.parse(stdout)).toMatchObject({
    dryRun: true,
    schemaSteps: [{ what: 'node Shelf' }, { what: 'node Shelf.Label', wanted: 'String' }],
  });
});

test('a rollback goes back to the deployment before the newest, or to one that is named', async () => {
  const folder = join(home.path, 'rollback');
  const admin = at.workspace.token;
  expect((await run(['pull', folder])).code).toBe(0);
  await mkdir(join(folder, 'endpoints'), { recursive: true });
  await writeFile(join(folder, 'endpoints/more.ts'), CODE);
  expect((await run(['push', folder])).code).toBe(0);
  const list = await run(['deployment', 'list', '--json'], admin);
  const [newest] = JSON.parse(list.stdout);
  expect(newest).toMatchObject({ cause: 'import', token: { name: 'ci' } });
  const text = await run(['deployment', 'list', '--take', '1'], admin);
  expect(text.stdout).toContain('token ci');
  const shown = await run(['deployment', 'show', newest.id], admin);
  expect(shown.stdout).toContain('created endpoint more');
  const dry = await run(['rollback', '--dry-run'], admin);
  expect(dry.stderr).toContain('Would delete the endpoint "more".');
  const done = await run(['rollback'], admin);
  expect([done.code, done.stderr]).toEqual([
    0,
    expect.stringContaining('Deleted the endpoint "more".'),
  ]);
  expect((await run(['rollback', newest.id], admin)).code).toBe(0);
  expect(await at.exportedFiles()).toHaveProperty(['endpoints/more.ts']);
  expect((await run(['rollback'])).code).toBe(1);
});

test('pull with a deploy token leaves the files alone that it does not see', async () => {
  await defineEverything(at);
  const folder = join(home.path, 'partial');
  const admin = at.workspace.token;
  expect((await run(['pull', folder], admin)).code).toBe(0);
  const before = await Promise.all(
    ['manifest.json', 'type-access.json', '.trellis-definitions.json'].map((name) =>
      readFile(join(folder, name), 'utf8'),
    ),
  );
  expect(await run(['pull', folder])).toMatchObject({
    code: 0,
    stderr: `${folder} is what the workspace is.\n`,
  });
  const after = await Promise.all(
    ['manifest.json', 'type-access.json', '.trellis-definitions.json'].map((name) =>
      readFile(join(folder, name), 'utf8'),
    ),
  );
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  const recorded = after.flatMap((text) => Object.keys(JSON.parse(text).files ?? {}));
  expect(recorded).toContain('type-access.json');
  await rm(join(folder, 'type-access.json'));
  expect((await run(['diff', folder])).code).toBe(0);
});
