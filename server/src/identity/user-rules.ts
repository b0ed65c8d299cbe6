import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { UserRecord } from './users.ts';

/** What a change of a user asks for; what is undefined stays as it is. */
export interface UserRights {
  readonly roles?: readonly string[] | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isReadOnlyAdmin?: boolean | undefined;
  readonly isGuest?: boolean | undefined;
  readonly active?: boolean | undefined;
}

type Flag = 'isAdmin' | 'isReadOnlyAdmin' | 'isGuest' | 'active';
const FLAGS: readonly Flag[] = ['isAdmin', 'isReadOnlyAdmin', 'isGuest', 'active'];

export function isWritingAdmin(one: {
  readonly isAdmin: boolean;
  readonly isReadOnlyAdmin: boolean;
}): boolean {
  return one.isAdmin && !one.isReadOnlyAdmin;
}

/** Reading a whole user is for the user and for administrators (specification, section 2.6). */
export function checkMayRead(caller: Caller, uid: string): void {
  if (caller.userUid === uid || caller.isAdmin || caller.isReadOnlyAdmin) return;
  throw forbidden('Only the user and administrators read a whole user.', { role: 'admin' });
}

/**
 * Throws `forbidden` unless the caller may make this change (open-shapes, section 3: nobody grants
 * more than they hold).
 */
export function checkMayChange(caller: Caller, user: UserRecord, change: UserRights): void {
  const isSelf = caller.userUid === user.uid;
  const isAdmin = isWritingAdmin(caller);
  if (!isSelf && !isAdmin) checkMayManage(caller, user);
  const flags = FLAGS.filter((flag) => (change[flag] ?? user[flag]) !== user[flag]);
  if (flags.length > 0 && (isSelf || !isAdmin)) {
    throw forbidden(
      isSelf ? 'Nobody changes what they are themselves.' : 'Only an administrator changes this.',
      { role: 'admin-write', fields: flags },
    );
  }
  checkRoles(caller, isSelf, user.roles, change.roles ?? user.roles);
}

/** An administrator with write access holds every role; others those that they have. */
export function checkRoles(
  caller: Caller,
  isSelf: boolean,
  before: readonly string[],
  after: readonly string[],
): void {
  const changed = [
    ...after.filter((role) => !before.includes(role)),
    ...before.filter((role) => !after.includes(role)),
  ];
  if (changed.length === 0 || (isWritingAdmin(caller) && !isSelf)) return;
  const missing = changed.filter((role) => !caller.roles.includes(role));
  const granted = changed.filter((role) => after.includes(role));
  // One may give up a role of one's own.
  if (isSelf ? granted.length === 0 : missing.length === 0) return;
  throw forbidden('Nobody grants or takes a role that they do not hold.', {
    roles: isSelf ? granted : missing,
  });
}

/** Throws `invalid_request`. */
export function checkGuestIsNoAdmin({ isGuest, isAdmin, isReadOnlyAdmin }: UserRights): void {
  if (isGuest !== true || !(isAdmin === true || isReadOnlyAdmin === true)) return;
  throw new Problem('invalid_request', 'A guest is no administrator.', {
    details: { fields: [{ path: 'isGuest', message: 'excludes isAdmin, isReadOnlyAdmin' }] },
  });
}

function checkMayManage(caller: Caller, user: UserRecord): void {
  const mayManage = caller.roles.includes('CanManageUsers') && !caller.isReadOnlyAdmin;
  if (mayManage && !user.isAdmin && !user.isReadOnlyAdmin) return;
  throw forbidden('Changing this user needs an administrator with write access.', {
    role: 'admin-write',
  });
}

function forbidden(message: string, details: Record<string, unknown>): Problem {
  return new Problem('forbidden', message, { details });
}
