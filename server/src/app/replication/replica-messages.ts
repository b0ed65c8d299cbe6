import type { EmbedRequest } from '#replication/embed-call.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { AppliedChunk } from '../telemetry/traced-commits.ts';
import type { ThreadFailure } from '../thread-failure.ts';
import type { FollowingOptions } from './open-following.ts';
import type { RegistrationOptions } from './register-replica.ts';

/** What the thread that follows a primary is started with. It runs no user code. */
export interface ReplicaOptions extends RegistrationOptions, FollowingOptions {
  /** Of the channel, on the host of the primary's address. */
  readonly port: number;
  /** Of `Followers`: where its state publishes how far it is, and its indexes say what they need of its log. */
  readonly followers: SharedArrayBuffer;
  /** Whether it is to tell when it has applied what: see `applied`. */
  readonly isTimed: boolean;
}

/** Files of the primary's front end, by their digests. */
export interface FetchFrontEnd {
  readonly kind: 'fetchFrontEnd';
  readonly digests: readonly string[];
}

/** A text whose vector the primary has. */
export interface AskForEmbedding {
  readonly kind: 'embed';
  readonly request: EmbedRequest;
}

export type ReplicaRequest = FetchFrontEnd | AskForEmbedding;

export type ToReplica = { readonly kind: 'close' } | (ReplicaRequest & { readonly id: number });

/** See `ReplicaEvents`. */
export type FromReplica =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'caughtUp' }
  | { readonly kind: 'progress'; readonly bytesDone: number; readonly bytesTotal: number }
  | { readonly kind: 'note'; readonly level: 'info' | 'warn'; readonly text: string }
  /** Connects to the primary: it is not connected to it. */
  | { readonly kind: 'joining' }
  /** Connected to the primary, again or for the first time. */
  | { readonly kind: 'joined' }
  /** Of a thread that is timed. */
  | { readonly kind: 'applied'; readonly chunk: AppliedChunk }
  /** Of a request. */
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'notDone'; readonly id: number; readonly failure: ThreadFailure }
  /** Of the primary. */
  | { readonly kind: 'notice'; readonly notice: Notice }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };
