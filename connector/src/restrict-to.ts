import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';

export type NodeReference = Extract<GraphOperation, { op: 'restrict' }>['node'];

/** Who may see a node: everybody who is signed in, or these alone, by their UIDs. */
export type NodeAudience =
  | 'everybody'
  | { readonly teams?: readonly string[]; readonly users?: readonly string[] };

/**
 * Operations that leave a node restricted to exactly these teams and users, whatever it was
 * restricted to before; in one row with the node itself, nobody sees a state in between. Needs the
 * scope `ingestion:acl`. Throws a `RangeError` for nobody: the graph has no such restriction, and a
 * node without any is everybody's to see.
 */
export function restrictTo(node: NodeReference, audience: NodeAudience): GraphOperation[] {
  const open: GraphOperation = { op: 'unrestrict', node };
  if (audience === 'everybody') return [open];
  const { teams = [], users = [] } = audience;
  if (teams.length + users.length === 0) {
    throw new RangeError(
      `Nobody may see ${JSON.stringify(node)}: name a team or a user, or leave the node out`,
    );
  }
  return [
    open,
    ...teams.map((uid): GraphOperation => ({ op: 'restrict', node, team: { uid } })),
    ...users.map((uid): GraphOperation => ({ op: 'restrict', node, user: { uid } })),
  ];
}
