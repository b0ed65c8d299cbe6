import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { LiveView, WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { useEffect } from 'react';
import { liveConnection } from './live-connection.ts';

/** Whether a message says that what a page shows has changed. */
type Tells = (message: WebSocketMessage) => boolean;

/**
 * Reads again what a page shows, whose queries begin with the key, whenever the server says that it
 * has changed. What it says while there is no connection is lost: the first message of each
 * connection is the list of replicas. Give it a key and a function that stay the same.
 */
export function useLiveQueries(queryKey: QueryKey, tells: Tells): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      liveConnection.onMessage((message) => {
        if (message.type === 'REPLICAS_CHANGED' || tells(message)) {
          void queries.invalidateQueries({ queryKey });
        }
      }),
    [queries, queryKey, tells],
  );
}

export function tellsOfView(view: LiveView): Tells {
  return (message) => message.type === 'VIEW_CHANGED' && message.view === view;
}

/** Of any job, or of those of some kinds. */
export function tellsOfJobs(...kinds: readonly string[]): Tells {
  return (message) =>
    message.type === 'JOB_CHANGED' && (kinds.length === 0 || kinds.includes(message.job.kind));
}
