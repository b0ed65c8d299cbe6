import { Problem } from '#base/problem.ts';
import { CallFault, type CallResult, type EndpointCall } from './endpoint-call.ts';

/** A call on its way through the pool. */
export class RunningCall {
  /** Another one each time that it is run. */
  id: number;
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
  /** JSON of what is to be committed before its answer is given. */
  transaction: string | undefined;
  /** What it has said, and nobody has heard yet: what it has read may not come to be. */
  held: (() => void)[] = [];
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

  get isSettled(): boolean {
    return this.#isSettled;
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
    this.call.host.settled();
    this.#onSettled();
  }
}

/** How often a call is begun again when its worker ends under it. */
const RETRIES_MAX = 1;

export const STOPPED = new CallFault('stopped', 'its worker ended, for no reason of its own');
export const TOO_LATE = new CallFault('timeout', 'it ran longer than it may');
export const TOO_MUCH_MEMORY = new CallFault('memory', 'it used too much memory');

/** The call, and those that wait for it: begun again, they would only make it anew. */
export function* withCallers(first: EndpointCall): Generator<EndpointCall> {
  yield first;
  if (first.parent !== undefined) yield* withCallers(first.parent);
}

/** The call in whose transaction a call reads and writes: itself, unless another one runs it. */
export function rootOf(call: EndpointCall): EndpointCall {
  return call.sharesTransaction && call.parent !== undefined ? rootOf(call.parent) : call;
}

/** The calls that end with their worker, and those that wait for these. */
export function faultsOf(
  calls: readonly RunningCall[],
  faultFor: (running: RunningCall) => CallFault | undefined,
): ReadonlyMap<EndpointCall, CallFault> {
  const faults = new Map<EndpointCall, CallFault>();
  for (const running of calls) {
    const fault = faultFor(running);
    if (fault === undefined) continue;
    for (const call of withCallers(running.call)) faults.set(call, fault);
  }
  return faults;
}

/** Why a call whose worker ended is not begun again. */
export function faultOfRetry({ call, retries }: RunningCall): CallFault | undefined {
  return call.host.hasEffects || retries >= RETRIES_MAX ? STOPPED : undefined;
}

/** Why a call is not taken, or has no result, at the end of the process. */
export function stopping(): Problem {
  return new Problem('server_stopping', 'The server is stopping');
}
