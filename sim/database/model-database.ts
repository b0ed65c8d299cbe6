import type {
  LeaseTerm,
  StoredGroup,
  StoredSegment,
} from '../../server/src/log/postgres/log-database.ts';
import type { Random } from '../random.ts';
import type { Scheduler } from '../scheduler.ts';

/** What a commit leaves; it never changes, the next commit makes another one. */
export interface Tables {
  readonly lease: LeaseTerm & { readonly expiresAt: number };
  readonly segments: readonly StoredSegment[];
  readonly groups: readonly TermGroup[];
}

export interface TermGroup extends StoredGroup {
  readonly term: number;
}

/** A transaction: how it locks the row of the lease, and what it makes of the tables. */
export interface Transaction<T> {
  readonly name: string;
  readonly lock: LockMode;
  /**
   * Asked once the lock is there, with the newest tables, and again when it commits. Throws
   * `Conflict` where a key is taken.
   */
  readonly run: (tables: Tables) => Outcome<T>;
}

interface Outcome<T> {
  readonly answer: T;
  /** Absent when it writes nothing. */
  readonly tables?: Tables;
}

/**
 * As of PostgreSQL: `for key share`, an update that leaves the key alone, one that changes it;
 * `no row` writes something else, `none` reads what is visible.
 */
export type LockMode = 'none' | 'no row' | 'key share' | 'update' | 'key update';

/** A statement failed, and the transaction with it. */
export class Conflict extends Error {}

/** The server is gone, or the session: nobody is told what became of the transaction. */
export class Broken extends Error {}

/** How long PostgreSQL lets a session stop in the middle of a transaction. */
const IDLE_IN_TRANSACTION_MS = 3_000;

interface Session {
  readonly end: (error: Error) => void;
}

/** A transaction that waits for the standby. */
interface Committing {
  readonly apply: () => void;
}

/**
 * PostgreSQL with a synchronous standby, as far as the log depends on it: locks of one row, commits
 * that take their time, sessions that stop, a clock that is set, and a standby that takes over.
 */
export class ModelDatabase {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #lock = new RowLock();
  readonly #sessions = new Set<Session>();
  readonly #committing = new Set<Committing>();
  #tables: Tables;
  /** What the standby has. It is behind only after a wait that an administrator ended. */
  #replicated: Tables;
  #clockAheadMs = 0;
  #isDown = false;
  #generation = 1;
  readonly #listeners = new Set<(sequence: number) => void>();
  /** An administrator ends each wait for the standby: commits are visible, and only here. */
  endsWaits = false;
  /** Disturbances are made while this is so. */
  isDisturbed = true;
  /** Called with each group that becomes visible. */
  onVisible: (group: TermGroup) => void = () => {};

