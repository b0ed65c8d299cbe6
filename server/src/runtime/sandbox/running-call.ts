import type { CallResult, EndpointCall } from './endpoint-call.ts';

/** A call on its way through the pool. */
export class RunningCall {
  readonly id: number;
  readonly call: EndpointCall;
  /** Of `performance.now()`. */
  readonly deadline: number;
  readonly result: Promise<CallResult>;
  /** The number of its guest in the worker where it runs. */
  guest = 0;
  /** How often a worker ended under it. */
  retries = 0;
  readonly #settle: PromiseWithResolvers<CallResult>;

  constructor(id: number, call: EndpointCall) {
    this.id = id;
    this.call = call;
    this.deadline = performance.now() + call.timeoutMs;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  resolve(result: CallResult): void {
    this.#settle.resolve(result);
  }

  reject(reason: unknown): void {
    this.#settle.reject(reason);
  }
}
