import type { AccessIndex } from '#access/access-index.ts';
import { type AuditAction, type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { MemberChange, TeamNode } from '@trellis/contract/shapes/team.ts';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { pageOfNodes, type SearchPage } from './node-pages.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import { isWritingAdmin } from './user-rules.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

export interface TeamServiceParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly access: AccessIndex;
  readonly audit: AuditTrail;
  readonly settings: WorkspaceSettings;
  /** Changes of teams, whoever makes them. */
  readonly changes: OneAtATime;
}

export interface TeamTexts {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** What keeps it, if not people here. */
  readonly source?: 'scim' | null | undefined;
}

const TYPE = '_AccessGroup';

/** Teams as people manage them (open-shapes, section 3; specification, section 4.7, rule 1). */
export class TeamService {
  readonly #parts: TeamServiceParts;

  constructor(parts: TeamServiceParts) {
    this.#parts = parts;
  }

  /** By name; guests see the teams that they are in. */
  list(caller: Caller, page: SearchPage): Promise<List<TeamNode>> {
    const { reader, access } = this.#parts;
    reader.refresh();
    const ids = reader.idsOfType(TYPE);
    const visibility = () => access.visibilityFor(caller);
    const isShown = (id: number) => this.#shows(caller, id);
    const teams = { reader, caller, visibility, ids, isShown, searched: ['Name'] };
    return pageOfNodes<TeamNode>(teams, page);
  }

  get(caller: Caller, uid: string): TeamNode {
    const id = this.#idFor(caller, uid);
    const { reader, access } = this.#parts;
    const node = must(reader.node(id), 'a team') as TeamNode;
    return access.visibilityFor(caller).present(id, node) as TeamNode;
  }

  /** Throws `forbidden`, `teams_disabled`, `team_exists`. */
  create(
    caller: Caller,
    texts: TeamTexts & { readonly name: string },
    address: string,
  ): Promise<TeamNode> {
    return this.#parts.changes.run(async () => {
      const { commits, audit, settings } = this.#parts;
      checkMayCreateTeam(caller, settings.current());
      this.#checkNameIsFree(texts.name, undefined);
      const uid = formatUid(randomUid());
      const target = { kind: 'team', id: uid, name: texts.name };
      await commits.commit({
        system: true,
        operations: [
          { op: 'addOrUpdate', type: TYPE, uid, fields: fieldsOf(texts) },
          audit.operation(deed('team.created', { caller, address }, target)),
        ],
      });
      return this.get(caller, uid);
    });
  }

  update(caller: Caller, uid: string, texts: TeamTexts, address: string): Promise<TeamNode> {
    return this.#parts.changes.run(async () => {
      const id = this.#idToChange(caller, uid);
      if (texts.source !== undefined && !isWritingAdmin(caller)) {
        throw new Problem('forbidden', 'Only an administrator hands a team over.', {
          details: { role: 'admin-write' },
        });
      }
      if (texts.name !== undefined) this.#checkNameIsFree(texts.name, id);
      await this.#commit('team.changed', caller, id, address, [
        { op: 'update', uid, fields: fieldsOf(texts) },
      ]);
      return this.get(caller, uid);
    });
  }

  /** Throws `team_in_use` while nodes are restricted to the team. */
  delete(caller: Caller, uid: string, address: string): Promise<void> {
    return this.#parts.changes.run(async () => {
      const id = this.#idToChange(caller, uid);
      await this.#commit('team.deleted', caller, id, address, [{ op: 'delete', uid }]);
    });
  }

  /**
   * Throws `invalid_request` for what is no user or team, `team_cycle`. Answers who is directly in
   * it afterwards.
   */
  setUsers(caller: Caller, uid: string, change: MemberChange, address: string): Promise<Members> {
    return this.#parts.changes.run(async () => {
      const id = this.#idToChange(caller, uid);
      const { reader } = this.#parts;
      const operations = changesOfMembers(reader, id, uid, change);
      await this.#commit('team.members-changed', caller, id, address, operations, { ...change });
      reader.refresh();
      return membersOf(reader, id);
    });
  }

  /** Users of a team by name, of the teams in it too when `nested`. */
  listUsers(
    caller: Caller,
    uid: string,
    page: SearchPage & { readonly nested: boolean },
  ): Promise<List<UserNode>> {
    const id = this.#idFor(caller, uid);
    const { reader, access } = this.#parts;
    const ids = usersIn(reader, id, page.nested);
    const visibility = () => access.visibilityFor(caller);
    const isShown = (user: number) => visibility().canSee(user, '_User');
    const users = { reader, caller, visibility, ids, isShown, searched: ['UserName'] };
    return pageOfNodes<UserNode>(users, page);
  }

  async #commit(
    action: AuditAction,
    caller: Caller,
    id: number,
    address: string,
    operations: readonly WriterOperation[],
    details?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { commits, audit, reader } = this.#parts;
    const uid = must(reader.uid(id), 'a team');
    const target = { kind: 'team', id: uid, name: String(reader.field(id, 'Name') ?? '') };
    const event = audit.operation(deed(action, { caller, address }, target, details));
    await commits.commit({ system: true, operations: [...operations, event] });
  }

  #idToChange(caller: Caller, uid: string): number {
    const settings = this.#parts.settings.current();
    checkTeamsAreEnabled(caller, settings);
    const id = this.#idFor(caller, uid);
    checkMayChangeTeam(caller, this.#isAdministratorOf(caller, id), settings);
    return id;
  }

  /** The id of a team that the caller sees; the problem `team_not_found`. */
  #idFor(caller: Caller, uid: string): number {
    const { reader } = this.#parts;
    reader.refresh();
    const id = reader.id({ uid });
    if (id !== undefined && reader.typeOf(id) === TYPE && this.#shows(caller, id)) return id;
    throw new Problem('team_not_found', 'There is no such team.');
  }

  #shows(caller: Caller, id: number): boolean {
    return this.#parts.access.visibilityFor(caller).canSee(id, TYPE);
  }

  #isAdministratorOf(caller: Caller, id: number): boolean {
    const { reader } = this.#parts;
    const user = caller.userUid === null ? undefined : reader.id({ uid: caller.userUid });
    return user !== undefined && reader.neighbors(id, 'in', '_AdminOf').includes(user);
  }

  #checkNameIsFree(name: string, except: number | undefined): void {
    const { reader } = this.#parts;
    reader.refresh();
    checkTeamNameIsFree(reader, name, except);
  }
}

