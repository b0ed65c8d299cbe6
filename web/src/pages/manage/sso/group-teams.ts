/** Members of a group at the provider become members of a team here. */
export interface GroupTeam {
  /** The id of the row while it is edited. */
  readonly id: number;
  readonly group: string;
  /** The UID of a team, or blank while none is chosen. */
  readonly team: string;
}

export function rowsOf(groupTeams: Readonly<Record<string, string>>): readonly GroupTeam[] {
  return Object.entries(groupTeams).map(([group, team], id) => ({ id, group, team }));
}

export function withRow(rows: readonly GroupTeam[]): readonly GroupTeam[] {
  const id = Math.max(-1, ...rows.map((row) => row.id)) + 1;
  return [...rows, { id, group: '', team: '' }];
}

/** Rows that are not complete say nothing. */
export function groupTeamsOf(rows: readonly GroupTeam[]): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ group, team }) =>
      group.trim() === '' || team === '' ? [] : [[group.trim(), team]],
    ),
  );
}