  constructor(scheduler: Scheduler, random: Random, begin: Tables) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#tables = begin;
    this.#replicated = begin;
  }

  get tables(): Tables {
    return this.#tables;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Which server it is: another one after each fail-over, where no session goes on. */
  get generation(): number {
    return this.#generation;
  }

  /** `listen`: until the server is another one. */
  listen(hear: (sequence: number) => void): Disposable {
    this.#listeners.add(hear);
    return { [Symbol.dispose]: () => void this.#listeners.delete(hear) };
  }

  /** `notify`, on a session with that server. */
  announce(generation: number, sequence: number): void {
    if (this.#isDown || generation !== this.#generation) return;
    for (const hear of this.#listeners) hear(sequence);
  }

  /** `clock_timestamp()`, in milliseconds. */
  now(): number {
    return this.#scheduler.now() + this.#clockAheadMs;
  }

  setClock(aheadMs: number): void {
    this.#clockAheadMs = aheadMs;
  }

  /** `holdsLock: false` is a planted fault: the lock is let go before the transaction ends. */
  async transact<T>(transaction: Transaction<T>, holdsLock = true): Promise<T> {
    const { name, lock, run } = transaction;
    if (this.#isDown) throw new Broken('the server is down');
    if (lock === 'none') return run(this.#tables).answer;
    const session = this.#newSession();
    const release = await session.until(this.#lock.acquire(lock));
    try {
      const { answer, tables } = run(this.#tables);
      if (tables === undefined) return answer;
      if (!holdsLock) release();
      await session.until(this.#work(name));
      await session.until(this.#commit(name, () => this.#apply(run)));
      return answer;
    } finally {
      session.close();
      release();
    }
  }

  /** The standby becomes the server; the transactions that it was waited for may be there. */
  failOver(downMs: number, clockAheadMs: number): void {
    if (this.#isDown) return;
    this.#scheduler.note('the database fails over');
    this.#isDown = true;
    this.#generation++;
    this.#listeners.clear();
    this.#tables = this.#replicated;
    for (const { apply } of this.#committing) {
      if (this.#random.chance(0.5)) applyUnlessTaken(apply);
    }
    this.#committing.clear();
    const sessions = [...this.#sessions];
    this.#sessions.clear();
    for (const { end } of sessions) end(new Broken('the server has died'));
    this.#lock.clear();
    this.#clockAheadMs = clockAheadMs;
    this.#scheduler.after(downMs, 'the standby serves', () => {
      this.#isDown = false;
    });
  }

  /** Statements between the lock and the commit. Some sessions stop there, and are ended. */
  async #work(name: string): Promise<void> {
    const isStopped = this.isDisturbed && this.#random.chance(0.01);
    await this.#wait(isStopped ? IDLE_IN_TRANSACTION_MS : this.#random.between(0, 3), name);
    if (isStopped) throw new Broken('the session stopped in a transaction');
  }

  async #commit(name: string, apply: () => void): Promise<void> {
    const committing = { apply };
    this.#committing.add(committing);
    const isSlow = this.isDisturbed && this.#random.chance(0.02);
    await this.#wait(this.#random.between(0, isSlow ? 5_000 : 4), `${name} commits`);
    if (!this.#committing.delete(committing)) return;
    const before = this.#replicated;
    apply();
    if (!this.endsWaits) return;
    this.#replicated = before;
    throw new Broken('the wait for the standby was ended');
  }

  #apply(run: Transaction<unknown>['run']): void {
    const before = this.#tables;
    const { tables } = run(before);
    if (tables === undefined) throw new Conflict('the row has changed');
    this.#tables = tables;
    this.#replicated = tables;
    const added = tables.groups.at(-1);
    if (added !== undefined && added !== before.groups.at(-1)) this.onVisible(added);
  }

  #wait(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => {
      this.#scheduler.after(ms, label, resolve);
    });
  }

  #newSession(): {
    until: <T>(done: Promise<T>) => Promise<T>;
    close: () => void;
  } {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    const session = { end: reject };
    this.#sessions.add(session);
    return {
      until: (done) => Promise.race([promise, done]),
      close: () => void this.#sessions.delete(session),
    };
  }
}

interface Waiter {
  readonly mode: LockMode;
  readonly take: () => void;
}

const CONFLICTS: Readonly<Record<LockMode, readonly LockMode[]>> = {
  none: [],
  'no row': [],
  'key share': ['key update'],
  update: ['update', 'key update'],
  'key update': ['key share', 'update', 'key update'],
};

/** The lock of one row; whoever waits longer goes first. */
class RowLock {
  #held: { readonly mode: LockMode }[] = [];
  #waiters: Waiter[] = [];

  acquire(mode: LockMode): Promise<() => void> {
    return new Promise((resolve) => {
      const take = (): void => {
        const held = { mode };
        this.#held.push(held);
        resolve(() => {
          this.#held = this.#held.filter((each) => each !== held);
          this.#wake();
        });
      };
      this.#waiters.push({ mode, take });
      this.#wake();
    });
  }

  clear(): void {
    this.#held = [];
    this.#waiters = [];
  }

  #wake(): void {
    for (;;) {
      const [waiter] = this.#waiters;
      if (waiter === undefined) return;
      const isFree = this.#held.every(({ mode }) => !CONFLICTS[waiter.mode].includes(mode));
      if (!isFree) return;
      this.#waiters.shift();
      waiter.take();
    }
  }
}

function applyUnlessTaken(apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}
