import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, afterAll, expect, test } from 'vitest';
import { digestState } from '../../server/src/store/snapshot.ts';
import { openSnapshotReader } from '../../server/src/store/snapshot-reader.ts';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { makeBackup, restore, startLibrary, titlesIn, verified } from '../support/backups.ts';
import type { BackedUpLibrary } from '../support/backups.ts';
import { PROGRAM } from '../support/program.ts';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

/**
 * So that there are many pieces, and two threads read them: 21 MB of text that is not the same
 * twice.
 */
const BOOKS = 600;
const TITLE_CHARACTERS = 35_000;
const TIMEOUT_MS = 600_000;

let library: BackedUpLibrary;
const titles: string[] = [];

beforeAll(async () => {
  library = await startLibrary();
  for (let from = 0; from < BOOKS; from += 100) {
    const some = Array.from({ length: 100 }, (_, i) => titleOf(from + i));
    titles.push(...some);
    await library.addBooks(some);
  }
  titles.sort();
}, TIMEOUT_MS);
afterAll(() => library[Symbol.asyncDispose]());

function titleOf(book: number): string {
  return `${book} ${String(book * 7_919).repeat(TITLE_CHARACTERS / 4)}`;
}

/**
 * Kills the process as soon as a path that matches is made or changed below the folder, and waits
 * for its end. Folders that are there before are watched from the beginning: what happens in new
 * ones may be missed.
 */
async function killAt(process: ChildProcess, folder: string, pattern: RegExp): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const ended = once(process, 'close');
  const watcher = watch(folder, { recursive: true }, (_event, name) => {
    if (pattern.test(name ?? '')) process.kill('SIGKILL');
  });
  await ended;
  watcher.close();
}

test.each([
  ['before anything is there', /pool\.json/],
  ['among the pieces', /pieces\/..\/[0-9a-f]{64}$/],
  ['at the last step', /backups\/.*json\.new$/],
])(
  'a server that is killed %s in a backup makes the next one whole',
  async (_phase, pattern) => {
    await using folder = await temporaryFolder();
    const { storage } = library;
    await library.server.stop();
    const backups = join(folder.path, 'backups');
    mkdirSync(join(backups, 'backups'), { recursive: true });
    const env = { MSK_GRAPH_BACKUP_FOLDER: backups };
    {
      await using server = await TrellisProcess.start({ storage, env });
      const token = await new HttpClient(server.url).signIn();
      const killed = killAt(server.process, backups, pattern);
      await new TrellisClient({ baseUrl: server.url, token }).backups.run();
      await killed;
    }
    await using server = await TrellisProcess.start({ storage, env });
    const token = await new HttpClient(server.url).signIn();
    const client = new TrellisClient({ baseUrl: server.url, token });
    expect((await client.backups.list()).total).toBeLessThanOrEqual(1);
    const backup = await makeBackup(client);
    expect(await verified(client, backup.id)).toMatchObject({ state: 'succeeded' });
    await server.stop();
    const to = join(folder.path, 'restored');
    expect((await restore([backups, '--to', to])).code).toBe(0);
    expect(await titlesIn(to)).toEqual(titles);
  },
  TIMEOUT_MS,
);

test(
  'a restore that is killed anywhere refuses to be started, and the same command makes it whole',
  async () => {
    await using folder = await temporaryFolder();
    const backups = join(folder.path, 'backups');
    const env = { MSK_GRAPH_BACKUP_FOLDER: backups };
    const { storage } = library;
    let point: string;
    {
      await using server = await TrellisProcess.start({ storage, env });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      const client = new TrellisClient({ baseUrl: server.url, token });
      await makeBackup(client);
      const extra = { op: 'addOrUpdate', type: 'Book', key: 'z', fields: { Title: 'z' } };
      await http.send({ path: '/api/ingest', token, body: { operations: [extra] } });
      point = (await http.send({ path: '/api/schema', token })).headers.get('x-msk-sequence')!;
      await http.send({
        path: '/api/ingest',
        token,
        body: { operations: [{ ...extra, key: 'y' }] },
      });
      await makeBackup(client);
      await server.stop();
    }
    const whole = join(folder.path, 'whole');
    expect((await restore([backups, '--to', whole, '--at', point])).code).toBe(0);
    const expected = await contentOf(whole);
    const phases = [
      /restore\.json$/,
      /restoring\/graph/,
      /^graph$/,
      /^store\.json$/,
      /log\/.*\.segment$/,
      /log\/log\.json/,
    ];
    for (const [i, phase] of phases.entries()) {
      const to = join(folder.path, String(i));
      const args = ['restore', backups, '--to', to, '--at', point];
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', PROGRAM, ...args],
        {
          env: { PATH: process.env['PATH'], HOME: folder.path },
          stdio: 'ignore',
        },
      );
      await killAt(child, to, phase);
      expect(child.signalCode, String(phase)).toBe('SIGKILL');
      const refused = await TrellisProcess.startRefused({ storage: to });
      expect(refused.stderr).toContain('was not finished');
      const other = await restore([backups, '--to', to]);
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('another point')]);
      const again = await restore([backups, '--to', to, '--at', point]);
      expect([again.code, again.stderr]).toEqual([0, expect.any(String)]);
      expect(await contentOf(to), String(phase)).toEqual(expected);
    }
    expect(await titlesIn(whole)).toEqual([...titles, 'z']);
  },
  TIMEOUT_MS,
);

/** Everything in the state but the history that it goes on in. */
async function contentOf(storage: string) {
  using reader = openSnapshotReader({ storage, environments: ['graph', 'vault'] });
  const { databases, sequence } = await digestState(reader);
  return { databases, sequence };
}
