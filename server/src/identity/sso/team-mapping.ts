import type { GraphReader } from '#graph/reader.ts';

/** UIDs of teams. */
export interface MembershipChange {
  readonly joined: readonly string[];
  readonly left: readonly string[];
  /** What the user is in by their groups, from then on. */
  readonly granted: readonly string[];
}

/**
 * What makes a user's memberships follow their groups: into the teams that a group of theirs is
 * mapped to, out of those that they came into by `granted`, the same way, and that none is mapped
 * to any more. What was given by hand is not touched.
 */
export function teamChange(
  reader: GraphReader,
  userUid: string,
  { groups, granted }: { readonly groups: readonly string[]; readonly granted: readonly string[] },
  groupTeams: Readonly<Record<string, string>>,
): MembershipChange {
  const mapped = new Map(Object.entries(groupTeams).filter(([, team]) => isTeam(reader, team)));
  const wanted = new Set(groups.flatMap((group) => mapped.get(group) ?? []));
  const id = reader.id({ uid: userUid });
  const present = new Set(
    id === undefined
      ? []
      : reader.neighbors(id, 'out', '_MemberOf').map((team) => reader.uid(team)),
  );
  const joined = [...wanted].filter((team) => !present.has(team));
  const kept = granted.filter((team) => present.has(team) && wanted.has(team));
  return {
    joined,
    left: granted.filter((team) => present.has(team) && !wanted.has(team)),
    granted: [...kept, ...joined].toSorted(),
  };
}

export function isTeam(reader: GraphReader, uid: string): boolean {
  const id = reader.id({ uid });
  return id !== undefined && reader.typeOf(id) === '_AccessGroup';
}
