import type { DropReason, ReplicaStatus } from './replica-registry.ts';

/** What a primary's log says of its replicas. Nothing in it is secret. */
export type ReplicationEvent =
  | { readonly kind: 'registered'; readonly replica: ReplicaStatus }
  | { readonly kind: 'dropped'; readonly replica: ReplicaStatus; readonly reason: DropReason }
  /** Shook hands; `replica.version` may differ from the primary's, which is only told. */
  | { readonly kind: 'connected'; readonly replica: ReplicaStatus; readonly peer: string }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason; readonly peer: string }
  | {
      readonly kind: 'copy_started';
      readonly replica: ReplicaStatus;
      /** The commit of the snapshot. */
      readonly sequence: number;
      /** What the replica lacks. */
      readonly pieces: number;
    }
  | {
      readonly kind: 'copy_progress';
      readonly replica: ReplicaStatus;
      readonly piecesDone: number;
      readonly pieces: number;
      readonly bytesDone: number;
    }
  | { readonly kind: 'following'; readonly replica: ReplicaStatus; readonly from: number }
  /** A call ended by a fault: of the network, or of the primary. */
  | {
      readonly kind: 'failed';
      readonly replica: ReplicaStatus;
      readonly method: string;
      readonly error: unknown;
    };

export type RejectionReason = 'invalid secret' | 'not registered';

export type OnReplicationEvent = (event: ReplicationEvent) => void;
