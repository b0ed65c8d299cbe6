import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import { AUDIT_COMMIT_EVENTS_MAX, AUDIT_EVENTS_MAX, AUDIT_QUEUE_MAX } from '#base/limits.ts';
import {
  AUDIT_STRANGER_ADDRESSES_MAX,
  AUDIT_STRANGER_EVENTS_MAX,
  AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX,
  AUDIT_STRANGER_EVENTS_OF_ALL_MAX,
  AUDIT_STRANGER_WINDOW_MS,
} from '#base/sign-in-limits.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { addressGroup, subjectKey } from './address-group.ts';

/** Events that strangers cause have a type and a bound of their own, so they push no others out. */
export const AUDIT_TYPE = '_AuditEvent';
export const STRANGER_AUDIT_TYPE = '_AuditStrangerEvent';

export interface StoredAuditTrailParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: { error(fields: object, message: string): void };
  readonly clock: Clock;
  /** How many events are kept, and how many of those that strangers cause. */
  readonly eventsMax?: number;
  readonly strangerEventsMax?: number;
}

/**
 * Security events as nodes of the system types `_AuditEvent` and `_AuditStrangerEvent`. Disposing
 * writes what waits.
 */
export class StoredAuditTrail implements AuditTrail, AsyncDisposable {
  readonly #parts: StoredAuditTrailParts;
  #waiting: WriterOperation[] = [];
  #writing: Promise<void> | undefined;
  #lost = 0;
  readonly #strangers: StrangerEvents;

  constructor(parts: StoredAuditTrailParts) {
    this.#parts = parts;
    this.#strangers = new StrangerEvents(parts.clock);
  }

  operation(event: AuditEvent): WriterOperation {
    const { action, actor, target, outcome, address, details } = event;
    return {
      op: 'addOrUpdate',
      type: isOfStranger(event) ? STRANGER_AUDIT_TYPE : AUDIT_TYPE,
      fields: {
        Action: action,
        Outcome: outcome,
        ...(actor === null ? {} : { ActorUid: actor.uid, ActorName: actor.name }),
        ...(target === undefined ? {} : { TargetKind: target.kind, TargetId: target.id }),
        ...(target?.name === undefined ? {} : { TargetName: target.name }),
        ...(address === null ? {} : { Address: address }),
        ...(details === undefined ? {} : { Details: JSON.parse(JSON.stringify(details)) }),
      },
    };
  }

  record(event: AuditEvent): void {
    const admitted = isOfStranger(event) ? this.#strangers.admit(event) : event;
    if (admitted === undefined) return;
    if (this.#waiting.length >= AUDIT_QUEUE_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(this.operation(admitted));
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  /** Many events of one moment make one commit. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const operations = this.#waiting.splice(0, AUDIT_COMMIT_EVENTS_MAX);
      try {
        await this.#parts.commits.commit({
          system: true,
          operations: [...operations, ...this.#outdated()],
        });
      } catch (error) {
        this.#lost += operations.length;
        this.#parts.logger.error({ err: error, lost: this.#lost }, 'audit events were not written');
      }
    }
  }

  /** Deletes the oldest, some at a time, when there are too many. */
  #outdated(): WriterOperation[] {
    const {
      reader,
      eventsMax = AUDIT_EVENTS_MAX,
      strangerEventsMax = AUDIT_STRANGER_EVENTS_MAX,
    } = this.#parts;
    reader.refresh();
    return [
      ...outdated(reader, AUDIT_TYPE, eventsMax),
      ...outdated(reader, STRANGER_AUDIT_TYPE, strangerEventsMax),
    ];
  }
}

function outdated(reader: GraphReader, type: string, eventsMax: number): WriterOperation[] {
  const surplus = reader.countOfType(type) - eventsMax;
  if (surplus <= 0) return [];
  return reader
    .idsOfType(type, { take: Math.min(surplus, AUDIT_COMMIT_EVENTS_MAX), oldestFirst: true })
    .map((id) => reader.uid(id))
    .filter((uid) => uid !== undefined)
    .map((uid): WriterOperation => ({ op: 'delete', uid }));
}

/** Whether somebody caused it who is not signed in, and can cause as many as they like. */
function isOfStranger({ actor, outcome, address }: AuditEvent): boolean {
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
