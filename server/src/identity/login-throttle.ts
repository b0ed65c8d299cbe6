import type { Clock } from '#base/clock.ts';
import {
  ADDRESS_DELAY_MAX_MS,
  ADDRESS_DELAY_MIN_MS,
  ADDRESS_FAILURE_FORGOTTEN_MS,
  ADDRESS_FAILURES_MAX,
  LOGIN_DELAY_MAX_MS,
  LOGIN_DELAY_MIN_MS,
  LOGIN_FAILURE_FORGOTTEN_MS,
  LOGIN_FAILURES_MAX,
} from '#base/sign-in-limits.ts';
import { addressGroup, subjectKey } from './address-group.ts';
import { GrowingDelay, type EndTry } from './growing-delay.ts';

/** Whose password is tried, and from where. */
export interface Attempt {
  readonly user: string;
  readonly address: string;
  /** A device on which this user has signed in before, or the session that asks. */
  readonly device: string | undefined;
}

/**
 * Slows guessing down without locking anybody out (open-shapes, section 3: five failures, then
 * 429). Failures count for a name and an address together, and for the address more generously: so
 * nobody is locked out by what others do elsewhere. A device that the user has signed in on before
 * is counted for itself alone: so neither by what others do behind one address.
 */
export class LoginThrottle {
  readonly #names: GrowingDelay;
  readonly #addresses: GrowingDelay;
  readonly #devices: GrowingDelay;

  constructor(clock: Clock) {
    const ofName = {
      freeFailures: LOGIN_FAILURES_MAX,
      delayMinMs: LOGIN_DELAY_MIN_MS,
      delayMaxMs: LOGIN_DELAY_MAX_MS,
      forgottenMs: LOGIN_FAILURE_FORGOTTEN_MS,
    };
    this.#names = new GrowingDelay(clock, ofName);
    this.#devices = new GrowingDelay(clock, ofName);
    this.#addresses = new GrowingDelay(clock, {
      freeFailures: ADDRESS_FAILURES_MAX,
      delayMinMs: ADDRESS_DELAY_MIN_MS,
      delayMaxMs: ADDRESS_DELAY_MAX_MS,
      forgottenMs: ADDRESS_FAILURE_FORGOTTEN_MS,
    });
  }

  /**
   * Throws `too_many_requests`, or lets the try begin; call `end` once its outcome is known.
   * `onRefused` is called for the first refusal after a failure only: it may cost something.
   */
  async begin(
    { user, address, device }: Attempt,
    onRefused: () => void = () => {},
  ): Promise<{ end(outcome: 'right' | 'wrong' | 'untried'): void }> {
    const group = addressGroup(address);
    if (device !== undefined) {
      const key = subjectKey(user, device);
      const end = await this.#devices.begin(key, onRefused);
      return { end: (outcome) => endTry(this.#devices, key, end, outcome) };
    }
    const key = subjectKey(user, group);
    const endName = await this.#names.begin(key, onRefused);
    try {
      const endAddress = await this.#addresses.begin(subjectKey(group), onRefused);
      return {
        end: (outcome) => {
          endTry(this.#names, key, endName, outcome);
          endAddress(outcome === 'wrong');
        },
      };
    } catch (error) {
      endName(false);
      throw error;
    }
  }
}

/** Who was right begins again. */
function endTry(
  delay: GrowingDelay,
  key: string,
  end: EndTry,
  outcome: 'right' | 'wrong' | 'untried',
): void {
  end(outcome === 'wrong');
  if (outcome === 'right') delay.clear(key);
}
