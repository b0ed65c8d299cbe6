import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { field, HttpClient, valueAt } from '../support/http-client.ts';
import { PROGRAM } from '../support/program.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

/** Each starts several processes, one after the other. */
const TIMEOUT = { timeout: 180_000 };

const OLD = 'the former master key, which is long enough';
const NEW = 'the master key to come, which is long enough';
const CODE = 'export default async ({ graph }: Scope) => graph.addOrUpdate("Book", "b");';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let storage: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  storage = join(folder.path, 'data');
});
afterEach(() => folder[Symbol.asyncDispose]());

const trellis = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runTrellis(['storage', ...args], {
    home: folder.path,
    server: 'http://127.0.0.1:9',
    env: { MSK_GRAPH_STORAGE: storage, ...env },
  });
const rotation = { MSK_GRAPH_MASTER_KEY: OLD, TRELLIS_NEW_MASTER_KEY: NEW };

/** A store with an endpoint, and some of what it wrote. Answers with the token of a session. */
async function makeStore(masterKey: string): Promise<string> {
  const env = { MSK_GRAPH_MASTER_KEY: masterKey };
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const schema = { nodes: [{ type: 'Book', key: 'Isbn', fields: {} }], edges: [] };
  await http.send({ method: 'PUT', path: '/api/schema', body: schema, token });
  const made = { name: 'writes', code: CODE };
  expect((await http.send({ path: '/api/endpoints/create', body: made, token })).status).toBe(201);
  await server.stop();
  return token;
}

/** People, endpoints and secrets are there, and the session is as good as it was. */
async function expectServes(masterKey: string, session?: string): Promise<void> {
  const env = { MSK_GRAPH_MASTER_KEY: masterKey };
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = session ?? (await http.signIn());
  const answer = await http.send({ path: '/api/endpoints/run/writes', body: {}, token });
  expect(answer.status, answer.text).toBe(200);
  await server.stop();
}

test(
  'a stopped store is measured, verified and compacted, and serves as before',
  TIMEOUT,
  async () => {
    await makeStore('');
    const stats = await trellis(['stats', '--json']);
    expect(stats.code, stats.stderr).toBe(0);
    expect(JSON.parse(stats.stdout)).toMatchObject({ format: 3, advice: null, encrypted: false });
    const before = await trellis(['verify', '--json']);
    expect(before.code, before.stderr).toBe(0);
    expect(JSON.parse(before.stdout)).toMatchObject({ differences: [], log: { isWhole: true } });
    const compacted = await trellis(['compact', '--json']);
    expect(compacted.code, compacted.stderr).toBe(0);
    const digest = field(JSON.parse(before.stdout), 'digest');
    expect(field(JSON.parse(compacted.stdout), 'digest')).toBe(digest);
    await expectServes('');
    const people = await trellis(['verify']);
    expect(people.code).toBe(0);
    expect(people.stdout).toMatch(/^compared +\d+ keys, which is all there is$/m);
  },
);

test('a master key is rotated, also when it was killed on the way', TIMEOUT, async () => {
  const session = await makeStore(OLD);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', PROGRAM, 'storage', 'rotate-key'],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: folder.path,
        MSK_GRAPH_STORAGE: storage,
        ...rotation,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('comparing')) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  await expectServes(OLD, session);

  const done = await trellis(['rotate-key'], rotation);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout).toContain('set MSK_GRAPH_MASTER_KEY to it');
  for (const text of [done.stdout, done.stderr]) {
    expect(text).not.toContain(OLD);
    expect(text).not.toContain(NEW);
  }
  const env = { MSK_GRAPH_MASTER_KEY: OLD };
  expect((await TrellisProcess.startRefused({ storage, env })).code).toBe(78);
  await expectServes(NEW, session);
  const again = await trellis(['rotate-key', '--json'], rotation);
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ wasDone: true });
});

test(
  'the new key may be in a file, and is refused when it is missing, short or the same',
  TIMEOUT,
  async () => {
    await makeStore(OLD);
    const key = { MSK_GRAPH_MASTER_KEY: OLD };
    expect((await trellis(['rotate-key'], key)).code).toBe(2);
    for (const newKey of ['short', OLD]) {
      const refused = await trellis(['rotate-key', '--json'], {
        ...key,
        TRELLIS_NEW_MASTER_KEY: newKey,
      });
      expect(refused.code).toBe(1);
      expect(
        valueAt(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? ''), 'error', 'code'),
      ).toBe('wrong_master_key');
    }
    const file = join(folder.path, 'new-key');
    await writeFile(file, `${NEW}\n`);
    expect((await trellis(['rotate-key', '--new-key-file', file], key)).code).toBe(0);
    await expectServes(NEW);
  },
);

test(
  'a store that a server has open, none at all, and one of a newer format are left alone',
  TIMEOUT,
  async () => {
    const none = await trellis(['verify', '--json']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no store in')]);
    await using server = await TrellisProcess.start({ storage });
    for (const command of ['stats', 'verify', 'compact']) {
      const busy = await trellis([command, '--json']);
      expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining('storage_in_use')]);
    }
    await server.stop();
    const path = join(storage, 'store.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/"format": \d/, '"format": 9'));
    const newer = await trellis(['compact', '--json']);
    expect([newer.code, newer.stderr]).toEqual([
      1,
      expect.stringContaining('a newer version wrote it'),
    ]);
    const refused = await TrellisProcess.startRefused({ storage });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('a newer version wrote it');
    await rm(path);
  },
);
