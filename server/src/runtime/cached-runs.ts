import type { Clock } from '#base/clock.ts';
import { ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX } from '#base/limits.ts';
import type { GraphReader } from '#graph/reader.ts';
import { AccessEpoch } from './access-epoch.ts';
import type { EndpointAnswer } from './call-outcome.ts';
import { requestKey } from './caller-key.ts';
import type { StoredEndpoint } from './endpoint-store.ts';
import { ResultCache } from './result-cache.ts';
import type { CacheHit } from './result-cache.ts';
import type { CallResult } from './sandbox/endpoint-call.ts';
import type { EndpointRun } from './invocation.ts';

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