/** Throws `team_exists`; `except` is the team that is to have the name. */
export function checkTeamNameIsFree(
  reader: GraphReader,
  name: string,
  except: number | undefined,
): void {
  const wanted = name.toLowerCase();
  const isTaken = reader
    .idsOfType(TYPE)
    .some((id) => id !== except && String(reader.field(id, 'Name')).toLowerCase() === wanted);
  if (!isTaken) return;
  throw new Problem('team_exists', 'There is a team of this name already.', {
    details: { fields: [{ path: 'name', message: 'is taken' }] },
  });
}

function fieldsOf({ name, description, source }: TeamTexts): Record<string, string | null> {
  return {
    ...(name === undefined ? {} : { Name: name }),
    ...(description === undefined ? {} : { Description: description }),
    ...(source === undefined ? {} : { Source: source }),
  };
}

interface TeamSettings {
  readonly teamsEnabled: boolean;
}

/** Administrators, and others with the role CanManageTeams. */
function checkMayCreateTeam(caller: Caller, settings: TeamSettings): void {
  if (isWritingAdmin(caller)) return;
  checkTeamsAreEnabled(caller, settings);
  if (!caller.isReadOnlyAdmin && caller.roles.includes('CanManageTeams')) return;
  throw forbidden('Creating a team');
}

/** The same, and who administers this team. */
function checkMayChangeTeam(
  caller: Caller,
  isTeamAdministrator: boolean,
  settings: TeamSettings,
): void {
  if (isWritingAdmin(caller)) return;
  checkTeamsAreEnabled(caller, settings);
  if (caller.isReadOnlyAdmin) throw forbidden('Changing a team');
  if (isTeamAdministrator || caller.roles.includes('CanManageTeams')) return;
  throw forbidden('Changing this team');
}

/**
 * When teams are disabled, only administrators change them, and others are told so (specification,
 * section 4.7, rule 1).
 */
function checkTeamsAreEnabled(caller: Caller, { teamsEnabled }: TeamSettings): void {
  if (teamsEnabled || isWritingAdmin(caller)) return;
  throw new Problem('teams_disabled', 'Teams are disabled in this workspace.', {
    details: { role: 'admin-write' },
  });
}

function forbidden(what: string): Problem {
  return new Problem('forbidden', `${what} needs an administrator or the role CanManageTeams.`, {
    details: { role: 'CanManageTeams' },
  });
}

/** UIDs of what is directly in a team, and of who administers it. */
interface Members {
  readonly users: string[];
  readonly teams: string[];
  readonly admins: string[];
}

const MEMBER_OF = '_MemberOf';
const ADMIN_OF = '_AdminOf';

function membersOf(reader: GraphReader, team: number): Members {
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
function usersIn(reader: GraphReader, team: number, nested: boolean): number[] {
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
