import type { EmbedRequest } from '#replication/embed-call.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { AppliedChunk } from '../telemetry/traced-commits.ts';
import type { FollowingOptions } from './open-following.ts';
import type { RegistrationOptions } from './register-replica.ts';

/** What the thread that follows a primary is started with. It runs no user code. */
export interface ReplicaOptions extends RegistrationOptions, FollowingOptions {
  /** The port of the channel, on the host of the primary's address. */
  readonly port: number;
  /**
   * Of `Followers`: where its state publishes how far it is, and its indexes say what they need of
   * its log.
   */
  readonly followers: SharedArrayBuffer;
  /** Whether it is to tell when it has applied what: see `applied`. */
  readonly isTimed: boolean;
}

/** What the thread that follows the primary answers. */
export interface ReplicaThreadCalls {
  /** Follows it until it is closed. Fails with what ends a replica: see `runReplica`. */
  follow(): void;
  /** Files of the primary's front end, by their digests and in that order. */
  fetchFrontEnd(digests: readonly string[]): readonly Uint8Array[];
  /** The vector of a text, from the primary. */
  embed(request: EmbedRequest): string;
  /** Answered once nothing is open any more. */
  close(): void;
}

/** What it tells whoever has started it; see `ReplicaEvents`. */
export interface ReplicaThreadNotices {
  loaded(): void;
  caughtUp(): void;
  progress(progress: { readonly bytesDone: number; readonly bytesTotal: number }): void;
  note(note: { readonly level: 'info' | 'warn'; readonly text: string }): void;
  /** Connects to the primary: it is not connected to it. */
  joining(): void;
  /** Connected to the primary, again or for the first time. */
  joined(): void;
  /** From a thread that is timed. */
  applied(chunk: AppliedChunk): void;
  /** From the primary. */
  notice(notice: Notice): void;
}
