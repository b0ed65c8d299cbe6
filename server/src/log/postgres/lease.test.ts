import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import type { Timers } from '#base/clock.ts';
import { filled, readAll, settings } from '../testing/log-engine.ts';
import { openDatabaseLog } from './database-log.ts';
import { Lease, LEASE_MS } from './lease.ts';
import { DatabaseFault } from './log-database.ts';
import { PostgresConnections } from './postgres-connections.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { addressOf, openDatabase, takeLease, Workspaces } from './testing/postgres-workspaces.ts';

describe.skipIf(requirePostgres())('the lease in PostgreSQL', () => {
  let server: PostgresServer;
  let workspace: string;
  let database: PostgresDatabase;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    workspace = workspaces.next();
    database = await openDatabase(server.url, workspace);
    return () => database[Symbol.asyncDispose]();
  });

  const expire = () => server.query(`update "trellis_${workspace}".lease set expires_at = 'epoch'`);
  const take = (holder: string, timers: Timers = STILL) =>
    Lease.take({ database, holder, timers, monotonicMs: () => performance.now() });

  it('is held by one, until it is released', async () => {
    await using one = await take('one');
    expect(one?.current).toEqual({ term: 1, holder: 'one' });
    expect(await take('two')).toBeUndefined();
    await one?.release();
    expect(one?.current).toBeUndefined();
    await using two = await take('two');
    expect(two?.current).toEqual({ term: 2, holder: 'two' });
  });

  it('is adopted by another thread of its run, and by nobody after somebody else has it', async () => {
    const taken = await takeLease(database, 'one');
    const adopt = () =>
      Lease.adopt(
        { database, holder: 'one', timers: STILL, monotonicMs: () => performance.now() },
        1,
      );
    const adopted = await adopt();
    taken.handOver();
    expect(taken.current).toBeUndefined();
    expect(adopted?.current).toEqual({ term: 1, holder: 'one' });
    await taken[Symbol.asyncDispose]();
    expect(await take('two')).toBeUndefined();
    await adopted?.release();
    await using _two = await take('two');
    expect(await adopt()).toBeUndefined();
  });

  it('is taken by one of many who try at once', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `member ${i}`);
    const leases = await Promise.all(names.map((name) => take(name)));
    const taken = leases.filter((lease) => lease !== undefined);
    expect(taken).toHaveLength(1);
    expect(await database.confirmLease()).toEqual(taken[0]?.current);
  });

  it('cannot be appended with after somebody else has taken it', async () => {
    await using first = await takeLease(database, 'one');
    await using log = await openDatabaseLog({ ...settings(), database, lease: first });
    await log.append(1, filled(10));
    await expire();
    await using second = await takeLease(database, 'two');
    await using other = await openDatabaseLog({ ...settings(), database, lease: second });
    await expect(log.append(1, filled(20))).rejects.toMatchObject({ code: 'no_primary' });
    await expect(log.trim(1)).resolves.toBeUndefined();
    expect(first.isLost).toBe(true);
    expect(await other.append(1, filled(30))).toBe(2);
    const sizes = (await readAll(other)).map(({ payload }) => payload.length);
    expect(sizes).toEqual([10, 30]);
  });

  it('is not appended with while its holder cannot know that it has it', async () => {
    let now = 0;
    await using lease = await Lease.take({
      database,
      holder: 'one',
      timers: STILL,
      monotonicMs: () => now,
    });
    if (lease === undefined) throw new Error('the lease is not free');
    await using log = await openDatabaseLog({ ...settings(), database, lease });
    now = LEASE_MS - 1;
    expect(await log.append(1, filled(10))).toBe(1);
    now = LEASE_MS;
    await expect(log.append(1, filled(10))).rejects.toMatchObject({ code: 'no_primary' });
    expect(lease.isLost).toBe(false);
  });

  it('is renewed, and says when somebody else has it', async () => {
    const timers = new FiredTimers();
    let isLost = false;
    let now = 0;
    const onLost = (): void => void (isLost = true);
    const options = { database, holder: 'one', timers, monotonicMs: () => now, onLost };
    await using lease = await Lease.take(options);
    now = LEASE_MS;
    expect(lease?.current).toBeUndefined();
    timers.fire();
    await expect.poll(() => lease?.current).toEqual({ term: 1, holder: 'one' });
    await expire();
    await using other = await take('two');
    expect(other?.current?.term).toBe(2);
    timers.fire();
    await expect.poll(() => isLost).toBe(true);
    expect(lease?.current).toBeUndefined();
  });

  it('is kept while a renewal waits on a link that carries nothing any more', async () => {
    const timers = new FiredTimers();
    let now = 0;
    const options = { database, holder: 'one', timers, monotonicMs: () => now };
    await using lease = await Lease.take(options);
    const late = Promise.withResolvers<boolean>();
    const renewals = vi.spyOn(database, 'renewLease').mockReturnValueOnce(late.promise);
    now = LEASE_MS / 4;
    timers.fire();
    now = LEASE_MS / 2;
    timers.fire();
    await renewals.mock.results[1]?.value;
    now = LEASE_MS + 1;
    expect(lease?.current).toEqual({ term: 1, holder: 'one' });
    // What was asked earlier does not shorten it.
    late.resolve(true);
    await nextTurn();
    now = LEASE_MS * 1.25 + 1;
    expect(lease?.current).toEqual({ term: 1, holder: 'one' });
    now = LEASE_MS * 1.5;
    expect(lease?.current).toBeUndefined();
    // No more than two are under way.
    const dead = new Promise<boolean>(() => {});
    renewals.mockClear().mockReturnValue(dead);
    for (let i = 0; i < 5; i++) timers.fire();
    expect(renewals).toHaveBeenCalledTimes(2);
  });

  it('is not lost by a renewal in a term that was raised meanwhile', async () => {
    const timers = new FiredTimers();
    await using lease = await take('one', timers);
    const held = lease?.current;
    if (held === undefined) throw new Error('the lease is not free');
    timers.fire();
    await Promise.all([lease?.settle(database, held, 1), lease?.settle(database, held, 1)]);
    expect(lease?.current?.term).toBe(2);
    expect(lease?.isLost).toBe(false);
    timers.fire();
    expect(await database.confirmLease()).toEqual(lease?.current);
  });

  it('is not lost while an answer that settles an append is missing', async () => {
    const timers = new FiredTimers();
    await using lease = await take('one', timers);
    const held = lease?.current;
    if (lease === undefined || held === undefined) throw new Error('the lease is not free');
    const settle = database.settle.bind(database);
    vi.spyOn(database, 'settle').mockImplementationOnce(async (...given) => {
      await settle(...given);
      throw new DatabaseFault('the answer is lost', { outcome: 'open' });
    });
    await expect(lease.settle(database, held, 1)).rejects.toThrow('the answer is lost');
    const renewals = vi.spyOn(database, 'renewLease');
    timers.fire();
    expect(await renewals.mock.results[0]?.value).toBe(false);
    await nextTurn();
    expect(lease.isLost).toBe(false);
    await lease.settle(database, held, 1);
    expect(lease.current).toEqual({ term: 2, holder: 'one' });
  });

  it('waits for an append under way, and not for a session that stops in one', async () => {
    await using _lease = await take('one');
    await using sessions = new PostgresConnections(addressOf(server.url), { max: 1 });
    const table = `"trellis_${workspace}".lease`;
    const stopped = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const session = sessions.run(async (client) => {
      await client.query('begin');
      await client.query(`select from ${table} where term = 1 for key share`);
      locked.resolve();
      await stopped.promise;
      await client.query('commit');
    });
    await locked.promise;
    expect(await database.renewLease({ term: 1, holder: 'one' }, -1)).toBe(true);
    await using other = await take('two');
    stopped.resolve();
    expect(other?.current?.term).toBe(2);
    await expect(session).rejects.toThrow('Client has encountered a connection error');
  });

  it('is not waited for by a session whose client is gone', async () => {
    await using holding = new PostgresConnections(addressOf(server.url), { max: 1 });
    await using waiting = new PostgresConnections(addressOf(server.url), { max: 1 });
    await using looking = new PostgresConnections(addressOf(server.url), { max: 1 });
    const update = `update "trellis_${workspace}".lease set term = term`;
    const pidOf = async (client: pg.ClientBase): Promise<number> => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      return rows[0]?.pid ?? 0;
    };
    await holding.run(async (holder) => {
      await holder.query('begin');
      await holder.query('set local idle_in_transaction_session_timeout = 0');
      await holder.query(update);
      let pid = 0;
      const waited = waiting.run(async (waiter) => {
        pid = await pidOf(waiter);
        const updated = waiter.query(update);
        waiter.connection.stream.destroy();
        await updated;
      });
      await expect(waited).rejects.toThrow('Connection terminated');
      const sessions = `select pid from pg_stat_activity where pid = ${pid}`;
      const look = () => looking.run(async (client) => (await client.query(sessions)).rows);
      await expect.poll(look, { timeout: 20_000 }).toEqual([]);
      await holder.query('rollback');
    });
  });

  it('is taken from a member that stands still, which then appends nothing more', async () => {
    const script = fileURLToPath(new URL('testing/appending-member.ts', import.meta.url));
    const member = spawn(process.execPath, [script, server.url, workspace], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const acknowledged: number[] = [];
    let refusal = '';
    const some = Promise.withResolvers<void>();
    createInterface({ input: member.stdout }).on('line', (line) => {
      if (line.startsWith('refused')) refusal = line;
      else acknowledged.push(Number(line));
      if (acknowledged.length === 50) some.resolve();
    });
    await some.promise;
    member.kill('SIGSTOP');
    let lease: Lease | undefined;
    while (lease === undefined) lease = await take('two');
    await using _ = lease;
    await using log = await openDatabaseLog({ ...settings(), database, lease });
    const end = log.lastSequence;
    const ended = once(member, 'close');
    member.kill('SIGCONT');
    const appended = Array.from({ length: 20 }, () => log.append(1, Buffer.from('second')));
    const own = await Promise.all(appended);
    await ended;
    expect(refusal).toBe('refused no_primary');
    expect(acknowledged.at(-1)).toBeLessThanOrEqual(end);
    expect(own).toEqual(own.map((_last, i) => end + 1 + i));
    const authors = (await readAll(log)).map(({ payload }) => payload.length > 'second'.length);
    expect(authors).toEqual([...Array.from({ length: end }, () => true), ...own.map(() => false)]);
  });
});

/** Nothing is renewed by itself. */
const STILL: Timers = { every: () => ({ [Symbol.dispose]: () => {} }) };

class FiredTimers implements Timers {
  readonly #running = new Set<() => void>();

  every(_intervalMs: number, run: () => void): Disposable {
    this.#running.add(run);
    return { [Symbol.dispose]: () => void this.#running.delete(run) };
  }

  fire(): void {
    for (const run of this.#running) run();
  }
}
