import type { AuditEvent } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import {
  AUDIT_STRANGER_ADDRESSES_MAX,
  AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX,
  AUDIT_STRANGER_EVENTS_OF_ALL_MAX,
  AUDIT_STRANGER_WINDOW_MS,
} from '#base/sign-in-limits.ts';
import { addressGroup, subjectKey } from './address-group.ts';

/** Whether somebody caused it who is not signed in, and can cause as many as they like. */
export function isOfStranger({ actor, outcome, address }: AuditEvent): boolean {
  return actor === null && outcome === 'failure' && address !== null;
}

/**
 * Which events of strangers are recorded: of one address (of IPv6, one network of 64 bits) within
 * an hour the first ones each, and of those beyond, or of all addresses together beyond another
 * number, the 2nd, the 4th, the 8th and so on, with how many there were. So an attack is seen, how
 * large it is as well, and it fills nothing.
 */
export class StrangerEvents {
  readonly #clock: Clock;
  /** By address, in the order in which their hours began. */
  readonly #addresses = new Map<string, Count>();
  #all: Count = { sinceMs: -Infinity, events: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The event as it is recorded; undefined when it is only counted. */
  admit(event: AuditEvent): AuditEvent | undefined {
    const now = this.#clock.now();
    const group = addressGroup(event.address ?? '');
    const own = this.#count(subjectKey(group), now);
    if (isOver(this.#all, now)) this.#all = { sinceMs: now, events: 0 };
    own.events++;
    if (own.events > AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX) {
      const beyond = own.events - AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX;
      if (!isPowerOfTwo(beyond)) return undefined;
    }
    this.#all.events++;
    const beyondAll = this.#all.events - AUDIT_STRANGER_EVENTS_OF_ALL_MAX;
    if (beyondAll > 0 && !isPowerOfTwo(beyondAll)) return undefined;
    if (own.events <= AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX && beyondAll <= 0) return event;
    const counted = { from: group, events: own.events, fromAll: this.#all.events };
    return { ...event, details: { ...event.details, withinAnHour: counted } };
  }

  #count(key: string, now: number): Count {
    for (const [other, count] of this.#addresses) {
      if (!isOver(count, now) && this.#addresses.size < AUDIT_STRANGER_ADDRESSES_MAX) break;
      this.#addresses.delete(other);
    }
    let own = this.#addresses.get(key);
    if (own === undefined) {
      own = { sinceMs: now, events: 0 };
      this.#addresses.set(key, own);
    }
    return own;
  }
}

interface Count {
  readonly sinceMs: number;
  events: number;
}

function isOver({ sinceMs }: Count, now: number): boolean {
  return sinceMs + AUDIT_STRANGER_WINDOW_MS <= now;
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
