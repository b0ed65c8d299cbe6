import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { AccessControl, CommitAuthor } from '#graph/operations.ts';
import { type AuditEvent, type AuditTrail, deed, type Doer } from './audit-event.ts';
import type { Caller } from './caller.ts';

/** An NDJSON stream on its way to the writer. */
export interface IngestStream {
  /**
   * Resolves when the writer can take more: this is the stream's backpressure. Rejects with the
   * first bad line's problem.
   */
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<IngestSummary>;
  /** Commits that were made stay; what was not yet committed is dropped. */
  abort(): Promise<void>;
}

/**
 * The writer's side of ingestion, in its own thread: operations are checked there, never on the
 * HTTP thread.
 */
export interface IngestPort {
  /**
   * One atomic commit of operations that were not checked yet. With `accessControl` of the author
   * they may also change who may see what; without, such an operation is refused with `forbidden`.
   */
  ingest(operations: readonly unknown[], author: CommitAuthor): Promise<IngestSummary>;
  openIngestStream(author: CommitAuthor): Promise<IngestStream>;
}

/** Ingestion as callers reach it: the contract's row has said who may. */
export class IngestService {
  readonly #writer: IngestPort;
  readonly #audit: AuditTrail;

  constructor(writer: IngestPort, audit: AuditTrail) {
    this.#writer = writer;
    this.#audit = audit;
  }

  commit(caller: Caller, operations: readonly unknown[], address: string): Promise<IngestSummary> {
    return this.#writer.ingest(operations, this.#author({ caller, address }));
  }

  openStream(caller: Caller, address: string): Promise<IngestStream> {
    return this.#writer.openIngestStream(this.#author({ caller, address }));
  }

  #author(doer: Doer): CommitAuthor {
    return {
      user: doer.caller.userUid ?? undefined,
      accessControl: this.#accessControl(doer),
      namesRecords: { trace: this.#audit.operation(written('node.split', doer, VIA_INGESTION)) },
    };
  }

  #accessControl(doer: Doer): AccessControl | undefined {
    if (!mayControlAccess(doer.caller)) return undefined;
    return { trace: this.#audit.operation(accessWritten(doer, VIA_INGESTION)) };
  }
}

const VIA_INGESTION = { via: 'ingestion' };

/**
 * Access changed by operations of a caller's own, which may be many: which they were is in the
 * commit log.
 */
export function accessWritten(
  doer: Doer,
  details: { readonly via: string; readonly endpoint?: string },
): AuditEvent {
  return written('access.written', doer, details);
}

function written(
  action: 'access.written' | 'node.split',
  doer: Doer,
  details: Readonly<Record<string, unknown>>,
): AuditEvent {
  const { kind, tokenId } = doer.caller;
  const target = { kind: kind === 'session' ? 'session' : 'token', id: tokenId } as const;
  return deed(action, doer, target, details);
}

/**
 * A session by the role of its user, a token by its scopes alone, whatever the user it acts as may
 * do.
 */
function mayControlAccess({ kind, isAdmin, isReadOnlyAdmin, scopes }: Caller): boolean {
  return kind === 'session' ? isAdmin && !isReadOnlyAdmin : scopes.includes('ingestion:acl');
}
