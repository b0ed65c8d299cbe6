/** Bytes of shared memory that an `AppliedSequence` takes. */
export const APPLIED_SEQUENCE_BYTES = 24;

/**
 * How far the state is, in memory that threads share: the newest sequence that readers of the state
 * can see, then a counter that changes with it, on which other threads wait, and how many commits
 * there were since the start. The state publishes it where it acknowledges commits, and nobody else
 * does: so nothing that is durable and applied is unknown to who follows, whatever becomes of the
 * request that it came with.
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

  /** Since the process started: for people, nothing depends on it. */
  get commits(): number {
    return Number(Atomics.load(this.#commits, 0));
  }

  /** `commits` is how many there were since the last call. */
  publish(sequence: number, commits: number): void {
    Atomics.add(this.#commits, 0, BigInt(commits));
    Atomics.store(this.#sequence, 0, BigInt(sequence));
    Atomics.add(this.#changes, 0, 1);
    Atomics.notify(this.#changes, 0);
  }

  /**
   * Calls the listener with every newer sequence, or with the newest of several; returns the way to
   * stop.
   */
  onChange(listener: (sequence: number) => void): () => void {
    let isStopped = false;
    const watch = async (): Promise<void> => {
      for (let seen = Atomics.load(this.#changes, 0); ;) {
        await Atomics.waitAsync(this.#changes, 0, seen).value;
        if (isStopped) return;
        // Before the sequence is read: one that is published while the listener works is told next.
        seen = Atomics.load(this.#changes, 0);
        listener(this.get());
      }
    };
    void watch();
    return () => {
      isStopped = true;
    };
  }

  /** True once the sequence is reached, false when `timeoutMs` passed before. */
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
