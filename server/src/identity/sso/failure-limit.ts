import type { Clock } from '#base/clock.ts';
import { SSO_FAILURES_MAX, SSO_FAILURES_WINDOW_MS } from '#base/limits.ts';
import { LOGIN_THROTTLE_SUBJECTS_MAX } from '#base/sign-in-limits.ts';
import { Problem } from '#base/problem.ts';
import { addressGroup } from '../address-group.ts';

/**
 * Bounds what one address can make the server do and record by sign-ins that fail. Nothing can be guessed there, so the
 * bound is wide enough for many people behind one address.
 */
export class FailureLimit {
  readonly #clock: Clock;
  /** By address (of IPv6, by network), in the order in which their windows end. */
  readonly #windows = new Map<string, { readonly endsAt: number; failures: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `too_many_requests`. */
  check(address: string): void {
    const window = this.#windows.get(addressGroup(address));
    const now = this.#clock.now();
    if (window === undefined || window.endsAt <= now || window.failures < SSO_FAILURES_MAX) return;
    const retryAfterSeconds = Math.ceil((window.endsAt - now) / 1_000);
    throw new Problem('too_many_requests', 'Too many sign-ins from this address have failed.', {
      hint: `Try again in ${retryAfterSeconds} s.`,
      details: { retryAfterSeconds },
    });
  }

  failed(address: string): void {
    const group = addressGroup(address);
    const now = this.#clock.now();
    for (const [other, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < LOGIN_THROTTLE_SUBJECTS_MAX) break;
      this.#windows.delete(other);
    }
    const window = this.#windows.get(group);
    if (window !== undefined) window.failures++;
    else this.#windows.set(group, { endsAt: now + SSO_FAILURES_WINDOW_MS, failures: 1 });
  }
}
