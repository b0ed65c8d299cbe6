import { ROLES, type Role } from '@trellis/contract/rights.ts';
import type { UserChange, UserNode } from '@trellis/contract/shapes/user.ts';

/** What a user is: one of four, which the server keeps as three flags (docs, access.md). */
export type Account = 'user' | 'guest' | 'read-only-admin' | 'admin';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint: string;
}

export const ACCOUNTS: readonly Choice<Account>[] = [
  { value: 'user', label: 'User', hint: 'Sees what the access rules show.' },
  { value: 'guest', label: 'Guest', hint: 'Like a user, but sees only the teams they are in.' },
  {
    value: 'read-only-admin',
    label: 'Read-only administrator',
    hint: 'Sees everything, changes nothing.',
  },
  { value: 'admin', label: 'Administrator', hint: 'Sees and changes everything.' },
];

export const ROLE_CHOICES: readonly Choice<Role>[] = [
  {
    value: 'CanManageUsers',
    label: 'Manages users',
    hint: 'Changes names and addresses of users who are not administrators.',
  },
  { value: 'CanManageTeams', label: 'Manages teams', hint: 'Creates and changes every team.' },
  {
    value: 'CanManageSynonyms',
    label: 'Manages synonyms',
    hint: 'Changes the synonyms of searches.',
  },
];

export function accountOf(user: UserNode): Account {
  if (user['IsReadOnlyAdmin'] === true) return 'read-only-admin';
  if (user['IsAdmin'] === true) return 'admin';
  return user['IsGuest'] === true ? 'guest' : 'user';
}

export function flagsOf(
  account: Account,
): Pick<Required<UserChange>, 'isAdmin' | 'isReadOnlyAdmin' | 'isGuest'> {
  return {
    isAdmin: account === 'admin',
    isReadOnlyAdmin: account === 'read-only-admin',
    isGuest: account === 'guest',
  };
}

export function rolesOf(user: UserNode): Role[] {
  const roles = user['Roles'];
  return Array.isArray(roles) ? ROLES.filter((role) => roles.includes(role)) : [];
}

/** Administrators are shown it; to others nobody looks deactivated. */
export function isActive(user: UserNode): boolean {
  return user['Active'] !== false;
}

/** Whether an identity provider keeps the user; administrators are shown it. */
export function isKeptByScim(user: UserNode): boolean {
  return user['Source'] === 'scim';
}
