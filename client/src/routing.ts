import { RoutingPrimary } from './routing-primary.ts';
import { Replica, RoutingReplicas, type Server } from './routing-replicas.ts';
import { type RoutingClock, ServerHealth } from './server-health.ts';

/** Where a call may go (specification, section 4.8); `forcePrimary` wins. */
export interface RoutingFlags {
  /**
   * To a healthy replica if there is one, else to the primary; when that is offline, to any replica
   * that answers. Without it, true for the operations that a replica answers, and false, which
   * means to the primary, for all others.
   */
  readonly readOnlyCompatible?: boolean | undefined;
  /** To the primary and nowhere else, also when it is offline. */
  readonly forcePrimary?: boolean | undefined;
}

/** URLs, in one text separated by ";" as in `MSKREPLICAURLS`, or one by one. */
export type ReplicaList = string | readonly string[];

/** What routing needs to know of a call. */
export interface RoutedCall extends RoutingFlags {
  readonly method: string;
  /** Without base and query. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether a replica answers as well as the primary does; repeating such a call does no harm. */
  readonly isServedByReplicas?: boolean | undefined;
  /** The one server that can answer, such as the one where a run was begun. */
  readonly server?: Server | undefined;
  /** A stream can be sent once. */
  readonly body?: unknown;
}

/** What came back from one server. */
export interface RoutedOutcome {
  /** Absent when no answer came. */
  readonly answer?: { readonly response: Response } | undefined;
  readonly failure?: { readonly code: string } | undefined;
}

/**
 * Sends a call to one server, once; rejects only when the signal, of the call or its own, was
 * aborted.
 */
export type Ask<T> = (server: Server, signal: AbortSignal | undefined) => Promise<T>;

/** A call on its way through the servers. */
interface Journey<T> {
  readonly call: RoutedCall;
  readonly ask: Ask<T>;
  readonly tried: Set<Server>;
  /** A replica answered 303, to this call or lately. */
  needsPrimary: boolean;
}

/**
 * As the shortest window: an endpoint that was made read-only is not kept from the replicas for
 * long.
 */
const NEEDS_PRIMARY_MS = 5 * 60_000;
const NEEDS_PRIMARY_ENTRIES_MAX = 1_000;
/**
 * A replica that has not answered by then is checked, as it may have gone; one that passes may take
 * all its time.
 */
const PATIENCE_MS = 5_000;

/** Decides which server a call goes to, and where it goes when that one does not do it. */
export class Routing {
  readonly #primary: RoutingPrimary;
  readonly #clock: RoutingClock;
  readonly #replicas: RoutingReplicas;
  /**
   * Until when calls, by method and path, go to the primary at once, after a replica answered 303.
   */
  readonly #needsPrimaryUntil = new Map<string, number>();

  constructor(primary: URL, fetch: typeof globalThis.fetch, clock: RoutingClock) {
    const health = new ServerHealth(fetch, clock);
    this.#primary = new RoutingPrimary(primary, health, clock);
    this.#clock = clock;
    this.#replicas = new RoutingReplicas(health, clock);
  }

  /** Whether another server may become the primary. */
  get mayMove(): boolean {
    return this.#primary.mayMove;
  }

