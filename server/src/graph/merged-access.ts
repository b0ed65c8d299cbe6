import { formatUid, keyedUid } from '#base/uid.ts';
import { accessEdge, neighborsOf, TEAM } from './access-checks.ts';
import { removeWithAll } from './delete-node.ts';
import { addPair, pairOf, removePair } from './link-nodes.ts';
import type { NodeGrants } from './merge-record.ts';
import type { NodeWrite } from './operations.ts';
import type { Transactor } from './transactor.ts';
import { writeNode } from './write-node.ts';
import { isRestrictedType } from './writer-rights.ts';

/**
 * A team without members. A node that nobody but administrators may see is restricted to it, since
 * a node without a restriction is for everybody.
 */
export const NOBODY_UID = formatUid(keyedUid(TEAM, 'nobody'));
const NOBODY_NAME = 'Nobody (merged nodes)';

/** Makes the team, for a commit with `system`. */
export const NOBODY_TEAM = {
  op: 'addOrUpdate',
  type: TEAM,
  uid: NOBODY_UID,
  fields: { Name: NOBODY_NAME, Description: 'Nodes that only administrators may see.' },
} as const satisfies NodeWrite;

export function grantsOf(t: Transactor, id: number): NodeGrants {
  const uids = (direction: 'out' | 'in', edge: Parameters<typeof accessEdge>[1]): string[] =>
    neighborsOf(t, id, direction, accessEdge(t, edge))
      .toArray()
      .map((other) => t.record(other).uid)
      .toSorted();
  return {
    teams: uids('out', 'RestrictAccessToTeam'),
    users: uids('out', 'RestrictAccessToUser'),
    owners: uids('in', '_Owns'),
  };
}

export function isRestricted({ teams, users }: NodeGrants): boolean {
  return teams.length + users.length > 0;
}

export function isSameGrants(a: NodeGrants, b: NodeGrants): boolean {
  return (
    JSON.stringify([a.teams, a.users, a.owners]) === JSON.stringify([b.teams, b.users, b.owners])
  );
}

/**
 * Grants with which nobody sees a node who does not see both of two nodes of a type: what both
 * grant; of a team or user that one grants, those that lie within what the other grants; owners of
 * both. It is never wider than either, and narrower where edges cannot say it: then nobody but
 * administrators sees the node.
 */
export function intersectGrants(
  t: Transactor,
  type: string,
  a: NodeGrants,
  b: NodeGrants,
): NodeGrants {
  const owners = a.owners.filter((owner) => b.owners.includes(owner));
  if (!isRestricted(a) && !isRestricted(b)) return { teams: [], users: [], owners };
  const nobody = { teams: [NOBODY_UID], users: [], owners };
  if (!isRestricted(a) || !isRestricted(b)) {
    // A node without a restriction is for everybody, or, where the type says so, for its owners.
    if (isRestrictedType(t.state, type)) return nobody;
    const { teams, users } = isRestricted(a) ? a : b;
    return { teams, users, owners };
  }
  const within = (some: NodeGrants, others: NodeGrants) => {
    const granted = new Set([...others.teams, ...others.users]);
    const lies = (uid: string): boolean => teamsAround(t, uid).some((one) => granted.has(one));
    return { teams: some.teams.filter(lies), users: some.users.filter(lies) };
  };
  const [ofA, ofB] = [within(a, b), within(b, a)];
  const made = {
    teams: [...new Set([...ofA.teams, ...ofB.teams])].toSorted(),
    users: [...new Set([...ofA.users, ...ofB.users])].toSorted(),
    owners,
  };
  return isRestricted(made) ? made : nobody;
}

/** A team or user, and every team that it is in, through whatever nesting. */
function teamsAround(t: Transactor, uid: string): string[] {
  // One that is gone is in nothing, and is nothing that others are in.
  const given = t.resolve({ uid }, 'merge');
  if (given === 0) return [uid];
  const found = new Set([given]);
  for (const id of found) {
    for (const team of neighborsOf(t, id, 'out', accessEdge(t, '_MemberOf')).toArray()) {
      found.add(team);
    }
  }
  return [...found].map((id) => t.record(id).uid);
}

/**
 * Gives a node exactly these grants. Teams and users that are gone are left out; when they all are,
 * nobody but administrators sees the node.
 */
export function setGrants(t: Transactor, id: number, wanted: NodeGrants): void {
  const before = grantsOf(t, id);
  const isThere = (uid: string): boolean => t.resolve({ uid }, 'merge') !== 0;
  let teams = wanted.teams.filter((uid) => uid === NOBODY_UID || isThere(uid));
  const users = wanted.users.filter(isThere);
  if (isRestricted(wanted) && teams.length + users.length === 0) teams = [NOBODY_UID];
  if (teams.includes(NOBODY_UID)) addNobody(t);
  replace(t, 'RestrictAccessToTeam', before.teams, teams, (other) => [id, other]);
  replace(t, 'RestrictAccessToUser', before.users, users, (other) => [id, other]);
  replace(t, '_Owns', before.owners, wanted.owners.filter(isThere), (other) => [other, id]);
}

/** The team is there as long as a node is restricted to it. */
export function removeNobody(t: Transactor): void {
  const team = t.resolve({ uid: NOBODY_UID }, 'merge');
  if (team === 0) return;
  const edge = accessEdge(t, 'RestrictAccessToTeam');
  if (neighborsOf(t, team, 'in', edge).length === 0) removeWithAll(t, team);
}

function addNobody(t: Transactor): void {
  if (t.resolve({ uid: NOBODY_UID }, 'merge') !== 0) return;
  writeNode(t, NOBODY_TEAM);
}

function replace(
  t: Transactor,
  name: Parameters<typeof accessEdge>[1],
  before: readonly string[],
  after: readonly string[],
  ends: (other: number) => readonly [number, number],
): void {
  const edge = accessEdge(t, name);
  const pair = pairOf(t, edge);
  for (const uid of after) {
    if (before.includes(uid)) continue;
    const [from, to] = ends(t.require({ uid }, 'merge'));
    t.wroteEdges(addPair(t, from, edge, to, pair));
  }
  for (const uid of before) {
    if (after.includes(uid)) continue;
    const [from, to] = ends(t.require({ uid }, 'merge'));
    t.wroteEdges(removePair(t, from, edge, to, pair));
  }
}
