import type { Clock } from '#base/clock.ts';
import { SSO_FAILURES_MAX, SSO_FAILURE_FORGOTTEN_MS } from '#base/limits.ts';
import { ADDRESS_DELAY_MAX_MS, ADDRESS_DELAY_MIN_MS } from '#base/sign-in-limits.ts';
import { addressGroup, subjectKey } from '../address-group.ts';
import { GrowingDelay } from '../growing-delay.ts';

export type SsoOutcome = 'admitted' | 'refused' | 'untried';

/**
 * Bounds what one address can make the server do and record by sign-ins that are refused. Nothing
 * can be guessed there, so many are free: a whole company may be behind one address. As with
 * passwords, a sign-in that began on a device which somebody has signed in on before counts for
 * that device alone: what others do behind its address does not delay it.
 */
export class SsoThrottle {
  readonly #addresses: GrowingDelay;
  readonly #devices: GrowingDelay;

  constructor(clock: Clock) {
    const rule = {
      freeFailures: SSO_FAILURES_MAX,
      delayMinMs: ADDRESS_DELAY_MIN_MS,
      delayMaxMs: ADDRESS_DELAY_MAX_MS,
      forgottenMs: SSO_FAILURE_FORGOTTEN_MS,
    };
    this.#addresses = new GrowingDelay(clock, rule);
    this.#devices = new GrowingDelay(clock, rule);
  }

  /**
   * Throws `too_many_requests`, or lets the sign-in go on; call what it answers once the outcome is
   * known.
   */
  async begin(address: string, device: string | undefined): Promise<(outcome: SsoOutcome) => void> {
    const isKnown = device !== undefined;
    const delay = isKnown ? this.#devices : this.#addresses;
    const key = subjectKey(isKnown ? device : addressGroup(address));
    const end = await delay.begin(key, () => {});
    return (outcome) => {
      end(outcome === 'refused');
      if (isKnown && outcome === 'admitted') delay.clear(key);
    };
  }
}
