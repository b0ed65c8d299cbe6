import type { EmbedRequest } from '#replication/embed-call.ts';
import type { LagReport } from '#replication/lag.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { ReplicaRegistration, ReplicaStatus } from '#replication/replica-registry.ts';
import type { ThreadFailure } from '../thread-failure.ts';

/** What the thread that serves replicas is started with. It runs no user code. */
export interface PrimaryOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly host: string;
  readonly port: number;
  readonly secret: Uint8Array;
  readonly version: string;
  /** The files of the built-in front end, by their digest; those of others are in the storage folder. */
  readonly frontEnd: ReadonlyMap<string, Uint8Array>;
  /** Of `Followers`: how far the state is, and where replicas say what they need of the log. */
  readonly followers: SharedArrayBuffer;
}

export interface ReplicationState {
  readonly replicas: readonly ReplicaStatus[];
  readonly lag: LagReport;
}

export type PrimaryRequest =
  | { readonly kind: 'register'; readonly registration: ReplicaRegistration }
  | { readonly kind: 'state' }
  | { readonly kind: 'verify' }
  | { readonly kind: 'cancelVerification' }
  | { readonly kind: 'announce'; readonly notice: Notice }
  | { readonly kind: 'close' };

export type ToPrimary =
  | (PrimaryRequest & { readonly id: number })
  /** Of `embed`. */
  | { readonly kind: 'embedded'; readonly id: number; readonly vector: string }
  | { readonly kind: 'notEmbedded'; readonly id: number; readonly failure: ThreadFailure };

/** For a replica. */
export interface EmbedForReplica {
  readonly kind: 'embed';
  readonly request: EmbedRequest;
}

export type FromPrimary =
  | { readonly kind: 'listening'; readonly port: number; readonly epoch: string }
  /** Somebody has registered, or was dropped: the public addresses of all. */
  | { readonly kind: 'replicas'; readonly publicUrls: readonly string[] }
  | (EmbedForReplica & { readonly id: number })
  | { readonly kind: 'note'; readonly level: 'info' | 'warn'; readonly text: string }
  /** Of `verify`: steps. */
  | {
      readonly kind: 'progress';
      readonly id: number;
      readonly done: number;
      readonly total: number;
    }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number | null; readonly failure: ThreadFailure };
