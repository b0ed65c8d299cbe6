import type { EndpointCall } from '@trellis/contract/shapes/endpoint-work.ts';
import { errorCatalogue } from '@trellis/contract/errors.ts';
import type { Caller } from '#access/caller.ts';
import { ENDPOINT_RECENT_CALLS_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import { answerOf } from './call-outcome.ts';
import type { CallResult } from './sandbox/endpoint-call.ts';
import type { KeptAs } from './tracing/call-recording.ts';

/** A run that has ended. */
export interface EndedCall {
  /** When it began: milliseconds since the Unix epoch. */
  readonly begunAtMs: number;
  readonly kind: EndpointCall['kind'];
  readonly caller: Pick<Caller, 'userUid' | 'userName'>;
  /** What came of it; otherwise the error. */
  readonly result: CallResult | undefined;
  readonly error: unknown;
  readonly ms: number;
  readonly run: number | undefined;
  readonly traceId: string | undefined;
  /** Its trace, or that of the call that it is part of. */
  readonly kept: KeptAs | undefined;
}

/** What is kept of one: no answer, which may be large. */
interface KeptCall extends Pick<
  EndedCall,
  'begunAtMs' | 'kind' | 'ms' | 'run' | 'traceId' | 'kept'
> {
  readonly uid: string | null;
  readonly name: string | null;
  readonly outcome: Outcome;
}

type Outcome = Pick<EndpointCall, 'status' | 'code' | 'bytes'>;

/** The last runs of one endpoint, in the memory of this process. */
export class RecentCalls {
  /** Once it is full, the oldest gives way: `#next` is its place. Made with the first call. */
  #kept: KeptCall[] | undefined;
  #next = 0;

  /** On the path of every call. */
  add({ begunAtMs, kind, caller, result, error, ms, run, traceId, kept }: EndedCall): void {
    this.#kept ??= [];
    const { userUid: uid, userName: name } = caller;
    const outcome = outcomeOfCall(result, error);
    this.#kept[this.#next] = { begunAtMs, kind, ms, run, traceId, kept, uid, name, outcome };
    this.#next = (this.#next + 1) % ENDPOINT_RECENT_CALLS_MAX;
  }

  /** Newest first. Traces that are not there any more are left out. */
  list(isThere: (trace: string) => boolean): EndpointCall[] {
    const kept = this.#kept ?? [];
    return [...kept.slice(this.#next), ...kept.slice(0, this.#next)]
      .toReversed()
      .map((call) => shown(call, isThere));
  }
}

function shown(
  { begunAtMs, kind, uid, name, outcome, ms, run, traceId, kept }: KeptCall,
  isThere: (trace: string) => boolean,
): EndpointCall {
  const trace = kept?.id;
  return {
    at: new Date(begunAtMs).toISOString(),
    kind,
    user: uid === null ? null : { uid, name: name ?? '' },
    ...outcome,
    ms: Number(ms.toFixed(3)),
    run: run ?? null,
    traceId: traceId ?? null,
    trace: trace !== undefined && isThere(trace) ? trace : null,
  };
}

/** What comes of a run that has a result, or else an error. */
export function outcomeOfCall(result: CallResult | undefined, error: unknown): Outcome {
  return result === undefined ? outcomeOfError(error) : outcomeOf(result);
}

function outcomeOf(result: CallResult): Outcome {
  if (result.kind === 'answer') {
    return { status: result.status, code: null, bytes: Buffer.byteLength(result.json) };
  }
  try {
    return { status: answerOf(result).status, code: null, bytes: 0 };
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** Anything that is no problem is the reason of a caller who has gone. */
function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof Problem)) return { status: null, code: null, bytes: 0 };
  return { status: errorCatalogue[error.code].status, code: error.code, bytes: 0 };
}
