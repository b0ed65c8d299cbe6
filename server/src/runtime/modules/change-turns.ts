/**
 * Changes of code that others import or call follow one another: each is laid over what the one
 * before has left.
 */
export class ChangeTurns {
  /** The last change that was asked for. */
  #changes: Promise<unknown> = Promise.resolve();

  take<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changes.then(change);
    this.#changes = turn.catch(() => {});
    return turn;
  }
}
