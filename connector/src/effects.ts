import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';

/**
 * What a row brings into the graph and what goes when no row brings it any more, each written as the operation that takes it
 * back. A node that is only tried to be added belongs to nobody, and stays. A restriction is not taken back by leaving it out:
 * a row that forgets to say who may see its node must not open it to everybody (`restrictTo`).
 */
export function effectsOf(operations: readonly GraphOperation[]): string[] {
  const effects = new Set<string>();
  for (const operation of operations) {
    const inverse = takenBack(operation);
    if (inverse !== undefined) effects.add(JSON.stringify(inverse));
  }
  return [...effects];
}

export function operationOf(effect: string): GraphOperation {
  return JSON.parse(effect);
}

/** Names and their order are part of an effect's identity. */
function takenBack(operation: GraphOperation): GraphOperation | undefined {
  switch (operation.op) {
    case 'addOrUpdate': {
      const { uid, type, key } = operation;
      return uid === undefined ? { op: 'delete', type, key } : { op: 'delete', uid };
    }
    case 'link': {
      const { from, edge, to, inverse } = operation;
      return { op: 'unlink', from, edge, to, inverse };
    }
    case 'addToTeam': {
      const { team, user, member } = operation;
      return { op: 'removeFromTeam', team, user, member };
    }
    default:
      return undefined;
  }
}
