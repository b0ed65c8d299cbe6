import type { Timers } from '#base/clock.ts';
import {
  DatabaseFault,
  type LeaseDatabase,
  type LeaseTerm,
  type LogDatabase,
  type Settled,
} from './log-database.ts';

/** How long a lease is held without a renewal, by the clock of the database. */
export const LEASE_MS = 4_000;
export const RENEWAL_INTERVAL_MS = 1_000;
/** How long is waited before a question is put to the database again. */
const RETRY_INTERVAL_MS = 200;
/** One may wait on a dead link; the next one then takes another session. */
const RENEWALS_MAX = 2;

export interface LeaseOptions {
  readonly database: LeaseDatabase;
  /** Names one run of one member: another one, or the next run, has another. */
  readonly holder: string;
  readonly timers: Timers;
  /** Milliseconds of a clock that nobody sets, from any beginning. */
  readonly monotonicMs: () => number;
  /** Called once, when another member has the lease. */
  readonly onLost?: () => void;
  readonly onRenewal?: (renewal: LeaseRenewal) => void;
}

/** What became of a renewal, and how long that took. */
export interface LeaseRenewal {
  readonly outcome: 'ok' | 'lost' | 'failed';
  readonly tookMs: number;
}

/**
 * The lease of one workspace, as its holder knows it. It is renewed until it is lost or released.
 * The holder's clock only tells it when to refuse writes early: what keeps two from appending is
 * the term, which the database checks in each append.
 */
export class Lease implements AsyncDisposable {
  readonly holder: string;
  readonly #options: LeaseOptions;
  #term: number;
  /** By the holder's own clock. */
  #validUntil: number;
  #isLost = false;
  #renewing = 0;
  /** Its term may have been raised in the database, and the answer is not here. */
  #isSettling = false;
  #renewals: Disposable;

  private constructor(options: LeaseOptions, term: number, askedAt: number) {
    this.#options = options;
    this.holder = options.holder;
    this.#term = term;
    this.#validUntil = askedAt + LEASE_MS;
    this.#renewals = options.timers.every(RENEWAL_INTERVAL_MS, () => void this.#renew());
  }

  /** Takes the lease when nobody holds it; undefined when somebody does. */
  static async take(options: LeaseOptions): Promise<Lease | undefined> {
    const { database, holder, monotonicMs } = options;
    const askedAt = monotonicMs();
    try {
      const term = await database.takeLease(holder, LEASE_MS);
      return term === undefined ? undefined : new Lease(options, term, askedAt);
    } catch (error) {
      if (!isOpen(error)) throw error;
      // The answer is lost. If the database does what was asked only after this question, the lease
      // expires unused.
      const lease = await database.confirmLease();
      return lease.holder === holder ? new Lease(options, lease.term, askedAt) : undefined;
    }
  }

  /**
   * Goes on with a lease that another thread of the same run has taken, and which hands it over
   * then. Undefined when it was lost meanwhile.
   */
  static async adopt(options: LeaseOptions, term: number): Promise<Lease | undefined> {
    const { database, holder, monotonicMs } = options;
    const askedAt = monotonicMs();
    const isHeld = await database.renewLease({ term, holder }, LEASE_MS);
    return isHeld ? new Lease(options, term, askedAt) : undefined;
  }

  /** Undefined while it cannot be known to be held: then nothing is appended. */
  get current(): LeaseTerm | undefined {
    if (this.#isLost || this.#options.monotonicMs() >= this.#validUntil) return undefined;
    return { term: this.#term, holder: this.holder };
  }

  /** True once another member has it: it never comes back to this one. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The database says that another member has it, or that nobody does. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#renewals[Symbol.dispose]();
    this.#options.onLost?.();
  }

  /**
   * What became of a group that was appended in a lease of this holder and broke off: see
   * `LogDatabase.settle`. Afterwards the lease has another term, or is lost.
   */
  async settle(database: LogDatabase, held: LeaseTerm, groupFirst: number): Promise<Settled> {
    this.#isSettling = true;
    const settled = await database.settle(held, groupFirst);
    const { lease } = settled;
    if (lease.holder === this.holder && lease.term > held.term) this.#term = lease.term;
    else this.lose();
    this.#isSettling = false;
    return settled;
  }

  /** Another thread of the same run has adopted it, renews it from now on, and releases it. */
  handOver(): void {
    this.#isLost = true;
    this.#renewals[Symbol.dispose]();
  }

  /** Resolves when the database should be asked again. */
  retryLater(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.timers.every(RETRY_INTERVAL_MS, () => {
        timer[Symbol.dispose]();
        resolve();
      });
    });
  }

  /** Steps down: another member may take the lease at once. No append may be under way. */
  async release(): Promise<void> {
    const isHeld = !this.#isLost;
    this.#isLost = true;
    this.#renewals[Symbol.dispose]();
    if (!isHeld) return;
    await this.#options.database.releaseLease({ term: this.#term, holder: this.holder });
  }

  /** Lets it go; when the database cannot be told, it expires by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch(() => undefined);
  }

  async #renew(): Promise<void> {
    if (this.#renewing >= RENEWALS_MAX || this.#isLost) return;
    this.#renewing++;
    const term = this.#term;
    const askedAt = this.#options.monotonicMs();
    let outcome: LeaseRenewal['outcome'] = 'failed';
    try {
      const renewed = await this.#options.database.renewLease(
        { term, holder: this.holder },
        LEASE_MS,
      );
      outcome = renewed ? 'ok' : 'lost';
      if (renewed) this.#validUntil = Math.max(this.#validUntil, askedAt + LEASE_MS);
      else if (this.#term === term && !this.#isSettling) this.lose();
    } catch {
      // The next renewal tries again. Until one succeeds, time runs out by itself.
    } finally {
      this.#renewing--;
      this.#options.onRenewal?.({ outcome, tookMs: this.#options.monotonicMs() - askedAt });
    }
  }
}

function isOpen(error: unknown): boolean {
  return error instanceof DatabaseFault && error.outcome === 'open';
}
