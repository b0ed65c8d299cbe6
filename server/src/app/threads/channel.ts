import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { Problem, type ProblemMessage } from '#base/problem.ts';

/**
 * The calls that one side of a channel answers, as an interface of methods: what each is given, and
 * what it answers. A second parameter is what the call tells of its progress, any number of times:
 *
 *     interface WriterCalls {
 *       commit(request: CommitRequest): CommitResult;
 *       loadSample(given: undefined, progress: Steps): IngestSummary;
 *     }
 *
 * Everything is copied on its way (structured clone), but for the memory that is handed over.
 */
export type Calls<C> = { [K in keyof C]: (given: never, progress: never) => unknown };

type Given<Call> = Call extends (given: infer G, ...progress: never) => unknown ? G : never;
type Progress<Call> = Call extends (given: never, progress: infer P) => unknown ? P : never;
type Answer<Call> = Call extends (...given: never) => infer A ? A : never;

/** A progress that most calls tell. */
export interface Steps {
  readonly done: number;
  readonly total: number;
}

/** The second argument of a handler. */
export interface CallContext<P> {
  /** Aborted when the caller does not want the answer any more, for the caller's reason. */
  readonly signal: AbortSignal;
  readonly progress: (progress: P) => void;
  /** The answer hands this memory over. */
  readonly handOver: (memory: ArrayBuffer) => void;
}

/** Answers the calls of the other side. What a handler throws is thrown at the caller. */
export type Handlers<C extends Calls<C>> = {
  readonly [K in keyof C]: (
    given: Given<C[K]>,
    context: CallContext<Progress<C[K]>>,
  ) => Answer<C[K]> | Promise<Answer<C[K]>>;
};

export interface CallOptions<P> {
  /** Asks the other side to end the call; the call then ends as that side has it. */
  readonly signal?: AbortSignal | undefined;
  /** Why, when it is not what the signal says. */
  readonly reason?: Error | undefined;
  readonly onProgress?: ((progress: P) => void) | undefined;
  /** Memory and ports of what is given that are handed over, not copied. */
  readonly handOver?: readonly (ArrayBuffer | MessagePort)[] | undefined;
}

/** A call that is given nothing need not say so. */
type Arguments<Call> =
  undefined extends Given<Call>
    ? [given?: Given<Call>, options?: CallOptions<Progress<Call>>]
    : [given: Given<Call>, options?: CallOptions<Progress<Call>>];

/** `id` is 0 for a call that wants no answer. */
type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly given: unknown }
  | { readonly kind: 'cancel'; readonly id: number; readonly reason: Failure }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure };

/** Another process that is spoken to as a thread is. */
export interface ProcessPort {
  hear(listener: (message: never) => void): void;
  postMessage(message: object): void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
}

/**
 * Two threads that call each other: `Theirs` are the calls of the other side, `Ours` those that are
 * answered here. Calls arrive in the order in which they are made; answers come in any order.
 */
export class Channel<Theirs extends Calls<Theirs>, Ours extends Calls<Ours>> {
  readonly #port: Worker | MessagePort | ProcessPort;
  /** Rejects with what has kept this side from opening. */
  readonly #opening: Promise<Handlers<Ours>>;
  #handlers: Handlers<Ours> | undefined;
  /** Calls that have no answer yet. */
  readonly #waiting = new Map<number, Waiting>();
  /** Calls of the other side that are not answered yet. */
  readonly #running = new Map<number, CallUnderWay>();
  #lastId = 0;
  #ended: Error | undefined;

  /** Calls wait for handlers that are not there yet, and fail with what keeps them from coming. */
  constructor(
    port: Worker | MessagePort | ProcessPort,
    handlers: Handlers<Ours> | Promise<Handlers<Ours>>,
  ) {
    this.#port = port;
    this.#opening = Promise.resolve(handlers);
    this.#opening.then(
      (opened) => (this.#handlers = opened),
      () => undefined,
    );
    const hear = (message: Message): void => this.#receive(message);
    if ('hear' in port) port.hear(hear);
    else port.on('message', hear);
  }

