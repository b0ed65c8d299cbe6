import type { FastifyRequest } from 'fastify';
import { budgetKey } from '#access/caller.ts';
import { EVENT_STREAMS_MAX, EVENT_STREAMS_PER_CALLER_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

/**
 * The open streams of one server. Their number is limited, also for each caller, and they end when
 * the server stops.
 */
export class EventStreams {
  readonly #max: number;
  /** The `budgetKey` of each stream's caller. */
  readonly #open = new Map<AbortController, string>();

  constructor(max = EVENT_STREAMS_MAX) {
    this.#max = max;
  }

  /** Opens a stream, which ends when its caller loses their rights. Throws `too_many_requests`. */
  open({ caller, live }: Pick<FastifyRequest, 'caller' | 'live'>): AbortController {
    const key = caller === null ? '' : budgetKey(caller);
    const own = [...this.#open.values()].filter((one) => one === key).length;
    if (this.#open.size >= this.#max) throw tooMany(`${this.#max} streams of events are open`);
    if (own >= EVENT_STREAMS_PER_CALLER_MAX) throw tooMany(`${own} streams of yours are open`);
    const stream = new AbortController();
    this.#open.set(stream, key);
    stream.signal.addEventListener('abort', () => this.#open.delete(stream), { once: true });
    live?.signal.addEventListener('abort', () => stream.abort(live.problem), { once: true });
    return stream;
  }

  stop(): void {
    for (const stream of this.#open.keys()) stream.abort();
  }
}

function tooMany(what: string): Problem {
  return new Problem('too_many_requests', `${what} already.`, {
    hint: 'Close one, or try again later.',
  });
}
