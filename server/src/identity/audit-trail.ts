import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import { AUDIT_COMMIT_EVENTS_MAX, AUDIT_EVENTS_MAX, AUDIT_QUEUE_MAX } from '#base/limits.ts';
import { AUDIT_STRANGER_EVENTS_MAX } from '#base/sign-in-limits.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { isOfStranger, StrangerEvents } from './stranger-events.ts';

/**
 * What strangers cause is of a type of its own: it has a bound of its own, and pushes nothing else
 * out.
 */
export const AUDIT_TYPE = '_AuditEvent';
export const STRANGER_AUDIT_TYPE = '_AuditStrangerEvent';

export interface StoredAuditTrailParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: { error(fields: object, message: string): void };
  readonly clock: Clock;
  /** So many events are kept; and so many of strangers. */
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
