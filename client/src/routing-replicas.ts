import type { RoutingClock, ServerHealth } from './server-health.ts';

/** A server that requests can be sent to. */
export interface Server {
  /** Ends with a slash. */
  readonly url: URL;
  readonly role: 'primary' | 'replica';
}

const RETEST_MS_MIN = 5 * 60_000;
const RETEST_MS_MAX = 30 * 60_000;
/**
 * While no primary is online, retired replicas are tested before their time, and no more often than
 * this.
 */
const EARLY_TEST_MS = 10_000;

/** An entry of the list. */
export class Replica implements Server {
  readonly role = 'replica';
  readonly url: URL;
  /** An unchecked one is checked before it is used; a retired one is not used before `retestAt`. */
  state: 'unchecked' | 'healthy' | 'retired' = 'unchecked';
  /** The check under way, which never rejects. */
  check: Promise<void> | undefined;
  retestAt = 0;
  failedAt = -Infinity;
  /** 0 while it has not failed since it was last healthy. */
  windowMs = 0;

  constructor(url: URL) {
    this.url = url;
  }

  /** Failing again before its time, such as when many calls break off together, moves nothing. */
  retire(now: number): void {
    this.state = 'retired';
    this.failedAt = now;
    if (now < this.retestAt) return;
    this.windowMs = Math.min(Math.max(this.windowMs * 2, RETEST_MS_MIN), RETEST_MS_MAX);
    this.retestAt = now + this.windowMs;
  }

  restore(): void {
    this.state = 'healthy';
    this.windowMs = 0;
    this.retestAt = 0;
  }
}

/**
 * The list of replicas: which are healthy, and whose turn it is. Nothing is asked on a timer: a
 * check begins with the first call after the list was set, after a 503 or after a retired one's
 * window, and so a client at rest makes no requests.
 */
export class RoutingReplicas {
  readonly #health: ServerHealth;
  readonly #clock: RoutingClock;
  #replicas: readonly Replica[] = [];
  #turn = 0;

  constructor(health: ServerHealth, clock: RoutingClock) {
    this.#health = health;
    this.#clock = clock;
  }

  /**
   * Replaces the list; every entry is checked before its next use, as if it had never been there.
   */
  set(urls: readonly URL[]): void {
    this.#replicas = urls.map((url) => new Replica(url));
  }

  /**
   * The healthy one whose turn it is, as soon as there is one; undefined when there will be none.
   */
  async next(tried: ReadonlySet<Server>, signal?: AbortSignal): Promise<Replica | undefined> {
    for (;;) {
      this.#checkWhatIsDue();
      const replica = this.#inTurn(tried);
      if (replica !== undefined) return replica;
      const checks = this.#replicas
        .filter(({ state }) => state === 'unchecked')
        .filter((unchecked) => !tried.has(unchecked))
        .map(({ check }) => check);
      if (checks.length === 0) return undefined;
      await unlessAborted(Promise.race(checks), signal);
    }
  }

  /** Has the retired ones tested before their time. */
  testEarly(): void {
    const now = this.#clock.now();
    for (const replica of this.#replicas) {
      const isEarly = now - replica.failedAt < EARLY_TEST_MS;
      if (replica.state === 'retired' && !isEarly) replica.state = 'unchecked';
    }
  }

  /** Whether a replica that is slow to answer is still one to wait for. */
  async confirm(replica: Replica): Promise<boolean> {
    replica.check ??= this.#check(replica);
    await replica.check;
    return replica.state === 'healthy';
  }

  #checkWhatIsDue(): void {
    const now = this.#clock.now();
    for (const replica of this.#replicas) {
      const { state, retestAt } = replica;
      const isDue = state === 'unchecked' || (state === 'retired' && now >= retestAt);
      if (isDue) replica.check ??= this.#check(replica);
    }
  }

  async #check(replica: Replica): Promise<void> {
    const isHealthy = await this.#health.isHealthyReplica(replica.url);
    replica.check = undefined;
    if (isHealthy) replica.restore();
    else replica.retire(this.#clock.now());
  }

  #inTurn(tried: ReadonlySet<Server>): Replica | undefined {
    const count = this.#replicas.length;
    for (let step = 0; step < count; step++) {
      const index = (this.#turn + step) % count;
      const replica = this.#replicas[index];
      if (replica?.state === 'healthy' && !tried.has(replica)) {
        this.#turn = index + 1;
        return replica;
      }
    }
    return undefined;
  }
}

/** The promise goes on for whoever else waits for it. */
function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(resolve, reject).then(() => signal.removeEventListener('abort', stop));
  });
}
