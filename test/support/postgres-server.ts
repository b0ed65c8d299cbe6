import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { postgresPrograms } from '../../tools/debian-package.ts';
import { temporaryFolder } from './trellis-process.ts';

export interface PostgresServer extends AsyncDisposable {
  /** What a program finds the database by, as DATABASE_URL. */
  readonly url: string;
  readonly query: (sql: string, values?: readonly unknown[]) => Promise<void>;
}

/**
 * PostgreSQL itself with an empty database, at a socket in a folder of its own; it refuses to run
 * as root.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await temporaryFolder();
  const owner = ownerOfServer();
  const data = join(folder.path, 'data');
  mkdirSync(data);
  for (const path of [folder.path, data]) {
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  }
  const programs = postgresPrograms();
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  execFileSync(join(programs, 'initdb'), initdb, { ...owner, stdio: 'ignore' });
  const settings = ['-c', 'listen_addresses=', '-c', 'fsync=off', '-k', folder.path];
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: server.stderr });
  for await (const line of lines) if (line.includes('ready to accept connections')) break;
  server.stderr.resume();
  const url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder.path)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    url,
    query: async (sql, values = []) => void (await client.query(sql, [...values])),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      // Fast shutdown: whoever is connected is let go.
      server.kill('SIGINT');
      if (server.exitCode === null) await once(server, 'exit');
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The user that Debian's package makes, when this process may become it. */
function ownerOfServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: id('-u'), gid: id('-g') };
}
