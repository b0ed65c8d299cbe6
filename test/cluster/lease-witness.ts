import pg from 'pg';
import { expect } from 'vitest';
import { pause } from './workload.ts';

const LOOK_INTERVAL_MS = 20;
const ANSWER_TIMEOUT_MS = 10_000;
const SCHEMA = 'trellis_main';

/**
 * Watches in PostgreSQL itself who has the lease, and which member has acknowledged which sequence:
 * the one that had the lease in the term in which the commit was appended.
 */
export class LeaseWitness implements AsyncDisposable {
  /** The member that has the lease in a term. */
  readonly #primaries = new Map<number, string>();
  /** The member that has acknowledged a commit, and the sequence that it has told with it. */
  readonly #acknowledged: { readonly member: string; readonly sequence: number }[] = [];
  readonly #url: () => string;
  readonly #running: Promise<void>;
  #faults: string[] = [];
  #isStopping = false;

  /** `url`: of the PostgreSQL that is written to at the time. */
  constructor(url: () => string) {
    this.#url = url;
    this.#running = this.#run();
    this.#running.catch(() => undefined);
  }

  acknowledged(member: string, sequence: number): void {
    this.#acknowledged.push({ member, sequence });
  }

  async endSessions(): Promise<void> {
    await this.#query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    ).catch(() => undefined);
  }

  async check(): Promise<void> {
    await this.#stop();
    expect(this.#faults).toEqual([]);
    const rows = await this.#query(
      `select first, last, term from ${SCHEMA}.record where chunk = 0 order by first`,
    );
    const groups = rows.map(({ first, last, term }) => ({
      first: Number(first),
      last: Number(last),
      term: Number(term),
    }));
    let next = 1;
    let term = 0;
    for (const group of groups) {
      expect(group.first, 'sequences without a gap').toBe(next);
      expect(group.term, 'terms that rise').toBeGreaterThanOrEqual(term);
      next = group.last + 1;
      term = group.term;
    }
    let judged = 0;
    for (const { member, sequence } of this.#acknowledged) {
      const group = groups.find(({ first, last }) => first <= sequence && sequence <= last);
      expect(group, `a group with ${sequence}, which ${member} acknowledged`).toBeDefined();
      const primary = this.#primaries.get(group?.term ?? 0);
      // Nobody may have seen a short term.
      if (primary === undefined) continue;
      judged++;
      expect(member, `the primary of ${sequence}`).toBe(primary);
    }
    expect(judged).toBeGreaterThan(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#withClient(async (client) => {
        while (!this.#isStopping) {
          await this.#look(client);
          await pause(LOOK_INTERVAL_MS);
        }
      }).catch(() => undefined);
      await pause(LOOK_INTERVAL_MS);
    }
  }

  /**
   * A transaction that writes as well: PostgreSQL shows a term that its standby does not have, and
   * which a fail-over loses, once a session that has waited for the standby is ended.
   */
  async #look(client: pg.Client): Promise<void> {
    await client.query('begin');
    await client.query(`select pg_logical_emit_message(true, 'witness', '')`);
    const { rows } = await client.query<{ term: string; name: string }>(
      `select term, name from ${SCHEMA}.lease join ${SCHEMA}.member
        on starts_with(holder, run || '/')`,
    );
    await client.query('commit');
    for (const { term, name } of rows) {
      const known = this.#primaries.get(Number(term)) ?? name;
      if (known !== name) this.#faults.push(`${known} and ${name} have led in term ${term}`);
      this.#primaries.set(Number(term), name);
    }
  }

  #query(sql: string): Promise<Record<string, unknown>[]> {
    return this.#withClient(async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows;
    });
  }

  async #withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({
      connectionString: this.#url(),
      // A commit waits for the standby, which may be away.
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await use(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
