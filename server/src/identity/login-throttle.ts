import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
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
import { type EndTry, GrowingDelay } from './growing-delay.ts';
import { SSO_FAILURE_FORGOTTEN_MS, SSO_FAILURES_MAX } from '#base/limits.ts';

/** One try of a password: for which user, and from where. */
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

/** A right password clears the failures. */
function endTry(
  delay: GrowingDelay,
  key: string,
  end: EndTry,
  outcome: 'right' | 'wrong' | 'untried',
): void {
  end(outcome === 'wrong');
  if (outcome === 'right') delay.clear(key);
}

/** The line in which work waits, and the group that it waits as. */
export interface Ticket {
  readonly isKnown: boolean;
  readonly group: string;
}

/**
 * Lets dear work be done a little at a time. Known callers and strangers wait in lines of their
 * own, which take turns; in each, groups take turns. When a line is full, the group that has most
 * in it loses its last. So nobody waits for long, or is refused, because somebody else sends much.
 */
export class FairGate {
  readonly #runningMax: number;
  readonly #known: Line;
  readonly #strangers: Line;
  #running = 0;
  #isKnownNext = true;

  /** `waitingMax` is that of each line. */
  constructor({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }) {
    this.#runningMax = runningMax;
    this.#known = new Line(waitingMax);
    this.#strangers = new Line(waitingMax);
  }

  /** Throws `too_many_requests`. */
  async run<T>({ isKnown, group }: Ticket, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#runningMax) this.#running++;
    else await (isKnown ? this.#known : this.#strangers).wait(group);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Hands the place to who is next. */
  #leave(): void {
    const lines = [this.#known, this.#strangers];
    if (!this.#isKnownNext) lines.reverse();
    for (const line of lines) {
      const next = line.next();
      if (next === undefined) continue;
      this.#isKnownNext = line !== this.#known;
      next.enter();
      return;
    }
    this.#running--;
  }
}

interface Waiting {
  readonly enter: () => void;
  readonly refuse: (problem: Problem) => void;
}

class Line {
  readonly #waitingMax: number;
  /** In the order of their turns; none is empty. */
  readonly #groups = new Map<string, Waiting[]>();
  #waiting = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  async wait(group: string): Promise<void> {
    if (this.#waiting >= this.#waitingMax) this.#makeRoomFor(group);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own = this.#groups.get(group);
    const waiting = { enter: resolve, refuse: reject };
    if (own === undefined) this.#groups.set(group, [waiting]);
    else own.push(waiting);
    this.#waiting++;
    await promise;
  }

  next(): Waiting | undefined {
    for (const [group, own] of this.#groups) {
      const first = own.shift();
      this.#groups.delete(group);
      // To the end: the others come first now.
      if (own.length > 0) this.#groups.set(group, own);
      this.#waiting--;
      return first;
    }
    return undefined;
  }

  #makeRoomFor(group: string): void {
    let most: { readonly name: string; readonly own: Waiting[] } | undefined;
    for (const [name, own] of this.#groups) {
      if (most === undefined || own.length > most.own.length) most = { name, own };
    }
    const ownLength = this.#groups.get(group)?.length ?? 0;
    if (most === undefined || ownLength + 1 >= most.own.length) throw busy();
    most.own.pop()?.refuse(busy());
    this.#waiting--;
  }
}

function busy(): Problem {
  return new Problem('too_many_requests', 'Too many people sign in at the moment.', {
    hint: 'Try again in a moment.',
    details: { retryAfterSeconds: 2 },
  });
}

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
