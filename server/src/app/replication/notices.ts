import { webSocketMessage, type WebSocketMessage } from '@trellis/contract/web-socket.ts';
import type { Notice } from '#replication/message-shapes.ts';
import type { IndexChange } from '#search/settings/search-settings-service.ts';

const REPLICAS = 'ReplicasChanged';
const PAGES = 'PagesTold';
/** The name that the specification gives it (section 3.1). */
const INDEX = 'LoadNewIndexOnReplica';

/** How a primary tells its replicas which replicas their pages may read from. */
export function replicaListNotice(replicaUrls: string): Notice {
  return { kind: REPLICAS, payload: replicaUrls };
}

/** The list of replicas; undefined when the notice is about something else. */
export function readReplicaListNotice({ kind, payload }: Notice): string | undefined {
  return kind === REPLICAS && typeof payload === 'string' ? payload : undefined;
}

/** A message for pages, and the UID of the user who gets it whatever their role. */
interface PageMessage {
  readonly message: WebSocketMessage;
  readonly owner: string | undefined;
}

/** What the pages of replicas are told, too. */
export function pageNotice(told: PageMessage): Notice {
  return { kind: PAGES, payload: told };
}

/** The message; undefined when the notice is about something else. */
export function readPageNotice({ kind, payload }: Notice): PageMessage | undefined {
  if (kind !== PAGES) return undefined;
  const { message, owner }: { message?: unknown; owner?: unknown } = Object(payload);
  const { data } = webSocketMessage.safeParse(message);
  return data && { message: data, owner: typeof owner === 'string' ? owner : undefined };
}

/**
 * How a primary tells its replicas that there is more, or less, to be searched: each builds its own
 * index.
 */
export function indexNotice({ added, removed }: IndexChange): Notice {
  return { kind: INDEX, payload: { added, removed } };
}

/** A line for the log of a replica; undefined when the notice is about something else. */
export function describeIndexNotice({ kind, payload }: Notice): string | undefined {
  if (kind !== INDEX) return undefined;
  const { added = [], removed = [] }: { added?: string[]; removed?: string[] } = Object(payload);
  const parts = [
    ...(added.length > 0 ? [`builds what is new to be searched: ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removes what is no longer searched: ${removed.join(', ')}`] : []),
  ];
  return `the search index ${parts.join('; ')}`;
}
