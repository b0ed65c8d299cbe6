import type { PrincipalNames } from './principal-names.ts';

/** Who may see something at its source, as the source names them. */
export interface SourceReaders {
  /** Also who has no account there. */
  readonly isOpen?: boolean;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** Why fewer are named here than may see it at the source. */
  readonly narrowedBy?: string;
  /** Those who may see it at the source, where others are named above. */
  readonly told?: Pick<SourceReaders, 'isOpen' | 'users' | 'groups'>;
}

/** UIDs of those in the workspace who may see it; nobody when both are empty. */
export interface KnownReaders {
  readonly users: readonly string[];
  readonly teams: readonly string[];
  /** How many of the readers at the source are nobody here. */
  readonly unknown: number;
}

export const NO_READERS: SourceReaders = { users: [], groups: [] };

/** What is for everybody who is signed in. */
export const OPEN: SourceReaders = { isOpen: true, users: [], groups: [] };

/** Of what the settings give to one team alone, or to everybody. */
export function readersOfTeam(team: string | null): SourceReaders {
  return team === null ? OPEN : { users: [], groups: [team] };
}

/** Whom an access list at the source names: each one's right to read is given, or refused. */
export interface ReaderEntry {
  readonly is: 'user' | 'group' | 'everybody';
  /** Of a user or group. */
  readonly name: string;
  readonly isRefused: boolean;
}

/**
 * What an access list comes to, in whatever order the source reads it: never more than it says.
 * What refuses some of those whom it lets read makes it narrower, as no team leaves somebody out.
 */
export function readersFrom(entries: Iterable<ReaderEntry>): SourceReaders {
  const named = { user: new Set<string>(), group: new Set<string>() };
  const refused = new Set<string>();
  let isOpen = false;
  let narrowedBy: string | undefined;
  for (const { is, name, isRefused } of entries) {
    if (isRefused && is !== 'user') {
      // Who is in it is not known here.
      narrowedBy = 'its access list takes the right to read from a group';
    } else if (isRefused) {
      refused.add(name);
    } else if (is === 'everybody') {
      isOpen = true;
    } else {
      named[is].add(name);
    }
  }
  if (refused.size > 0 && (isOpen || named.group.size > 0)) {
    narrowedBy ??= 'its access list lets a group read it, but for some users';
  }
  const told = {
    ...(isOpen ? { isOpen } : {}),
    users: [...named.user.difference(refused)],
    groups: [...named.group],
  };
  return narrowedBy === undefined ? told : { ...NO_READERS, narrowedBy, told };
}

/** Never anybody who is not a reader at the source by the same name. */
export async function knownReaders(
  { users, groups }: SourceReaders,
  names: PrincipalNames,
): Promise<KnownReaders> {
  await names.look({ users, teams: groups });
  const found = {
    users: users.map((name) => names.user(name)),
    teams: groups.map((name) => names.team(name)),
  };
  const unknown = [...found.users, ...found.teams].filter((uid) => uid === null).length;
  return { users: uidsOf(found.users), teams: uidsOf(found.teams), unknown };
}

function uidsOf(found: readonly (string | null)[]): string[] {
  return [...new Set(found.filter((uid) => uid !== null))].toSorted();
}
