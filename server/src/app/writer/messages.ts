import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { CommitAuthor, CommitRequest, CommitResult } from '#graph/operations.ts';
import type { Steps } from '../threads/channel.ts';

/** What the writer thread is started with. It runs no user code and speaks no HTTP. */
export interface WriterOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
  /**
   * Of `Followers`: where the state publishes how far it is, and followers say what they need of
   * the log.
   */
  readonly followers: SharedArrayBuffer;
}

/**
 * Milliseconds since the Unix epoch: when the writer thread took the commit up, and when it was
 * durable and applied.
 */
export interface TimedCommit {
  readonly result: CommitResult;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What the writer thread answers. Commits happen in the order in which they are asked for. */
export interface WriterCalls {
  /** Once log and state are open. */
  opened(): void;
  commit(request: CommitRequest): CommitResult;
  timedCommit(request: CommitRequest): TimedCommit;
  ingest(batch: IngestBatch): IngestSummary;
  /** The number of the stream. */
  openStream(author: CommitAuthor): number;
  writeStream(chunk: StreamChunk): void;
  endStream(stream: number): IngestSummary;
  abortStream(stream: number): void;
  loadSample(given: undefined, progress: Steps): IngestSummary;
  close(): void;
}

export interface IngestBatch {
  readonly operations: readonly unknown[];
  readonly author: CommitAuthor;
}

export interface StreamChunk {
  readonly stream: number;
  readonly bytes: Uint8Array;
}

/** What the writer thread tells whoever has started it. */
export interface WriterNotices {
  note(text: string): void;
}