  /** Rejects with what the other side has thrown, and when it ends before it has answered. */
  async ask<K extends keyof Theirs & string>(
    name: K,
    ...[given, { signal, reason, onProgress, handOver } = {}]: Arguments<Theirs[K]>
  ): Promise<Answer<Theirs[K]>> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answer<Theirs[K]>>();
    this.#waiting.set(id, { resolve, reject, onProgress });
    this.#post({ kind: 'call', id, name, given }, handOver);
    if (signal === undefined) return promise;
    const cancel = (): void =>
      this.#post({ kind: 'cancel', id, reason: failureOf(reason ?? signal.reason) });
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** A call whose answer nobody waits for: what its handler throws ends the other side. */
  tell<K extends keyof Theirs & string>(
    name: K,
    ...[given, { handOver } = {}]: Arguments<Theirs[K]>
  ): void {
    if (this.#ended === undefined) this.#post({ kind: 'call', id: 0, name, given }, handOver);
  }

  /** The other side is gone: whoever waits for it, or asks it later, gets this error. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #post(message: Message, handOver: readonly Transferable[] = []): void {
    if ('hear' in this.#port) this.#port.postMessage(message);
    else this.#port.postMessage(message, handOver);
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message.id, message.name as keyof Ours, message.given);
        return;
      case 'cancel':
        this.#running.get(message.id)?.cancel(errorOf(message.reason));
        return;
      case 'progress':
        this.#waiting.get(message.id)?.onProgress?.(message.progress as never);
        return;
      case 'answer':
        this.#take(message.id)?.resolve(message.answer as never);
        return;
      case 'failure':
        this.#take(message.id)?.reject(errorOf(message.failure));
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // Whoever waited has been told that the other side is gone.
    return this.#ended === undefined ? must(waiting, `the call ${id} of a thread`) : waiting;
  }

  async #answer(id: number, name: keyof Ours, given: unknown): Promise<void> {
    const call = new CallUnderWay((progress) => this.#post({ kind: 'progress', id, progress }));
    if (id === 0) {
      const handlers = this.#handlers ?? (await this.#opening);
      await handlers[name](given as never, call);
      return;
    }
    this.#running.set(id, call);
    try {
      // Without a pause once it is open: commits happen in the order of their calls.
      const handlers = this.#handlers ?? (await this.#opening);
      const answer = await handlers[name](given as never, call);
      this.#post({ kind: 'answer', id, answer }, call.handedOver);
    } catch (error) {
      this.#post({ kind: 'failure', id, failure: failureOf(error) });
    } finally {
      this.#running.delete(id);
    }
  }
}

class CallUnderWay implements CallContext<unknown> {
  readonly progress: (progress: unknown) => void;
  readonly handedOver: ArrayBuffer[] = [];
  readonly handOver = (memory: ArrayBuffer): void => void this.handedOver.push(memory);
  /** Made when somebody needs it: most calls are never cancelled. */
  #cancelling: AbortController | undefined;

  constructor(progress: (progress: unknown) => void) {
    this.progress = progress;
  }

  get signal(): AbortSignal {
    return (this.#cancelling ??= new AbortController()).signal;
  }

  cancel(reason: Error): void {
    (this.#cancelling ??= new AbortController()).abort(reason);
  }
}

/**
 * What a thread failed with, as a message: a problem travels as itself, anything else as its stack,
 * for the log.
 */
interface Failure {
  readonly problem: ProblemMessage | null;
  readonly stack: string;
}

function failureOf(error: unknown): Failure {
  return {
    problem: error instanceof Problem ? error.toMessage() : null,
    stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

function errorOf({ problem, stack }: Failure): Error {
  if (problem !== null) return Problem.fromMessage(problem);
  const error = new Error('a thread failed');
  error.stack = stack;
  return error;
}
