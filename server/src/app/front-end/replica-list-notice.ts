import type { Notice } from '#replication/message-shapes.ts';

const KIND = 'ReplicasChanged';

/** How a primary tells its replicas what their pages are to know of one another. */
export function replicaListNotice(replicaUrls: string): Notice {
  return { kind: KIND, payload: replicaUrls };
}

/** Undefined when the notice is about something else. */
export function readReplicaListNotice({ kind, payload }: Notice): string | undefined {
  return kind === KIND && typeof payload === 'string' ? payload : undefined;
}
