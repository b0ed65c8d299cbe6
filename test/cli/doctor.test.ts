import { once } from 'node:events';
import { chmod, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let storage: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  storage = join(folder.path, 'data');
});
afterEach(() => folder[Symbol.asyncDispose]());

const NOWHERE = 'http://127.0.0.1:9';

async function doctor(env: Readonly<Record<string, string>>, server = NOWHERE, ...args: string[]) {
  const { code, stdout } = await runTrellis(['doctor', '--json', ...args], {
    home: folder.path,
    server,
    token: server === NOWHERE ? undefined : await new HttpClient(server).signIn(),
    env: { MSK_GRAPH_STORAGE: storage, MSK_PORT: '0', ...env },
  });
  const { isGood, findings } = JSON.parse(stdout) as {
    isGood: boolean;
    findings: { check: string; status: string; message: string; remedy: string | null }[];
  };
  const of = (check: string) => findings.filter((one) => one.check === check);
  return { code, isGood, findings, of, stdout };
}

test('a server that is well is well, and so is its machine', async () => {
  await using server = await TrellisProcess.start({ storage });
  const found = await doctor({}, server.url);
  expect(found.findings.filter(({ status }) => status === 'wrong')).toEqual([]);
  expect(found).toMatchObject({ code: 0, isGood: true });
  const checks = ['configuration', 'storage', 'disk', 'clock', 'ports', 'license', 'server'];
  for (const check of checks) expect(found.of(check), check).toHaveLength(1);
  expect(found.of('master key')).toMatchObject([{ message: 'The store is not encrypted.' }]);
  const people = await runTrellis(['doctor', '--no-local'], {
    home: folder.path,
    server: server.url,
  });
  expect(people.code).toBe(0);
  expect(people.stdout).toMatch(/^ok +server +http.* is a primary, and ready \(ok\)\.$/m);
  expect(people.stdout).not.toMatch(/server: writer/);
  expect(found.of('server: writer')).toMatchObject([{ status: 'ok', message: 'ok' }]);
});

test('nothing is made where there is nothing, and a server that does not run is wrong', async () => {
  const found = await doctor({});
  expect(found).toMatchObject({ code: 1, isGood: false });
  expect(found.of('server')).toMatchObject([
    { status: 'wrong', remedy: expect.stringContaining('trellis serve') },
  ]);
  expect(found.of('storage')).toMatchObject([{ status: 'ok' }]);
  expect(await readdir(folder.path)).not.toContain('data');
});

test('every fault of the configuration has its remedy', async () => {
  const found = await doctor({ MSK_PORT: 'eighty', MSK_LOW_MEMORY: 'perhaps' });
  expect(found.code).toBe(1);
  expect(found.of('configuration').map(({ message }) => message.split(' ')[0])).toEqual([
    'MSK_PORT',
    'MSK_LOW_MEMORY',
  ]);
  for (const { remedy } of found.of('configuration')) expect(remedy).toMatch(/^Set /);
});

test('a wrong master key, a port that is taken and a folder that is a file are found', async () => {
  const masterKey = 'the master key that is right, and long';
  const env = { MSK_GRAPH_MASTER_KEY: masterKey };
  await using server = await TrellisProcess.start({ storage, env });
  await server.stop();
  await using listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const wrongKey = 'the master key that is wrong, and long';
  const found = await doctor({
    MSK_GRAPH_MASTER_KEY: wrongKey,
    MSK_PORT: String(port),
    MSK_LOG_PATH: file,
    MSK_LICENSE: file,
    MSK_LICENSE_PUBLIC_KEY: file,
  });
  for (const check of ['master key', 'ports', 'logs', 'license']) {
    expect(found.of(check), check).toMatchObject([
      { status: 'wrong', remedy: expect.stringMatching(/./) },
    ]);
  }
  expect(found.stdout).not.toContain(wrongKey);
  expect((await doctor(env)).of('master key')).toMatchObject([{ status: 'ok' }]);
});

test('a clock that was set back, and what everybody may read, are found', async () => {
  await using server = await TrellisProcess.start({ storage });
  await server.stop();
  const inTwoDays = new Date(Date.now() + 2 * 86_400_000);
  await utimes(join(storage, 'store.json'), inTwoDays, inTwoDays);
  await chmod(storage, 0o755);
  await chmod(join(storage, 'jwt.key'), 0o644);
  const found = await doctor({});
  expect(found.of('clock')).toMatchObject([{ status: 'wrong' }]);
  expect(found.of('rights')).toMatchObject([
    { status: 'warning', message: expect.stringContaining('jwt.key') },
  ]);
  await chmod(storage, 0o700);
  expect((await doctor({})).of('rights')).toMatchObject([{ status: 'ok' }]);
});

test('the part of a server that is ill has a remedy', async () => {
  const logs = join(folder.path, 'logs');
  for (const at of [Date.now(), Date.now() + 86_400_000]) {
    const day = new Date(at).toISOString().slice(0, 10);
    await mkdir(join(logs, `trellis-${day}.log`), { recursive: true });
  }
  await using server = await TrellisProcess.start({ storage, env: { MSK_LOG_PATH: logs } });
  const found = await doctor({}, server.url, '--no-local');
  expect(found.code).toBe(1);
  expect(found.of('server: logs')).toEqual([
    {
      check: 'server: logs',
      status: 'wrong',
      message: 'degraded: file not written',
      remedy: expect.stringContaining('MSK_LOG_PATH'),
    },
  ]);
});
