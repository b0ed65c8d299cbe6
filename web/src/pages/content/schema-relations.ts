import { queryOptions } from '@tanstack/react-query';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { RelationStatistics } from '@trellis/contract/shapes/stats.ts';
import { client } from '../../api/client.ts';
import { isOwnType } from './schema.ts';

export const relationsQuery = queryOptions({
  queryKey: ['schema-relations'],
  queryFn: ({ signal }) => client.stats.getRelations({ signal }),
  staleTime: 60_000,
});

/** Which type of edge leads from which type of node to which, and how many there are. */
export type SchemaRelation = RelationStatistics['relations'][number] & {
  /** The type of the edges that lead back, one for each; they are no relation of their own. */
  readonly inverse: string | undefined;
};

/**
 * The relations between types of the workspace, most edges first. Of an edge and its inverse only
 * the one that the schema has first.
 */
export function relationsOf(
  schema: SchemaDocument,
  { relations }: RelationStatistics,
): readonly SchemaRelation[] {
  const places = new Map(schema.edges.map(({ type }, at) => [type, at]));
  const inverses = new Map(schema.edges.map(({ type, inverse }) => [type, inverse]));
  const counts = new Map(relations.map((one) => [nameOf(one), one.edges]));
  const inverseOf = ({ from, edge, to, edges }: SchemaRelation): string | undefined => {
    const inverse = inverses.get(edge);
    if (inverse === undefined || inverse === edge) return undefined;
    return counts.get(nameOf({ from: to, edge: inverse, to: from })) === edges
      ? inverse
      : undefined;
  };
  const isFirst = ({ edge, inverse }: SchemaRelation): boolean =>
    inverse === undefined || (places.get(edge) ?? 0) < (places.get(inverse) ?? 0);
  return relations
    .filter(({ from, edge, to }) => ![from, edge, to].some(isOwnType))
    .map((one) => ({ ...one, inverse: undefined }))
    .map((one) => ({ ...one, inverse: inverseOf(one) }))
    .filter(isFirst)
    .toSorted((one, other) => other.edges - one.edges || nameOf(one).localeCompare(nameOf(other)));
}

function nameOf({ from, edge, to }: Pick<SchemaRelation, 'from' | 'edge' | 'to'>): string {
  return [from, edge, to].join(' ');
}
