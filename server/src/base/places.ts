/**
 * Counts entries that are being added to something with limited room, from the check of the room
 * until the entry itself is counted. Without it, many that are added at once would all see the same
 * free room.
 */
export class Places {
  readonly #taken = new Map<string, number>();

  /** The entries of this owner that are being added. */
  of(owner: string): number {
    return this.#taken.get(owner) ?? 0;
  }

  /** Counts one more until the result is disposed, once. */
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
