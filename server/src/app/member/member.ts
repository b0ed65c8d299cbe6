import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import { must } from '#base/assert.ts';
import { systemClock, systemTimers } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { PrimaryAddress } from '#base/primary-address.ts';
import { databaseProblem, noPrimary } from '#log/postgres/database-problem.ts';
import { DatabaseFault } from '#log/postgres/log-database.ts';
import { Lease } from '#log/postgres/lease.ts';
import {
  type MemberRegistry,
  type MembersSeen,
  type MemberState,
  nameTaken,
} from '#log/postgres/member-registry.ts';
import { degraded, OK } from '#observe/health.ts';
import type { PostgresDatabase } from '#log/postgres/postgres-database.ts';
import type { History } from '#store/history.ts';
import { VERSION } from '../server-status.ts';
import type { Workspace, WorkspaceOptions } from '../workspace.ts';
import type { SharedLogPlace } from '../writer/shared-log.ts';
import { canLead, takeNewestBackup } from './member-folder.ts';
import {
  holderOf,
  MEMBER_SILENT_AFTER_MS,
  type MemberFigures,
  overviewOf,
  primaryOf,
  type MemberRole,
  type OpenRole,
} from './member-role.ts';

/** How often a member says how far it is, and looks whether the lease has expired. */
const LOOK_INTERVAL_MS = 500;
/** After it has stepped down, others have so long to take the lease. */
const STEPPED_DOWN_MS = 10_000;
/** An empty folder reads the whole log to lead, so others go first. */
const EMPTY_FOLDER_WAIT_MS = 10_000;
/** A role that takes longer to end ends with the process. */
const CLOSE_TIMEOUT_MS = 30_000;
const STOP_GRACE_MS = 1_000;

export interface MemberParts {
  readonly place: SharedLogPlace;
  readonly database: PostgresDatabase;
  readonly registry: MemberRegistry;
  /** Of the log in PostgreSQL. */
  readonly epoch: string;
  /** How far the folder is before it is opened. */
  readonly inFolder: History | undefined;
  readonly name: string;
  readonly run: string;
  readonly keyProof: string;
}

/** What is open now. */
interface Role {
  readonly kind: 'primary' | 'follower';
  readonly workspace: Workspace;
}

/**
 * A member over its whole life. It has one role at a time; to change it, everything of the former
 * one is closed and that of the other opened, on the same port and the same folder:
 *
 *     follower -> the lease has expired, and this member takes it -> primary
 *     primary  -> another member has the lease, or it is told to step down -> follower
 *
 * Who has the lease is decided in PostgreSQL alone. The main thread takes it; the thread that
 * writes adopts it, and lets it go once nothing is appended any more.
 */
export class Member implements AsyncDisposable {
  readonly crashed: Promise<Error>;
  readonly ready: Promise<void>;
  readonly #options: WorkspaceOptions;
  readonly #parts: MemberParts;
  readonly #crashed = Promise.withResolvers<Error>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  #role: Role | undefined;
  #opening: Role['kind'] = 'follower';
  #seen: MembersSeen | undefined;
  #openRole: OpenRole | undefined;
  /** What the folder had when it was known last. */
  #inFolder: History | undefined;
  /** That of the listener once there was one, which may have been given any. */
  #port: number;
  #url = '';
  #leases = 0;
  #takeovers = 0;
  #isLeaseLost = false;
  #isToStepDown = false;
  /** By `performance.now()`. */
  #mayLeadAt = 0;
  #expiredSince: number | undefined;
  /**
   * Nobody leads, and this folder cannot: PostgreSQL has the log from there on, and not what the
   * folder lacks before.
   */
  #strandedBefore: number | undefined;
  #hasTriedBackup = false;
  #isDatabaseAway = false;
  #watching: Promise<void> = Promise.resolve();
  /** Has it decide at once. */
  #wake = (): void => {};

  constructor(options: WorkspaceOptions, parts: MemberParts) {
    this.#options = options;
    this.#parts = parts;
    this.#inFolder = parts.inFolder;
    this.#port = options.config.http.port;
    this.crashed = this.#crashed.promise;
    this.ready = this.#ready.promise;
    this.ready.catch(() => undefined);
  }

  get url(): string {
    return this.#url;
  }

  get role(): Workspace['role'] {
    return this.#role?.kind === 'primary' ? 'primary' : 'replica';
  }

