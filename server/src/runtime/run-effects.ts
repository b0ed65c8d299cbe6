/**
 * What has come of a run of an endpoint, and so of those that wait for it: it decides whether they
 * may be begun again.
 */
export class RunEffects {
  readonly #parent: RunEffects | undefined;
  #hasHappened = false;
  #commitsUnderWay = 0;
  #hasWritten = false;
  #hasCalledOut = false;
  /** What `graph.commit()` has committed stays, whatever comes of the rest. */
  hasCommitted = false;

  constructor(parent: RunEffects | undefined) {
    this.#parent = parent;
  }

  /** Something has come of it, or a commit is under way and nobody knows yet. */
  get isPossible(): boolean {
    return this.#hasHappened || this.#commitsUnderWay > 0;
  }

  /** Nothing of it but its answer was there, or will be: so that the answer can be given again. */
  get isOnlyAnswer(): boolean {
    return !this.#hasHappened && !this.hasSeenWrites;
  }

  /** It has written, or reads what those have written in whose transaction it is. */
  get hasSeenWrites(): boolean {
    return this.#hasWritten || this.#parent?.hasSeenWrites === true;
  }

  /** It has asked for something outside of this server, which must not be asked for twice. */
  get hasCalledOut(): boolean {
    return this.#hasCalledOut;
  }

  /** It cannot be run once more when others are in its way. */
  get isFinal(): boolean {
    return this.#hasCalledOut || this.#hasHappened;
  }

  /** From now on neither this run nor those that wait for it may be begun again. */
  happen(): void {
    this.#hasHappened = true;
    this.#parent?.happen();
  }

  /** Neither this run nor those that wait for it may be run again when others are in its way. */
  callOut(): void {
    this.#hasCalledOut = true;
    this.#parent?.callOut();
  }

  write(): void {
    this.#hasWritten = true;
    this.#parent?.write();
  }

  /** It begins again: its writes come to nothing. */
  undoWrites(): void {
    this.#hasWritten = false;
  }

  /** The commit of what it has written, whose outcome is open until it ends. */
  async committing<T>(commit: () => Promise<T>): Promise<T> {
    this.#noteCommit(1);
    try {
      const committed = await commit();
      this.happen();
      this.hasCommitted = true;
      return committed;
    } finally {
      this.#noteCommit(-1);
    }
  }

  #noteCommit(more: 1 | -1): void {
    this.#commitsUnderWay += more;
    if (this.#parent !== undefined) this.#parent.#noteCommit(more);
  }
}
