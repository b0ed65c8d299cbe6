import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { RunningCommand } from '../support/running-command.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';

/** `trellis dev`: a folder that is served while somebody writes in it. */

/** A folder of `trellis init`. */
async function project(home: string): Promise<string> {
  const folder = join(home, 'books');
  const { code, stderr } = await runTrellis(['init', folder], { home, server: '' });
  expect(code, stderr).toBe(0);
  return folder;
}

test('serves a folder, sends what is saved, and shows diagnostics, types and logs', async () => {
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  const file = join(folder, 'endpoints/books-by.ts');
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src/workspace.ts'), '');
  await using dev = new RunningCommand(['dev', folder, '--port', '0', '--json'], {
    HOME: home.path,
  });
  const { url, passwordFile } = await dev.event('serving');
  const http = new HttpClient(String(url));
  const password = await readFile(String(passwordFile), 'utf8');
  const token = await http.signIn('admin', password);
  expect(await dev.event('endpoint')).toMatchObject({ name: 'books-by', action: 'created' });
  expect(await dev.event('types')).toMatchObject({ file: join(folder, 'endpoints/trellis.d.ts') });
  expect(await dev.event('types')).toMatchObject({ file: join(folder, 'src/workspace.ts') });
  expect(await readFile(join(folder, 'src/workspace.ts'), 'utf8')).toContain('"books-by": {');
  expect(await dev.event('pushed')).toEqual({ event: 'pushed', wrong: [] });

  const code = await readFile(file, 'utf8');
  await writeFile(file, code.replace("'Author'", "'Autor'"));
  expect(await dev.event('endpoint')).toMatchObject({
    compiles: false,
    diagnostics: [{ line: 8, message: expect.stringContaining('Autor') }],
  });
  expect(await dev.event('pushed')).toEqual({ event: 'pushed', wrong: ['books-by'] });

  await writeFile(join(folder, 'schema.json'), '{ "nodes": [');
  expect(await dev.event('failed')).toMatchObject({
    error: { message: expect.stringContaining('schema.json is not valid JSON') },
  });
  const schema = { nodes: [{ type: 'Autor', key: 'Name', fields: {} }], edges: [] };
  await writeFile(join(folder, 'schema.json'), JSON.stringify(schema));
  expect(await dev.event('schema')).toMatchObject({ changes: [{ what: 'node Autor' }, {}] });
  expect(await dev.event('types')).toMatchObject({ file: join(folder, 'endpoints/trellis.d.ts') });
  expect(await readFile(join(folder, 'endpoints/trellis.d.ts'), 'utf8')).toContain('AutorNode');
  await dev.event('pushed');

  const parcel = join(folder, 'node_modules/parcel');
  await mkdir(parcel, { recursive: true });
  const version = '1.0.0';
  await writeFile(join(parcel, 'package.json'), JSON.stringify({ name: 'parcel', version }));
  await writeFile(join(parcel, 'index.js'), 'export const size = 3;\n');
  const sized = "import { size } from 'parcel';\nexport default () => size as number;\n";
  await writeFile(join(folder, 'endpoints/sized.ts'), sized);
  expect(await dev.event('failed')).toMatchObject({
    error: { message: expect.stringContaining('endpoints/sized.ts:1 imports "parcel"') },
  });
  await dev.event('pushed');
  const packages = { '': {}, 'node_modules/parcel': { version } };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  await writeFile(join(folder, 'endpoints/sized.ts'), `${sized}// Again.\n`);
  expect(await dev.event('package')).toMatchObject({ specifier: 'parcel', version });
  expect(await dev.event('endpoint')).toMatchObject({ name: 'sized', diagnostics: [] });
  await dev.event('pushed');
  const size = { method: 'POST', path: '/api/endpoints/run/sized', token, body: {} };
  expect((await http.send(size)).json).toBe(3);
  await rm(join(folder, 'endpoints/sized.ts'));
  await dev.event('kept');

  await mkdir(join(folder, 'endpoints/reports'));
  const logging = `export default ({ log }: Scope) => { log.warn('here I am', { n: 7 }); return 1; };`;
  await writeFile(join(folder, 'endpoints/reports/daily.ts'), logging);
  expect(await dev.event('endpoint')).toMatchObject({ name: 'reports/daily', compiles: true });
  await dev.event('pushed');
  const asked = { method: 'POST', path: '/api/endpoints/run/reports/daily', token, body: {} };
  expect((await http.send(asked)).json).toBe(1);
  expect(await dev.event('log')).toMatchObject({
    endpoint: 'reports/daily',
    level: 'warn',
    message: 'here I am',
  });
  await rm(join(folder, 'endpoints/reports/daily.ts'));
  expect(await dev.event('kept')).toEqual({ event: 'kept', name: 'reports/daily' });

  expect(await dev.interrupt()).toBe(0);
  await expect(fetch(String(url))).rejects.toThrow('fetch failed');
});

/** What is told of so many endpoints, by their names. */
async function pushedBy(dev: RunningCommand, count: number): Promise<ReadonlyMap<unknown, object>> {
  const told = new Map<unknown, object>();
  for (let i = 0; i < count; i++) {
    const event = await dev.event('endpoint');
    told.set(event['name'], event);
  }
  return told;
}

