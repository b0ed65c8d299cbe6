import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { TcpProxy } from '../../../../test/cluster/tcp-proxy.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import { type CommitLog, digestAt, type LogRecord } from '../commit-log.ts';
import { filled, KEEP_NONE, readAll, settings } from '../testing/log-engine.ts';
import { LogFollower } from './log-follower.ts';
import { addressOf, openLog, Workspaces } from './testing/postgres-workspaces.ts';

const SEGMENT_BYTES = 70_000;
/** Far from the 30 seconds after which any other session is given up. */
const ANSWER_MS_MAX = 20_000;

describe.skipIf(requirePostgres())('who follows a log in PostgreSQL', () => {
  let server: PostgresServer;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres({ tcp: true });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (workspace: string, encryptionKey?: Uint8Array): Promise<CommitLog> => {
    const small = { segmentBytesMax: SEGMENT_BYTES, archive: KEEP_NONE };
    return openLog(server.url, workspace, { ...settings(), ...small, encryptionKey });
  };
  const follower = (workspace: string, encryptionKey?: Uint8Array): LogFollower =>
    new LogFollower({ address: addressOf(server.url), workspace, encryptionKey });

  it('gets every record once and in order, as it is appended, over chunks and segments', async () => {
    const workspace = workspaces.next();
    const key = randomBytes(32);
    await using log = await open(workspace, key);
    for (const bytes of [5, 0, 100_000]) await log.append(2, filled(bytes));
    await using following = new Followed(follower(workspace, key), log.epoch);
    await following.has(6);
    const appends = [2_500_000, 1, 80_000, 0, 3].map((bytes) => log.append(3, filled(bytes)));
    await Promise.all(appends);
    await following.has(21);
    await following.stop();
    expect(following.records).toEqual(await readAll(log));
    await log.append(1, filled(1));
    await using again = new Followed(follower(workspace, key), log.epoch, {
      from: 22,
      previous: await digestAt(log, 21),
    });
    await again.has(22);
    expect(again.records).toEqual((await readAll(log)).slice(-1));
  });

  it('hears when the primary lets its lease go', async () => {
    const workspace = workspaces.next();
    const log = await open(workspace);
    await log.append(1, filled(1));
    const released = Promise.withResolvers<void>();
    const address = addressOf(server.url);
    const hearing = new LogFollower({ address, workspace, onReleased: released.resolve });
    await using following = new Followed(hearing, log.epoch);
    await following.has(1);
    await log[Symbol.asyncDispose]();
    await Promise.race([released.promise, following.ended]);
    await following.stop();
    expect(following.records.length).toBe(1);
  });

  it('looks for itself when it hears nothing', async () => {
    const workspace = workspaces.next();
    const log = await open(workspace);
    await log.append(1, filled(1));
    await using following = new Followed(follower(workspace), log.epoch);
    await following.has(1);
    await log[Symbol.asyncDispose]();
    await server.query(
      `with newest as (select * from "trellis_${workspace}".record order by first desc limit 1)
        insert into "trellis_${workspace}".record
        select first + 1, chunk, last + 1, time, term, body from newest`,
    );
    // It is no record that was appended, so it is told at once.
    await expect(following.ended).rejects.toMatchObject({ code: 'log_corrupt' });
  });

  it('says when PostgreSQL has another history, its end no more, or trimmed what comes next', async () => {
    const workspace = workspaces.next();
    await using log = await open(workspace);
    for (let commit = 0; commit < 4; commit++) await log.append(1, filled(SEGMENT_BYTES));
    const { epoch } = log;
    const start = (more: object) => new Followed(follower(workspace), epoch, more).ended;
    const other = { code: 'replication_epoch_differs' };
    await expect(start({ epoch: 'f'.repeat(32) })).rejects.toMatchObject(other);
    await expect(start({ from: 6 })).rejects.toMatchObject(other);
    await expect(start({ from: 3, previous: '0'.repeat(64) })).rejects.toMatchObject(other);
    await log.trim(2);
    await expect(start({ from: 2 })).rejects.toMatchObject({ code: 'log_trimmed' });
    await using reader = follower(workspace);
    expect(await reader.bounds()).toEqual({ epoch, firstSequence: 3, lastSequence: 4 });
  });

  it('ends with what applying throws, and when its session is ended', async () => {
    const workspace = workspaces.next();
    await using log = await open(workspace);
    await log.append(1, filled(1));
    const failure = new TypeError('of the state');
    const failing = new Followed(follower(workspace), log.epoch, {
      apply: () => Promise.reject(failure),
    });
    await expect(failing.ended).rejects.toBe(failure);
    await using following = new Followed(follower(workspace), log.epoch);
    await following.has(1);
    await server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    await expect(following.ended).rejects.toMatchObject({ code: 'storage_failed' });
  });

  it('ends soon when its session stops in the middle of rows, and is not closed', async () => {
    const workspace = workspaces.next();
    await using log = await open(workspace);
    await log.append(1, filled(2_500_000));
    await using link = await TcpProxy.listen({ host: '127.0.0.1', port: server.port });
    const held = link.holdAfter(500_000);
    const address = addressOf(`postgres://postgres@127.0.0.1:${link.port}/postgres`);
    const begun = performance.now();
    await using following = new Followed(new LogFollower({ address, workspace }), log.epoch);
    await held;
    await expect(following.ended).rejects.toMatchObject({ code: 'storage_failed' });
    expect(performance.now() - begun).toBeLessThan(ANSWER_MS_MAX);
    expect(following.records).toEqual([]);
  }, 30_000);
});

type More = Partial<Parameters<LogFollower['follow']>[0]>;

/** What a follower was given. */
class Followed implements AsyncDisposable {
  readonly records: LogRecord[] = [];
  readonly ended: Promise<void>;
  readonly #follower: LogFollower;
  readonly #stopping = new AbortController();
  #changed = (): void => {};

  constructor(follower: LogFollower, epoch: string, more: More = {}) {
    this.#follower = follower;
    this.ended = follower.follow({
      epoch,
      from: 1,
      previous: undefined,
      signal: this.#stopping.signal,
      apply: async (records) => {
        this.records.push(...records);
        this.#changed();
      },
      ...more,
    });
    this.ended.catch(() => undefined);
  }

  async has(sequence: number): Promise<void> {
    while ((this.records.at(-1)?.last ?? 0) < sequence) {
      await Promise.race([new Promise<void>((resolve) => (this.#changed = resolve)), this.ended]);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.ended.catch(() => undefined);
    await this.#follower[Symbol.asyncDispose]();
  }
}
