import type { PostgresServer } from '../../../../../test/support/postgres-server.ts';
import { must } from '#base/assert.ts';
import { systemTimers } from '#base/clock.ts';
import type { CommitLog } from '../../commit-log.ts';
import type { LogMedium, LogSettings } from '../../testing/log-engine.ts';
import { beginDatabaseLog, openDatabaseLog } from '../database-log.ts';
import { Lease } from '../lease.ts';
import { parsePostgresAddress, type PostgresAddress } from '../postgres-address.ts';
import { PostgresDatabase, type PostgresDatabaseOptions } from '../postgres-database.ts';

export function addressOf(url: string): PostgresAddress {
  const address = parsePostgresAddress(url);
  if (typeof address === 'string') throw new Error(address);
  return address;
}

interface DatabaseSettings extends Pick<PostgresDatabaseOptions, 'roomWaitMs'> {
  readonly encryptionKey?: Uint8Array | undefined;
}

export function openDatabase(
  url: string,
  workspace: string,
  { encryptionKey, ...rest }: DatabaseSettings = {},
): Promise<PostgresDatabase> {
  const begin = () => beginDatabaseLog({ encryptionKey });
  return PostgresDatabase.open({ address: addressOf(url), workspace, begin, ...rest });
}

export async function takeLease(
  database: PostgresDatabase,
  holder: string,
  monotonicMs = (): number => performance.now(),
): Promise<Lease> {
  const lease = await Lease.take({ database, holder, timers: systemTimers, monotonicMs });
  return must(lease, `the lease for ${holder}`);
}

/** Nobody else wants the lease: it does not run out on a machine that stands still for seconds. */
const STOPPED = (): number => 0;

/** A log of one workspace; closing it lets its lease go, so that it can be opened again. */
export async function openLog(
  url: string,
  workspace: string,
  settings: LogSettings & DatabaseSettings,
): Promise<CommitLog> {
  await using opened = new AsyncDisposableStack();
  const { encryptionKey, roomWaitMs, ...rest } = settings;
  const room = roomWaitMs === undefined ? {} : { roomWaitMs };
  const database = opened.use(await openDatabase(url, workspace, { encryptionKey, ...room }));
  const lease = opened.use(await takeLease(database, 'a member', STOPPED));
  const secret = encryptionKey === undefined ? {} : { encryptionKey };
  const log = await openDatabaseLog({ ...rest, ...secret, database, lease });
  const parts = opened.move();
  const close = log[Symbol.asyncDispose].bind(log);
  log[Symbol.asyncDispose] = async () => {
    await close();
    await parts.disposeAsync();
  };
  return log;
}

/** Workspaces of one database, each a place for a log of its own. */
export class Workspaces {
  readonly #server: () => PostgresServer;
  #count = 0;

  constructor(server: () => PostgresServer) {
    this.#server = server;
  }

  medium(encryptionKey?: Uint8Array): LogMedium {
    const workspace = this.next();
    return {
      open: (settings) => openLog(this.#server().url, workspace, { ...settings, encryptionKey }),
      [Symbol.asyncDispose]: () =>
        this.#server().query(`drop schema "trellis_${workspace}" cascade`),
    };
  }

  /** A name that no test has had. */
  next(): string {
    return `w${++this.#count}`;
  }
}
