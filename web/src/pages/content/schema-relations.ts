import { queryOptions } from '@tanstack/react-query';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { client } from '../../api/client.ts';
import { isOwnType } from './schema.ts';

/** Which type of edge leads from which type of node to which. */
export interface SchemaRelation {
  readonly from: string;
  readonly to: string;
  readonly edge: string;
}

/**
 * Edge types name no types of nodes: what they connect is found out from a few nodes of each type.
 */
const TYPES_MAX = 60;
const NODES_PER_TYPE = 3;
const NEIGHBORS_PER_NODE = 100;

export function relationsQuery(schema: SchemaDocument) {
  const types = schema.nodes
    .map(({ type }) => type)
    .filter((type) => !isOwnType(type))
    .slice(0, TYPES_MAX);
  return queryOptions({
    queryKey: ['schema-relations', types],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(types.map((type) => relationsOf(type, signal)));
      const relations = found
        .flat()
        .map((one) => [`${one.from} ${one.edge} ${one.to}`, one] as const);
      return [...new Map(relations).values()];
    },
    staleTime: 60_000,
  });
}

async function relationsOf(type: string, signal: AbortSignal): Promise<SchemaRelation[]> {
  const { items } = await client.system.nodes({ type, take: NODES_PER_TYPE }, { signal });
  const pages = await Promise.all(
    items.map(({ UID }) =>
      client.system.neighbors(
        { node: { uid: UID }, direction: 'out', take: NEIGHBORS_PER_NODE },
        { signal },
      ),
    ),
  );
  return pages
    .flatMap((page) => page.items)
    .filter(({ node }) => !isOwnType(node.Type))
    .map(({ edge, node }) => ({ from: type, to: node.Type, edge: edge.type }));
}
