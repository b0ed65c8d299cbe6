import pg from 'pg';
import type { ClientBase, ClientConfig, PoolClient } from 'pg';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { DatabaseFault } from './log-database.ts';
import type { PostgresAddress } from './postgres-address.ts';

/** Whoever waits longer for an answer takes the connection for broken. */
const ANSWER_TIMEOUT_MS = 30_000;
/**
 * As well, for what is asked again and again, and is of no use when it comes late: a link that
 * carries nothing any more, and is not closed, is noticed before a lease ends.
 */
export const SOON_ANSWER_TIMEOUT_MS = 3_000;
const IDLE_MS = 60_000;
/** A session that stops in the middle of a transaction keeps others from taking the lease. */
const IDLE_IN_TRANSACTION_MS = 3_000;

/**
 * What each session is set to. Tables are named with their schema, so nobody can put others in
 * their place. A session whose client is gone is ended soon, since it may hold locks. The commit
 * waits for the disk and for the standby, whatever the database's default is.
 */
const SESSION = `
  select
    set_config('search_path', 'pg_catalog', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', false),
    set_config('tcp_keepalives_idle', '2', false),
    set_config('tcp_keepalives_interval', '1', false),
    set_config('tcp_keepalives_count', '3', false),
    set_config('synchronous_commit', case current_setting('synchronous_commit')
      when 'remote_apply' then 'remote_apply' else 'on' end, false),
    current_setting('transaction_read_only') as read_only`;

/**
 * Ends a session that waits for a lock when its client is gone, so that they do not pile up while
 * the standby is away. Only Linux can do it, and elsewhere it is an error to ask for it.
 */
const WATCH_CLIENT = `
  do $$ begin
    perform set_config('client_connection_check_interval', '2000', false);
  exception when invalid_parameter_value then null; end $$`;

/**
 * Errors of PostgreSQL after which a transaction may have been committed all the same: of the
 * connection, of a server that stops, of a session that is ended, and those that may have ended the
 * server's process. After every other error it was not.
 */
const OPEN = /^(?:08|57P|58|XX)|^25P03$/;
const DISK_FULL = '53100';

/** What a transaction that waited for the standby is told when somebody ends the wait. */
const WARNING = '01000';

interface ConnectionsOptions {
  /** How many sessions there are at once. */
  readonly max: number;
  readonly answerTimeoutMs?: number;
}

/** Sessions of one kind, with the first host that takes writes. */
export class PostgresConnections implements AsyncDisposable {
  readonly #address: PostgresAddress;
  readonly #pool: pg.Pool;
  /** The host that is tried next. */
  #at = 0;

  constructor(
    address: PostgresAddress,
    { max, answerTimeoutMs = ANSWER_TIMEOUT_MS }: ConnectionsOptions,
  ) {
    this.#address = address;
    const next = (): ClientConfig => this.#server();
    this.#pool = new pg.Pool({
      max,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      Client: class extends pg.Client {
        constructor() {
          super({ ...next(), query_timeout: answerTimeoutMs });
          // Whoever waits for an answer is told; without a listener the process would end.
          this.on('error', () => {});
        }
      },
      onConnect: prepareSession,
    });
    // An idle session that breaks is replaced by another one when it is needed.
    this.#pool.on('error', () => {});
  }

  /**
   * Runs what needs one session. When it throws, the session is closed, which ends a transaction
   * that it left. `mark.sent` tells whether a transaction may have been committed by then.
   */
  async run<T>(doing: (client: PoolClient, mark: { sent: boolean }) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const mark = { sent: false };
    let isWarned = false;
    const onNotice = ({ code }: { readonly code: string | undefined }): void => {
      isWarned ||= code === WARNING;
    };
    client.on('notice', onNotice);
    try {
      const result = await doing(client, mark);
      if (isWarned && mark.sent)
        throw new DatabaseFault('it did not wait for its standby', { outcome: 'open' });
      client.off('notice', onNotice);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error instanceof Problem || error instanceof DatabaseFault
        ? error
        : faultOf(error, mark.sent);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    let failure: unknown;
    for (const _ of this.#address.servers) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        failure = error;
        this.#at++;
      }
    }
    throw faultOf(failure, false);
  }

  #server(): ClientConfig {
    const { servers } = this.#address;
    return must(servers[this.#at % servers.length], 'a server');
  }
}

async function prepareSession(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ read_only: string }>(SESSION);
  if (rows[0]?.read_only !== 'off') throw new Error('it takes no writes: it is a standby');
  await client.query(WATCH_CLIENT);
}

/** Nothing of a fault holds a value that was sent, nor the password. */
function faultOf(error: unknown, isSent: boolean): DatabaseFault {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  const isRefused = code !== undefined && !OPEN.test(code);
  return new DatabaseFault(error instanceof Error ? messageOf(error) : String(error), {
    outcome: isSent && !isRefused ? 'open' : 'none',
    isFull: code === DISK_FULL,
    cause: error,
  });
}

/** Of a host with several addresses, Node tells the faults of each and no message. */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError) || error.message !== '') return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : '')).join(', ');
}
