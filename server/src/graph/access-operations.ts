import { accessEdge, checkEnds, checkIsPlain, checkMayControlAccess } from './access-checks.ts';
import { checkType, neighborsOf, USER } from './access-checks.ts';
import { addPair, pairOf, removePair } from './link-nodes.ts';
import type { MembershipOperation, NodeReference, RestrictionOperation } from './operations.ts';
import type { Transactor } from './transactor.ts';

const RESTRICTIONS = [
  ['team', 'RestrictAccessToTeam'],
  ['user', 'RestrictAccessToUser'],
] as const;

/**
 * Lets a team, a user, or both see a node. Those who saw it only because it had no restriction no
 * longer see it.
 */
export function restrictNode(t: Transactor, operation: RestrictionOperation): void {
  checkMayControlAccess(t);
  if (operation.team === undefined && operation.user === undefined) {
    throw t.fail('A restriction names whom it lets see the node', {
      path: 'team',
      expected: 'a team, a user, or both',
    });
  }
  const from = t.require(operation.node, 'node');
  t.checkVersionOf(operation.ifVersion, from);
  let added = 0;
  for (const [member, name] of RESTRICTIONS) {
    const reference = operation[member];
    if (reference === undefined) continue;
    const to = t.require(reference, member);
    checkEnds(t, name, { from, to, fromPath: 'node', toPath: member });
    const edge = accessEdge(t, name);
    added += addPair(t, from, edge, to, pairOf(t, edge));
  }
  t.wroteEdges(added);
  t.finishEdges(added > 0);
}

/**
 * Removes restrictions that `restrict` added: those of the named team and user, or all when neither
 * is named.
 */
export function unrestrictNode(t: Transactor, operation: RestrictionOperation): void {
  checkMayControlAccess(t);
  const isAll = operation.team === undefined && operation.user === undefined;
  const from = t.resolve(operation.node, 'node');
  if (from !== 0) checkIsPlain(t, from, 'node');
  t.checkVersionOf(operation.ifVersion, from);
  let removed = 0;
  for (const [member, name] of RESTRICTIONS) {
    const edge = accessEdge(t, name);
    const reference = operation[member];
    const named = reference === undefined ? [] : [t.resolve(reference, member)];
    if (from === 0) continue;
    for (const to of isAll ? neighborsOf(t, from, 'out', edge).toArray() : named) {
      if (to !== 0) removed += removePair(t, from, edge, to, pairOf(t, edge));
    }
  }
  t.wroteEdges(removed);
  t.finishEdges(removed > 0);
}

/** Makes a user, or a whole team with its members, a member of a team. */
export function addToTeam(t: Transactor, operation: MembershipOperation): void {
  checkMayControlAccess(t);
  const { reference, path } = memberOf(t, operation);
  const from = t.require(reference, path);
  const to = t.require(operation.team, 'team');
  t.checkVersionOf(operation.ifVersion, to);
  if (path === 'user') checkType(t, from, [USER], path);
  checkEnds(t, '_MemberOf', { from, to, fromPath: path, toPath: 'team' });
  const edge = accessEdge(t, '_MemberOf');
  const added = addPair(t, from, edge, to, pairOf(t, edge));
  t.wroteEdges(added);
  t.finishEdges(added > 0);
}

/** Removes a direct membership. Changes nothing when there is none. */
export function removeFromTeam(t: Transactor, operation: MembershipOperation): void {
  checkMayControlAccess(t);
  const { reference, path } = memberOf(t, operation);
  const from = t.resolve(reference, path);
  const to = t.resolve(operation.team, 'team');
  t.checkVersionOf(operation.ifVersion, to);
  const edge = accessEdge(t, '_MemberOf');
  const removed = from === 0 || to === 0 ? 0 : removePair(t, from, edge, to, pairOf(t, edge));
  t.wroteEdges(removed);
  t.finishEdges(removed > 0);
}

function memberOf(
  t: Transactor,
  { user, member }: MembershipOperation,
): { readonly reference: NodeReference; readonly path: 'user' | 'member' } {
  if (user !== undefined && member === undefined) return { reference: user, path: 'user' };
  if (member !== undefined && user === undefined) return { reference: member, path: 'member' };
  throw t.fail('The operation names one member of the team', {
    path: 'user',
    expected: 'either "user", or "member" for a user or a team',
  });
}

/** Makes a user the owner of the new nodes that they see only as that. */
export function ownNodes(t: Transactor, user: number): void {
  const owns = accessEdge(t, '_Owns');
  for (const id of t.toOwn) t.wroteEdges(addPair(t, user, owns, id, pairOf(t, owns)));
}
