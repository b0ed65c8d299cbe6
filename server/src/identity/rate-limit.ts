import type { Clock } from '#base/clock.ts';
import { subjectKey } from './address-group.ts';
import { LOGIN_THROTTLE_SUBJECTS_MAX } from '#base/sign-in-limits.ts';

/**
 * So many times for one subject, such as an address, within any window of that length. Strangers
 * name subjects: hashes are kept.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #timesMax: number;
  readonly #windowMs: number;
  /** When each subject was counted; the one that asked last is the last. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(clock: Clock, timesMax: number, windowMs: number) {
    this.#clock = clock;
    this.#timesMax = timesMax;
    this.#windowMs = windowMs;
  }

  /** Counts once more, or answers false when it would be once too often. */
  take(name: string): boolean {
    const subject = subjectKey(name);
    const now = this.#clock.now();
    const recent = (this.#times.get(subject) ?? []).filter((at) => at > now - this.#windowMs);
    const isAllowed = recent.length < this.#timesMax;
    this.#times.delete(subject);
    this.#times.set(subject, isAllowed ? [...recent, now] : recent);
    this.#forget(now);
    return isAllowed;
  }

  /** Bounds the memory that made-up subjects can take. */
  #forget(now: number): void {
    for (const [subject, times] of this.#times) {
      const isOver = (times.at(-1) ?? 0) <= now - this.#windowMs;
      if (!isOver && this.#times.size <= LOGIN_THROTTLE_SUBJECTS_MAX) return;
      this.#times.delete(subject);
    }
  }
}
