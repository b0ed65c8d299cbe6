import type { Clock } from '#base/clock.ts';
import {
  ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX,
  ENDPOINT_CACHED_ANSWERS_MAX,
  ENDPOINT_CACHED_CHARACTERS_MAX,
} from '#base/endpoint-limits.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import type { StoredEndpoint } from './endpoint-store.ts';
import type { CallResult } from './sandbox/endpoint-call.ts';
import type { EndpointRun } from './invocation.ts';
import { settingVersion } from '#access/settings.ts';
import { TYPE_ACCESS_SETTING } from '#graph/type-access.ts';
import { createHash } from 'node:crypto';
import type { Caller } from '#access/caller.ts';

/** What there is in memory for a call, or else what is to be called with the result of its run. */
export interface FoundAnswer {
  readonly hit?: CacheHit;
  /** Keeps it, if it is a good answer; not for runs that wrote. */
  readonly keep?: Keep;
}

export type Keep = (result: CallResult) => void;

type Request = Pick<EndpointRun, 'caller' | 'body' | 'headers'>;

/**
 * What `cacheSeconds` means: a good answer may be given again to the same caller and body, by the
 * same version of the endpoint, as long as nobody's access has changed. Changes of other data show
 * only when the time is over; but an answer never reflects less than the caller asks for with
 * `X-MSK-Min-Sequence`, so that everybody reads their own writes.
 */
export class CachedRuns {
  readonly #reader: GraphReader;
  readonly #epoch: AccessEpoch;
  readonly #cache: ResultCache;

  constructor({ reader, clock }: { readonly reader: GraphReader; readonly clock: Clock }) {
    this.#reader = reader;
    this.#epoch = new AccessEpoch(reader);
    this.#cache = new ResultCache(() => clock.now());
  }

  /** `key` is the `requestKey` of the call, when that is known already. */
  look(
    endpoint: StoredEndpoint,
    { caller, body, headers }: Request,
    key: string | undefined = undefined,
  ): FoundAnswer {
    const seconds = endpoint.definition.cacheSeconds;
    if (seconds === 0) return {};
    if (body !== null && body.length > ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX) return {};
    const request = key ?? requestKey(endpoint.identity, caller, body);
    const epoch = this.#epoch.current();
    const { sequence } = this.#reader;
    const hit = this.#cache.find(request, epoch, minSequenceOf(headers));
    if (hit !== undefined) return { hit };
    return {
      keep: (result) => {
        const isGood = result.kind === 'answer' && result.status < 300;
        // What was read under another access must not be given to whoever has the new one.
        if (!isGood || this.#epoch.current() !== epoch) return;
        this.#cache.put(request, result, { seconds, sequence });
      },
    };
  }
}

/** The answer from memory, which says so, and how old it is. */
export function cachedAnswer({ answer, ageSeconds, sequence }: CacheHit): EndpointAnswer {
  const headers = {
    age: String(ageSeconds),
    'msk-cache': 'hit',
    'x-msk-sequence': String(sequence),
  };
  return { status: answer.status, headers, body: answer.json };
}

/** `X-MSK-Min-Sequence`, of headers as JSON text; 0 without. */
export function minSequenceOf(headers: string): number {
  const { 'x-msk-min-sequence': wanted } = JSON.parse(headers) as Record<string, unknown>;
  return Number(wanted ?? 0);
}

/**
 * A number that changes with every change of who may see what: of restrictions of nodes, members of
 * teams, owners, and access of types. What was answered at one of them may not be given again at
 * another.
 */
export class AccessEpoch {
  readonly #reader: GraphReader;
  #sequence = -1;
  #typeVersion = -1;
  #epoch = 0;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** As of the newest commit. */
  current(): number {
    const sequence = this.#reader.refresh();
    if (sequence === this.#sequence) return this.#epoch;
    const changes = this.#sequence < 0 ? [] : this.#reader.accessChangesSince(this.#sequence);
    const typeVersion = settingVersion(this.#reader, TYPE_ACCESS_SETTING);
    if (changes?.length !== 0 || typeVersion !== this.#typeVersion) this.#epoch++;
    this.#sequence = sequence;
    this.#typeVersion = typeVersion;
    return this.#epoch;
  }
}

/** A good answer of an endpoint. */
interface CachedAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly json: string;
}

interface CacheHit {
  readonly answer: CachedAnswer;
  readonly ageSeconds: number;
  /** Sequence of the state that the answer reflects. */
  readonly sequence: number;
}

interface Entry {
  readonly answer: CachedAnswer;
  readonly storedAt: number;
  readonly until: number;
  readonly sequence: number;
}

/**
 * Answers that may be given again (`cacheSeconds`), in the memory of this process. What is asked
 * for is named by `requestKey`. The oldest go first when there is no room; all of them go when
 * anybody's access has changed.
 */
export class ResultCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #charactersMax: number;
  #characters = 0;
  #accessEpoch = -1;

  /** `now` is in milliseconds. */
  constructor(now: () => number, charactersMax = ENDPOINT_CACHED_CHARACTERS_MAX) {
    this.#now = now;
    this.#charactersMax = charactersMax;
  }

  /** An answer that is not too old and reflects at least `minSequence`. */
  find(key: string, accessEpoch: number, minSequence: number): CacheHit | undefined {
    this.#follow(accessEpoch);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = this.#now();
    if (now >= entry.until) {
      this.#delete(key, entry);
      return undefined;
    }
    if (entry.sequence < minSequence) return undefined;
    const { answer, storedAt, sequence } = entry;
    return { answer, sequence, ageSeconds: Math.floor((now - storedAt) / 1_000) };
  }

  put(
    key: string,
    answer: CachedAnswer,
    { seconds, sequence }: { readonly seconds: number; readonly sequence: number },
  ): void {
    if (answer.json.length > ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX) return;
    const before = this.#entries.get(key);
    if (before !== undefined) this.#delete(key, before);
    const storedAt = this.#now();
    this.#entries.set(key, { answer, storedAt, until: storedAt + seconds * 1_000, sequence });
    this.#characters += answer.json.length;
    this.#makeRoom();
  }

  #follow(accessEpoch: number): void {
    if (accessEpoch === this.#accessEpoch) return;
    this.#accessEpoch = accessEpoch;
    this.#entries.clear();
    this.#characters = 0;
  }

  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      const isFull =
        this.#characters > this.#charactersMax || this.#entries.size > ENDPOINT_CACHED_ANSWERS_MAX;
      if (!isFull && this.#now() < entry.until) return;
      this.#delete(key, entry);
    }
  }

  #delete(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#characters -= entry.answer.json.length;
  }
}

/**
 * Who a caller is as far as an endpoint can tell: the user, or the token when it acts as nobody,
 * and what it may see. Two sessions of one user are the same caller.
 */
export function callerKey(caller: Caller): string {
  const { userUid, tokenId, isAdmin, isReadOnlyAdmin, isGuest } = caller;
  const who = userUid === null ? `token ${tokenId}` : `user ${userUid}`;
  return `${who} ${Number(isAdmin)}${Number(isReadOnlyAdmin)}${Number(isGuest)}`;
}

/**
 * The same for two calls of one caller with the same body to the same version of an endpoint;
 * bodies are the same when their texts are. Its length is fixed, whatever the body.
 */
export function requestKey(version: string, caller: Caller, body: string | null): string {
  return createHash('sha256')
    .update(`${version} ${callerKey(caller)} ${body === null ? '' : '+'}`)
    .update(body ?? '')
    .digest('base64url');
}
