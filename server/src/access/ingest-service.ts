import type { Caller } from './caller.ts';

/** What one ingest request did (open-shapes, section 4). */
export interface IngestSummary {
  readonly nodes: number;
  readonly edges: number;
  readonly commits: number;
  readonly sequence: number;
}

/** An NDJSON stream on its way to the writer. */
export interface IngestStream {
  /** Resolves when the writer can take more: this is the stream's backpressure. Rejects with the first bad line's problem. */
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<IngestSummary>;
  /** Commits that were made stay; what was not yet committed is dropped. */
  abort(): Promise<void>;
}

/** The writer's side of ingestion, in its own thread: operations are checked there, never on the HTTP thread. */
export interface IngestPort {
  /**
   * One atomic commit of operations that were not checked yet. With `accessControl` they may also change who may see
   * what; without, such an operation is refused with `forbidden`.
   */
  ingest(operations: readonly unknown[], accessControl: boolean): Promise<IngestSummary>;
  openIngestStream(accessControl: boolean): Promise<IngestStream>;
}

/** Ingestion as callers reach it: the contract's row has said who may. */
export class IngestService {
  readonly #writer: IngestPort;

  constructor(writer: IngestPort) {
    this.#writer = writer;
  }

  commit(caller: Caller, operations: readonly unknown[]): Promise<IngestSummary> {
    return this.#writer.ingest(operations, mayControlAccess(caller));
  }

  openStream(caller: Caller): Promise<IngestStream> {
    return this.#writer.openIngestStream(mayControlAccess(caller));
  }
}

/** A session by the role of its user, a token by its scopes alone, whatever the user it acts as may do. */
function mayControlAccess({ kind, isAdmin, isReadOnlyAdmin, scopes }: Caller): boolean {
  return kind === 'session' ? isAdmin && !isReadOnlyAdmin : scopes.includes('ingestion:acl');
}
