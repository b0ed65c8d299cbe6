import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import {
  endOf,
  makeBackup,
  restore,
  startLibrary,
  titlesIn,
  verified,
} from '../support/backups.ts';
import { HttpClient } from '../support/http-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';

const MASTER_KEY = 'a master key of more than sixteen characters';
const MARKER = 'a title that stands nowhere in the clear';

async function filesBelow(folder: string): Promise<string[]> {
  const files = [];
  for (const name of await readdir(folder, { recursive: true })) {
    if ((await stat(join(folder, name))).isFile()) files.push(join(folder, name));
  }
  return files;
}

/** More than the commits that a backup keeps instead of reading what they have changed. */
function manyBooks(title: string): string[] {
  return Array.from({ length: 600 }, (_, i) => `${title} ${i} `.padEnd(700, '.'));
}

test('without a target there are no backups, and a run says what is missing', async () => {
  await using workspace = await startWorkspace();
  const client = new TrellisClient({ baseUrl: workspace.server.url, token: workspace.token });
  const none = { items: [], total: 0, skip: 0, take: 50, target: null };
  expect(await client.backups.list()).toEqual(none);
  const missing = { status: 409, code: 'no_backup_target' };
  await expect(client.backups.run()).rejects.toMatchObject(missing);
  await expect(client.backups.verify('x')).rejects.toMatchObject(missing);
  await expect(client.backups.delete('x')).rejects.toMatchObject(missing);
});

test('a token for backups makes one, which is listed, restored, and goes on in a new history', async () => {
  await using library = await startLibrary();
  const { client, backups, scratch } = library;
  await library.addBooks(['Emma', 'Persuasion']);
  const { token } = await client.tokens.create({
    kind: 'api',
    name: 'b',
    scopes: ['admin:backup'],
  });
  const machine = new TrellisClient({ baseUrl: library.server.url, token });
  const begun = await machine.backups.run();
  expect(begun).toMatchObject({ kind: 'backup', isCancellable: true, log: [] });
  const job = await endOf(client, begun);
  expect(job.state).toBe('succeeded');
  expect(await client.jobs.get(begun.id)).toEqual(job);
  const first = (await machine.backups.list()).items[0]!;
  expect(first).toMatchObject({ isEncrypted: false, hasLog: false, edges: 0 });
  expect(first.newBytes).toBeGreaterThan(first.bytes);

  await library.addBooks(['Sanditon']);
  const second = await makeBackup(client);
  expect(second).toMatchObject({ hasLog: true, epoch: first.epoch });
  expect(second.nodes).toBeGreaterThan(first.nodes);
  expect(second.sequence).toBeGreaterThan(first.sequence);
  const page = await client.backups.list({ take: 1 });
  expect(page).toEqual({ items: [second], total: 2, skip: 0, take: 1, target: backups });
  expect((await client.backups.list({ skip: 1 })).items).toEqual([first]);

  const running = await restore([backups, '--to', library.storage]);
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('is in use')]);
  await library.server.stop();
  const full = await restore([backups, '--to', library.storage]);
  expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('already')]);
  const restored = await restore([backups, '--to', scratch, '--json']);
  expect(restored.stderr).toContain('trellis serve');
  expect(JSON.parse(restored.stdout)).toEqual({
    id: second.id,
    sequence: second.sequence,
    createdAt: second.createdAt,
    storage: scratch,
  });
  expect(await titlesIn(scratch)).toEqual(['Emma', 'Persuasion', 'Sanditon']);
  const log = JSON.parse(await readFile(join(scratch, 'log', 'log.json'), 'utf8'));
  expect(log.epoch).not.toBe(first.epoch);
});

