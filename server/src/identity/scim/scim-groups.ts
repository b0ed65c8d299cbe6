import { SCIM_MEMBERS_MAX, TEAM_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import {
  SCIM_URNS,
  type ScimGroup,
  type ScimList,
  type ScimListQuery,
} from '@trellis/contract/shapes/scim.ts';
import { type AuditAction, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid, tryParseUid } from '#base/uid.ts';
import type { WriterOperation } from '#graph/operations.ts';
import { changesOfMembers, checkTeamNameIsFree } from '../team-service.ts';
import {
  filterOf,
  FilterWork,
  matchesScimFilter,
  type ScimFilter,
  soleEquality,
} from './scim-filter.ts';
import { attribute, attributePath, isJson, type Json } from './scim-json.ts';
import { applyPatch, parsePatch, type PatchOperation } from './scim-patch.ts';
import { scimFault } from './scim-problem.ts';
import {
  checkVersion,
  digestOf,
  externalIdChange,
  externalIdOf,
  isSelected,
  notManaged,
  notThere,
  pageOfResources,
  SCIM_PATH,
  SCIM_SOURCE,
  type ScimParts,
  type ScimTarget,
  selected,
  textOf,
  uidOfExternalId,
  versionTag,
} from './scim-resource.ts';

const TYPE = '_AccessGroup';
const MEMBER_OF = '_MemberOf';

/** A change of a team; what is undefined stays as it is. */
interface TeamChange {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  /** UIDs of all who are to be directly in it. */
  readonly members?: ReadonlySet<string> | undefined;
}

type Selection = Parameters<typeof selected>[1];

/**
 * Teams as an identity provider keeps them. It sees all; one that was made here it may not change
 * until an administrator has handed it over, since what is restricted to the team would be its to
 * give away.
 */
export class ScimGroups {
  readonly #parts: ScimParts;

  constructor(parts: ScimParts) {
    this.#parts = parts;
  }

  list(caller: Caller, query: ScimListQuery): Promise<ScimList<ScimGroup>> {
    const { reader } = this.#parts;
    const filter = filterOf(query);
    reader.refresh();
    const withMembers = isSelected('members', query);
    return pageOfResources<ScimGroup>(
      {
        reader,
        caller,
        total: () => reader.countOfType(TYPE),
        ids: (skip, take) => reader.idsOfType(TYPE, { skip, take, oldestFirst: true }),
        found: filter && this.#found(filter),
        filter,
        presentWhole: (id) => this.#present(id, true),
        present: (id) => {
          const team = this.#present(id, withMembers);
          return team && selected(team, query);
        },
      },
      query,
    );
  }

  get(uid: string, query: Selection = {}): ScimGroup {
    this.#parts.reader.refresh();
    const team = this.#present(this.#idOf(uid), isSelected('members', query));
    return selected(must(team, 'a team'), query) as ScimGroup;
  }

  /** Throws `team_exists`. */
  create(caller: Caller, body: Json, address: string): Promise<ScimGroup> {
    const change = readTeam(body);
    const { name } = change;
    if (name === undefined) throw scimFault('invalidValue', 'displayName: is missing');
    return this.#parts.teamChanges.run(async () => {
      const { reader } = this.#parts;
      reader.refresh();
      checkTeamNameIsFree(reader, name, undefined);
      const uid = formatUid(randomUid());
      const fields = { Name: name, Source: SCIM_SOURCE, ...externalIdField(change.externalId) };
      const members = [...(change.members ?? [])];
      this.#checkMembers(members);
      await this.#commit(
        'team.created',
        { caller, address },
        { uid, name },
        [
          { op: 'addOrUpdate', type: TYPE, uid, fields },
          ...externalIdChange(reader, 'group', uid, {
            before: undefined,
            after: change.externalId ?? undefined,
          }),
          ...members.map((member) => ({
            op: 'link' as const,
            from: { uid: member },
            edge: MEMBER_OF,
            to: { uid },
          })),
        ],
        { joined: members },
      );
      return this.get(uid);
    });
  }

  /** Attributes that the body leaves out stay as they are. */
  replace(caller: Caller, target: ScimTarget, body: Json, address: string): Promise<ScimGroup> {
    const change = readTeam(body);
    return this.#change(caller, target, () => change, address);
  }

  patch(caller: Caller, target: ScimTarget, body: Json, address: string): Promise<ScimGroup> {
    const operations = parsePatch(body);
    const changeOf = (id: number): TeamChange => this.#patched(id, operations);
    return this.#change(caller, target, changeOf, address);
  }

  /** Throws `team_in_use` while nodes are restricted to the team. */
  delete(caller: Caller, target: ScimTarget, address: string): Promise<void> {
    return this.#parts.teamChanges.run(async () => {
      const { reader } = this.#parts;
      reader.refresh();
      const id = this.#idOf(target.id);
      checkVersion(target, this.#version(id));
      if (!this.#isManaged(id)) throw notManaged('The team was made here: SCIM may not delete it.');
      const externalId = this.#externalId(id);
      await this.#commit(
        'team.deleted',
        { caller, address },
        { uid: target.id, name: this.#name(id) },
        [
          ...externalIdChange(reader, 'group', target.id, { before: externalId, after: undefined }),
          { op: 'delete', uid: target.id },
        ],
        {},
      );
    });
  }

  #change(
    caller: Caller,
    target: ScimTarget,
    changeOf: (id: number) => TeamChange,
    address: string,
  ): Promise<ScimGroup> {
    return this.#parts.teamChanges.run(async () => {
      const { reader } = this.#parts;
      reader.refresh();
      const id = this.#idOf(target.id);
      checkVersion(target, this.#version(id));
      const { name, externalId, members } = changeOf(id);
      const texts = this.#textChange(id, name, externalId);
      const moves = members && this.#moves(id, members);
      const isSame =
        Object.keys(texts.fields).length +
          (moves?.joined.length ?? 0) +
          (moves?.left.length ?? 0) ===
        0;
      if (isSame) return this.get(target.id);
      if (!this.#isManaged(id)) {
        throw notManaged('The team was made here: SCIM may not change it.');
      }
      if (name !== undefined) checkTeamNameIsFree(reader, name, id);
      const { joined = [], left = [] } = moves ?? {};
      const operations: WriterOperation[] = [
        ...(Object.keys(texts.fields).length === 0
          ? []
          : [{ op: 'update', uid: target.id, fields: texts.fields } as const]),
        ...texts.operations,
        ...this.#memberOperations(id, joined, left),
      ];
      const isMembers = joined.length + left.length > 0;
      const action = isMembers ? 'team.members-changed' : 'team.changed';
      const of = { uid: target.id, name: name ?? this.#name(id) };
      await this.#commit(action, { caller, address }, of, operations, {
        changed: Object.keys(texts.fields),
        joined,
        left,
      });
      return this.get(target.id);
    });
  }

  #textChange(
    id: number,
    name: string | undefined,
    externalId: string | null | undefined,
  ): { readonly fields: Record<string, string | null>; readonly operations: WriterOperation[] } {
    const { reader } = this.#parts;
    const uid = must(reader.uid(id), 'a team');
    const before = this.#externalId(id);
    const after = externalId === undefined ? before : (externalId ?? undefined);
    return {
      fields: {
        ...(name === undefined || name === this.#name(id) ? {} : { Name: name }),
        ...(after === before ? {} : { ExternalId: after ?? null }),
      },
      operations: externalIdChange(reader, 'group', uid, { before, after }),
    };
  }

  #memberOperations(
    id: number,
    joined: readonly string[],
    left: readonly string[],
  ): WriterOperation[] {
    const { reader } = this.#parts;
    this.#checkMembers(joined);
    const uid = must(reader.uid(id), 'a team');
    try {
      return changesOfMembers(reader, id, uid, { add: [...joined], remove: [...left] });
    } catch (error) {
      if (error instanceof Problem) throw scimFault('invalidValue', `members: ${error.message}`);
      throw error;
    }
  }

  #checkMembers(members: readonly string[]): void {
    const { reader } = this.#parts;
    const isMember = (uid: string): boolean => {
      const id = tryParseUid(uid) === undefined ? undefined : reader.id({ uid });
      return id !== undefined && ['_User', TYPE].includes(reader.typeOf(id) ?? '');
    };
    const other = members.find((uid) => !isMember(uid));
    if (other === undefined) return;
    throw scimFault('invalidValue', 'members: a value is the id of no user and of no group');
  }

  /** Who has to come, and who has to go. */
  #moves(
    id: number,
    wanted: ReadonlySet<string>,
  ): { readonly joined: readonly string[]; readonly left: readonly string[] } {
    const present = new Set(this.#members(id));
    const joined = [...wanted].filter((uid) => !present.has(uid));
    const left = [...present].filter((uid) => !wanted.has(uid));
    if (joined.length + left.length > SCIM_MEMBERS_MAX) {
      throw scimFault('tooMany', `A request changes at most ${SCIM_MEMBERS_MAX} members.`);
    }
    return { joined, left };
  }

  /** Members are changed as a set: there may be far more than a request names. */
  #patched(id: number, operations: readonly PatchOperation[]): TeamChange {
    const texts: Json = { displayName: this.#name(id), externalId: this.#externalId(id) };
    let members: Set<string> | undefined;
    const work = new FilterWork();
    for (const operation of operations.flatMap(membersApart)) {
      if (!isOfMembers(operation)) {
        applyPatch(texts, [operation], work);
        continue;
      }
      members ??= new Set(this.#members(id));
      changeMembers(members, operation, work);
    }
    const { name, externalId } = readTeam(texts);
    return { name, externalId: externalId ?? null, members };
  }

  async #commit(
    action: AuditAction,
    doer: Doer,
    team: { readonly uid: string; readonly name: string },
    operations: readonly WriterOperation[],
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { commits, audit } = this.#parts;
    const target = { kind: 'team', id: team.uid, name: team.name };
    const told = { via: SCIM_SOURCE, token: doer.caller.tokenId, ...details };
    const event = audit.operation(deed(action, doer, target, told));
    await commits.commit({ system: true, operations: [...operations, event] });
  }

  #found(filter: ScimFilter): readonly number[] | undefined {
    const { reader } = this.#parts;
    const externalId = soleEquality(filter, 'externalid');
    const asked = soleEquality(filter, 'id');
    if (externalId === undefined && asked === undefined) return undefined;
    const uid = asked ?? uidOfExternalId(reader, 'group', externalId ?? '');
    const id = uid === undefined ? undefined : reader.id({ uid });
    return id !== undefined && reader.typeOf(id) === TYPE ? [id] : [];
  }

  #idOf(uid: string): number {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    if (id === undefined || reader.typeOf(id) !== TYPE) throw notThere();
    return id;
  }

  #isManaged(id: number): boolean {
    return this.#parts.reader.field(id, 'Source') === SCIM_SOURCE;
  }

  #name(id: number): string {
    return String(this.#parts.reader.field(id, 'Name') ?? '');
  }

  #externalId(id: number): string | undefined {
    const value = this.#parts.reader.field(id, 'ExternalId');
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  #members(id: number): string[] {
    const { reader } = this.#parts;
    return reader
      .neighbors(id, 'in', MEMBER_OF)
      .map((member) => reader.uid(member))
      .filter((uid) => uid !== undefined);
  }

  /** It changes with the members too, whose edges do not count as changes of the node. */
  #version(id: number): string {
    return versionTag(`${this.#parts.reader.version(id)}-${digestOf(this.#members(id))}`);
  }

  #present(id: number, withMembers: boolean): Json | undefined {
    const { reader, publicUrl } = this.#parts;
    const uid = reader.uid(id);
    if (uid === undefined || reader.typeOf(id) !== TYPE) return undefined;
    const base = `${publicUrl()}${SCIM_PATH}`;
    const externalId = this.#externalId(id);
    return {
      schemas: [SCIM_URNS.group],
      id: uid,
      ...(externalId === undefined ? {} : { externalId }),
      displayName: this.#name(id),
      ...(withMembers
        ? { members: reader.neighbors(id, 'in', MEMBER_OF).map((one) => this.#member(one, base)) }
        : {}),
      meta: {
        resourceType: 'Group',
        created: String(reader.field(id, 'Timestamp')),
        location: `${base}/Groups/${uid}`,
        version: this.#version(id),
      },
    };
  }

  #member(id: number, base: string): Json {
    const { reader } = this.#parts;
    const value = reader.uid(id) ?? '';
    const isUser = reader.typeOf(id) === '_User';
    const display = reader.field(id, isUser ? 'UserName' : 'Name');
    return {
      value,
      display: String(display ?? value),
      type: isUser ? 'User' : 'Group',
      $ref: `${base}/${isUser ? 'Users' : 'Groups'}/${value}`,
    };
  }
}

