import type { Webhook, WebhookSettings } from '@trellis/contract/shapes/webhook.ts';

/**
 * A webhook tells a server of others what changes: it follows the log and sends one request after
 * the other, in the order of the commits. What it has delivered is told by its position, which is
 * written after the deliveries: after a crash some are sent again, under the same id, and none is
 * left out.
 */
export interface StoredWebhook {
  readonly id: string;
  readonly settings: WebhookSettings;
  /** Everything up to this sequence is delivered. */
  readonly position: number;
  /** Why the server sends nothing any more; null while it does. */
  readonly pausedFor: string | null;
  readonly failing: Failing | null;
  readonly missed: Webhook['missed'];
  readonly createdAt: string;
  /** UID of a user; null for a token that acts as nobody. */
  readonly createdBy: string | null;
}

/** A delivery that has not arrived. Times in milliseconds since the Unix epoch. */
export interface Failing {
  /** Its id: the tries of another delivery do not count. */
  readonly delivery: string;
  readonly sinceMs: number;
  readonly attempts: number;
  readonly nextMs: number;
  readonly error: string;
}

export type WebhookFilter = Pick<WebhookSettings, 'types' | 'edges' | 'actions'>;

/** A node at an end of an edge, or that was changed. */
export interface NodeName {
  readonly uid: string;
  readonly type: string;
  readonly key: string | null;
}

/** A change for somebody who may not see everything: what is told is decided when it is sent. */
export type ChangeReference =
  | (NodeName & {
      readonly action: 'created' | 'updated' | 'deleted';
      /** Whether the commit removed, or wrote, a restriction of who may see the node. */
      readonly wasRestricted: boolean;
    })
  | {
      readonly action: 'linked' | 'unlinked';
      readonly edge: string;
      readonly from: NodeName;
      readonly to: NodeName;
    };

export type NodeReferenceChange = Extract<ChangeReference, { readonly uid: string }>;
export type EdgeReferenceChange = Extract<ChangeReference, { readonly edge: string }>;

/** A commit, or a part of a large one. */
export interface FoundDelivery {
  /** The first sequence of the commit. */
  readonly first: number;
  /** The last sequence of the commit. */
  readonly sequence: number;
  /** When it was committed: ISO 8601 UTC. */
  readonly at: string;
  /** From 1. */
  readonly part: number;
  /** The first change of the commit that is wanted and in it, and the one after its last. */
  readonly begin: number;
  readonly end: number;
  readonly isLast: boolean;
  /** As JSON, for whoever sees everything; else empty. */
  readonly changes: readonly string[];
  /** For whoever does not; else empty. */
  readonly references: readonly ChangeReference[];
}

/** How far the log is read: after a commit, and after so many changes of the one that follows. */
export interface LogPlace {
  readonly after: number;
  readonly skip: number;
  readonly part: number;
}

export interface AskedDeliveries extends LogPlace, WebhookFilter {
  /** Whether the nodes themselves are wanted. */
  readonly isFull: boolean;
  /** Whether what is told depends on who may see it. */
  readonly isAsUser: boolean;
}

export interface FoundDeliveries extends LogPlace {
  readonly deliveries: readonly FoundDelivery[];
  /** The log begins later than where to go on: `after` is where it begins. */
  readonly isLost: boolean;
}

/** The commit log as webhooks read it. */
export interface DeliveryFeed {
  /** The newest sequence that is applied. */
  readonly sequence: number;
  /** Resolves once there is something; rejects with the signal's reason. */
  next(asked: AskedDeliveries, signal: AbortSignal): Promise<FoundDeliveries>;
  /** The oldest sequence of the log. */
  first(): Promise<number>;
  /** The log is needed after this sequence; undefined when it is not needed. */
  needs(after: number | undefined): void;
}
