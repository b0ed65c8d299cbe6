import { must } from '#base/assert.ts';
import type { LineSnapshot } from '#graph/transactions/line-snapshot.ts';
import type { Snapshot } from '#graph/transactions/snapshots.ts';

/** Calls that run one after the other: see `WriteLine`. */
export class CallLine {
  /** What the next of them reads; undefined as long as none has begun. */
  snapshot: LineSnapshot | undefined;
  base: Snapshot | undefined;
  /** That of its first call: so none writes at an earlier time than those whose writes it reads. */
  clock: (() => number) | undefined;
  /** The call whose code is at work; 0 for none. */
  current = 0;
  readonly waiting = new Map<number, () => void>();
}

/** Thrown to a call that cannot be answered in its line: it runs again alone. */
export class NotInLine extends Error {
  override readonly name = 'NotInLine';
}

/** The lines of a worker. */
export class CallLines {
  /** By number. */
  readonly #lines = new Map<number, CallLine>();
  readonly #lineOf = new Map<number, CallLine>();

  /** `start` is called when the calls before it in its line have ended. */
  enter(number: number, call: number, start: (line: CallLine) => void): void {
    let line = this.#lines.get(number);
    if (line === undefined) this.#lines.set(number, (line = new CallLine()));
    const own = line;
    this.#lineOf.set(call, own);
    own.waiting.set(call, () => start(own));
    this.#startNext(own);
  }

  /** The call has ended, or was dropped. */
  leave(call: number): void {
    if (this.#lineOf.size === 0) return;
    const line = this.#lineOf.get(call);
    if (line === undefined) return;
    this.#lineOf.delete(call);
    line.waiting.delete(call);
    if (line.current !== call) return;
    line.current = 0;
    this.#startNext(line);
  }

  /** No more calls of it come, and those that came have ended or were dropped. */
  end(number: number): void {
    const line = this.#lines.get(number);
    this.#lines.delete(number);
    line?.base?.release();
  }

  #startNext(line: CallLine): void {
    if (line.current !== 0) return;
    const [next] = line.waiting.keys();
    if (next === undefined) return;
    const start = must(line.waiting.get(next), 'a call that waits');
    line.waiting.delete(next);
    line.current = next;
    start();
  }
}