test('every point between two backups can be restored, by its sequence and by its time', async () => {
  await using library = await startLibrary();
  const { client, backups, scratch } = library;
  await library.addBooks(['One']);
  const first = await makeBackup(client);
  const points: { readonly sequence: number; readonly time: number; readonly titles: string[] }[] =
    [];
  const titles = ['One'];
  for (const title of ['Two', 'Three', 'Four']) {
    await library.addBooks([title]);
    titles.push(title);
    const { headers } = await library.http.send({ path: '/api/schema', token: library.token });
    const sequence = Number(headers.get('x-msk-sequence'));
    const time = Date.now();
    points.push({ sequence, time, titles: titles.toSorted() });
    // The next commit is of a later millisecond.
    await expect.poll(() => Date.now()).toBeGreaterThan(time);
  }
  const second = await makeBackup(client);
  await client.backups.delete((await makeBackup(client)).id);
  await library.server.stop();
  for (const [i, point] of points.entries()) {
    const at = i === 1 ? String(point.sequence) : new Date(point.time).toISOString();
    const to = join(scratch, at.replaceAll(':', ''));
    const { code, stderr } = await restore([backups, '--to', to, '--at', at]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(await titlesIn(to)).toEqual(point.titles);
  }
  const to = join(scratch, 'first');
  expect((await restore([backups, '--to', to, '--at', first.id])).code).toBe(0);
  expect(await titlesIn(to)).toEqual(['One']);
  const unreachable = [
    String(second.sequence + 1_000_000),
    '2001-01-01T00:00:00Z',
    '2999-01-01T00:00:00Z',
  ];
  for (const at of unreachable) {
    const { code, stderr } = await restore([backups, '--to', join(scratch, 'none'), '--at', at]);
    expect([at, code, stderr]).toEqual([at, 1, expect.stringContaining('do not lead to')]);
  }
  const unknown = '20010101T000000000Z-00000000';
  const gone = await restore([backups, '--to', join(scratch, 'none'), '--at', unknown]);
  expect(gone.stderr).toContain(`There is no backup ${unknown}`);
  const odd = await restore([backups, '--to', join(scratch, 'none'), '--at', 'yesterday']);
  expect(odd.stderr).toContain('is no point to restore');
});

test('the backups of an encrypted workspace are encrypted, and take its key', async () => {
  const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
  await using library = await startLibrary(env);
  const { client, backups, scratch } = library;
  await library.addBooks(['Emma']);
  await makeBackup(client);
  await library.addBooks([MARKER]);
  const backup = await makeBackup(client);
  expect(backup).toMatchObject({ isEncrypted: true, hasLog: true });
  expect(await verified(client, backup.id)).toMatchObject({ state: 'succeeded' });
  const token = await new HttpClient(library.server.url).signIn();
  await library.server.stop();
  const files = await filesBelow(backups);
  expect(files.some((file) => file.includes('/log/'))).toBe(true);
  for (const file of files) {
    const bytes = await readFile(file);
    for (const secret of [MARKER, MASTER_KEY]) {
      expect(bytes.includes(secret), file).toBe(false);
    }
  }
  const without = await restore([backups, '--to', scratch]);
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('are encrypted')]);
  const wrong = await restore([backups, '--to', scratch], {
    MSK_GRAPH_MASTER_KEY: `${MASTER_KEY}!`,
  });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('does not open')]);
  expect((await restore([backups, '--to', scratch], env)).code).toBe(0);
  // The key that signs came along, sealed: a token of before is good.
  expect(await readFile(join(scratch, 'jwt.key'), 'utf8')).toMatch(/^sealed:/);
  {
    await using server = await TrellisProcess.start({ storage: scratch, env });
    const checked = { path: '/api/login/check', method: 'GET', token };
    expect((await new HttpClient(server.url).send(checked)).status).toBe(200);
  }
  expect(await titlesIn(scratch, env)).toEqual(['Emma', MARKER]);
});

test('a verification finds what is damaged, and the next backup writes it again', async () => {
  await using library = await startLibrary();
  const { client, backups } = library;
  await library.addBooks(['Emma', 'Persuasion']);
  const first = await makeBackup(client);
  expect(await verified(client, first.id)).toMatchObject({ state: 'succeeded' });
  const pieces = await filesBelow(join(backups, 'pieces'));
  let damaged = 0;
  for (const file of pieces) {
    const bytes = await readFile(file);
    if (bytes.toString().startsWith('{"snapshot":')) continue;
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(file, bytes);
    damaged++;
  }
  expect(damaged).toBeGreaterThan(3);
  const failed = await verified(client, first.id);
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'backup_corrupt' } });
  expect(failed.error!.message).toContain(`${damaged} of ${damaged} pieces`);
  const second = await makeBackup(client);
  expect(second.newBytes).toBeGreaterThanOrEqual(second.bytes);
  expect(await verified(client, second.id)).toMatchObject({ state: 'succeeded' });
  expect(await readdir(library.storage)).not.toContain('verification');
});

