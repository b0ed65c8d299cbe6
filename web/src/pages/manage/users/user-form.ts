import type { UseFormReturn } from 'react-hook-form';
import type { Role } from '@trellis/contract/rights.ts';
import type { NewUser, UserChange, UserNode } from '@trellis/contract/shapes/user.ts';
import { type Account, accountOf, flagsOf, rolesOf } from './user-account.ts';

/** How somebody new comes in at first. */
export type FirstSignIn = 'reset-link' | 'password' | 'provider';

export interface UserFormValues {
  userName: string;
  email: string;
  firstName: string;
  lastName: string;
  account: Account;
  roles: Role[];
  firstSignIn: FirstSignIn;
  password: string;
}

export type UserForm = UseFormReturn<UserFormValues>;

export const NEW_USER: UserFormValues = {
  userName: '',
  email: '',
  firstName: '',
  lastName: '',
  account: 'user',
  roles: [],
  firstSignIn: 'reset-link',
  password: '',
};

export function formOf(user: UserNode): UserFormValues {
  return {
    ...NEW_USER,
    userName: user.UserName ?? '',
    email: user.Email ?? '',
    firstName: user.FirstName ?? '',
    lastName: user.LastName ?? '',
    account: accountOf(user),
    roles: rolesOf(user),
  };
}

export function newUserOf(values: UserFormValues): NewUser {
  const { userName, email, firstName, lastName, account, roles, firstSignIn, password } = values;
  return {
    userName,
    email: email.trim(),
    ...(firstName.trim() !== '' && { firstName }),
    ...(lastName.trim() !== '' && { lastName }),
    ...flagsOf(account),
    roles: holdsRoles(account) ? roles : [],
    ...(firstSignIn === 'password' && { password }),
  };
}

/** Only what was changed: the rest may not be the viewer's to change. */
export function changeOf(before: UserFormValues, after: UserFormValues): UserChange {
  const roles = holdsRoles(after.account) ? after.roles : [];
  return {
    ...(after.firstName !== before.firstName && { firstName: after.firstName }),
    ...(after.lastName !== before.lastName && { lastName: after.lastName }),
    ...(after.email !== before.email && { email: after.email.trim() }),
    ...(after.account !== before.account && flagsOf(after.account)),
    ...(roles.toSorted().join() !== before.roles.toSorted().join() && { roles }),
  };
}

/** An administrator has every right that a role gives. */
export function holdsRoles(account: Account): boolean {
  return account === 'user' || account === 'guest';
}
