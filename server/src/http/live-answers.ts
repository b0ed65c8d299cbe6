import type { FastifyReply, FastifyRequest } from 'fastify';
import { must } from '#base/assert.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import type { RunningCallers, RunningWork } from '#access/running-callers.ts';
import {
  CALLER_END_GRACE_MS,
  EVENT_STREAMS_MAX,
  EVENT_STREAMS_PER_CALLER_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

/**
 * An answer that is not out yet, and that ends when its caller loses their rights. Slow and lasting
 * work hears of it here only. An answer that has not begun becomes the problem. One that has begun
 * gets the signal, may say why it ends, and is cut off soon after. Work that writes and does not
 * listen may finish: otherwise its answer would say that nothing had happened.
 */
export class LiveAnswer implements RunningWork {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #caller: Caller;
  readonly #running: RunningCallers;
  readonly #writes: boolean;
  #controller: AbortController | undefined;
  #isListened = false;
  /** The reason why the answer has to end; undefined as long as it need not. */
  problem: Problem | undefined;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    running: RunningCallers,
    operation: Operation,
  ) {
    this.#request = request;
    this.#reply = reply;
    this.#caller = must(request.caller, 'the caller of an answer');
    this.#running = running;
    this.#writes = operation.onReplica === 'redirect';
    running.add(this.#caller, this);
  }

  /** Aborts with the problem. */
  get signal(): AbortSignal {
    this.#isListened = true;
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Listens without a signal, for callers that look at `problem` now and then. */
  listened(): this {
    this.#isListened = true;
    return this;
  }

  /**
   * Looks the caller up again, for what must not go out with earlier rights. Throws the problem.
   */
  check(): void {
    if (this.problem !== undefined) throw this.problem;
    this.#running.check(this.#caller);
  }

  /** The same for work that was long enough to be listened for: its answer is not out yet. */
  checkListened(): void {
    if (this.#isListened) this.#running.check(this.#caller);
  }

  end(problem: Problem): void {
    const { raw } = this.#reply;
    if (this.problem !== undefined || raw.writableFinished) return;
    if (!raw.headersSent && this.#writes && !this.#isListened) return;
    this.problem = problem;
    if (!raw.headersSent && !this.#reply.sent) this.#reply.send(problem);
    this.#controller?.abort(problem);
    setTimeout(() => this.#cut(), CALLER_END_GRACE_MS).unref();
  }

  /** Call it when the handler has done its part. */
  handled(): void {
    const { raw } = this.#reply;
    const isOut = raw.writableEnded && raw.writableLength <= raw.writableHighWaterMark;
    if (isOut || raw.closed) this.#over();
    else raw.once('close', () => this.#over());
  }

  /** Also cuts a request whose body still arrives. */
  #cut(): void {
    const { raw } = this.#reply;
    if (!raw.writableFinished) raw.destroy();
    else if (!this.#request.raw.complete) this.#request.raw.destroy();
  }

  #over(): void {
    this.#running.remove(this.#caller, this);
  }
}

/** Runs an operation, and ends it when its caller loses their rights. */
export async function answeredLive(
  live: LiveAnswer,
  handle: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    const text = await handle();
    // The problem was the answer.
    if (live.problem !== undefined) return undefined;
    if (text !== undefined) live.checkListened();
    return text;
  } catch (error) {
    if (live.problem === undefined) throw error;
    return undefined;
  } finally {
    live.handled();
  }
}

/**
 * A signal that aborts when the connection closes before the answer is out (the client has gone, or
 * the server stops), or when the caller loses the rights that the request began with. The
 * framework's own signal follows the request, which also closes when its body has been read.
 */
export function disconnectSignal({ raw, request }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  const { live } = request;
  return live === null ? controller.signal : AbortSignal.any([controller.signal, live.signal]);
}

/** The same as a flag to look at now and then. Unlike a listener it costs a call nothing. */
export class Disconnect {
  readonly #response: FastifyReply['raw'];
  readonly #live: LiveAnswer | undefined;

  constructor({ raw, request }: FastifyReply) {
    this.#response = raw;
    this.#live = request.live?.listened();
  }

  get aborted(): boolean {
    if (this.#live?.problem !== undefined) return true;
    const { closed, socket, writableFinished } = this.#response;
    return !writableFinished && (closed || socket?.destroyed === true);
  }

  get reason(): Error {
    return this.#live?.problem ?? new Error('the client has gone');
  }
}

/**
 * The open streams of one server. Their number is limited, also for each caller, and they end when
 * the server stops.
 */
export class EventStreams {
  readonly #max: number;
  /** The `budgetKey` of each stream's caller. */
  readonly #open = new Map<AbortController, string>();
  readonly #stopping = new AbortController();

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

  /** Aborts when the server stops, with a problem that says so; so do the streams. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    const problem = new Problem('server_stopping', 'The server is stopping.');
    this.#stopping.abort(problem);
    for (const stream of this.#open.keys()) stream.abort(problem);
  }
}

function tooMany(what: string): Problem {
  return new Problem('too_many_requests', `${what} already.`, {
    hint: 'Close one, or try again later.',
  });
}
