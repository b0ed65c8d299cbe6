import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import { userIdOfName } from '#access/user-names.ts';
import { endedTokens } from './stored-tokens.ts';
import { userIdsOfAddress } from './user-addresses.ts';
import { isWritingAdmin } from './user-rules.ts';
import { findUser, type UserRecord, userUid } from './users.ts';
import { readCredential, type VaultReader, type VaultWrite, writeCredential } from './vault.ts';

/** Throws `user_exists` when somebody has the name, or had it before they were renamed. */
export function checkNameIsFree(reader: GraphReader, userName: string, except?: string): void {
  const own = userIdOfName(reader, userName);
  const byKey = reader.id({ uid: userUid(userName) });
  const others = [own, byKey].filter((id) => id !== undefined && reader.uid(id) !== except);
  if (others.length > 0) throw exists('userName');
}

/** An address that somebody has only written into their own profile stands in nobody's way. */
export function checkAddressIsFree(reader: GraphReader, email: string, uid: string): void {
  for (const id of userIdsOfAddress(reader, email)) {
    if (reader.uid(id) !== uid && reader.field(id, 'Confirmed') === true) throw exists('email');
  }
}

function exists(path: 'userName' | 'email'): Problem {
  const what = path === 'userName' ? 'name' : 'address';
  return new Problem('user_exists', `There is a user of this ${what} already.`, {
    details: { fields: [{ path, message: 'is taken' }] },
  });
}

export function checkAnAdministratorIsLeft(
  reader: GraphReader,
  before: UserRecord,
  after: UserRecord,
): void {
  if (!isActiveAdmin(before) || isActiveAdmin(after)) return;
  const others = reader.idsOfType('_User').some((id) => {
    const uid = reader.uid(id);
    const user = uid === undefined || uid === before.uid ? undefined : findUser(reader, uid);
    return user !== undefined && isActiveAdmin(user);
  });
  if (others) return;
  throw new Problem('last_administrator', 'Nobody would be left to administer the workspace.');
}

function isActiveAdmin(user: UserRecord): boolean {
  return user.active && isWritingAdmin(user);
}

/**
 * Ends the sessions that began before now, and the tokens that act as the user; they stay over if
 * the user becomes active again.
 */
export function endedAccess(vault: VaultReader, uid: string, nowMs: number): VaultWrite[] {
  // Who comes from an identity provider has no password.
  const credential = readCredential(vault, uid) ?? { passwordHash: null, changedAt: nowMs };
  return [
    writeCredential(uid, { ...credential, sessionsNotBefore: nowMs, keptSession: null }),
    ...endedTokens(vault, uid, nowMs),
  ];
}