  /** Where the primary is, for a connection that is no call; `isLost` after one broke off. */
  async primaryUrl({ isLost }: { readonly isLost: boolean }): Promise<URL> {
    if (isLost) this.#primary.suspect();
    return (await this.#primary.locate()).url;
  }

  /**
   * Calls under way end where they are, and go on over the new list. An entry that is no URL is
   * never healthy.
   */
  setReplicas(list: ReplicaList): void {
    const urls = new Map<string, URL>();
    for (const entry of typeof list === 'string' ? list.split(';') : list) {
      const text = entry.trim();
      const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
      if (url !== null) urls.set(url.href, url);
    }
    this.#replicas.set([...urls.values()]);
    this.#primary.setOthers([...urls.values()]);
  }

  /** The outcome that counts. A call is sent to each server once at most. */
  async send<T extends RoutedOutcome>(call: RoutedCall, ask: Ask<T>): Promise<T> {
    if (call.server !== undefined) return this.#ask(call.server, call, ask);
    if (!mayUseReplicas(call)) return this.#askPrimary(call, ask);
    const needsPrimary = this.#isKnownToNeedPrimary(call);
    const journey: Journey<T> = { call, ask, tried: new Set(), needsPrimary };
    const answered = needsPrimary ? undefined : await this.#onReplicas(journey);
    if (answered !== undefined) return answered;
    const outcome = await this.#askPrimary(call, ask);
    if (journey.needsPrimary || !isRepeatable(call) || !isOffline(outcome)) return outcome;
    this.#replicas.testEarly();
    const late = await this.#onReplicas(journey);
    // The primary may have begun a run before it went, and must not be asked again because a
    // replica is busy.
    if (late === undefined || (call.method !== 'GET' && asksToRetry(late))) return outcome;
    return late;
  }

  /**
   * The server that was the primary may be it no more: then the call goes on to the one that is,
   * unless the first may have done it.
   */
  async #askPrimary<T extends RoutedOutcome>(call: RoutedCall, ask: Ask<T>): Promise<T> {
    const primary = this.#primary;
    const asked = await primary.locate();
    if (!primary.mayMove) return ask(asked, call.signal);
    const outcome = await this.#askWithPatience(call, {
      ask: (signal) => ask(asked, signal),
      isStillThere: async () => (await primary.search()).url.href === asked.url.href,
    });
    const isSentOn = sendsToPrimary(outcome);
    if (!isSentOn && !isOffline(outcome)) return outcome;
    const found = await primary.search();
    if (found === asked || call.body instanceof ReadableStream) return outcome;
    const isElsewhere = found.url.href !== asked.url.href || found.role !== asked.role;
    return isElsewhere && (isSentOn || isRepeatable(call)) ? ask(found, call.signal) : outcome;
  }

  /** From one healthy replica to the next; undefined when it is the primary's turn. */
  async #onReplicas<T extends RoutedOutcome>(journey: Journey<T>): Promise<T | undefined> {
    const { call, ask, tried } = journey;
    for (;;) {
      const replica = await this.#replicas.next(tried, call.signal);
      if (replica === undefined) return undefined;
      tried.add(replica);
      const outcome = await this.#ask(replica, call, ask);
      if (sendsToPrimary(outcome)) {
        journey.needsPrimary = true;
        this.#rememberThatItNeedsPrimary(call);
        return undefined;
      }
      if (isBehind(outcome)) continue;
      if (!isOffline(outcome) || !isRepeatable(call)) return outcome;
    }
  }

  /** What a replica's outcome says of the replica itself is kept. */
  async #ask<T extends RoutedOutcome>(server: Server, call: RoutedCall, ask: Ask<T>): Promise<T> {
    if (!(server instanceof Replica)) return ask(server, call.signal);
    const outcome = await this.#askWithPatience(call, {
      ask: (signal) => ask(server, signal),
      isStillThere: () => this.#replicas.confirm(server),
    });
    if (isOffline(outcome) && !isBehind(outcome)) {
      // Only a server that still answers is checked again at once.
      if (outcome.answer?.response.status === 503) server.state = 'unchecked';
      else server.retire(this.#clock.now());
    }
    return outcome;
  }

  /** A call may take long, but a server that went away without a word must not hold it. */
  async #askWithPatience<T>(
    call: RoutedCall,
    {
      ask,
      isStillThere,
    }: {
      readonly ask: (signal: AbortSignal) => Promise<T>;
      readonly isStillThere: () => Promise<boolean>;
    },
  ): Promise<T> {
    const gone = new AbortController();
    const patience = this.#clock.timeout(PATIENCE_MS);
    let isAnswered = false;
    const check = async () => {
      const isThere = await isStillThere();
      if (!isThere && !isAnswered) gone.abort();
    };
    patience.addEventListener('abort', check, { once: true });
    const signals = call.signal === undefined ? [] : [call.signal];
    try {
      return await ask(AbortSignal.any([...signals, gone.signal]));
    } finally {
      isAnswered = true;
      patience.removeEventListener('abort', check);
    }
  }

  #isKnownToNeedPrimary(call: RoutedCall): boolean {
    const until = this.#needsPrimaryUntil.get(nameOf(call));
    return until !== undefined && this.#clock.now() < until;
  }

  #rememberThatItNeedsPrimary(call: RoutedCall): void {
    const known = this.#needsPrimaryUntil;
    // An endpoint that is forgotten costs one more request.
    if (known.size >= NEEDS_PRIMARY_ENTRIES_MAX) known.clear();
    known.set(nameOf(call), this.#clock.now() + NEEDS_PRIMARY_MS);
  }
}

/**
 * A replica's 303. Where it leads is not looked at: the primary is the one that the client was
 * given, and its token goes nowhere else. Browsers hide the status and the address
 * (`opaqueredirect`). An endpoint that itself answers with a redirect is read-only, so running it
 * again on the primary does no harm.
 */
export function sendsToPrimary({ answer }: RoutedOutcome): boolean {
  return answer?.response.status === 303 || answer?.response.type === 'opaqueredirect';
}

function mayUseReplicas({
  forcePrimary,
  readOnlyCompatible,
  isServedByReplicas = false,
}: RoutedCall): boolean {
  return forcePrimary !== true && (readOnlyCompatible ?? isServedByReplicas);
}

/**
 * Whether a server may get the call although another may have done it. A flag does not make a write
 * harmless.
 */
function isRepeatable({ method, isServedByReplicas }: RoutedCall): boolean {
  return method === 'GET' || isServedByReplicas === true;
}

/**
 * A replica that has not heard of the write, or of the token, which its neighbour or the primary
 * may know.
 */
function isBehind({ failure }: RoutedOutcome): boolean {
  return failure?.code === 'replica_behind' || failure?.code === 'invalid_token';
}

/** No answer, one of a gateway before the server, or one of a server that has no time. */
function isOffline({ answer, failure }: RoutedOutcome): boolean {
  if (failure === undefined) return false;
  if (answer === undefined || answer.response.status === 503) return true;
  return [502, 504].includes(answer.response.status) && failure.code === 'unexpected_answer';
}

function asksToRetry({ answer }: RoutedOutcome): boolean {
  return answer?.response.headers.has('retry-after') === true;
}

function nameOf({ method, path }: RoutedCall): string {
  return `${method} ${path}`;
}
