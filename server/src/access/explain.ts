import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { FILE_TYPE, HAS_FILE } from '#graph/file-nodes.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { ACCESS_REASONS, WRITE_REASONS } from '@trellis/contract/shapes/access.ts';
import { isSystemName } from '#graph/names.ts';
import type { AccessIndex } from './access-index.ts';
import type { Caller } from './caller.ts';
import { userIdOfName } from './user-names.ts';
import { readTypeAccess } from './type-rules.ts';

interface Named {
  readonly uid: string;
  readonly name: string;
}

interface NamedTeam extends Named {
  /** What keeps the team, if not people here. */
  readonly source?: string;
}

export type ReasonKind = (typeof ACCESS_REASONS)[number];
type WriteReasonKind = (typeof WRITE_REASONS)[number];

export interface Reason<Kind = ReasonKind> {
  readonly kind: Kind;
  /** Whether it lets the user do so, or keeps them from it. */
  readonly grants: boolean;
  readonly message: string;
  /** The teams from the user to the one that is named, through nesting. */
  readonly path?: NamedTeam[];
}

export interface Explanation {
  readonly user: Named;
  readonly node: { readonly uid: string; readonly type: string; readonly name: string };
  readonly visible: boolean;
  readonly reasons: Reason[];
  readonly withheldFields: string[];
  readonly mayWrite: boolean;
  readonly writeReasons: Reason<WriteReasonKind>[];
}

/**
 * Why a user sees a node, or does not, and the same of writing it: every reason there is. `user` is
 * a UID or a name.
 */
export function explain(
  reader: GraphReader,
  access: AccessIndex,
  user: string,
  nodeUid: string,
): Explanation {
  const userId = findUser(reader, user);
  const id = reader.id({ uid: nodeUid });
  if (id === undefined) throw new Problem('node_not_found', 'There is no such node.');
  const node = must(reader.node(id), 'a node that has an id');
  const label = reader.schema().nodes.find(({ type }) => type === node.Type)?.label;
  const reasons = reasonsOf(reader, userId, id, node.Type);
  const caller = callerOf(reader, userId);
  const visibility = access.visibilityFor(caller);
  const visible = reader.field(userId, 'Active') === true && visibility.canSee(id);
  return {
    user: named(reader, userId),
    node: {
      uid: node.UID,
      type: node.Type,
      name: String((label === undefined ? undefined : node[label]) ?? node.Id ?? node.UID),
    },
    visible,
    reasons,
    withheldFields: visible
      ? Object.keys(node).filter((field) => !visibility.canReadField(id, field))
      : [],
    mayWrite: visible && access.mayWrite(caller, node.Type),
    writeReasons: writeReasonsOf(reader, userId, node.Type, visible),
  };
}

function findUser(reader: GraphReader, user: string): number {
  for (const id of [reader.id({ uid: user }), userIdOfName(reader, user)]) {
    if (id !== undefined && reader.typeOf(id) === '_User') return id;
  }
  throw new Problem('user_not_found', 'There is no such user.');
}

/**
 * Whoever a UID or a name is of, as somebody who asks. Throws `user_not_found`, also when the user
 * may not sign in.
 */
export function userCaller(reader: GraphReader, user: string): Caller {
  const id = findUser(reader, user);
  if (reader.field(id, 'Active') === true) return callerOf(reader, id);
  throw new Problem('user_not_found', 'The user is deactivated and sees nothing.');
}

/** The user as somebody who asks. */
function callerOf(reader: GraphReader, user: number): Caller {
  const { uid, name } = named(reader, user);
  return {
    kind: 'session',
    userUid: uid,
    userName: name,
    isAdmin: reader.field(user, 'IsAdmin') === true,
    isReadOnlyAdmin: reader.field(user, 'IsReadOnlyAdmin') === true,
    isGuest: reader.field(user, 'IsGuest') === true,
    roles: [],
    scopes: [],
    endpointPath: null,
    tokenId: '',
  };
}

/** A file has the reasons of the node that it belongs to. */
function reasonsOf(reader: GraphReader, user: number, id: number, type: string): Reason[] {
  const [node] = type === FILE_TYPE ? reader.neighbors(id, 'in', HAS_FILE) : [];
  const typeOfNode = node === undefined ? undefined : reader.typeOf(node);
  if (node !== undefined && typeOfNode !== undefined) {
    return reasonsOf(reader, user, node, typeOfNode);
  }
  const reasons: Reason[] = [];
  const add = (kind: ReasonKind, grants: boolean, message: string, path?: NamedTeam[]): void => {
    reasons.push({ kind, grants, message, ...(path === undefined ? {} : { path }) });
  };
  if (reader.field(user, 'Active') !== true) {
    add('deactivated', false, 'The user is deactivated and cannot sign in.');
  }
  if (reader.field(user, 'IsAdmin') === true || reader.field(user, 'IsReadOnlyAdmin') === true) {
    add('administrator', true, 'Administrators see everything.');
  }
  if (id === user) add('own-node', true, 'Users always see their own node.');
  if (type.startsWith('_') && type !== '_User' && type !== '_AccessGroup') {
    add('system-type', false, `Nodes of the type ${type} are for administrators only.`);
  }
  if (reader.neighbors(id, 'in', '_Owns').includes(user)) {
    add('owner', true, 'The user owns the node.');
  }
  const teams = reader.neighbors(id, 'out', 'RestrictAccessToTeam');
  const users = reader.neighbors(id, 'out', 'RestrictAccessToUser');
  const isHiddenTeam =
    type === '_AccessGroup' &&
    reader.field(user, 'IsGuest') === true &&
    !pathsToTeams(reader, user).has(id);
  if (isHiddenTeam) add('guest', false, 'Guests see the teams that they are in.');
  else if (teams.length + users.length === 0) addTypeReason(reader, type, add);
  else addRestrictions(reader, user, teams, users, add);
  return reasons;
}

