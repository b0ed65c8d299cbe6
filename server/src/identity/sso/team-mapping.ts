import type { GraphReader } from '#graph/reader.ts';

/** UIDs of teams. */
export interface TeamChange {
  readonly joined: readonly string[];
  readonly left: readonly string[];
}

/**
 * What makes a user's memberships follow their groups: into the teams that a group of theirs is mapped to, out of the
 * mapped teams that none is. Teams that no group is mapped to are not touched, nor are those that are gone.
 */
export function teamChange(
  reader: GraphReader,
  userUid: string,
  groups: readonly string[],
  groupTeams: Readonly<Record<string, string>>,
): TeamChange {
  const mapped = new Map(Object.entries(groupTeams).filter(([, team]) => isTeam(reader, team)));
  const wanted = new Set(groups.flatMap((group) => mapped.get(group) ?? []));
  const id = reader.id({ uid: userUid });
  const present = new Set(
    id === undefined
      ? []
      : reader.neighbors(id, 'out', '_MemberOf').map((team) => reader.uid(team)),
  );
  return {
    joined: [...wanted].filter((team) => !present.has(team)),
    left: [...new Set(mapped.values())].filter((team) => present.has(team) && !wanted.has(team)),
  };
}

export function isTeam(reader: GraphReader, uid: string): boolean {
  const id = reader.id({ uid });
  return id !== undefined && reader.typeOf(id) === '_AccessGroup';
}
