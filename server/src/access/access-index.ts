import { ACCESS_USERS_KEPT_MAX } from '#base/limits.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { AccessChange, GraphReader, Visibility } from '#graph/reader.ts';
import type { Caller } from './caller.ts';
import { isSystemName } from '#graph/names.ts';
import { IdSet } from './id-set.ts';
import { TypeRules } from './type-rules.ts';
import {
  NobodyVisibility,
  SEES_EVERYTHING,
  type UserAccess,
  UserVisibility,
} from './visibility.ts';

const TO_TEAM = 'RestrictAccessToTeam';
const TO_USER = 'RestrictAccessToUser';
const MEMBER_OF = '_MemberOf';
const OWNS = '_Owns';
const NO_SET: ReadonlySet<number> = new Set();
const NO_IDS = new IdSet();

/**
 * Who may see what, as of the commit that its reader stands at (open-shapes, section 4, "Access
 * rule"). It reads everything once, when it is first asked, and then follows the journal of access
 * edges: each change is looked up as it is now, so that a change that is told twice, or taken back
 * since, does no harm. One for each reader, that is for each thread.
 */
export class AccessIndex {
  readonly #reader: GraphReader;
  readonly #rules: TypeRules;
  /** The commit that the sets below are of; -1 before the first use. */
  #sequence = -1;
  #restricted = new IdSet();
  #restrictedOfType = new Map<string, IdSet>();
  /** From former names of types to those that they have now. */
  #formerNames: ReadonlyMap<string, string> = new Map();
  #schema: SchemaDocument | undefined;
  /** The types whose nodes are not in the sets, since nobody sees them. */
  #hiddenTypes = '';
  /**
   * Nodes that were restricted when they were deleted: whoever follows the log later than this may
   * still know them.
   */
  readonly #gone = new IdSet();
  /** Rises when restrictions of nodes of a type change, or of any type. */
  readonly #changesOfType = new Map<string, number>();
  #changes = 0;
  /** By team or user: the nodes restricted to exactly that one. */
  #restrictedTo = new Map<number, IdSet>();
  /** By user or team: the teams it is directly in. */
  #teamsOf = new Map<number, Set<number>>();
  /** The one asked for last is the last. */
  readonly #users = new Map<number, UserAccess>();
  #lastAccess = 0;

  /** By the user's UID, of the commit that was last followed. */
  readonly #visibilities = new Map<string | null, Visibility>();

  constructor(reader: GraphReader) {
    this.#reader = reader;
    this.#rules = new TypeRules(reader);
  }

  /** How many users have their visible nodes kept in memory. */
  get usersKept(): number {
    return this.#users.size;
  }

