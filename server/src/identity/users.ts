import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { userIdOfName, userKey } from '#access/user-names.ts';
import { Problem } from '#base/problem.ts';
import { keyedUid, formatUid } from '#base/uid.ts';
import type { GraphReader } from '#graph/reader.ts';
import { userIdsOfAddress } from './user-addresses.ts';

export function userUid(userName: string): string {
  return formatUid(keyedUid('_User', userKey(userName)));
}

/** What the server itself knows of a user, from the newest commit. */
export interface UserRecord {
  readonly uid: string;
  readonly userName: string;
  readonly fullName: string;
  readonly email: string | null;
  /** Whether the address is known to be the user's. */
  readonly isConfirmed: boolean;
  readonly active: boolean;
  readonly isAdmin: boolean;
  readonly isReadOnlyAdmin: boolean;
  readonly isGuest: boolean;
  readonly roles: readonly string[];
}

export function findUser(reader: GraphReader, uid: string): UserRecord | undefined {
  const id = reader.id({ uid });
  const node = id === undefined ? undefined : reader.node(id);
  return node?.Type === '_User' ? userRecord(node) : undefined;
}

export function findUserByName(reader: GraphReader, userName: string): UserRecord | undefined {
  const id = userIdOfName(reader, userName);
  const uid = id === undefined ? undefined : reader.uid(id);
  return uid === undefined ? undefined : findUser(reader, uid);
}

/** Everybody with this address, in whatever case. */
export function findUsersByEmail(reader: GraphReader, email: string): UserRecord[] {
  return userIdsOfAddress(reader, email)
    .map((id) => findUser(reader, reader.uid(id) ?? ''))
    .filter((user) => user !== undefined);
}

/**
 * The users who are known to own the address: anybody can write any address into their own profile.
 */
export function confirmedUsers(users: readonly UserRecord[]): UserRecord[] {
  return users.filter(({ isConfirmed }) => isConfirmed);
}

function userRecord(node: NodeObject): UserRecord {
  const userName = node['UserName'];
  if (typeof userName !== 'string') {
    throw new Problem('storage_failed', `the user ${node.UID} has no name`);
  }
  const roles = node['Roles'];
  return {
    uid: node.UID,
    userName,
    fullName: typeof node['FullName'] === 'string' ? node['FullName'] : userName,
    email: typeof node['Email'] === 'string' ? node['Email'] : null,
    isConfirmed: node['Confirmed'] === true,
    active: node['Active'] === true,
    isAdmin: node['IsAdmin'] === true,
    isReadOnlyAdmin: node['IsReadOnlyAdmin'] === true,
    isGuest: node['IsGuest'] === true,
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
  };
}
