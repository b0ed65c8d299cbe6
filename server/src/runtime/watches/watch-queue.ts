/** Who waits for a turn, and by whose budget. */
interface Waiting {
  readonly budget: string;
}

/** Questions that wait to be answered: callers take turns, each with its oldest. */
export class WatchQueue<T extends Waiting> {
  readonly #byBudget = new Map<string, Set<T>>();

  add(one: T): void {
    const own = this.#byBudget.get(one.budget);
    if (own === undefined) this.#byBudget.set(one.budget, new Set([one]));
    else own.add(one);
  }

  delete(one: T): void {
    const own = this.#byBudget.get(one.budget);
    own?.delete(one);
    if (own?.size === 0) this.#byBudget.delete(one.budget);
  }

  take(): T | undefined {
    for (const [budget, own] of this.#byBudget) {
      const [first] = own;
      this.#byBudget.delete(budget);
      if (first === undefined) continue;
      own.delete(first);
      if (own.size > 0) this.#byBudget.set(budget, own);
      return first;
    }
    return undefined;
  }
}