function externalIdField(externalId: string | null | undefined): Record<string, string> {
  return typeof externalId === 'string' ? { ExternalId: externalId } : {};
}

function readTeam(body: Json): TeamChange {
  const members = attribute(body, 'members');
  return {
    name: textOf(attribute(body, 'displayName'), 'displayName', TEAM_NAME_CHARACTERS_MAX),
    externalId: externalIdOf(attribute(body, 'externalId')),
    members: members === undefined ? undefined : new Set(uidsOf(members)),
  };
}

/** UIDs of members as they are sent: objects with a `value`, or the values themselves. */
function uidsOf(members: unknown): string[] {
  if (members === null) return [];
  const all = [members].flat();
  if (all.length > SCIM_MEMBERS_MAX) {
    throw scimFault('tooMany', `A request names at most ${SCIM_MEMBERS_MAX} members.`);
  }
  return all.map((member: unknown) => {
    const value = isJson(member) ? attribute(member, 'value') : member;
    if (typeof value === 'string') return value;
    throw scimFault('invalidValue', 'members: each needs a value, the id of a user or a group');
  });
}

/** An operation without a path, as one for each attribute of its value. */
function membersApart(operation: PatchOperation): PatchOperation[] {
  if (operation.path !== undefined || !isJson(operation.value)) return [operation];
  return Object.entries(operation.value).map(([name, value]) => {
    const names = attributePath(name);
    return names.length === 1 && name.toLowerCase() === 'members'
      ? { ...operation, path: { names, filter: undefined, within: [] }, value }
      : { ...operation, value: { [name]: value } };
  });
}

function isOfMembers({ path }: PatchOperation): boolean {
  return path?.names.length === 1 && path.names[0]?.toLowerCase() === 'members';
}

function changeMembers(
  members: Set<string>,
  { op, path, value }: PatchOperation,
  work: FilterWork,
): void {
  const filter = path?.filter;
  if ((path?.within.length ?? 0) > 0) {
    throw scimFault('mutability', 'What is in a member is given by the server.');
  }
  if (filter !== undefined) {
    if (op !== 'remove') throw scimFault('invalidPath', 'Members are added without a filter.');
    const one = soleEquality(filter, 'value');
    if (one !== undefined) members.delete(one);
    else {
      work.add(filter, members.size);
      for (const uid of members) if (matchesScimFilter(filter, { value: uid })) members.delete(uid);
    }
    return;
  }
  // One provider removes members by their values, without a filter.
  const named =
    op === 'remove' && (value === undefined || value === null) ? undefined : uidsOf(value);
  if (op === 'remove') {
    if (named === undefined) members.clear();
    for (const uid of named ?? []) members.delete(uid);
    return;
  }
  if (op === 'replace') members.clear();
  for (const uid of named ?? []) members.add(uid);
}
