import type { Neighbor, NeighborsPage } from '@trellis/client/system-endpoints.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { labelOf } from '../../../api/node-label.ts';
import { useViewer } from '../../../api/viewer.ts';

const SIMILAR_SHOWN = 8;
/** So many neighbors at most are looked at to find some by a text. */
export const NEIGHBORS_READ_MAX = 1_000;
export const NEIGHBORS_TAKE = 20;
export const HISTORY_TAKE = 10;

export function nodeQuery(uid: string) {
  return queryOptions({
    queryKey: ['node', uid],
    queryFn: ({ signal }) => client.nodes.get(uid, { signal }),
  });
}

/** Versions of it that one page has, newest first. */
export function historyQuery(uid: string, skip: number) {
  return queryOptions({
    queryKey: ['node', uid, 'history', skip],
    queryFn: ({ signal }) =>
      client.nodes.listHistory(uid, { skip, take: HISTORY_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** How many neighbors there are, by edge type and direction. */
export function neighborCountsQuery(uid: string) {
  return queryOptions({
    queryKey: ['node', uid, 'neighbor-counts'],
    queryFn: async ({ signal }): Promise<NeighborsPage['counts']> => {
      const { counts } = await client.system.neighbors({ node: { uid }, take: 1 }, { signal });
      return counts;
    },
  });
}

export interface NeighborGroup {
  readonly edge: string;
  readonly direction: Neighbor['direction'];
}

export interface NeighborList {
  readonly items: readonly Neighbor[];
  /** How many fit the text. */
  readonly total: number;
  /** Whether there are more neighbors than were looked at. */
  readonly isPart: boolean;
}

/** One page of the neighbors over one type of edge; with a text, of those that are called so. */
export function neighborListQuery(
  uid: string,
  { edge, direction }: NeighborGroup,
  { skip, filter }: { readonly skip: number; readonly filter: string },
) {
  return queryOptions({
    queryKey: ['node', uid, 'neighbors', direction, edge, filter, skip],
    queryFn: async ({ signal }): Promise<NeighborList> => {
      const request = { node: { uid }, edges: [edge], direction };
      if (filter === '') {
        const page = { skip, take: NEIGHBORS_TAKE };
        const answer = await client.system.neighbors({ ...request, ...page }, { signal });
        return { items: answer.items, total: answer.total, isPart: false };
      }
      const read = { ...request, take: NEIGHBORS_READ_MAX };
      const { items, total } = await client.system.neighbors(read, { signal });
      const fit = items.filter((neighbor) => isCalled(neighbor, filter));
      return {
        items: fit.slice(skip, skip + NEIGHBORS_TAKE),
        total: fit.length,
        isPart: total > items.length,
      };
    },
    placeholderData: keepPreviousData,
  });
}

function isCalled({ node }: Neighbor, text: string): boolean {
  return `${labelOf(node)}\n${node.Id ?? ''}\n${node.Type}`
    .toLowerCase()
    .includes(text.toLowerCase());
}

/** What answers where there are no vectors, or none of the text of this node. */
const WITHOUT_VECTORS: ReadonlySet<string> = new Set([
  'invalid_request',
  'embeddings_not_configured',
  'index_opening',
]);

/** Nodes whose vectors are near; none where there are no vectors. */
export function similarNodesQuery(uid: string) {
  return queryOptions({
    queryKey: ['node', uid, 'similar'],
    queryFn: async ({ signal }) => {
      try {
        return (await client.embeddings.getSimilar(uid, { count: SIMILAR_SHOWN }, { signal }))
          .items;
      } catch (error) {
        if (error instanceof TrellisError && WITHOUT_VECTORS.has(error.code)) return [];
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

/**
 * The types of the fields by the name of the type of node; for administrators, others may not read
 * the schema.
 */
export const fieldTypesQuery = queryOptions({
  queryKey: ['schema', 'field-types'],
  queryFn: async ({
    signal,
  }): Promise<ReadonlyMap<string, Readonly<Record<string, FieldType>>>> => {
    const { nodes } = await client.schema.get({ signal });
    return new Map(nodes.map(({ type, fields }) => [type, fields]));
  },
  staleTime: 60_000,
});

/**
 * The scalar types of fields by name, those of the items for lists; nothing for those who may not
 * read the schema.
 */
export function useFieldTypes(type: string): Readonly<Record<string, string>> {
  const isAdmin = useViewer()?.seesAdministration === true;
  const types = useQuery({ ...fieldTypesQuery, enabled: isAdmin }).data?.get(type) ?? {};
  const scalars = Object.entries(types).map(([field, of]) => [field, of.replace('[]', '')]);
  return { ...Object.fromEntries(scalars), Timestamp: 'Time' };
}
