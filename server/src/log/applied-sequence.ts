/** Bytes of shared memory that an `AppliedSequence` takes. */
export const APPLIED_SEQUENCE_BYTES = 24;

/**
 * How far the state is, in memory that threads share: the newest sequence that readers of the state
 * can see, then a counter that changes with it, on which other threads wait, then the number of
 * commits since the start. Only the state publishes it, where it acknowledges commits. So a
 * follower learns of everything that is durable and applied, also when the request that wrote it
 * failed.
 */
export class AppliedSequence {
  readonly #sequence: BigInt64Array;
  readonly #changes: Int32Array;
  readonly #commits: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(APPLIED_SEQUENCE_BYTES)) {
    this.#sequence = new BigInt64Array(buffer, 0, 1);
    this.#changes = new Int32Array(buffer, 8, 1);
    this.#commits = new BigInt64Array(buffer, 16, 1);
  }

  get(): number {
    return Number(Atomics.load(this.#sequence, 0));
  }

  /**
   * The number of commits since the process started. It is shown to people; no code depends on it.
   */
  get commits(): number {
    return Number(Atomics.load(this.#commits, 0));
  }

  /** `commits` is the number of commits since the last call. */
  publish(sequence: number, commits: number): void {
    Atomics.add(this.#commits, 0, BigInt(commits));
    Atomics.store(this.#sequence, 0, BigInt(sequence));
    Atomics.add(this.#changes, 0, 1);
    Atomics.notify(this.#changes, 0);
  }

  /**
   * Calls the listener with each newer sequence, or with the newest of several. Returns a function
   * that stops this.
   */
  onChange(listener: (sequence: number) => void): () => void {
    let isStopped = false;
    const watch = async (): Promise<void> => {
      for (let seen = Atomics.load(this.#changes, 0); ;) {
        await Atomics.waitAsync(this.#changes, 0, seen).value;
        if (isStopped) return;
        // Read before the sequence: one that is published while the listener works comes in the
        // next round.
        seen = Atomics.load(this.#changes, 0);
        listener(this.get());
      }
    };
    void watch();
    return () => {
      isStopped = true;
    };
  }

  /**
   * Resolves with true once the sequence is reached, with false when `timeoutMs` have passed
   * before.
   */
  async reach(sequence: number, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const seen = Atomics.load(this.#changes, 0);
      if (this.get() >= sequence) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await Atomics.waitAsync(this.#changes, 0, seen, left).value;
    }
  }
}
