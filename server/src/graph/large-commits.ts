import { INGEST_LARGE_COMMIT_BYTES_MIN, INGEST_LARGE_COMMIT_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

/**
 * Lets only one stream at a time have a commit that takes much memory; the other streams wait
 * before their commits get large. A stream that keeps its turn for too long while others wait is
 * refused.
 */
export class LargeCommits {
  readonly #bytesMin: number;
  readonly #turnMs: number;
  readonly #waiting: (() => void)[] = [];
  #owner: object | undefined;
  #since = 0;

  constructor(bytesMin = INGEST_LARGE_COMMIT_BYTES_MIN, turnMs = INGEST_LARGE_COMMIT_MS) {
    this.#bytesMin = bytesMin;
    this.#turnMs = turnMs;
  }

  /** Whether a commit that takes so much has to wait for its turn. */
  isLarge(bytes: number): boolean {
    return bytes >= this.#bytesMin;
  }

  isTurnOf(stream: object): boolean {
    return this.#owner === stream;
  }

  /**
   * Asks whether the commit of a stream may take `bytes` of memory: undefined when it may now, else
   * a promise that resolves when it may. Throws `commit_too_large` when the stream has had its turn
   * for too long while others wait.
   */
  grow(stream: object, bytes: number): Promise<void> | undefined {
    if (!this.isLarge(bytes)) return undefined;
    if (this.#owner === stream) {
      const isLate = performance.now() - this.#since > this.#turnMs;
      if (isLate && this.#waiting.length > 0) throw tooSlow();
      return undefined;
    }
    if (this.#owner === undefined) {
      this.#begin(stream);
      return undefined;
    }
    return new Promise<void>((resolve) => {
      this.#waiting.push(() => {
        this.#begin(stream);
        resolve();
      });
    });
  }

  #begin(stream: object): void {
    this.#owner = stream;
    this.#since = performance.now();
  }

  /** The stream no longer has a large commit; the next one gets its turn. */
  leave(stream: object): void {
    if (this.#owner !== stream) return;
    this.#owner = undefined;
    this.#waiting.shift()?.();
  }
}

function tooSlow(): Problem {
  return new Problem(
    'commit_too_large',
    'A large commit took too long to arrive while others wait',
    {
      hint: 'Send fewer operations in one request, or smaller ones.',
    },
  );
}
