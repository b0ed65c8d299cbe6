import type { Clock } from '#base/clock.ts';
import { LOGIN_THROTTLE_SUBJECTS_MAX, LOGIN_WAITING_MAX } from '#base/sign-in-limits.ts';
import { Problem } from '#base/problem.ts';

export interface DelayRule {
  /** Failures that cost nothing yet. */
  readonly freeFailures: number;
  /** After the last free one; doubled by every further one, up to the greatest. */
  readonly delayMinMs: number;
  readonly delayMaxMs: number;
  /** One failure is forgotten every so often. */
  readonly forgottenMs: number;
}

/** A try whose outcome is open; `failed` false also when it was not made. */
export type EndTry = (failed: boolean) => void;

/**
 * Failures by subject, and how long the next try of it must wait. Subjects are hashes: what is
 * remembered is bounded in number and in bytes, and goes with time.
 *
 * Tries whose outcome is open may not outnumber the failures that are free: more of them wait, so
 * that many guesses at once cannot slip past the count, and many good sign-ins at once all succeed.
 */
export class GrowingDelay {
  readonly #clock: Clock;
  readonly #rule: DelayRule;
  /** The one that was counted last is the last. */
  readonly #subjects = new Map<string, Subject>();

  constructor(clock: Clock, rule: DelayRule) {
    this.#clock = clock;
    this.#rule = rule;
  }

  get size(): number {
    return this.#subjects.size;
  }

  /**
   * Throws `too_many_requests`; `onRefused` is called for the first refusal after a failure only:
   * it may cost something.
   */
  async begin(key: string, onRefused: () => void): Promise<EndTry> {
    for (;;) {
      const subject = this.#subject(key);
      const { freeFailures } = this.#rule;
      const now = this.#clock.now();
      this.#forgetFailures(subject, now);
      if (subject.openAtMs > now) {
        this.#leaveOut(key, subject);
        if (!subject.wasRefused) {
          subject.wasRefused = true;
          onRefused();
        }
        throw tooMany(subject.openAtMs - now);
      }
      // Once the free ones are used, one at a time.
      if (subject.open < Math.max(freeFailures - subject.failures, 1)) {
        subject.open++;
        return (failed) => this.#end(key, subject, failed);
      }
      if (subject.waiting.length >= LOGIN_WAITING_MAX) throw tooMany(0);
      await new Promise<void>((resolve) => subject.waiting.push(resolve));
    }
  }

  /** Forgets the failures of a subject: it has shown who it is. */
  clear(key: string): void {
    const subject = this.#subjects.get(key);
    if (subject === undefined) return;
    subject.failures = 0;
    subject.openAtMs = 0;
    this.#leaveOut(key, subject);
  }

  #end(key: string, subject: Subject, failed: boolean): void {
    subject.open--;
    if (failed) this.#count(key, subject);
    for (const wake of subject.waiting.splice(0)) wake();
    this.#leaveOut(key, subject);
  }

  #count(key: string, subject: Subject): void {
    const { freeFailures, delayMinMs, delayMaxMs } = this.#rule;
    const now = this.#clock.now();
    this.#forgetFailures(subject, now);
    if (subject.failures === 0) subject.forgottenAtMs = now;
    subject.failures++;
    subject.wasRefused = false;
    const beyond = subject.failures - freeFailures;
    if (beyond >= 0) subject.openAtMs = now + Math.min(delayMinMs * 2 ** beyond, delayMaxMs);
    // A subject that was pushed out while it was tried comes in again.
    this.#subjects.delete(key);
    this.#subjects.set(key, subject);
    this.#forgetSubjects(now, 0);
  }

  #forgetFailures(subject: Subject, now: number): void {
    const { forgottenMs } = this.#rule;
    const forgotten = Math.floor((now - subject.forgottenAtMs) / forgottenMs);
    if (forgotten <= 0) return;
    subject.failures = Math.max(subject.failures - forgotten, 0);
    subject.forgottenAtMs += forgotten * forgottenMs;
  }

  #subject(key: string): Subject {
    let subject = this.#subjects.get(key);
    if (subject === undefined) {
      const now = this.#clock.now();
      this.#forgetSubjects(now, 1);
      subject = {
        failures: 0,
        forgottenAtMs: now,
        openAtMs: 0,
        open: 0,
        waiting: [],
        wasRefused: false,
      };
      this.#subjects.set(key, subject);
    }
    return subject;
  }

  /** Forgets a subject that has neither failures nor tries. */
  #leaveOut(key: string, { failures, open, waiting }: Subject): void {
    if (failures === 0 && open === 0 && waiting.length === 0) this.#subjects.delete(key);
  }

  /**
   * Bounds the memory that guesses at made-up names can take: what has ended, and the oldest beyond
   * the bound, when so many more come.
   */
  #forgetSubjects(now: number, coming: number): void {
    for (const [key, subject] of this.#subjects) {
      this.#forgetFailures(subject, now);
      const isOver = subject.failures === 0 && subject.openAtMs <= now;
      if (!isOver && this.#subjects.size + coming <= LOGIN_THROTTLE_SUBJECTS_MAX) return;
      // Who is being tried is bounded by the requests that are under way.
      if (subject.open > 0) return;
      this.#subjects.delete(key);
    }
  }
}

interface Subject {
  failures: number;
  /** Since when failures are forgotten. */
  forgottenAtMs: number;
  /** No try before. */
  openAtMs: number;
  open: number;
  readonly waiting: (() => void)[];
  /** Since its last failure. */
  wasRefused: boolean;
}

function tooMany(waitMs: number): Problem {
  const retryAfterSeconds = Math.max(Math.ceil(waitMs / 1_000), 1);
  return new Problem('too_many_requests', 'Too many failed sign-ins.', {
    hint: `Try again in ${retryAfterSeconds} s.`,
    details: { retryAfterSeconds },
  });
}
