import { Problem } from '#base/problem.ts';

/** Conversations in which a turn or a commit is under way: one at a time in each. */
export class BusySessions {
  readonly #busy = new Set<string>();

  /** Until it is disposed of. Throws `session_busy`. */
  enter(id: string): Disposable {
    if (this.#busy.has(id)) {
      throw new Problem('session_busy', 'An answer or a commit is under way in this conversation.');
    }
    this.#busy.add(id);
    return { [Symbol.dispose]: () => this.#busy.delete(id) };
  }
}
