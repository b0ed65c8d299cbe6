import type { Clock } from '#base/clock.ts';
import {
  REPLICA_REGISTRATION_AGE_MAX_MS,
  REPLICA_REGISTRATIONS_REMEMBERED_MAX,
} from '#base/replication-limits.ts';

export type RegistrationVerdict = 'new' | 'other clock' | 'seen' | 'earlier life' | 'too many';

/**
 * Says of registrations that are proved whether they are taken for the first time. One that was
 * recorded is worth nothing: within the time that clocks may differ by it is remembered, by its
 * proof; after that it is too old; and one of before the primary started, which remembers none of
 * them, is not taken.
 */
export class RegistrationsSeen {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** By proof: when it becomes too old. In the order in which they came, which is nearly that. */
  readonly #seen = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /**
   * `proof` as the primary computes it, of which there is one way to write it; `time` is that of
   * the registration: milliseconds since the Unix epoch.
   */
  admit(proof: string, time: number): RegistrationVerdict {
    const now = this.#clock.now();
    if (Math.abs(now - time) > REPLICA_REGISTRATION_AGE_MAX_MS) return 'other clock';
    if (time < this.#startedAt) return 'earlier life';
    if (this.#seen.has(proof)) return 'seen';
    for (const [old, until] of this.#seen) {
      if (until >= now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.size >= REPLICA_REGISTRATIONS_REMEMBERED_MAX) return 'too many';
    this.#seen.set(proof, time + REPLICA_REGISTRATION_AGE_MAX_MS);
    return 'new';
  }
}
