import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import { AUDIT_COMMIT_EVENTS_MAX, AUDIT_EVENTS_MAX, AUDIT_QUEUE_MAX } from '#base/limits.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

export const AUDIT_TYPE = '_AuditEvent';

export interface StoredAuditTrailParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: { error(fields: object, message: string): void };
  /** So many events are kept. */
  readonly eventsMax?: number;
}

/** Security events as nodes of the system type `_AuditEvent`. Disposing writes what waits. */
export class StoredAuditTrail implements AuditTrail, AsyncDisposable {
  readonly #parts: StoredAuditTrailParts;
  #waiting: GraphOperation[] = [];
  #writing: Promise<void> | undefined;
  #lost = 0;

  constructor(parts: StoredAuditTrailParts) {
    this.#parts = parts;
  }

  operation(event: AuditEvent): GraphOperation {
    const { action, actor, target, outcome, address, details } = event;
    return {
      op: 'addOrUpdate',
      type: AUDIT_TYPE,
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
    if (this.#waiting.length >= AUDIT_QUEUE_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(this.operation(event));
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
  #outdated(): GraphOperation[] {
    const { reader, eventsMax = AUDIT_EVENTS_MAX } = this.#parts;
    reader.refresh();
    const surplus = reader.countOfType(AUDIT_TYPE) - eventsMax;
    if (surplus <= 0) return [];
    return reader
      .idsOfType(AUDIT_TYPE, {
        take: Math.min(surplus, AUDIT_COMMIT_EVENTS_MAX),
        oldestFirst: true,
      })
      .map((id) => reader.uid(id))
      .filter((uid) => uid !== undefined)
      .map((uid): GraphOperation => ({ op: 'delete', uid }));
  }
}
