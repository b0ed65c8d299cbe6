import { EventEmitter, once } from 'node:events';
import type { RoutingClock } from '../server-health.ts';
import type { TransportOptions } from '../transport.ts';
import { TrellisClient } from '../trellis-client.ts';
import { answer, listen, readSeen, type Reply, type Seen } from './scripted-server.ts';

/** Time that passes only when a test says so. */
export class ManualClock implements RoutingClock {
  #now = 0;
  readonly #timers: { readonly at: number; readonly controller: AbortController }[] = [];

  now(): number {
    return this.#now;
  }

  timeout(ms: number): AbortSignal {
    const controller = new AbortController();
    this.#timers.push({ at: this.#now + ms, controller });
    return controller.signal;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const { at, controller } of this.#timers) if (at <= this.#now) controller.abort();
  }
}

type Script = Reply | ((seen: Seen) => Reply);

/**
 * A server of a scene. What it is sent is `seen`, apart from the questions about its health, which
 * are `checks`.
 */
export class Member {
  readonly seen: Seen[] = [];
  readonly checks: Seen[] = [];
  /** Whether it is the primary. */
  readonly searches: Seen[] = [];
  /** To everything but health checks. */
  reply: Script = { body: {} };
  /** To `GET /health/replica`. */
  health: Reply;
  /** To `GET /health/primary`. */
  primaryHealth: Reply = { status: 503, body: 'not primary' };
  /** To `GET /api/available-status`. */
  available: Reply = { body: 'available' };
  readonly #events = new EventEmitter();
  #url = '';

  private constructor(health: Reply) {
    this.health = health;
  }

  static async start(healthBody: object): Promise<Member> {
    const member = new Member({ body: healthBody });
    member.#url = await listen(async (request, response) => {
      answer(response, member.#take(await readSeen(request)));
    });
    return member;
  }

  get url(): string {
    return this.#url;
  }

  /** As if its machine were gone, until `reply` and `health` are set again. */
  leave(how: Reply = { reset: true }): void {
    this.reply = how;
    this.health = how;
    this.primaryHealth = how;
    this.available = how;
  }

  /** The next request that is no check, when it has come. */
  async request(): Promise<void> {
    await once(this.#events, 'request');
  }

  async check(): Promise<void> {
    await once(this.#events, 'check');
  }

  #take(seen: Seen): Reply {
    if (seen.url === '/api/available-status') return this.available;
    if (seen.url === '/health/primary') {
      this.searches.push(seen);
      return this.primaryHealth;
    }
    const isCheck = seen.url === '/health/replica';
    (isCheck ? this.checks : this.seen).push(seen);
    this.#events.emit(isCheck ? 'check' : 'request');
    if (isCheck) return this.health;
    return typeof this.reply === 'function' ? this.reply(seen) : this.reply;
  }
}

export interface Scene {
  readonly primary: Member;
  readonly replicas: readonly Member[];
  readonly clock: ManualClock;
  readonly client: TrellisClient;
  /** How many calls each replica has been sent, and last the primary. */
  counts(): number[];
  /** When the checks under way have been judged. */
  checked(): Promise<void>;
}

/** Fetches, and knows when nothing more will come of the questions about health. */
class WatchedFetch {
  readonly #checks = new Set<Promise<Response>>();

  readonly fetch: typeof globalThis.fetch = (input, init) => {
    const isCheck = /\/(?:health\/(?:replica|primary)|api\/available-status)$/.test(String(input));
    if (!isCheck) return fetch(input, init);
    const check = this.#check(input, init);
    this.#checks.add(check);
    return check;
  };

  async settled(): Promise<void> {
    await Promise.allSettled(this.#checks);
    // Their bodies are read, so only promises lie between them and the judgement.
    await new Promise(setImmediate);
  }

  async #check(...request: Parameters<typeof globalThis.fetch>): Promise<Response> {
    const { body, status, headers } = await fetch(...request);
    return new Response(body === null ? null : await new Response(body).text(), {
      status,
      headers,
    });
  }
}

/** A primary with healthy replicas, and a client that knows them. */
export async function openScene(
  replicaCount: number,
  options: Partial<TransportOptions> = {},
): Promise<Scene> {
  const primary = await Member.start({ isReplica: false, hasReplicas: true });
  const replicas = await Promise.all(
    Array.from({ length: replicaCount }, () =>
      Member.start({ isReplica: true, hasReplicas: false }),
    ),
  );
  const clock = new ManualClock();
  const watched = new WatchedFetch();
  const client = new TrellisClient({
    baseUrl: primary.url,
    replicas: replicas.map(({ url }) => url),
    retry: { retriesMax: 0, pauseMs: 1 },
    clock,
    fetch: watched.fetch,
    ...options,
  });
  const counts = () => [...replicas, primary].map(({ seen }) => seen.length);
  return { primary, replicas, clock, client, counts, checked: () => watched.settled() };
}
