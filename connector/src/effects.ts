import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { hash } from 'node:crypto';

/** Something that a row brings. */
export interface Effect {
  /** The operation that takes it back, by which it is told from others. */
  readonly effect: string;
  /** A hash of what the row says of it: two rows may bring one node, and say different things. */
  readonly content: Uint8Array;
}

const CONTENT_HASH_BYTES = 8;

/**
 * What a row brings into the graph and what goes when no row brings it any more, each written as
 * the operation that takes it back. A node that is only tried to be added belongs to nobody, and
 * stays. A restriction is not taken back by leaving it out: a row that forgets to say who may see
 * its node must not open it to everybody (`restrictTo`).
 */
export function effectsOf(operations: readonly GraphOperation[]): Effect[] {
  const said = new Map<string, string>();
  for (const operation of operations) {
    const inverse = takenBack(operation);
    if (inverse === undefined) continue;
    const effect = JSON.stringify(inverse);
    said.set(effect, (said.get(effect) ?? '') + JSON.stringify(operation));
  }
  return Array.from(said, ([effect, text]) => ({
    effect,
    content: hash('sha256', text, 'buffer').subarray(0, CONTENT_HASH_BYTES),
  }));
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
