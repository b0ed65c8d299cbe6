import { WATCH_ANSWERS_PER_SECOND_MAX } from '#base/watch-limits.ts';

const SECOND_MS = 1_000;
const EVEN_MS = SECOND_MS / WATCH_ANSWERS_PER_SECOND_MAX;

/**
 * When a question may be answered again. Changes that come now and then are told at once, also when
 * two are close to each other: there are at most `WATCH_ANSWERS_PER_SECOND_MAX` answers in any
 * second. Where more would come, they are spread over the second instead of coming in bursts.
 *
 * Times are those of `performance.now()`. They are of ends: who watches counts what arrives.
 */
export class AnswerPace {
  /** Ends of the last answers, oldest first. */
  readonly #ends: number[] = [];
  #heldUntil = -Infinity;
  #isPressed = false;

  /** How long to wait now; 0 to begin at once. */
  wait(now: number): number {
    const oldest = this.#ends.length < WATCH_ANSWERS_PER_SECOND_MAX ? undefined : this.#ends[0];
    const last = this.#isPressed ? this.#ends.at(-1) : undefined;
    const notBefore = Math.max(
      this.#heldUntil,
      oldest === undefined ? -Infinity : oldest + SECOND_MS,
      last === undefined ? -Infinity : last + EVEN_MS,
    );
    this.#isPressed = notBefore > now;
    return Math.max(0, notBefore - now);
  }

  answered(now: number): void {
    this.#ends.push(now);
    if (this.#ends.length > WATCH_ANSWERS_PER_SECOND_MAX) this.#ends.shift();
  }

  /** After a failure. */
  holdUntil(time: number): void {
    this.#heldUntil = time;
  }
}