function writeReasonsOf(
  reader: GraphReader,
  user: number,
  type: string,
  isVisible: boolean,
): Reason<WriteReasonKind>[] {
  const reasons: Reason<WriteReasonKind>[] = [];
  const add = (
    kind: WriteReasonKind,
    grants: boolean,
    message: string,
    path?: NamedTeam[],
  ): void => {
    reasons.push({ kind, grants, message, ...(path === undefined ? {} : { path }) });
  };
  if (reader.field(user, 'Active') !== true) {
    add('deactivated', false, 'The user is deactivated and cannot sign in.');
  } else if (!isVisible) {
    add('hidden', false, 'The user does not see the node.');
  }
  if (isSystemName(type)) {
    add('system-type', false, `The type ${type} is built in: it has pages and routes of its own.`);
    return reasons;
  }
  if (reader.field(user, 'IsReadOnlyAdmin') === true) {
    add('read-only-administrator', false, 'Read-only administrators change nothing.');
  } else if (reader.field(user, 'IsAdmin') === true) {
    add('administrator', true, 'Administrators write every type that is not built in.');
  }
  const { users = [], teams = [] } = readTypeAccess(reader)[type]?.writableBy ?? {};
  if (users.some((uid) => reader.id({ uid }) === user)) {
    add('writer-user', true, `The type ${type} lets this user write it.`);
  }
  const paths = pathsToTeams(reader, user);
  for (const uid of teams) {
    const team = reader.id({ uid });
    const path = team === undefined ? undefined : paths.get(team);
    if (team === undefined || path === undefined) continue;
    const { name } = named(reader, team);
    const through = path.map((one) => namedTeam(reader, one));
    add('writer-team', true, `The type ${type} lets the team ${name} write it.`, through);
  }
  if (!reasons.some(({ grants }) => grants)) {
    add('no-writer', false, `The type ${type} does not let this user write it.`);
  }
  return reasons;
}

type Add = (kind: ReasonKind, grants: boolean, message: string, path?: NamedTeam[]) => void;

function addTypeReason(reader: GraphReader, type: string, add: Add): void {
  const isRestricted = readTypeAccess(reader)[type]?.visibleTo === 'restricted';
  if (isRestricted) {
    add('type-restricted', false, `Nodes of the type ${type} are for their owners only.`);
  } else if (!type.startsWith('_') || type === '_User' || type === '_AccessGroup') {
    add('everyone', true, 'The node is restricted to nobody, so every signed-in user sees it.');
  }
}

function addRestrictions(
  reader: GraphReader,
  user: number,
  teams: readonly number[],
  users: readonly number[],
  add: Add,
): void {
  const paths = pathsToTeams(reader, user);
  if (users.includes(user)) {
    add('restricted-to-user', true, 'The node is restricted to this user.');
  }
  for (const team of teams) {
    const path = paths.get(team);
    if (path === undefined) continue;
    const { name } = named(reader, team);
    const through = path.map((one) => namedTeam(reader, one));
    const how = through.length > 1 ? `through ${through[0]?.name}` : 'as a member';
    const kept = through.at(-1)?.source === undefined ? '' : ', which SCIM keeps';
    const message = `The node is restricted to the team ${name}${kept}: ${how}.`;
    add('restricted-to-team', true, message, through);
  }
  const others = [
    ...teams.filter((team) => !paths.has(team)),
    ...users.filter((one) => one !== user),
  ].map((one) => named(reader, one).name);
  if (others.length > 0) {
    add('restricted-to-others', false, `The node is restricted to ${others.join(', ')}.`);
  }
}

/**
 * For each team that the user is in, the teams on a shortest way to it; the first is one that the
 * user is directly in.
 */
function pathsToTeams(reader: GraphReader, user: number): Map<number, readonly number[]> {
  const paths = new Map<number, readonly number[]>();
  const next: { readonly id: number; readonly path: readonly number[] }[] = [
    { id: user, path: [] },
  ];
  for (const { id, path } of next) {
    for (const team of reader.neighbors(id, 'out', '_MemberOf')) {
      if (paths.has(team)) continue;
      const longer = [...path, team];
      paths.set(team, longer);
      next.push({ id: team, path: longer });
    }
  }
  return paths;
}

function named(reader: GraphReader, id: number): Named {
  const node = must(reader.node(id), 'a team or a user');
  const name = node.Type === '_User' ? node['UserName'] : node['Name'];
  return { uid: node.UID, name: String(name ?? node.Id ?? node.UID) };
}

function namedTeam(reader: GraphReader, id: number): NamedTeam {
  const source = reader.field(id, 'Source');
  return { ...named(reader, id), ...(typeof source === 'string' ? { source } : {}) };
}
