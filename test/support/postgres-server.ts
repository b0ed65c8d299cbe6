import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../cluster/free-port.ts';
import {
  makePostgresFolder,
  postgresOwner,
  runPostgresProgram,
  startPostgresServer,
  stopPostgresServer,
} from '../../tools/postgres-server.ts';
import { temporaryFolder } from './trellis-process.ts';

export interface PostgresServer extends AsyncDisposable {
  /** What a program finds the database by, as DATABASE_URL. */
  readonly url: string;
  /** Belongs to the user that the server runs as. */
  readonly folder: string;
  /** Of its socket, and on 127.0.0.1 with `tls` or `tcp`. */
  readonly port: number;
  /** Ends it without a word to anybody, and starts it again; `query` does not come back. */
  readonly crash: () => Promise<void>;
  readonly query: (sql: string, values?: readonly unknown[]) => Promise<void>;
}

interface PostgresOptions {
  /** In PEM. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Listens on 127.0.0.1 as well. */
  readonly tcp?: boolean;
}

/**
 * PostgreSQL itself with an empty database, at a socket in a folder of its own; it refuses to run
 * as root.
 */
export async function startPostgres({
  tls,
  tcp = tls !== undefined,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await temporaryFolder();
  const owner = postgresOwner();
  const data = join(folder.path, 'data');
  for (const path of [folder.path, data]) makePostgresFolder(path, owner);
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  runPostgresProgram('initdb', initdb, owner);
  const port = tcp ? await freePort() : 5_432;
  const settings: Record<string, string> = {
    listen_addresses: tcp ? '127.0.0.1' : '',
    port: String(port),
    fsync: 'off',
    unix_socket_directories: folder.path,
  };
  if (tls !== undefined) {
    settings['ssl'] = 'on';
    for (const [name, text] of [
      ['server.key', tls.key],
      ['server.crt', tls.cert],
    ] as const) {
      const file = join(data, name);
      writeFileSync(file, text, { mode: 0o600 });
      if (owner !== undefined) chownSync(file, owner.uid, owner.gid);
    }
  }
  const start = () => startPostgresServer(data, settings, owner);
  let server = await start();
  const url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder.path)}&port=${port}`;
  const client = new pg.Client({ connectionString: url });
  // Tests kill sessions, and PostgreSQL then ends the others.
  client.on('error', () => {});
  await client.connect();
  return {
    url,
    folder: folder.path,
    port,
    crash: async () => {
      server.kill('SIGQUIT');
      if (server.exitCode === null) await once(server, 'exit');
      server = await start();
    },
    query: async (sql, values = []) => void (await client.query(sql, [...values])),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await stopPostgresServer(server);
      await folder[Symbol.asyncDispose]();
    },
  };
}
