import { drain, wakeBy } from '../guest/channel.ts';
import { readFrame } from '../sandbox/frame.ts';

/** One item of what the guest's side says, as `guest/calls.ts` and `guest/channel.ts` emit it. */
export interface GuestItem {
  readonly kind: unknown;
  readonly third: unknown;
  readonly fourth: unknown;
  readonly payload: string;
}

/**
 * The guest's side of the bridge in the realm of the process. It has one channel, so all pools of a process share it, and
 * calls are told apart by their numbers.
 */
class SharedRealm {
  readonly #listeners = new Map<number, (item: GuestItem) => void>();
  #lastCall = 0;

  constructor() {
    wakeBy(() => queueMicrotask(() => this.#fetch()));
  }

  /** Gives the number of a new call, whose items the listener gets. */
  add(listener: (item: GuestItem) => void): number {
    const call = ++this.#lastCall;
    this.#listeners.set(call, listener);
    return call;
  }

  /** What the call still says is ignored. */
  remove(call: number): void {
    this.#listeners.delete(call);
  }

  #fetch(): void {
    const frame = drain();
    if (frame === '') return;
    readFrame(frame, ([, kind, call, third, fourth], payload) => {
      this.#listeners.get(Number(call))?.({ kind, third, fourth, payload });
    });
  }
}

export const realm = new SharedRealm();
