import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { endOf, makeBackup } from '../support/backups.ts';
import { HttpClient } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const TITLE = 'a title that lies in the state as it is';

async function flip(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = new Uint8Array(1);
  await file.read(byte, 0, 1, at);
  byte[0]! ^= 4;
  await file.write(byte, 0, 1, at);
}

/** Also in pages that are no longer used. */
async function flipEach(path: string, text: string): Promise<void> {
  const bytes = await readFile(path);
  let at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  for (; at >= 0; at = bytes.indexOf(text, at + 1)) await flip(path, at);
}

async function largestIn(folder: string, name: RegExp): Promise<string> {
  const files: { readonly path: string; readonly bytes: number }[] = [];
  for (const one of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!one.isFile() || !name.test(one.name)) continue;
    const path = join(one.parentPath, one.name);
    files.push({ path, bytes: (await readFile(path)).length });
  }
  return files.toSorted((a, b) => b.bytes - a.bytes)[0]!.path;
}

async function flipMiddle(path: string): Promise<void> {
  await flip(path, Math.floor((await readFile(path)).length / 2));
}

test('a scrub names what is damaged in state, log, index and backups, and nothing else', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'data');
  const backups = join(folder.path, 'backups');
  const start = () => TrellisProcess.start({ storage, env: { MSK_GRAPH_BACKUP_FOLDER: backups } });
  {
    await using first = await start();
    const http = new HttpClient(first.url);
    const token = await http.signIn();
    await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
    const operations = Array.from({ length: 500 }, (_, i) => ({
      op: 'addOrUpdate',
      type: 'Book',
      key: `b${i}`,
      fields: { Title: `${TITLE} ${i}` },
    }));
    expect((await http.send({ path: '/api/ingest', token, body: { operations } })).status).toBe(
      200,
    );
    await untilIndexed(http, token);
    await first.stop();
  }
  await using server = await start();
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const client = new TrellisClient({ baseUrl: server.url, token });
  await makeBackup(client);
  await client.tasks.create({ name: 'scrub', cron: '@weekly', builtIn: 'storage-scrub' });
  const scrub = async () => {
    const { id } = await client.tasks.run('scrub');
    const { log } = await endOf(client, { id });
    const [run] = (await client.tasks.listRuns('scrub')).items;
    return { run: run!, lines: log.map(({ text }) => text) };
  };
  const storagePart = async () => {
    const { json } = await http.send({ method: 'GET', path: '/health', token });
    const parts = Object(json).parts as { name: string }[];
    return parts.find(({ name }) => name === 'storage');
  };

  const whole = await scrub();
  expect(whole.run).toMatchObject({ state: 'succeeded', error: null });
  const read = JSON.parse(whole.run.result ?? '') as Record<string, number>;
  expect(read).toMatchObject({ damageCount: 0, backups: 1 });
  expect(read['entries']).toBeGreaterThan(1_000);
  expect(read['commits']).toBeGreaterThan(2);
  expect(read['indexFiles']).toBeGreaterThan(1);
  expect(await storagePart()).toMatchObject({ status: 'ok' });

  await flipEach(join(storage, 'graph', 'data.mdb'), `${TITLE} 250`);
  await flipMiddle(await largestIn(join(storage, 'log'), /^\d/));
  await flipMiddle(await largestIn(join(storage, 'search'), /^segment-/));
  await flipMiddle(await largestIn(join(backups, 'pieces'), /^[0-9a-f]/));
  const damaged = await scrub();
  expect(damaged.run).toMatchObject({ state: 'failed', error: { code: 'storage_damaged' } });
  for (const part of ['state: nodes, key ', 'log: ', 'index: segment-', 'backups: ']) {
    expect(damaged.lines.filter((line) => line.startsWith(`Damaged in ${part}`))).toHaveLength(1);
  }
  // No content, neither there nor in the log of the server.
  expect(damaged.lines.join()).not.toContain('title that');
  expect(server.stderr).toContain('what is stored is damaged');
  expect(server.stderr).not.toContain('title that');
  expect(await storagePart()).toMatchObject({ status: 'degraded', reason: 'storage_damaged' });

  // What fails later takes back nothing of what was found.
  const later = join(backups, 'backups', '20991231T000000000Z-00000000.json');
  await writeFile(later, JSON.stringify({ format: 99 }));
  const failed = await scrub();
  expect(failed.run).toMatchObject({ state: 'failed', error: { code: 'backup_format_unknown' } });
  expect(failed.lines.filter((line) => line.startsWith('Damaged in '))).toHaveLength(3);
  expect(await storagePart()).toMatchObject({ reason: 'storage_damaged' });
});

test('a scrub of an encrypted workspace reads all of it', async () => {
  await using folder = await temporaryFolder();
  const env = {
    MSK_GRAPH_BACKUP_FOLDER: join(folder.path, 'backups'),
    MSK_GRAPH_MASTER_KEY: 'a master key of more than thirty-two bytes',
  };
  await using server = await TrellisProcess.start({ storage: join(folder.path, 'data'), env });
  const token = await new HttpClient(server.url).signIn();
  const client = new TrellisClient({ baseUrl: server.url, token });
  await makeBackup(client);
  await client.tasks.create({ name: 'scrub', cron: '@weekly', builtIn: 'storage-scrub' });
  await endOf(client, await client.tasks.run('scrub'));
  const [run] = (await client.tasks.listRuns('scrub')).items;
  expect(run).toMatchObject({ state: 'succeeded' });
  expect(JSON.parse(run?.result ?? '')).toMatchObject({ damageCount: 0, backups: 1 });
});
