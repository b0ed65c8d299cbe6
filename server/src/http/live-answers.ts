import type { FastifyReply, FastifyRequest } from 'fastify';
import { must } from '#base/assert.ts';
import type { Caller } from '#access/caller.ts';
import type { RunningCallers, RunningWork } from '#access/running-callers.ts';
import { CALLER_END_GRACE_MS } from '#base/limits.ts';
import type { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';

/**
 * An answer that is not out yet, and ends with the rights of its caller: the one place where what
 * is slow, or goes on, hears of it. What has not begun is answered with the problem. What has begun
 * hears the signal, may say why, and is cut off soon after. Only what writes and does not listen is
 * left to end by itself: it would be answered as if it had not happened.
 */
export class LiveAnswer implements RunningWork {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #caller: Caller;
  readonly #running: RunningCallers;
  readonly #writes: boolean;
  #controller: AbortController | undefined;
  #isListened = false;
  /** Why it has to end; undefined as long as it has not. */
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

  /** The same for who looks now and then at `problem`. */
  listened(): this {
    this.#isListened = true;
    return this;
  }

  /** Looks the caller up, for what must not go out with rights of before. Throws the problem. */
  check(): void {
    if (this.problem !== undefined) throw this.problem;
    this.#running.check(this.#caller);
  }

  /** The same of what took long enough to be listened for: it is not out yet. */
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

  /** To be called when the handler has done its part. */
  handled(): void {
    const { raw } = this.#reply;
    const isOut = raw.writableEnded && raw.writableLength <= raw.writableHighWaterMark;
    if (isOut || raw.closed) this.#over();
    else raw.once('close', () => this.#over());
  }

  /** Also of a request whose body still arrives. */
  #cut(): void {
    const { raw } = this.#reply;
    if (!raw.writableFinished) raw.destroy();
    else if (!this.#request.raw.complete) this.#request.raw.destroy();
  }

  #over(): void {
    this.#running.remove(this.#caller, this);
  }
}

/** Has an operation of somebody end with their rights. */
export async function answeredLive(
  live: LiveAnswer,
  handle: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    const text = await handle();
    // It was answered already.
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
