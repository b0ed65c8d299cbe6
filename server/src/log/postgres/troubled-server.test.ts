import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import { scale } from '../../../../test/support/scale.ts';
import type { CommitLog } from '../commit-log.ts';
import { filled, readAll, settings } from '../testing/log-engine.ts';
import { openLog, Workspaces } from './testing/postgres-workspaces.ts';

const KILLS = scale({ sample: 3, soak: 50 });
const WRITERS = 8;
/** What a server answers that goes down or recovers: class 57 of its error codes. */
const GOES_DOWN = '57P';

describe.skipIf(requirePostgres())('a log whose PostgreSQL is in trouble', () => {
  let server: PostgresServer;
  let workspace: string;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    workspace = workspaces.next();
  });

  /** One question on a connection of its own: others break with the server. */
  const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
    for (;;) {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => {});
      try {
        await client.connect();
        const { rows } = await client.query<Record<string, unknown>>(sql);
        return rows;
      } catch (error) {
        if (error instanceof pg.DatabaseError && !error.code?.startsWith(GOES_DOWN)) throw error;
      } finally {
        await client.end();
      }
    }
  };
  const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep'`;

  /** Sessions know of a new setting before commits wait for it: its checkpointer tells them. */
  const commitsWait = async (): Promise<void> => {
    for (;;) {
      const probe = { isOver: false };
      const probing = ask(`select pg_logical_emit_message(true, 'probe', '')`)
        .catch(() => undefined)
        .finally(() => (probe.isOver = true));
      let isStuck = false;
      while (!probe.isOver && !isStuck) isStuck = (await ask(waiting)).length > 0;
      if (isStuck) await ask(`select pg_cancel_backend(pid) from (${waiting}) as stuck`);
      await probing;
      if (isStuck) return;
    }
  };

  it('does not take a commit for durable that the standby may not have', async () => {
    await using log = await openLog(server.url, workspace, settings());
    await log.append(1, filled(10));
    await ask(`alter system set synchronous_standby_names = 'nobody'`);
    await ask('select pg_reload_conf()');
    await commitsWait();
    let last = 0;
    const appended = log.append(1, filled(20)).then((sequence) => (last = sequence));
    // The first wait is the append's, the others are those of the transactions that settle it.
    for (let ended = 0; ended < 3; ended++) {
      await expect.poll(() => ask(waiting)).not.toEqual([]);
      await ask(`select pg_cancel_backend(pid) from (${waiting}) as stuck`);
    }
    expect(last).toBe(0);
    await ask('alter system reset synchronous_standby_names');
    await ask('select pg_reload_conf()');
    expect(await appended).toBe(2);
    expect(await log.append(1, filled(30))).toBe(3);
  });

  it('has what it acknowledged, and nothing that it refused, after the server died', async () => {
    const log = await openLog(server.url, workspace, settings({ segmentBytesMax: 20_000 }));
    const outcomes = new Outcomes(log);
    const writers = Array.from({ length: WRITERS }, () => outcomes.write());
    for (let kill = 0; kill < KILLS; kill++) {
      const goal = outcomes.acknowledged.size + 30;
      await expect.poll(() => outcomes.acknowledged.size).toBeGreaterThan(goal);
      // The last question of a session is now and then another one.
      let session: Record<string, unknown> | undefined;
      while (session === undefined) {
        [session] = await ask(
          `select pid from pg_stat_activity where query like '%trellis_${workspace}%record%'
            and pid <> pg_backend_pid()`,
        );
      }
      // When one session dies so, PostgreSQL ends all and recovers.
      process.kill(Number(session['pid']), 'SIGKILL');
    }
    const goal = outcomes.acknowledged.size + 30;
    await expect.poll(() => outcomes.acknowledged.size).toBeGreaterThan(goal);
    outcomes.isOver = true;
    await Promise.all(writers);
    const records = await readAll(log);
    const ids = records.map(({ payload }) => Buffer.from(payload).toString());
    const byLast = new Map(records.map(({ last }, i) => [last, ids[i]]));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [last, id] of outcomes.acknowledged) expect(byLast.get(last)).toBe(id);
    expect(ids.filter((id) => outcomes.refused.has(id))).toEqual([]);
    expect(ids).toHaveLength(outcomes.acknowledged.size);
    await log[Symbol.asyncDispose]();
  });
});

/** What became of each commit of many writers. */
class Outcomes {
  readonly acknowledged = new Map<number, string>();
  readonly refused = new Set<string>();
  isOver = false;
  readonly #log: CommitLog;
  #count = 0;

  constructor(log: CommitLog) {
    this.#log = log;
  }

  async write(): Promise<void> {
    while (!this.isOver) {
      const id = `commit ${++this.#count}`;
      try {
        this.acknowledged.set(await this.#log.append(1, Buffer.from(id)), id);
      } catch {
        this.refused.add(id);
        await nextTurn();
      }
    }
  }
}
