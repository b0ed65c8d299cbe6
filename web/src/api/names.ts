import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { NODE_UIDS_MAX } from '@trellis/contract/limits.ts';
import { client } from './client.ts';
import { labelOf } from './node-label.ts';

/**
 * What users, teams and other nodes are called, by their UIDs; the UID itself of what is gone,
 * hidden or not read yet.
 */
export function useNames(uids: readonly string[]): (uid: string) => string {
  const wanted = [...new Set(uids)].toSorted();
  const { data } = useQuery({
    queryKey: ['names', wanted],
    queryFn: ({ signal }) => readNames(wanted, signal),
    enabled: wanted.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  return (uid) => data?.get(uid) ?? uid;
}

/** What people call a user, a team or another node. */
export function nameOf(node: NodeObject): string {
  const name = node.Type === '_User' ? (node['FullName'] ?? node['UserName']) : node['Name'];
  return typeof name === 'string' && name !== '' ? name : labelOf(node);
}

async function readNames(
  uids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let first = 0; first < uids.length; first += NODE_UIDS_MAX) {
    const nodes = await client.nodes.getMany(
      { uids: uids.slice(first, first + NODE_UIDS_MAX) },
      { signal },
    );
    for (const node of nodes) if (node !== null) names.set(node.UID, nameOf(node));
  }
  return names;
}
