import { setTimeout as sleep } from 'node:timers/promises';
import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import { must } from '#base/assert.ts';
import { systemClock, systemTimers } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { databaseProblem, noPrimary } from '#log/postgres/database-problem.ts';
import { DatabaseFault, type LeaseTerm } from '#log/postgres/log-database.ts';
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
import type { Follower, Promotion } from '../replica.ts';
import type { Workspace, WorkspaceOptions } from '../workspace.ts';
import type { SharedLogPlace } from '../writer/shared-log.ts';
import { canLead, takeNewestBackup } from './member-folder.ts';
import {
  areOthers,
  holderOf,
  isNoPrimary,
  lagsOf,
  MEMBER_SILENT_AFTER_MS,
  overviewOf,
  primaryOf,
  type MemberRole,
  type OpenRole,
} from './member-role.ts';
import { addressesOf, type FollowerParts, openFollower } from './open-follower.ts';

/** How often a member says how far it is, and looks whether the lease has expired. */
const LOOK_INTERVAL_MS = 500;
/** The clock of PostgreSQL goes on while its answer is on the way. */
const LEASE_END_MARGIN_MS = 5;
/** After it has stepped down, others have so long to take the lease. */
const STEPPED_DOWN_MS = 10_000;
/** Until one of them leads, at most, it waits before it follows; and looks so often. */
const ASIDE_MS = 2_000;
const ASIDE_LOOK_INTERVAL_MS = 50;
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

interface HeldPromotion {
  readonly held: LeaseTerm;
  readonly open: Promotion;
}

/** What is open now. */
interface Role {
  readonly kind: 'primary' | 'follower';
  readonly workspace: Workspace & Partial<Follower>;
}

/**
 * A member over its whole life. It has one role at a time; to change it, what serves the former one
 * is closed and that of the other opened, on the same port and the same folder. A follower that
 * takes the lease keeps what does not depend on the role:
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
  /** Aborted when it is to look and decide at once. */
  #waking = new AbortController();

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
      const until = { signal: this.#waking.signal };
      await sleep(this.#lookAfterMs(), undefined, until).catch(() => undefined);
      // Who wakes it while it looks has it look again.
      if (this.#waking.signal.aborted) this.#waking = new AbortController();
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

  /** A lease that is not renewed is taken as soon as it ends. */
  #lookAfterMs(): number {
    const { isLeaseExpired, leaseLeftMs = 0 } = this.#seen ?? {};
    const isToWatch = isLeaseExpired === false && this.#role?.kind !== 'primary';
    if (!isToWatch || this.#isDatabaseAway) return LOOK_INTERVAL_MS;
    return Math.min(LOOK_INTERVAL_MS, leaseLeftMs + LEASE_END_MARGIN_MS);
  }

  #wake(): void {
    this.#waking.abort();
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
      if (this.#isToStepDown && !this.#isLeaseLost) await this.#stepAside();
      if (this.#closing.signal.aborted) return;
      await this.#become(undefined);
      return;
    }
    const lease = this.#isDatabaseAway ? undefined : await this.#tryLease();
    if (lease !== undefined) await this.#become(lease);
    else if (this.#strandedBefore !== undefined && !this.#hasTriedBackup) {
      await this.#takeBackup(this.#strandedBefore - 1);
    }
  }

  /**
   * Lets the lease go, and has another member lead before this one takes processors to follow: they
   * may be the same ones.
   */
  async #stepAside(): Promise<void> {
    const now = performance.now();
    this.#mayLeadAt = now + STEPPED_DOWN_MS;
    await this.#close();
    while (performance.now() < now + ASIDE_MS && !this.#closing.signal.aborted) {
      await this.#look();
      const leads = this.#seen && primaryOf(this.#seen)?.role === 'primary';
      // When that one is lost, or steps down, it is anybody's turn.
      if (leads) return void (this.#mayLeadAt = now);
      await sleep(ASIDE_LOOK_INTERVAL_MS);
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

  /** Leaves the role that there is, and opens that of the primary with a lease. */
  async #become(lease: Lease | undefined): Promise<void> {
    const { logger } = this.#options;
    const promotion = this.#promotionFor(lease);
    if (promotion === undefined) await this.#close();
    else this.#leave();
    this.#isLeaseLost = false;
    this.#isToStepDown = false;
    this.#opening = lease === undefined ? 'follower' : 'primary';
    try {
      const workspace = await (lease === undefined
        ? openFollower(this.#onSamePort(), this.#followerParts())
        : this.#lead(lease, promotion));
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
    const role = this.#leave();
    if (role === undefined) return;
    const late = sleep(CLOSE_TIMEOUT_MS, 'late' as const, { ref: false });
    const closed = role.workspace[Symbol.asyncDispose]();
    if ((await Promise.race([closed, late])) === 'late') {
      throw new Error(`the ${role.kind} does not close: the process ends`);
    }
  }

  /** A follower that has everything open goes on with that. */
  #promotionFor(lease: Lease | undefined): HeldPromotion | undefined {
    const held = lease?.current;
    const open = held && this.#role?.workspace.promotion?.();
    return held && open && { held, open };
  }

  #leave(): Role | undefined {
    const role = this.#role;
    if (role === undefined) return undefined;
    this.#role = undefined;
    this.#inFolder = this.#history();
    this.#openRole = undefined;
    return role;
  }

  async #lead(lease: Lease, promotion: HeldPromotion | undefined): Promise<Workspace> {
    const open = promotion?.open ?? (await import('../primary.ts')).openPrimary;
    const { place, database } = this.#parts;
    const held = promotion?.held ?? lease.current;
    // The process stood still, or PostgreSQL was away, while the follower closed.
    if (held === undefined) throw noPrimary(database.place);
    const workspace = await open(this.#onSamePort(), {
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
    this.#takeovers++;
    // It is a note for people, and nothing depends on it.
    const takeover = { term: held.term, member: this.#parts.name };
    await this.#parts.registry.noteTakeover(takeover).catch(() => undefined);
    return workspace;
  }

  #followerParts(): FollowerParts {
    const { run } = this.#parts;
    return { run, seen: () => this.#seen, member: this.#memberRole() };
  }

  #memberRole(): MemberRole {
    return {
      place: this.#parts.place,
      members: { list: () => this.#list(), stepDown: async () => this.#stepDown() },
      term: () => this.#seen?.lease.term ?? 0,
      onLeaseReleased: () => this.#wake(),
      figures: () => {
        const lags = this.#role?.kind === 'primary' ? lagsOf(this.#seen, this.#state()) : [];
        return { takeovers: this.#takeovers, lags };
      },
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

  /** The same port as before, so that clients find this member where they knew it. */
  #onSamePort(): WorkspaceOptions {
    const { config, ...options } = this.#options;
    return { ...options, config: { ...config, http: { ...config.http, port: this.#port } } };
  }

  #state(): MemberState {
    const { publicAddress: address, serverAddress } = addressesOf(this.#options.config, this.#port);
    const { name, run, keyProof } = this.#parts;
    return {
      name,
      run,
      keyProof,
      address,
      serverAddress,
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
