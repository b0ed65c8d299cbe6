import { budgetKey } from '#access/caller.ts';
import { ENDPOINT_CALLS_PER_CALLER_MAX, ENDPOINT_QUEUE_MAX } from '#base/endpoint-limits.ts';
import { CallFault, type EndpointCall } from './endpoint-call.ts';

/** The calls of a pool that are under way: so many, and so many of each caller. */
export class CallCounts {
  #all = 0;
  /** By `budgetKey`. */
  readonly #ofCaller = new Map<string, number>();

  get all(): number {
    return this.#all;
  }

  /** Why a call is one too many; undefined when it is not. */
  refusalOf({ caller, parent }: EndpointCall): CallFault | undefined {
    if (this.#all >= ENDPOINT_QUEUE_MAX) {
      return new CallFault('overloaded', `${ENDPOINT_QUEUE_MAX} calls are under way already`);
    }
    // One that another call makes is refused only where nothing else helps: the one that asks would
    // fail.
    if (parent !== undefined) return undefined;
    const own = this.#ofCaller.get(budgetKey(caller)) ?? 0;
    if (own < ENDPOINT_CALLS_PER_CALLER_MAX) return undefined;
    return new CallFault('overloaded', `${own} calls of yours are under way already`);
  }

  add({ caller }: EndpointCall): void {
    this.#change(budgetKey(caller), 1);
  }

  remove({ caller }: EndpointCall): void {
    this.#change(budgetKey(caller), -1);
  }

  #change(caller: string, by: 1 | -1): void {
    this.#all += by;
    const calls = (this.#ofCaller.get(caller) ?? 0) + by;
    if (calls > 0) this.#ofCaller.set(caller, calls);
    else this.#ofCaller.delete(caller);
  }
}
