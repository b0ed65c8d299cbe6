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
  /** One atomic commit of operations that were not checked yet. */
  ingest(operations: readonly unknown[]): Promise<IngestSummary>;
  openIngestStream(): Promise<IngestStream>;
}

/** Ingestion as callers reach it: the contract's row has said who may. */
export class IngestService {
  readonly #writer: IngestPort;

  constructor(writer: IngestPort) {
    this.#writer = writer;
  }

  commit(_caller: Caller, operations: readonly unknown[]): Promise<IngestSummary> {
    return this.#writer.ingest(operations);
  }

  openStream(_caller: Caller): Promise<IngestStream> {
    return this.#writer.openIngestStream();
  }
}