test('of what has hardly changed a backup keeps the commits alone, and needs no other backup', async () => {
  await using library = await startLibrary();
  const { client, backups, scratch } = library;
  await library.addBooks(manyBooks('One'));
  const first = await makeBackup(client);
  const pieces = await filesBelow(join(backups, 'pieces'));
  const made = [];
  for (const title of ['Two', 'Three']) {
    await library.addBooks([title]);
    made.push(await makeBackup(client));
    expect(await filesBelow(join(backups, 'pieces'))).toEqual(pieces);
  }
  const [second, third] = made;
  for (const backup of [second!, third!]) {
    expect(backup).toMatchObject({ hasLog: true, epoch: first.epoch });
    expect(backup.newBytes).toBeLessThan(first.bytes / 10);
    expect(backup.bytes).toBeGreaterThan(first.bytes);
    const verification = await verified(client, backup.id);
    expect(verification).toMatchObject({ state: 'succeeded' });
    const told = verification.log.map(({ text }) => text).join(' ');
    expect(told).toContain(`Its pieces are of sequence ${first.sequence}`);
  }
  expect([second!.nodes, third!.nodes].map((nodes) => nodes - first.nodes)).toEqual([
    expect.any(Number),
    second!.nodes - first.nodes + third!.nodes - second!.nodes,
  ]);
  await client.backups.delete(first.id);
  const [archived] = await filesBelow(join(backups, 'log'));
  expect((await restore([backups, '--to', join(scratch, 'second'), '--at', second!.id])).code).toBe(
    0,
  );
  expect(await titlesIn(join(scratch, 'second'))).toEqual([...manyBooks('One'), 'Two'].toSorted());
  // When one commit is missing, all later ones are useless: the next backup does not build on them.
  const bytes = await readFile(archived!);
  bytes[bytes.length - 1]! ^= 1;
  await writeFile(archived!, bytes);
  const damaged = await verified(client, third!.id);
  expect(damaged).toMatchObject({ state: 'failed', error: { code: 'backup_corrupt' } });
  const refused = await restore([backups, '--to', join(scratch, 'third')]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('are missing')]);
  const fourth = await makeBackup(client);
  expect(await verified(client, fourth.id)).toMatchObject({ state: 'succeeded' });
  expect((await restore([backups, '--to', join(scratch, 'fourth')])).code).toBe(0);
  expect(await titlesIn(join(scratch, 'fourth'))).toHaveLength(manyBooks('One').length + 2);
});

test('what is deleted, or need not be kept, goes with the pieces that only it needed', async () => {
  await using library = await startLibrary({
    MSK_GRAPH_BACKUP_KEEP: '2',
    MSK_GRAPH_BACKUP_KEEP_DAYS: '0',
    MSK_GRAPH_BACKUP_KEEP_WEEKS: '0',
  });
  const { client, backups } = library;
  const made = [];
  for (const title of ['One', 'Two', 'Three']) {
    await library.addBooks(manyBooks(title));
    made.push(await makeBackup(client));
  }
  const [, second, third] = made;
  expect((await client.backups.list()).items).toEqual([third, second]);
  expect(third!.newBytes).toBeGreaterThan(third!.bytes / 2);
  const archived = (await filesBelow(join(backups, 'log'))).map((path) => path.split('/').at(-1)!);
  for (const name of archived) {
    expect(Number(name.slice(17, 33))).toBeGreaterThan(second!.sequence);
  }
  await client.backups.delete(second!.id);
  const before = await filesBelow(join(backups, 'pieces'));
  await expect(client.backups.delete(second!.id)).rejects.toMatchObject({
    code: 'backup_not_found',
  });
  await expect(client.backups.verify('..%2Fpool')).rejects.toMatchObject({ status: 404 });
  expect(await verified(client, third!.id)).toMatchObject({ state: 'succeeded' });
  await client.backups.delete(third!.id);
  expect(before.length).toBeGreaterThan(3);
  expect(await filesBelow(join(backups, 'pieces'))).toEqual([]);
  expect(await filesBelow(join(backups, 'log'))).toEqual([]);
  expect(await client.backups.list()).toMatchObject({ items: [], total: 0 });
});

test('a target of another kind is refused, and a backup of a later format, but not one of an earlier', async () => {
  await using plain = await startLibrary();
  await makeBackup(plain.client);
  await using encrypted = await startLibrary({
    MSK_GRAPH_MASTER_KEY: MASTER_KEY,
    MSK_GRAPH_BACKUP_FOLDER: plain.backups,
  });
  const job = await endOf(encrypted.client, await encrypted.client.backups.run());
  expect(job).toMatchObject({ state: 'failed', error: { code: 'backup_target_mismatch' } });
  const [backup] = (await plain.client.backups.list()).items;
  const file = join(plain.backups, 'backups', `${backup!.id}.json`);
  const header = JSON.parse(await readFile(file, 'utf8'));
  // As the first versions wrote it.
  const { snapshotSequence: _, ...older } = header;
  expect(older.format).toBe(1);
  await writeFile(file, JSON.stringify(older));
  expect((await restore([plain.backups, '--to', join(plain.scratch, 'older')])).code).toBe(0);
  await writeFile(file, JSON.stringify({ ...header, format: 3 }));
  const later = { status: 409, code: 'backup_format_unknown' };
  await expect(plain.client.backups.list()).rejects.toMatchObject(later);
  const refused = await restore([plain.backups, '--to', join(plain.scratch, 'later')]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('format 3')]);
});

test('a task makes one when it is due', async () => {
  await using library = await startLibrary();
  const { client } = library;
  await library.addBooks(['Emma']);
  await client.tasks.create({ name: 'nightly', cron: '@daily', builtIn: 'backup' });
  const job = await endOf(client, await client.tasks.run('nightly'));
  expect(job).toMatchObject({ kind: 'task', state: 'succeeded' });
  const { items } = await client.backups.list();
  const [run] = (await client.tasks.listRuns('nightly')).items;
  expect(JSON.parse(run!.result!)).toMatchObject({ id: items[0]!.id, nodes: items[0]!.nodes });
});
