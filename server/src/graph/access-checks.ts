import { must, unreachable } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { NeighborList } from './adjacency.ts';
import { isSystemName } from './names.ts';
import type { AccessChange } from './reader.ts';
import type { EdgeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';

type AccessEdge = AccessChange['edge'];

export const USER = '_User';
export const TEAM = '_AccessGroup';

/** The edge type with this name. Throws when this commit may not write edges of it. */
export function edgeTypeToWrite(t: Transactor, name: string, path: string): EdgeType {
  const type = t.writtenEdgeType(name, path);
  if (type.access === undefined) refuseBuiltIn(t, name, path);
  else checkMayControlAccess(t);
  return type;
}

/** Throws when this commit may not write nodes of the type. */
export function checkMayWrite(t: Transactor, type: string, path: string): void {
  if (type === TEAM) checkMayControlAccess(t);
  else refuseBuiltIn(t, type, path);
  if (t.options.rights?.mayWrite(type) === false) throw mayNotWrite(t, type);
}

/** Of an author with rights of their own, no other operations are taken. */
const OF_AUTHORS: ReadonlySet<string> = new Set([
  'addOrUpdate',
  'update',
  'delete',
  'link',
  'unlink',
]);

export function checkMayAsk(t: Transactor, op: string): void {
  if (t.options.rights === undefined || OF_AUTHORS.has(op)) return;
  throw t.fail(`"${op}" is not for users to write`, { path: 'op' });
}

/** Throws `node_not_found` for a node that the author does not see. */
export function checkSees(t: Transactor, id: number): void {
  if (t.options.rights?.sees(id) !== false) return;
  throw new Problem('node_not_found', `Operation ${t.index}: there is no such node`, {
    details: { index: t.index },
  });
}

/** Throws unless the author sees both ends of an edge, and may write the type of `from`. */
export function checkMayLink(t: Transactor, from: number, to: number): void {
  const { rights } = t.options;
  if (rights === undefined) return;
  checkSees(t, from);
  checkSees(t, to);
  const type = t.typeName(from);
  if (!rights.mayWrite(type)) throw mayNotWrite(t, type);
}

function mayNotWrite(t: Transactor, type: string): Problem {
  return new Problem('forbidden', `Operation ${t.index}: you may not write nodes of ${type}`, {
    hint: 'Ask an administrator to let you write this type.',
    details: { index: t.index, type, right: 'writableBy' },
  });
}

export function refuseBuiltIn(t: Transactor, type: string, path: string): void {
  if (t.options.system || !isSystemName(type)) return;
  throw t.fail(`"${type}" is a built-in type, which is not written by operations`, {
    path,
    hint: 'Use the routes that manage users, teams, access and endpoints.',
  });
}

export function checkMayControlAccess(t: Transactor): void {
  const { options, index } = t;
  if (options.system) return;
  if (options.accessControl) {
    t.usesAccessControl = true;
    return;
  }
  throw new Problem(
    'forbidden',
    `Operation ${index}: to change access needs the scope "ingestion:acl", or an administrator`,
    {
      hint: 'Ask an administrator for a token with the scope "ingestion:acl"; nothing was applied.',
      details: { index, scope: 'ingestion:acl' },
    },
  );
}

interface Ends {
  readonly from: number;
  readonly to: number;
  /** The members of the operation that name the two ends, for error messages. */
  readonly fromPath: string;
  readonly toPath: string;
}

/**
 * Refuses an access edge between nodes for which it has no meaning. Only the server itself may
 * restrict built-in nodes. No team may be a member of itself, also not through other teams.
 */
export function checkEnds(t: Transactor, edge: AccessEdge, ends: Ends): void {
  const { from, to, fromPath, toPath } = ends;
  switch (edge) {
    case 'RestrictAccessToTeam':
      checkIsPlain(t, from, fromPath);
      return checkType(t, to, [TEAM], toPath);
    case 'RestrictAccessToUser':
      checkIsPlain(t, from, fromPath);
      return checkType(t, to, [USER], toPath);
    case '_Owns':
      checkType(t, from, [USER], fromPath);
      return checkIsPlain(t, to, toPath);
    case '_MemberOf':
      checkType(t, from, [USER, TEAM], fromPath);
      checkType(t, to, [TEAM], toPath);
      return checkNesting(t, from, to, toPath);
    default:
      return unreachable(edge);
  }
}

/** Refuses to remove a restriction of a built-in node by unlinking. */
export function checkUnlink(t: Transactor, edge: EdgeType, from: number): void {
  if (from !== 0 && edge.name.startsWith('RestrictAccessTo')) checkIsPlain(t, from, 'from');
}

/**
 * Refuses to delete a team or user that a node is restricted to. Without its last restriction,
 * everybody could see the node.
 */
export function checkRestrictsNothing(t: Transactor, id: number, type: string): void {
  if (type !== TEAM && type !== USER) return;
  const edge = accessEdge(t, type === TEAM ? 'RestrictAccessToTeam' : 'RestrictAccessToUser');
  const nodes = neighborsOf(t, id, 'in', edge).length;
  if (nodes === 0) return;
  const what = type === TEAM ? 'team' : 'user';
  throw new Problem(
    'team_in_use',
    `Operation ${t.index}: the ${what} cannot be deleted while nodes are restricted to it: ${nodes}`,
    { details: { index: t.index, nodes } },
  );
}

/** Walks from the team to the teams that it is a member of. It must not reach the member. */
function checkNesting(t: Transactor, member: number, team: number, path: string): void {
  const edge = accessEdge(t, '_MemberOf');
  const outer = new Set([team]);
  for (const id of outer) {
    if (id === member) {
      throw t.fail('A team cannot be a member of itself, through other teams either', { path });
    }
    const neighbors = neighborsOf(t, id, 'out', edge);
    for (let i = 0; i < neighbors.length; i++) outer.add(neighbors.at(i));
  }
}

export function checkIsPlain(t: Transactor, id: number, path: string): void {
  if (t.options.system) return;
  const type = t.typeName(id);
  if (!isSystemName(type)) return;
  throw t.fail(`Who may see a ${type} is not for operations to change`, {
    path,
    expected: 'a node of a type that is not built in',
  });
}

export function checkType(t: Transactor, id: number, types: readonly string[], path: string): void {
  const type = t.typeName(id);
  if (types.includes(type)) return;
  const expected = `a node of type ${types.join(' or ')}`;
  throw t.fail(`The node is a ${type}, and should be ${expected}`, { path, expected });
}

/** The neighbours, in a new list. */
export function neighborsOf(
  t: Transactor,
  id: number,
  direction: 'out' | 'in',
  edge: EdgeType,
): NeighborList {
  const neighbors = new NeighborList();
  t.state.adjacency.collect(id, direction, edge.id, neighbors);
  return neighbors;
}

export function accessEdge(t: Transactor, name: AccessEdge): EdgeType {
  return must(t.registry.edgeType(name), `the built-in edge type ${name}`);
}
