import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { postgresPrograms } from './debian-package.ts';

/** Who owns the files of a PostgreSQL and runs it: it refuses to run as root. */
export interface PostgresOwner {
  readonly uid: number;
  readonly gid: number;
}

/** The user that Debian's package makes, when this process may become it. */
export function postgresOwner(): PostgresOwner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: id('-u'), gid: id('-g') };
}

/** Makes a folder that PostgreSQL may write to. Throws when it may not enter one above it. */
export function makePostgresFolder(path: string, owner: PostgresOwner | undefined): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  if (owner === undefined) return;
  chownSync(path, owner.uid, owner.gid);
  if (spawnSync('test', ['-w', path], owner).status !== 0) {
    throw new Error(`the user "postgres" may not enter ${path}: choose another folder`);
  }
}

/** Runs a program of PostgreSQL to its end; throws with what it said when it fails. */
export function runPostgresProgram(
  name: string,
  args: readonly string[],
  owner: PostgresOwner | undefined,
): string {
  return execFileSync(join(postgresPrograms(), name), args, {
    ...owner,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * Starts the server of a data folder. Resolves when it takes connections; rejects with what it said
 * when it ends before.
 */
export async function startPostgresServer(
  data: string,
  settings: Readonly<Record<string, string>>,
  owner: PostgresOwner | undefined,
): Promise<ChildProcess> {
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(postgresPrograms(), 'postgres'), ['-D', data, ...args], {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    // A standby says so of connections that only read.
    if (/ready to accept (read-only )?connections/.test(line)) {
      server.stderr.resume();
      return server;
    }
    said.push(line);
  }
  throw new Error(`PostgreSQL in ${data} did not start:\n${said.join('\n')}`);
}

/** Fast shutdown: whoever is connected is let go. */
export async function stopPostgresServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGINT');
  await once(server, 'exit');
}
