import type { Server } from './routing-replicas.ts';
import type { RoutingClock, ServerHealth } from './server-health.ts';

/** Searches that come sooner after the last one take what that found. */
const SEARCH_INTERVAL_MS = 250;
/** As well, where no member answered: the servers may be others. */
const FRUITLESS_SEARCH_INTERVAL_MS = 2_000;

/**
 * Which server the primary is. It is the one at `baseUrl`, unless the servers that the client knows
 * are members of one workspace (docs/cluster.md): then another of them may take over. It is
 * searched for when the one that was it does not answer, refuses, or sends calls on.
 */
export class RoutingPrimary {
  readonly #base: Server;
  readonly #health: ServerHealth;
  readonly #clock: RoutingClock;
  #others: readonly URL[] = [];
  #current: Server;
  #isLost = false;
  /** Of the primary that was found last. */
  #term = 0;
  #search: Promise<void> | undefined;
  #searchAgainAt = -Infinity;

  constructor(base: URL, health: ServerHealth, clock: RoutingClock) {
    this.#base = { url: base, role: 'primary' };
    this.#current = this.#base;
    this.#health = health;
    this.#clock = clock;
  }

  /** As it was known last. */
  get current(): Server {
    return this.#current;
  }

  /** Whether another server may be the primary. */
  get mayMove(): boolean {
    return this.#others.length > 0;
  }

  /** The servers besides `baseUrl`. */
  setOthers(urls: readonly URL[]): void {
    this.#others = urls;
  }

  /** The next call searches for it. */
  suspect(): void {
    this.#isLost = true;
  }

  /** The primary; while there is none, a member that follows, which refuses what it cannot do. */
  async locate(): Promise<Server> {
    return this.#isLost ? this.search() : this.#current;
  }

  /** As `locate`, and does not believe what is known. */
  async search(): Promise<Server> {
    if (!this.mayMove) return this.#current;
    const isEarly = this.#clock.now() < this.#searchAgainAt;
    if (this.#search === undefined && isEarly) return this.#current;
    this.#search ??= this.#searchAll();
    await this.#search;
    return this.#current;
  }

  async #searchAll(): Promise<void> {
    const urls = new Map([this.#base.url, ...this.#others].map((url) => [url.href, url]));
    urls.set(this.#current.url.href, this.#current.url);
    const asked = [...urls.values()].map((url) => this.#ask(url));
    const found = await bestOf(asked, this.#term);
    this.#search = undefined;
    this.#searchAgainAt =
      this.#clock.now() + (found === undefined ? FRUITLESS_SEARCH_INTERVAL_MS : SEARCH_INTERVAL_MS);
    this.#isLost = found?.server.role !== 'primary';
    if (found === undefined) return;
    this.#current = found.server;
    if (!this.#isLost) this.#term = found.term;
  }

  async #ask(url: URL): Promise<Candidate | undefined> {
    const answer = await this.#health.primaryHealth(url);
    if (answer === undefined) return undefined;
    const { isPrimary, term } = answer;
    // Without a term it is no member: a replica that was promoted has another history.
    const isBase = url.href === this.#base.url.href;
    if (term === undefined && !(isBase && isPrimary)) return undefined;
    return { server: { url, role: isPrimary ? 'primary' : 'replica' }, term: term ?? 0 };
  }
}

interface Candidate {
  readonly server: Server;
  readonly term: number;
}

/**
 * Of all who answer, unless one is the primary in a later term than is known: nobody has to wait
 * for the others then.
 */
function bestOf(
  asked: readonly Promise<Candidate | undefined>[],
  knownTerm: number,
): Promise<Candidate | undefined> {
  return new Promise((resolve) => {
    let best: Candidate | undefined;
    const heard = asked.map(async (one) => {
      const candidate = await one;
      if (candidate === undefined) return;
      best = better(best, candidate);
      if (candidate.server.role === 'primary' && candidate.term > knownTerm) resolve(candidate);
    });
    void Promise.all(heard).then(() => resolve(best));
  });
}

/** A primary before who follows; of two, the one with the later term: the other has lost it. */
function better(known: Candidate | undefined, other: Candidate): Candidate {
  if (known === undefined) return other;
  if (known.server.role === other.server.role) return other.term > known.term ? other : known;
  return known.server.role === 'primary' ? known : other;
}
