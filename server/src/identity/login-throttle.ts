import type { Clock } from '#base/clock.ts';
import {
  LOGIN_FAILURES_MAX,
  LOGIN_FAILURES_WINDOW_MS,
  LOGIN_THROTTLE_SUBJECTS_MAX,
} from '#base/sign-in-limits.ts';
import { Problem } from '#base/problem.ts';

/**
 * Five failures for one user or one address within a minute refuse further tries with 429 (open-shapes, section 3).
 * Tries whose outcome is open may not outnumber the failures that are left: more of them wait, so that many guesses at
 * once cannot slip past the count, and many good sign-ins at once all succeed.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #subjects = new Map<string, Subject>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Throws `too_many_requests`, or lets the try begin; call `end` once its outcome is known. `onRefused` is called for the
   * first refusal of the user or the address within a minute only: it may cost something.
   */
  async begin(
    user: string,
    address: string,
    onRefused: () => void = () => {},
  ): Promise<{ end(succeeded: boolean): void }> {
    const names = [`user ${user}`, `address ${address}`];
    const entered: string[] = [];
    const leave = (failed: boolean): void => {
      for (const name of entered) this.#leave(name, failed);
    };
    try {
      for (const name of names) {
        // One after the other: a try that waits for its address must already hold its user.
        await this.#enter(name, onRefused);
        entered.push(name);
      }
    } catch (error) {
      leave(false);
      throw error;
    }
    return { end: (succeeded) => leave(!succeeded) };
  }

  async #enter(name: string, onRefused: () => void): Promise<void> {
    for (;;) {
      const subject = this.#subject(name);
      const now = this.#clock.now();
      subject.failedAt = subject.failedAt.filter((at) => at > now - LOGIN_FAILURES_WINDOW_MS);
      if (subject.failedAt.length >= LOGIN_FAILURES_MAX) {
        if (subject.refusedAt <= now - LOGIN_FAILURES_WINDOW_MS) {
          subject.refusedAt = now;
          onRefused();
        }
        throw tooMany(subject.failedAt, now);
      }
      if (subject.failedAt.length + subject.open < LOGIN_FAILURES_MAX) {
        subject.open++;
        return;
      }
      await new Promise<void>((resolve) => subject.waiting.push(resolve));
    }
  }

  #leave(name: string, failed: boolean): void {
    const subject = this.#subject(name);
    subject.open--;
    if (failed) subject.failedAt.push(this.#clock.now());
    for (const wake of subject.waiting.splice(0)) wake();
    if (subject.open === 0 && subject.failedAt.length === 0) this.#subjects.delete(name);
  }

  #subject(name: string): Subject {
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      this.#forgetOldest();
      subject = { failedAt: [], open: 0, waiting: [], refusedAt: -Infinity };
      this.#subjects.set(name, subject);
    }
    return subject;
  }

  /** Bounds the memory that guesses at made-up names can take. */
  #forgetOldest(): void {
    if (this.#subjects.size < LOGIN_THROTTLE_SUBJECTS_MAX) return;
    for (const [name, subject] of this.#subjects) {
      if (subject.open > 0) continue;
      this.#subjects.delete(name);
      return;
    }
  }
}

interface Subject {
  failedAt: number[];
  open: number;
  readonly waiting: (() => void)[];
  /** Of the last refusal that was told. */
  refusedAt: number;
}

function tooMany(failedAt: readonly number[], now: number): Problem {
  const oldest = failedAt[failedAt.length - LOGIN_FAILURES_MAX] ?? now;
  const retryAfterSeconds = Math.ceil((oldest + LOGIN_FAILURES_WINDOW_MS - now) / 1_000);
  return new Problem('too_many_requests', 'Too many failed sign-ins.', {
    hint: `Try again in ${retryAfterSeconds} s.`,
    details: { retryAfterSeconds },
  });
}
