import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import type { IngestPort, IngestStream } from '#access/ingest-service.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, CommitResult, WriterOperation } from '#graph/operations.ts';
import type { Logger } from '#observe/logger.ts';

/**
 * What stands where a primary has its writer. Routes that write never get here, as a replica sends
 * their callers to the primary; whatever else tries to write is refused in the same words
 * (specification, section 4.8).
 */
export class ReadOnlyWrites implements CommitPort, IngestPort {
  commit(): Promise<CommitResult> {
    return this.refuse();
  }

  ingest(): Promise<IngestSummary> {
    return this.refuse();
  }

  openIngestStream(): Promise<IngestStream> {
    return this.refuse();
  }

  refuse(): Promise<never> {
    return Promise.reject(new Problem('read_only_replica', 'A replica takes no changes.'));
  }
}

/**
 * Security events at a replica are in its log only: what changes something happens on the primary,
 * and is recorded there.
 */
export class LoggedAuditTrail implements AuditTrail {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  operation({ action }: AuditEvent): WriterOperation {
    throw new Problem('read_only_replica', `A replica makes no commit for ${action}.`);
  }

  record(event: AuditEvent): void {
    this.#logger.info({ audit: event }, event.action);
  }
}
