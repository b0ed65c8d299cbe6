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
  /** How often a worker ended under it. */
  retries = 0;
  isAborted = false;
  readonly #settle: PromiseWithResolvers<CallResult>;

  constructor(id: number, call: EndpointCall) {
    this.id = id;
    this.call = call;
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
