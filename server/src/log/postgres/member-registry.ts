import { setTimeout as sleep } from 'node:timers/promises';
import { escapeIdentifier, type PoolClient } from 'pg';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { LeaseTerm } from './log-database.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresConnections, SOON_ANSWER_TIMEOUT_MS } from './postgres-connections.ts';
import { schemaOf } from './postgres-tables.ts';

/** What a member says of itself. */
export interface MemberState {
  /** Names it among the members, over restarts. */
  readonly name: string;
  /** Names this run of it: the holder of its leases begins so. */
  readonly run: string;
  /** The URL at which people reach it. */
  readonly address: string;
  /** The URL at which the other members do. */
  readonly serverAddress: string;
  readonly role: 'primary' | 'follower';
  readonly appliedSequence: number;
  readonly version: string;
  /** Made of `MSK_JWT_KEY`: the same for members with the same key, and tells nobody the key. */
  readonly keyProof: string;
}

export interface RegisteredMember extends Omit<MemberState, 'keyProof'> {
  /** Milliseconds since it was last seen, by the clock of PostgreSQL. */
  readonly silentMs: number;
}

/** The members and their lease at one moment. */
export interface MembersSeen {
  readonly lease: LeaseTerm;
  readonly isLeaseExpired: boolean;
  /** Until it expires, unless it is renewed; by the clock of PostgreSQL. */
  readonly leaseLeftMs: number;
  /** Whether a commit waits for a standby. */
  readonly isSynchronous: boolean;
  /** By name. */
  readonly members: readonly RegisteredMember[];
}

/** When a member became the primary. */
export interface Takeover {
  readonly term: number;
  /** Its name then. */
  readonly member: string;
  readonly at: Date;
}

/** How many are kept. */
const TAKEOVERS_MAX = 100;

export interface LogReport {
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Of the tables, as they are on the disk. */
  readonly bytes: number;
}

/** A member is forgotten when nothing was heard of it for so long. */
const FORGOTTEN_AFTER = '7 days';
/** The log is kept for a member that was silent for so long, and its key counts. */
const COUNTED_FOR = '10 minutes';

/** A name is held for so long after the run that has it was seen last. */
const NAME_HELD_MS = 2_500;
const NAME_LOOK_INTERVAL_MS = 250;
/** So many renewals show that a run goes on: one may be under way when it is killed. */
const NAME_RENEWALS = 2;

const SYNCHRONOUS = `trim(current_setting('synchronous_standby_names')) <> '' as synchronous`;

/**
 * Who the members of a workspace are: a row for each in the table `member`, which it renews itself.
 * What is lost of it comes again with the next renewal, so it waits for no standby.
 */
export class MemberRegistry implements AsyncDisposable {
  readonly #connections: PostgresConnections;
  readonly #schema: string;