  /** Whether PostgreSQL waited for a standby when it was seen last. */
  get isSynchronous(): boolean {
    return this.#seen?.isSynchronous === true;
  }

  get uid(): string {
    return this.#parts.run;
  }

  /** Joins the others, and opens the first role. */
  async open(): Promise<void> {
    const lease = await this.#join().catch((error: unknown) => {
      throw databaseProblem('joining the members in PostgreSQL', error);
    });
    await this.#become(lease);
    this.#watching = this.#watch();
  }

  async #join(): Promise<Lease | undefined> {
    this.#seen = await this.#parts.registry.join(this.#state());
    return this.#takeLease();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#watching;
    await this.#role?.workspace[Symbol.asyncDispose]();
    await this.#parts.registry.leave(this.#parts).catch(() => undefined);
  }

  /** Until it is disposed of. */
  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const waking = new AbortController();
      this.#wake = () => waking.abort();
      // It may have been woken before this, while it looked.
      const isToFollow = this.#isToStepDown || this.#isLeaseLost;
      if (!(isToFollow && this.#role?.kind === 'primary')) {
        const until = { signal: waking.signal };
        await sleep(LOOK_INTERVAL_MS, undefined, until).catch(() => undefined);
      }
      if (signal.aborted) return;
      try {
        await this.#look();
        await this.#decide();
      } catch (error) {
        this.#crashed.resolve(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
  }

  async #look(): Promise<void> {
    const { registry, name } = this.#parts;
    const { logger } = this.#options;
    try {
      const seen = await registry.renew(this.#state());
      if (seen === undefined) throw nameTaken(name);
      if (areOthers(this.#seen, seen)) this.#openRole?.onSeen();
      this.#seen = seen;
      if (this.#isDatabaseAway) logger.info('PostgreSQL answers again');
      this.#isDatabaseAway = false;
    } catch (error) {
      if (!(error instanceof DatabaseFault)) throw error;
      if (!this.#isDatabaseAway) logger.warn(`PostgreSQL does not answer: ${error.message}`);
      this.#isDatabaseAway = true;
    }
  }

  async #decide(): Promise<void> {
    const { logger } = this.#options;
    if (this.#role?.kind === 'primary') {
      if (!this.#isLeaseLost && !this.#isToStepDown) return;
      logger.warn(
        this.#isLeaseLost
          ? 'another member has the lease: this one follows it'
          : 'stepping down: another member becomes the primary',
      );
      if (this.#isToStepDown) this.#mayLeadAt = performance.now() + STEPPED_DOWN_MS;
      await this.#become(undefined);
      return;
    }
    const lease = this.#isDatabaseAway ? undefined : await this.#tryLease();
    if (lease !== undefined) await this.#become(lease);
    else if (this.#strandedBefore !== undefined && !this.#hasTriedBackup) {
      await this.#takeBackup(this.#strandedBefore - 1);
    }
  }

  /** The newest one and the log in PostgreSQL after `reaches` together are the workspace. */
  async #takeBackup(reaches: number): Promise<void> {
    this.#hasTriedBackup = true;
    const { config, logger } = this.#options;
    const { epoch } = this.#parts;
    const place = 'no member leads, and PostgreSQL has no longer what this folder lacks';
    if (config.backup.target === null) {
      logger.error(
        `${place}: start a member that has more, or set MSK_GRAPH_BACKUP_FOLDER to where the backups are and start this one again`,
      );
      return;
    }
    logger.warn(`${place}: taking the newest backup`);
    await this.#close();
    try {
      const { signal } = this.#closing;
      this.#inFolder = await takeNewestBackup(this.#options, { epoch, reaches }, signal);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      logger.error(`there is no backup to go on from: ${error.message}`);
      this.#inFolder = undefined;
    }
    await this.#become(undefined);
  }

  /** PostgreSQL that goes away meanwhile is asked again with the next look. */
  async #tryLease(): Promise<Lease | undefined> {
    try {
      return await this.#takeLease();
    } catch (error) {
      if (error instanceof DatabaseFault) return undefined;
      throw error;
    }
  }

  /** Closes the role that there is, and opens that of the primary with a lease. */
  async #become(lease: Lease | undefined): Promise<void> {
    const { logger } = this.#options;
    await this.#close();
    this.#isLeaseLost = false;
    this.#isToStepDown = false;
    this.#opening = lease === undefined ? 'follower' : 'primary';
    try {
      const workspace = await (lease === undefined ? this.#openFollower() : this.#lead(lease));
      this.#role = { kind: this.#opening, workspace };
      this.#url = workspace.url;
      this.#port = Number(new URL(workspace.url).port);
    } catch (error) {
      await lease?.[Symbol.asyncDispose]();
      if (lease === undefined || !isNoPrimary(error)) throw error;
      logger.warn(`this member could not become the primary, and follows: ${error.message}`);
      return this.#become(undefined);
    }
    this.#settle(this.#role);
    await this.#look();
  }

  /** Hears how the role gets on, for as long as it is the one of this member. */
  #settle(role: Role): void {
    const { kind, workspace } = role;
    void workspace.crashed.then((error) => {
      if (this.#role === role) this.#crashed.resolve(error);
    });
    workspace.makeReady().then(
      () => {
        if (this.#role === role) this.#options.logger.info(`this member is ready as the ${kind}`);
        this.#ready.resolve();
      },
      (error: Error) => {
        if (this.#role !== role || this.#closing.signal.aborted) return;
        if (isNoPrimary(error)) this.#isLeaseLost = true;
        if (this.#isLeaseLost) return;
        this.#ready.reject(error);
        this.#crashed.resolve(error);
      },
    );
  }

  async #close(): Promise<void> {
    const role = this.#role;
    if (role === undefined) return;
    this.#role = undefined;
    this.#inFolder = this.#history();
    this.#openRole = undefined;
    const late = sleep(CLOSE_TIMEOUT_MS, 'late' as const, { ref: false });
    const closed = role.workspace[Symbol.asyncDispose]();
    if ((await Promise.race([closed, late])) === 'late') {
      throw new Error(`the ${role.kind} does not close: the process ends`);
    }
  }

  async #lead(lease: Lease): Promise<Workspace> {
    const { openPrimary } = await import('../primary.ts');
    const { place, database } = this.#parts;
    const held = lease.current;
    // The process stood still, or PostgreSQL was away, while the follower closed.
    if (held === undefined) throw noPrimary(database.place);
    const opened = openPrimary(this.#onSamePort(), {
      ...this.#memberRole(),
      shared: { ...place, lease: held },
      leaseEvents: {
        onAdopted: () => lease.handOver(),
        onLost: () => {
          this.#isLeaseLost = true;
          this.#wake();
        },
        onRenewal: ({ outcome, tookMs }) => {
          this.#options.telemetry?.record('trellis.lease.renewal.duration', tookMs / 1_000, {
            'trellis.lease.outcome': outcome,
          });
        },
      },
    });
    const workspace = await opened;
    this.#takeovers++;
    // It is a note for people, and nothing depends on it.
    const takeover = { term: held.term, member: this.#parts.name };
    await this.#parts.registry.noteTakeover(takeover).catch(() => undefined);
    return workspace;
  }

  async #openFollower(): Promise<Workspace> {
    const { openReplica } = await import('../replica.ts');
    const primary = () => this.#seen && primaryOf(this.#seen);
    const addressOf =
      (of: 'address' | 'serverAddress'): PrimaryAddress =>
      () => {
        const found = primary();
        return found?.run === this.#parts.run ? undefined : found?.[of];
      };
    const { config, ...options } = this.#onSamePort();
    // The primary is told where this member is.
    const addresses = {
      publicAddress: config.publicAddress ?? this.#ownAddress(),
      serverAddress: config.serverAddress ?? this.#ownAddress(),
    };
    const named = { ...options, config: { ...config, ...addresses } };
    return openReplica(named, {
      primaryAddress: addressOf('address'),
      serverAddress: addressOf('serverAddress'),
      publicAddress: this.#options.config.publicAddress,
      channelPort: null,
      member: this.#memberRole(),
    });
  }

  #memberRole(): MemberRole {
    return {
      place: this.#parts.place,
      members: { list: () => this.#list(), stepDown: async () => this.#stepDown() },
      term: () => this.#seen?.lease.term ?? 0,
      figures: () => this.#figures(),
      stopGraceMs: STOP_GRACE_MS,
      probes: {
        log: () => {
          if (this.#isDatabaseAway) return degraded('log_not_reached');
          return this.#seen?.isSynchronous === false ? degraded('no_standby') : OK;
        },
      },
      onOpen: (role) => {
        this.#openRole = role;
      },
    };
  }

  #figures(): MemberFigures {
    const { run } = this.#parts;
    const isPrimary = this.#role?.kind === 'primary';
    const others = this.#seen?.members.filter((member) => member.run !== run) ?? [];
    const lags = others.map(({ name, appliedSequence }) => {
      return { name, lag: Math.max(0, this.#applied() - appliedSequence) };
    });
    return { takeovers: this.#takeovers, lags: isPrimary ? lags : [] };
  }

  /** The same port as before, so that clients find this member where they knew it. */
  #onSamePort(): WorkspaceOptions {
    const { config, ...options } = this.#options;
    return { ...options, config: { ...config, http: { ...config.http, port: this.#port } } };
  }

  #ownAddress(): string {
    const { host } = this.#options.config.http;
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${this.#port}`;
  }

  #state(): MemberState {
    const { config } = this.#options;
    const { name, run, keyProof } = this.#parts;
    return {
      name,
      run,
      keyProof,
      address: config.publicAddress ?? this.#ownAddress(),
      serverAddress: config.serverAddress ?? this.#ownAddress(),
      role: this.#role?.kind ?? 'follower',
      appliedSequence: this.#applied(),
      version: VERSION,
    };
  }

  /** Undefined when somebody has the lease, or this member should not. */
  async #takeLease(): Promise<Lease | undefined> {
    const { database, registry, run, epoch } = this.#parts;
    if (this.#seen?.isLeaseExpired !== true) {
      this.#expiredSince = undefined;
      return undefined;
    }
    const now = performance.now();
    this.#expiredSince ??= now;
    if (now < this.#mayLeadAt) return undefined;
    const log = await registry.report();
    const history = this.#history();
    const hasWaited = now - this.#expiredSince >= EMPTY_FOLDER_WAIT_MS;
    if (!canLead(history, epoch, log)) {
      const isStranded = hasWaited && (history?.sequence ?? 0) < log.firstSequence - 1;
      this.#strandedBefore = isStranded ? log.firstSequence : undefined;
      return undefined;
    }
    const isEmpty = history === undefined || history.sequence === 0;
    const isOthersTurn = isEmpty && log.lastSequence > 0;
    if (isOthersTurn && !hasWaited) return undefined;
    const holder = holderOf(run, ++this.#leases);
    const monotonicMs = (): number => performance.now();
    return Lease.take({ database, holder, timers: systemTimers, monotonicMs });
  }

  /** What is known of the folder, which may have more by now. */
  #history(): History | undefined {
    const sequence = this.#applied();
    return sequence === 0 ? this.#inFolder : { epoch: this.#parts.epoch, sequence };
  }

  #applied(): number {
    return this.#openRole?.sequence() ?? 0;
  }

  async #list(): Promise<MemberOverview> {
    const { registry } = this.#parts;
    try {
      const log = await registry.report();
      const seen = (await registry.renew(this.#state())) ?? must(this.#seen, 'the members');
      return overviewOf(seen, log, await registry.takeovers(), systemClock.now());
    } catch (cause) {
      if (!(cause instanceof DatabaseFault)) throw cause;
      throw new Problem('log_unreachable', 'PostgreSQL does not answer.', { cause });
    }
  }

  #stepDown(): void {
    const { run } = this.#parts;
    const others = this.#seen?.members.filter((member) => member.run !== run) ?? [];
    if (!others.some(({ silentMs }) => silentMs < MEMBER_SILENT_AFTER_MS)) {
      throw new Problem('no_other_member', 'No other member was seen in the last seconds.');
    }
    this.#isToStepDown = true;
    this.#wake();
  }
}

/** Whether a list of the members shows something else. */
function areOthers(before: MembersSeen | undefined, after: MembersSeen): boolean {
  return before === undefined || !isDeepStrictEqual(shownOf(before), shownOf(after));
}

function shownOf({ members, ...seen }: MembersSeen): object {
  const shown = members.map(({ silentMs, ...member }) => {
    return { ...member, isSilent: silentMs >= MEMBER_SILENT_AFTER_MS };
  });
  return { ...seen, members: shown };
}

function isNoPrimary(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'no_primary';
}
