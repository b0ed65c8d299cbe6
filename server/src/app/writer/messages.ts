import type { CommitAuthor, CommitRequest, CommitResult } from '#graph/operations.ts';
import type { ThreadFailure } from '../thread-failure.ts';

/** What the writer thread is started with. It runs no user code and speaks no HTTP. */
export interface WriterOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
  /** Of `Followers`: where the state publishes how far it is, and followers say what they need of the log. */
  readonly followers: SharedArrayBuffer;
}

export type WriterRequest =
  | { readonly kind: 'commit'; readonly request: CommitRequest }
  /** The same; answered with a `TimedCommit`. */
  | { readonly kind: 'timedCommit'; readonly request: CommitRequest }
  | {
      readonly kind: 'ingest';
      readonly operations: readonly unknown[];
      readonly author: CommitAuthor;
    }
  | { readonly kind: 'openStream'; readonly author: CommitAuthor }
  | { readonly kind: 'chunk'; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly kind: 'endStream'; readonly stream: number }
  | { readonly kind: 'abortStream'; readonly stream: number }
  | { readonly kind: 'loadSample' }
  | { readonly kind: 'close' };

/** Milliseconds since the Unix epoch: when the writer thread took the commit up, and when it was durable and applied. */
export interface TimedCommit {
  readonly result: CommitResult;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Main thread to writer. The id of `openStream` becomes the stream's number. */
export type ToWriter = WriterRequest & { readonly id: number };

/** Writer to main thread. */
export type FromWriter =
  | { readonly kind: 'opened'; readonly notes: readonly string[] }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number | null; readonly failure: ThreadFailure }
  | {
      readonly kind: 'progress';
      readonly id: number;
      readonly done: number;
      readonly total: number;
    };