  constructor(address: PostgresAddress, workspace: string) {
    this.#connections = new PostgresConnections(address, {
      max: 1,
      answerTimeoutMs: SOON_ANSWER_TIMEOUT_MS,
    });
    this.#schema = escapeIdentifier(schemaOf(workspace));
  }

  /**
   * Takes the name for this run, once no earlier one holds it: after a kill that is a moment. An
   * earlier run that only stood still then finds that the name is not its own any more. Throws
   * `member_name_taken` when another process goes on under the name, and
   * `replication_not_authenticated` when another member that was seen lately has another key: as
   * the primary it would turn away everybody who is signed in.
   */
  async join(state: MemberState): Promise<MembersSeen> {
    let held: { readonly seenAt: string; readonly sinceMs: number } | undefined;
    for (let renewals = 0; renewals < NAME_RENEWALS;) {
      const now = performance.now();
      // Whatever the clock of PostgreSQL says.
      const isSilent = held !== undefined && now - held.sinceMs >= NAME_HELD_MS;
      const seen = await this.#takeName(state, isSilent ? held?.seenAt : undefined);
      if (typeof seen !== 'string') return seen;
      if (seen !== held?.seenAt) {
        if (held !== undefined) renewals++;
        held = { seenAt: seen, sinceMs: now };
      }
      await sleep(NAME_LOOK_INTERVAL_MS);
    }
    throw nameTaken(state.name);
  }

  /** When the run was seen that holds the name, unless that was at `silentSince`. */
  #takeName(state: MemberState, silentSince: string | undefined): Promise<MembersSeen | string> {
    return this.#connections.run((client) =>
      this.#inTransaction(client, async () => {
        const to = `${this.#schema}.member`;
        await this.#refuseOtherKey(client, state);
        const { rowCount } = await client.query(
          `insert into ${to} as held
              (name, run, address, server_address, role, applied, version, key_proof, seen_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
            on conflict (name) do update set run = $2, address = $3, server_address = $4,
              role = $5, applied = $6, version = $7, key_proof = $8, seen_at = clock_timestamp()
            where held.run = $2
              or held.seen_at < clock_timestamp() - interval '${NAME_HELD_MS} milliseconds'
              or extract(epoch from held.seen_at)::text = $9`,
          [...valuesOf(state), silentSince],
        );
        if (rowCount === 0) return this.#seenAt(client, state);
        await client.query(
          `delete from ${to} where seen_at < clock_timestamp() - interval '${FORGOTTEN_AFTER}'`,
        );
        return this.#look(client);
      }),
    );
  }

  async #seenAt(client: PoolClient, { name }: MemberState): Promise<string> {
    const { rows } = await client.query<{ seen: string }>(
      `select extract(epoch from seen_at)::text as seen from ${this.#schema}.member
        where name = $1`,
      [name],
    );
    return rows[0]?.seen ?? 'it has left';
  }

  async #refuseOtherKey(client: PoolClient, { name, keyProof }: MemberState): Promise<void> {
    const { rows } = await client.query<{ name: string }>(
      `select name from ${this.#schema}.member
        where name <> $1 and key_proof not in ('', $2)
          and seen_at > clock_timestamp() - interval '${COUNTED_FOR}' limit 1`,
      [name, keyProof],
    );
    const [other] = rows;
    if (other === undefined) return;
    throw new Problem(
      'replication_not_authenticated',
      `the member ${other.name} has another MSK_JWT_KEY`,
      { hint: 'Give all members the same one. To change it, stop all members first.' },
    );
  }

  /** Undefined when another run has the name. Joins again when PostgreSQL has lost the row. */
  async renew(state: MemberState): Promise<MembersSeen | undefined> {
    const renewed = await this.#connections.run((client) =>
      this.#inTransaction(client, async () => {
        const { rowCount } = await client.query(
          `update ${this.#schema}.member set address = $3, server_address = $4, role = $5,
              applied = $6, version = $7, key_proof = $8, seen_at = clock_timestamp()
            where name = $1 and run = $2`,
          valuesOf(state),
        );
        return { isOurs: rowCount === 1, seen: await this.#look(client) };
      }),
    );
    if (renewed.isOurs) return renewed.seen;
    const isTaken = renewed.seen.members.some(({ name }) => name === state.name);
    return isTaken ? undefined : this.join(state);
  }

  /** How far all members are that were seen lately; undefined when none was. */
  appliedByAll(): Promise<number | undefined> {
    return this.#connections.run(async (client) => {
      const { rows } = await client.query<{ applied: string | null }>(
        `select min(applied) as applied from ${this.#schema}.member
          where seen_at > clock_timestamp() - interval '${COUNTED_FOR}'`,
      );
      const { applied } = must(rows[0], 'a row');
      return applied === null ? undefined : Number(applied);
    });
  }

  async leave({ name, run }: Pick<MemberState, 'name' | 'run'>): Promise<void> {
    await this.#connections.run((client) =>
      client.query(`delete from ${this.#schema}.member where name = $1 and run = $2`, [name, run]),
    );
  }

  /** Notes that a member is the primary. */
  async noteTakeover({ term, member }: Pick<Takeover, 'term' | 'member'>): Promise<void> {
    const to = `${this.#schema}.takeover`;
    await this.#connections.run((client) =>
      this.#inTransaction(client, async () => {
        await client.query(
          `insert into ${to} (term, member, at) values ($1, $2, clock_timestamp())
            on conflict (term) do nothing`,
          [term, member],
        );
        await client.query(
          `delete from ${to} where term <=
            (select term from ${to} order by term desc offset ${TAKEOVERS_MAX} limit 1)`,
        );
      }),
    );
  }

  /** The newest first. */
  takeovers(): Promise<readonly Takeover[]> {
    return this.#connections.run(async (client) => {
      const { rows } = await client.query<{ term: string; member: string; at: Date }>(
        `select term, member, at from ${this.#schema}.takeover order by term desc`,
      );
      return rows.map(({ term, ...row }) => ({ ...row, term: Number(term) }));
    });
  }

  report(): Promise<LogReport> {
    return this.#connections.run(async (client) => {
      const { rows } = await client.query<ReportRow>(
        `select (select min(first) from ${this.#schema}.segment) as first,
          (select last from ${this.#schema}.record order by first desc limit 1) as last,
          pg_total_relation_size('${this.#schema}.record') as bytes`,
      );
      const { first, last, bytes } = must(rows[0], 'a row');
      return {
        firstSequence: Number(first),
        lastSequence: last === null ? Number(first) - 1 : Number(last),
        bytes: Number(bytes),
      };
    });
  }

  /** Asks PostgreSQL alone: there may be no tables yet. */
  isSynchronous(): Promise<boolean> {
    return this.#connections.run(async (client) => {
      const { rows } = await client.query<{ synchronous: boolean }>(`select ${SYNCHRONOUS}`);
      return must(rows[0], 'a row').synchronous;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]();
  }

  async #inTransaction<T>(client: PoolClient, doing: () => Promise<T>): Promise<T> {
    await client.query('begin');
    await client.query('set local synchronous_commit = off');
    const result = await doing();
    await client.query('commit');
    return result;
  }

  async #look(client: PoolClient): Promise<MembersSeen> {
    const lease = await client.query<LeaseRow>(
      `select term, holder, expires_at < clock_timestamp() as expired,
          extract(epoch from expires_at - clock_timestamp()) * 1000 as left_ms, ${SYNCHRONOUS}
        from ${this.#schema}.lease`,
    );
    const found = must(lease.rows[0], 'the row of the lease');
    const { term, holder, expired, left_ms: leftMs, synchronous } = found;
    const members = await client.query<MemberRow>(
      `select name, run, address, server_address as "serverAddress", role, applied, version,
          extract(epoch from clock_timestamp() - seen_at) * 1000 as silent
        from ${this.#schema}.member order by name`,
    );
    return {
      lease: { term: Number(term), holder },
      isLeaseExpired: expired,
      leaseLeftMs: Math.max(0, Number(leftMs)),
      isSynchronous: synchronous,
      members: members.rows.map(({ applied, role, silent, ...row }) => ({
        ...row,
        role: role === 'primary' ? 'primary' : 'follower',
        appliedSequence: Number(applied),
        silentMs: Math.max(0, Math.round(Number(silent))),
      })),
    };
  }
}

interface ReportRow {
  readonly first: string;
  readonly last: string | null;
  readonly bytes: string;
}

interface LeaseRow {
  readonly term: string;
  readonly holder: string;
  readonly expired: boolean;
  readonly left_ms: string;
  readonly synchronous: boolean;
}

interface MemberRow {
  readonly name: string;
  readonly run: string;
  readonly address: string;
  readonly serverAddress: string;
  readonly role: string;
  readonly applied: string;
  readonly version: string;
  readonly silent: string;
}

function valuesOf(state: MemberState): unknown[] {
  const { name, run, address, serverAddress, role, appliedSequence, version, keyProof } = state;
  return [name, run, address, serverAddress, role, appliedSequence, version, keyProof];
}

export function nameTaken(name: string): Problem {
  return new Problem('member_name_taken', `another process is the member ${name}`, {
    hint: 'Give each member a name of its own in MSK_MEMBER.',
  });
}
