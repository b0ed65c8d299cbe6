import type { Problem } from '#base/problem.ts';
import type { CallResult, EndpointCall } from './endpoint-call.ts';

/** A call on its way through the pool. */
export class RunningCall {
  readonly id: number;
  readonly call: EndpointCall;
  readonly result: Promise<CallResult>;
  /** The number of its guest in the worker where it runs. */
  guest = 0;
  /** The number of the frame that it was sent in. */
  frame = 0;
  /** Its worker has sent something of it, so that it has begun there. */
  hasSpoken = false;
  /** How often a worker ended under it. */
  retries = 0;
  isAborted = false;
  /** The first problem that its code was not told whole. */
  internal: Problem | undefined;
  readonly #settle: PromiseWithResolvers<CallResult>;
  readonly #onSettled: () => void;
  #isSettled = false;
  #hasEnded = false;

  /** `onSettled` is called once, when it has its result or its fault. */
  constructor(id: number, call: EndpointCall, onSettled: () => void) {
    this.id = id;
    this.call = call;
    this.#onSettled = onSettled;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  /** A call that does not begin. */
  static refuse({ onEnded }: EndpointCall, reason: unknown): Promise<never> {
    onEnded?.();
    return Promise.reject(reason);
  }

  resolve(result: CallResult): void {
    this.#settle.resolve(result);
    this.#end();
  }

  reject(reason: unknown): void {
    this.#settle.reject(reason);
    this.#end();
  }

  /** Rejects, while its code may go on for a while. */
  forsake(reason: unknown): void {
    this.#settle.reject(reason);
    this.#noteSettled();
  }

  #end(): void {
    this.#noteSettled();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.call.onEnded?.();
  }

  #noteSettled(): void {
    this.call.host.forsake();
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#onSettled();
  }
}
