import type { ReplicaVerification } from '@trellis/contract/shapes/replica.ts';
import type { EmbedRequest } from '#replication/embed-call.ts';
import type { LagReport } from '#replication/lag.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { RegisteredReplica, ReplicaStatus } from '#replication/replica-registry.ts';
import type { Steps } from '../threads/channel.ts';

/** What the thread that serves replicas is started with. It runs no user code. */
export interface PrimaryOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly host: string;
  readonly port: number;
  readonly secret: Uint8Array;
  readonly version: string;
  /**
   * The files of the built-in front end, by their digest; those of others are in the storage
   * folder.
   */
  readonly frontEnd: ReadonlyMap<string, Uint8Array>;
  /** Of `Followers`: how far the state is, and where replicas say what they need of the log. */
  readonly followers: SharedArrayBuffer;
}

export interface ReplicationState {
  readonly replicas: readonly ReplicaStatus[];
  readonly lag: LagReport;
}

/** What the thread that serves replicas answers. */
export interface ReplicationCalls {
  /** Once it listens. */
  listening(): Listening;
  register(registration: RegisteredReplica): ReplicaStatus;
  state(): ReplicationState;
  verify(given: undefined, steps: Steps): ReplicaVerification;
  cancelVerification(): void;
  announce(notice: Notice): void;
  close(): void;
}

export interface Listening {
  readonly port: number;
  readonly epoch: string;
}

/** What it asks and tells whoever has started it. */
export interface ReplicationNotices {
  /** Somebody has registered, or was dropped: the public addresses of all. */
  replicas(publicUrls: readonly string[]): void;
  /** For a replica: only the main thread asks the provider of embeddings. */
  embed(request: EmbedRequest): string;
  note(note: { readonly level: 'info' | 'warn'; readonly text: string }): void;
}
