import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { NodeReference } from '../restrict-to.ts';

/** Edge types, each with the one that leads back; `inverses` has one of the two by the other. */
export function edgesBothWays(inverses: Readonly<Record<string, string>>): SchemaDocument['edges'] {
  return Object.entries(inverses).flatMap(([type, inverse]) => [
    { type, inverse },
    { type: inverse, inverse: type },
  ]);
}

/** Links two nodes both ways, by the edges of such a table. */
export function linkBy<Table extends Readonly<Record<string, string>>>(inverses: Table) {
  return (from: NodeReference, edge: keyof Table & string, to: NodeReference): GraphOperation => ({
    op: 'link',
    from,
    edge,
    inverse: inverses[edge],
    to,
  });
}