test('creates many endpoints as one commit, and one by one where one is refused', async () => {
  await using workspace = await startWorkspace();
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  const { server, token } = workspace;
  const env = { HOME: home.path, TRELLIS_SERVER: server.url, TRELLIS_TOKEN: token };
  const put = async (name: string, code: string): Promise<void> => {
    await writeFile(join(folder, `endpoints/${name}.ts`), code);
  };
  for (let i = 0; i < 12; i++) {
    await put(`many-${i}`, `// trellis: access admins\nexport default () => ${i};\n`);
  }
  await put('many-wrong', `const wrong: number = 'x';\nexport default () => wrong;\n`);
  await using dev = new RunningCommand(['dev', folder, '--json'], env);
  const told = await pushedBy(dev, 14);
  expect(told.get('many-3')).toMatchObject({ action: 'created', compiles: true });
  expect(told.get('many-wrong')).toMatchObject({
    action: 'created',
    file: join(folder, 'endpoints/many-wrong.ts'),
    diagnostics: [{ line: 1, code: 2322 }],
  });
  expect(await dev.event('pushed')).toEqual({ event: 'pushed', wrong: ['many-wrong'] });
  const { json } = await workspace.http.send({ path: '/api/deployments', token });
  expect(Object(json).items).toMatchObject([{ totals: { created: 14 } }, {}]);
  const get = (name: string) => workspace.http.send({ path: `/api/endpoints/${name}`, token });
  expect((await get('many-3')).json).toMatchObject({ access: 'admins', isReadOnly: false });
  expect((await get('books-by')).json).toMatchObject({ access: 'users', version: 1 });

  await dev.interrupt('SIGTERM');
  for (let i = 0; i < 12; i++) await put(`more-${i}`, `export default () => ${i};\n`);
  const writing = `export default async ({ graph }: Scope) => { await graph.delete('x'); };\n`;
  await put('more-refused', `// trellis: readOnly\n${writing}`);
  await using again = new RunningCommand(['dev', folder, '--json'], env);
  const next = await pushedBy(again, 27);
  expect(next.get('more-3')).toMatchObject({ action: 'created' });
  expect(next.get('many-3')).toMatchObject({ action: 'changed' });
  expect(next.get('more-refused')).toMatchObject({ action: 'refused', compiles: false });
});

test('sends the others where a file cannot be read, and it once it can', async () => {
  await using workspace = await startWorkspace();
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  const { server, token } = workspace;
  const file = join(folder, 'endpoints/bad.ts');
  const code = 'export default () => 1;\n';
  await writeFile(file, `// trellis: cron "0 6 * * *" Europe/Oslo again\n${code}`);
  // As an editor marks a file that is open, and what has the name of one.
  await symlink('somebody@somewhere.1:2', join(folder, 'endpoints/.#books-by.ts'));
  await mkdir(join(folder, 'endpoints/folder.ts'));
  await using dev = new RunningCommand(['dev', folder, '--json'], {
    HOME: home.path,
    TRELLIS_SERVER: server.url,
    TRELLIS_TOKEN: token,
  });
  expect(await dev.event('failed')).toMatchObject({
    error: { message: expect.stringContaining(`${file}:1: cron is an expression in quotes`) },
  });
  expect(await dev.event('endpoint')).toMatchObject({ name: 'books-by', action: 'created' });
  expect(await dev.event('pushed')).toEqual({ event: 'pushed', wrong: ['bad'] });
  await writeFile(file, code);
  expect(await dev.event('endpoint')).toMatchObject({ name: 'bad', action: 'created' });
  expect(await dev.event('pushed')).toEqual({ event: 'pushed', wrong: [] });
});

test('ends with Ctrl-C at a terminal, and begins again where it was', async () => {
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  for (const action of ['created', 'changed']) {
    const env = { HOME: home.path, TERM: 'dumb' };
    await using dev = new RunningCommand(['dev', folder, '--port', '0'], env, {
      isAtTerminal: true,
    });
    expect(await dev.line((line) => line.startsWith('books-by: '))).toContain(action);
    await dev.line((line) => line.includes('Waiting for changes.'));
    dev.type('\u0003');
    expect([await dev.ended(), dev.stderr]).toEqual([0, '']);
  }
});

test('ends with its server, and says so', async () => {
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  await using dev = new RunningCommand(['dev', folder, '--port', '0', '--json'], {
    HOME: home.path,
  });
  const { pid } = await dev.event('serving');
  await dev.event('pushed');
  process.kill(Number(pid), 'SIGKILL');
  expect(await dev.event('ended')).toEqual({ event: 'ended', code: null });
  expect(await dev.ended()).toBe(1);
});

test('says why its server does not start', async () => {
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  await using dev = new RunningCommand(['dev', folder, '--port', 'web', '--json'], {
    HOME: home.path,
  });
  expect(await dev.event('server')).toMatchObject({ message: '1 setting is wrong:' });
  expect(await dev.ended()).toBe(1);
  expect(JSON.parse(dev.stderr).error).toMatchObject({
    message: 'the server could not start (exit code 78)',
  });
});

test('uses a server that is named, and leaves it as it was at the end', async () => {
  await using workspace = await startWorkspace();
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  const { server, token } = workspace;
  const env = { HOME: home.path, TRELLIS_SERVER: server.url, TRELLIS_TOKEN: token };
  await using dev = new RunningCommand(['dev', folder, '--json'], env);
  expect(await dev.event('pushed')).toEqual({ event: 'pushed', wrong: [] });
  expect(await dev.interrupt('SIGTERM')).toBe(0);
  const asked = { method: 'POST', path: '/api/endpoints/run/books-by', token };
  const answer = await workspace.http.send({ ...asked, body: { author: 'nobody' } });
  expect(answer.json).toEqual([]);
});

test('wants a session where it starts no server, and a folder with endpoints', async () => {
  await using workspace = await startWorkspace();
  await using home = await temporaryFolder();
  const folder = await project(home.path);
  const options = { home: home.path, server: workspace.server.url };
  const refused = await runTrellis(['dev', folder], options);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('trellis login')]);
  const empty = await runTrellis(['dev', home.path], options);
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('trellis init')]);
});
