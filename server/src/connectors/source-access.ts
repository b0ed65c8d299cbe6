import type { BroughtNode, ToldAccess } from '@trellis/connector/row-access.ts';
import { CONNECTOR_ACCESS_PRINCIPALS_MAX } from '@trellis/contract/limits.ts';
import type { ConnectorAccess } from '@trellis/contract/shapes/connector.ts';
import type { PrincipalNames } from '@trellis/contract/shapes/access.ts';
import type { AccessIndex } from '#access/access-index.ts';
import { userCaller } from '#access/explain.ts';
import { type Readers, readersOf } from '#access/node-access.ts';
import {
  CONNECTOR_MESSAGE_CHARACTERS_MAX,
  CONNECTOR_READERS_COMPARED_MAX,
} from '#base/connector-limits.ts';
import type { GraphReader } from '#graph/reader.ts';

type Principal = ConnectorAccess['principals'][number];
type Named = Omit<Principal, 'sees'>;

/** UIDs by the name that was given; null where it is nobody's, or more than one's. */
export type ResolveNames = (names: PrincipalNames) => {
  readonly users: Readonly<Record<string, string | null>>;
  readonly teams: Readonly<Record<string, string | null>>;
};

export interface SourceAccessParts {
  readonly reader: GraphReader;
  readonly access: Pick<AccessIndex, 'visibilityFor'>;
  readonly resolve: ResolveNames;
}

const EVERYBODY: Named = { kind: 'everybody', name: 'everybody', uid: null };
const ORDER = ['source', 'here', 'both'] as const;

/** Compares who may see something at its source with who may see what it became. */
export class SourceAccess {
  readonly #parts: SourceAccessParts;
  /** UIDs of the teams that a team or user is in, through nesting, for one answer. */
  readonly #teams = new Map<string, ReadonlySet<string>>();

  constructor(parts: SourceAccessParts) {
    this.#parts = parts;
  }

  compare({ row, node, readers }: ToldAccess): ConnectorAccess {
    const { narrowedBy = null } = readers ?? {};
    // What made it narrower hides nobody who may see it there.
    const { isOpen = false, users, groups } = readers?.told ?? readers ?? { users: [], groups: [] };
    const there = {
      isOpen,
      users: users.slice(0, CONNECTOR_READERS_COMPARED_MAX),
      groups: groups.slice(0, CONNECTOR_READERS_COMPARED_MAX),
    };
    const cut = users.length + groups.length - there.users.length - there.groups.length;
    const uid = this.#uidOf(node);
    const named = this.#named(there);
    const principals = [
      ...named.map((one) => ({ ...one, sees: this.#seesHere(one, uid) ? 'both' : 'source' })),
      ...this.#alsoHere(named, uid),
    ] as Principal[];
    const byDifference = principals.toSorted(
      (a, b) => ORDER.indexOf(a.sees) - ORDER.indexOf(b.sees),
    );
    return {
      row: row.slice(0, CONNECTOR_MESSAGE_CHARACTERS_MAX).toWellFormed(),
      node: { ...node, uid },
      isTold: readers !== null,
      narrowedBy,
      principals: byDifference.slice(0, CONNECTOR_ACCESS_PRINCIPALS_MAX),
      principalsTotal: principals.length + cut,
    };
  }

  #uidOf({ type, key }: BroughtNode): string | null {
    const { reader } = this.#parts;
    const id = reader.id({ type, key });
    return id === undefined ? null : (reader.uid(id) ?? null);
  }

  #named({
    isOpen,
    users,
    groups,
  }: {
    readonly isOpen: boolean;
    readonly users: readonly string[];
    readonly groups: readonly string[];
  }): Named[] {
    const found = this.#parts.resolve({ users, teams: groups });
    const teams = groups.map((name): Named => ({
      kind: 'team',
      name,
      uid: found.teams[name] ?? null,
    }));
    const people = users.map((name): Named => ({
      kind: 'user',
      name,
      uid: found.users[name] ?? null,
    }));
    return [...(isOpen ? [EVERYBODY] : []), ...teams, ...people];
  }

  #seesHere({ kind, uid }: Named, node: string | null): boolean {
    const here = this.#readersOf(node);
    if (node === null || here === undefined) return false;
    switch (kind) {
      case 'everybody':
        return here === null;
      case 'team':
        return uid !== null && (here === null || this.#isIn(uid, new Set(here.teams)));
      case 'user':
        return uid !== null && this.#userSees(uid, node);
    }
  }

  /** Those who see it here and whom the source did not name. */
  #alsoHere(named: readonly Named[], node: string | null): Principal[] {
    const here = this.#readersOf(node);
    if (here === undefined) return [];
    const isOpen = named.some(({ kind }) => kind === 'everybody');
    const uids = new Set(named.map(({ uid }) => uid).filter((uid) => uid !== null));
    const isThere = (uid: string): boolean => isOpen || this.#isIn(uid, uids);
    const found = (kind: 'team' | 'user') => (uid: string) => {
      const sees = isThere(uid) ? 'both' : 'here';
      return { kind, name: this.#nameOf(uid), uid, sees } as const;
    };
    if (here === null) return isOpen ? [] : [{ ...EVERYBODY, sees: 'here' }];
    const others = (some: readonly string[]) => some.filter((uid) => !uids.has(uid));
    return [...others(here.teams).map(found('team')), ...others(here.users).map(found('user'))];
  }

  /** Undefined for a node that is not here. */
  #readersOf(node: string | null): Readers | undefined {
    const { reader } = this.#parts;
    const id = node === null ? undefined : reader.id({ uid: node });
    return id === undefined ? undefined : readersOf(reader, id);
  }

  #userSees(user: string, node: string): boolean {
    const { reader, access } = this.#parts;
    const [userId, id] = [reader.id({ uid: user }), reader.id({ uid: node })];
    if (userId === undefined || id === undefined) return false;
    if (reader.field(userId, 'Active') !== true) return false;
    return access.visibilityFor(userCaller(reader, user)).canSee(id);
  }

  /** Whether it is one of these, or in one of these teams. */
  #isIn(uid: string, uids: ReadonlySet<string>): boolean {
    return uids.has(uid) || !this.#teamsOf(uid).isDisjointFrom(uids);
  }

  #teamsOf(uid: string): ReadonlySet<string> {
    const known = this.#teams.get(uid);
    if (known !== undefined) return known;
    const { reader } = this.#parts;
    const found = new Set<number>();
    const open = [reader.id({ uid })];
    for (const id of open) {
      for (const team of id === undefined ? [] : reader.neighbors(id, 'out', '_MemberOf')) {
        if (found.has(team)) continue;
        found.add(team);
        open.push(team);
      }
    }
    const uids = new Set([...found].map((id) => reader.uid(id)).filter((one) => one !== undefined));
    this.#teams.set(uid, uids);
    return uids;
  }

  #nameOf(uid: string): string {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    const name = id && (reader.field(id, 'UserName') ?? reader.field(id, 'Name'));
    return typeof name === 'string' ? name : uid;
  }
}
