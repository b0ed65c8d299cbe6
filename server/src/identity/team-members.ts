import type { MemberChange } from '@trellis/contract/shapes/team.ts';
import { Problem } from '#base/problem.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** UIDs of what is directly in a team, and of who administers it. */
export interface Members {
  readonly users: string[];
  readonly teams: string[];
  readonly admins: string[];
}

const MEMBER_OF = '_MemberOf';
const ADMIN_OF = '_AdminOf';

export function membersOf(reader: GraphReader, team: number): Members {
  const members = reader.neighbors(team, 'in', MEMBER_OF);
  const uids = (ids: readonly number[]): string[] =>
    ids.map((id) => reader.uid(id)).filter((uid) => uid !== undefined);
  return {
    users: uids(members.filter((id) => reader.typeOf(id) === '_User')),
    teams: uids(members.filter((id) => reader.typeOf(id) === '_AccessGroup')),
    admins: uids(reader.neighbors(team, 'in', ADMIN_OF)),
  };
}

/** Users directly in a team, or in the teams in it too. */
export function usersIn(reader: GraphReader, team: number, nested: boolean): number[] {
  const teams = new Set([team]);
  const users = new Set<number>();
  // A set is walked through to its end, what is added meanwhile included.
  for (const one of teams) {
    for (const member of reader.neighbors(one, 'in', MEMBER_OF)) {
      if (reader.typeOf(member) === '_User') users.add(member);
      else if (nested) teams.add(member);
    }
  }
  return [...users];
}

/** Throws `invalid_request` for what cannot be a member, `team_cycle`. */
export function changesOfMembers(
  reader: GraphReader,
  team: number,
  uid: string,
  { add = [], remove = [], admins }: MemberChange,
): WriterOperation[] {
  const to = { uid };
  const operations: WriterOperation[] = [];
  add.forEach((member, i) => {
    const id = requireNode(reader, member, ['_User', '_AccessGroup'], `add.${i}`);
    checkNesting(reader, id, team);
    operations.push({ op: 'link', from: { uid: member }, edge: MEMBER_OF, to });
  });
  remove.forEach((member, i) => {
    requireNode(reader, member, ['_User', '_AccessGroup'], `remove.${i}`);
    operations.push({ op: 'unlink', from: { uid: member }, edge: MEMBER_OF, to });
  });
  if (admins !== undefined) {
    admins.forEach((one, i) => requireNode(reader, one, ['_User'], `admins.${i}`));
    const present = membersOf(reader, team).admins;
    for (const one of present.filter((admin) => !admins.includes(admin))) {
      operations.push({ op: 'unlink', from: { uid: one }, edge: ADMIN_OF, to });
    }
    for (const one of admins) {
      operations.push({ op: 'link', from: { uid: one }, edge: ADMIN_OF, to });
    }
  }
  return operations;
}

function requireNode(
  reader: GraphReader,
  uid: string,
  types: readonly string[],
  path: string,
): number {
  const id = reader.id({ uid });
  if (id !== undefined && types.includes(reader.typeOf(id) ?? '')) return id;
  const message = types.length > 1 ? 'is no user and no team' : 'is no user';
  throw new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

/** Walks up from the team: were the new member above it, each would contain the other. */
function checkNesting(reader: GraphReader, member: number, team: number): void {
  const above = new Set([team]);
  for (const one of above) {
    if (one === member) {
      throw new Problem('team_cycle', 'A team cannot be a member of itself, nor of a team in it.');
    }
    for (const outer of reader.neighbors(one, 'out', MEMBER_OF)) above.add(outer);
  }
}
