/**
 * Counts what is being added to something that has room for so many, from the check until it can be
 * counted itself: of many that are added at once, each would otherwise find the room that all of
 * them together do not have.
 */
export class Places {
  readonly #taken = new Map<string, number>();

  /** How many are being added. */
  of(owner: string): number {
    return this.#taken.get(owner) ?? 0;
  }

  /** Until it is disposed of, once. */
  take(owner: string): Disposable {
    this.#taken.set(owner, this.of(owner) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = this.of(owner) - 1;
        if (left > 0) this.#taken.set(owner, left);
        else this.#taken.delete(owner);
      },
    };
  }
}