  /** For reads in this turn of the event loop: a later one may stand at another commit. */
  visibilityFor(caller: Caller): Visibility {
    if (caller.isAdmin || caller.isReadOnlyAdmin) return SEES_EVERYTHING;
    this.follow();
    const known = this.#visibilities.get(caller.userUid);
    if (known !== undefined) return known;
    const visibility = this.#visibilityOf(caller);
    if (this.#visibilities.size >= ACCESS_USERS_KEPT_MAX) this.#visibilities.clear();
    this.#visibilities.set(caller.userUid, visibility);
    return visibility;
  }

  #visibilityOf({ userUid: uid, isGuest }: Caller): Visibility {
    const user = uid === null ? undefined : this.#reader.id({ uid });
    if (user === undefined) return new NobodyVisibility(this.#reader, this, this.#rules);
    return new UserVisibility(this.#reader, this, this.#rules, this.accessOf(user), isGuest);
  }

  /**
   * Whether a caller may write nodes of a type (docs/data.md). The writer decides it again as it
   * builds the commit: see `graph/writer-rights.ts`.
   */
  mayWrite({ userUid: uid, isAdmin, isReadOnlyAdmin }: Caller, type: string): boolean {
    if (isSystemName(type) || isReadOnlyAdmin) return false;
    if (isAdmin) return true;
    this.follow();
    const writers = this.#rules.get(type)?.writers ?? NO_SET;
    const user = uid === null || writers.size === 0 ? undefined : this.#reader.id({ uid });
    return user !== undefined && !writers.isDisjointFrom(this.accessOf(user).principals);
  }

  /** UIDs of all teams that a user is in, through whatever nesting. */
  teamsOf(userUid: string): readonly string[] {
    const user = this.#reader.id({ uid: userUid });
    if (user === undefined) return [];
    this.follow();
    return [...this.principalsOf(user)]
      .filter((id) => id !== user)
      .map((id) => this.#reader.uid(id))
      .filter((uid) => uid !== undefined);
  }

  isRestricted(id: number): boolean {
    return this.#restricted.has(id);
  }

  restrictedOfType(type: string): IdSet {
    return this.#restrictedOfType.get(this.#formerNames.get(type) ?? type) ?? NO_IDS;
  }

  /** Whether any node of a type may be restricted, or may have been. */
  mayRestrictOfType(type: string): boolean {
    return this.#gone.size > 0 || this.restrictedOfType(type).size > 0;
  }

  /** Another text whenever the restrictions of nodes of a type have changed. */
  restrictionsOfType(type: string): string {
    return `${this.#changes} ${this.#changesOfType.get(this.#formerNames.get(type) ?? type) ?? 0}`;
  }

  /** Catches up with the commit that the reader stands at. */
  follow(): void {
    const { sequence } = this.#reader;
    if (sequence === this.#sequence) return;
    this.#rules.follow();
    this.#visibilities.clear();
    this.#followNames();
    // Nodes that are shown again are as restricted as they were.
    const { hiddenTypes } = this.#reader;
    const isNew = this.#sequence < 0 || hiddenTypes !== this.#hiddenTypes;
    this.#hiddenTypes = hiddenTypes;
    const changes = isNew ? undefined : this.#reader.accessChangesSince(this.#sequence);
    if (changes === undefined) this.#readAll();
    else for (const change of changes) this.#take(change);
    this.#sequence = sequence;
  }

  #followNames(): void {
    const reader = this.#reader;
    const schema = reader.schema();
    if (schema === this.#schema) return;
    this.#schema = schema;
    this.#formerNames = new Map(
      reader
        .schemaAliases()
        .flatMap((one) =>
          'type' in one && one.field === undefined ? [[one.alias, one.type] as const] : [],
        ),
    );
    // The sets are by the names that types had: any node of a set tells the one of now.
    const renamed = new Map<string, IdSet>();
    for (const nodes of this.#restrictedOfType.values()) {
      const known = nodes[Symbol.iterator]().find((node) => reader.typeOf(node) !== undefined);
      const present = known === undefined ? undefined : reader.typeOf(known);
      if (present !== undefined) renamed.set(present, nodes);
    }
    const isSame = [...renamed].every(
      ([name, nodes]) => this.#restrictedOfType.get(name) === nodes,
    );
    this.#restrictedOfType = renamed;
    if (!isSame) this.#changes++;
  }

  /** What a user may see at the commit that was last followed. */
  accessOf(user: number): UserAccess {
    const known = this.#users.get(user);
    if (known !== undefined) {
      this.#users.delete(user);
      this.#users.set(user, known);
      return known;
    }
    const [oldest] = this.#users.keys();
    if (oldest !== undefined && this.#users.size >= ACCESS_USERS_KEPT_MAX) {
      this.#users.delete(oldest);
    }
    const principals = this.principalsOf(user);
    const visible = new IdSet();
    for (const principal of principals) {
      const nodes = this.#restrictedTo.get(principal);
      if (nodes !== undefined) visible.addAll(nodes);
    }
    const owned = new IdSet();
    for (const node of this.#reader.neighbors(user, 'out', OWNS)) owned.add(node);
    const access = { user, principals, visible, owned, version: ++this.#lastAccess };
    this.#users.set(user, access);
    return access;
  }

  /** A user or team, and every team above it. */
  principalsOf(member: number): ReadonlySet<number> {
    const found = new Set([member]);
    // A set is walked through to its end, what is added meanwhile included: so a cycle ends too.
    for (const one of found) for (const team of this.#teamsOf.get(one) ?? NO_SET) found.add(team);
    return found;
  }

  #readAll(): void {
    this.#restricted = new IdSet();
    this.#restrictedOfType.clear();
    this.#restrictedTo = new Map();
    this.#teamsOf = new Map();
    this.#users.clear();
    this.#changes++;
    const reader = this.#reader;
    for (const team of reader.idsOfType('_AccessGroup')) {
      for (const node of reader.neighbors(team, 'in', TO_TEAM)) this.#restrict(node, team);
      for (const member of reader.neighbors(team, 'in', MEMBER_OF)) {
        this.#setMember(member, team, true);
      }
    }
    for (const user of reader.idsOfType('_User')) {
      for (const node of reader.neighbors(user, 'in', TO_USER)) this.#restrict(node, user);
    }
  }

  #restrict(node: number, principal: number): void {
    this.#putRestricted(node, true);
    this.#setOf(principal).add(node);
  }

  #putRestricted(node: number, isRestricted: boolean): void {
    this.#restricted.put(node, isRestricted);
    const type = this.#reader.typeOf(node);
    if (type === undefined) this.#changes++;
    else this.#changesOfType.set(type, (this.#changesOfType.get(type) ?? 0) + 1);
    if (!isRestricted) {
      for (const nodes of this.#restrictedOfType.values()) nodes.delete(node);
      return;
    }
    if (type !== undefined && !this.#restrictedOfType.has(type)) {
      this.#restrictedOfType.set(type, new IdSet());
    }
    // A node that is gone has no type any more.
    for (const [name, nodes] of this.#restrictedOfType) nodes.put(node, name === type);
  }

  #setOf(principal: number): IdSet {
    let nodes = this.#restrictedTo.get(principal);
    if (nodes === undefined) {
      nodes = new IdSet();
      this.#restrictedTo.set(principal, nodes);
    }
    return nodes;
  }

  #take({ edge, from, to }: AccessChange): void {
    const isThere = this.#reader.neighbors(from, 'out', edge).includes(to);
    switch (edge) {
      case 'RestrictAccessToTeam':
      case 'RestrictAccessToUser':
        return this.#takeRestriction(from, to, isThere);
      case '_MemberOf':
        this.#setMember(from, to, isThere);
        // What users below it may see is computed again when asked for.
        for (const [user, { principals }] of this.#users) {
          if (principals.has(from)) this.#users.delete(user);
        }
        return;
      case '_Owns':
        this.#takeOwner(from, to, isThere);
    }
  }

  #takeOwner(user: number, node: number, isThere: boolean): void {
    const access = this.#users.get(user);
    if (access === undefined) return;
    access.owned.put(node, isThere);
    this.#users.set(user, { ...access, version: ++this.#lastAccess });
  }

  #takeRestriction(node: number, principal: number, isThere: boolean): void {
    this.#setOf(principal).put(node, isThere);
    const isGone = this.#reader.typeOf(node) === undefined;
    if (isGone) this.#gone.add(node);
    const isRestricted =
      isThere ||
      isGone ||
      this.#reader.neighbors(node, 'out', TO_TEAM).length > 0 ||
      this.#reader.neighbors(node, 'out', TO_USER).length > 0;
    this.#putRestricted(node, isRestricted);
    for (const { principals, visible } of this.#users.values()) {
      if (!principals.has(principal)) continue;
      visible.put(
        node,
        [...principals].some((one) => this.#restrictedTo.get(one)?.has(node)),
      );
    }
  }

  #setMember(member: number, team: number, isMember: boolean): void {
    const teams = this.#teamsOf.get(member) ?? new Set();
    if (isMember) teams.add(team);
    else teams.delete(team);
    if (teams.size > 0) this.#teamsOf.set(member, teams);
    else this.#teamsOf.delete(member);
  }
}
