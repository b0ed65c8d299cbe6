import type { FieldValue } from '#graph/field-types.ts';
import type { UserRights } from './user-rules.ts';
import type { UserRecord } from './users.ts';

export interface NewAccount extends Omit<UserRights, 'active'> {
  readonly userName: string;
  readonly email: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly password?: string | undefined;
}

export function fieldsOfNew(user: NewAccount): Record<string, FieldValue> {
  const { userName, firstName, lastName, email } = user;
  return {
    UserName: userName,
    Email: email,
    ...(firstName === undefined ? {} : { FirstName: firstName }),
    ...(lastName === undefined ? {} : { LastName: lastName }),
    FullName: fullName(firstName, lastName, userName),
    Active: true,
    Confirmed: true,
  };
}

export function fullName(first: unknown, last: unknown, userName: string): string {
  const names = [first, last].filter((name) => typeof name === 'string' && name !== '');
  return names.length === 0 ? userName : names.join(' ');
}

const FIELD_OF_RIGHT = {
  roles: 'Roles',
  isAdmin: 'IsAdmin',
  isReadOnlyAdmin: 'IsReadOnlyAdmin',
  isGuest: 'IsGuest',
  active: 'Active',
} as const;

type Rights = Pick<UserRecord, keyof typeof FIELD_OF_RIGHT>;
const RIGHTS = Object.keys(FIELD_OF_RIGHT) as (keyof Rights)[];

export function definedRights(change: UserRights): Partial<Rights> {
  return Object.fromEntries(
    RIGHTS.filter((right) => change[right] !== undefined).map((right) => [right, change[right]]),
  );
}

export function changedRights(before: Rights, after: Rights): Partial<Rights> {
  return Object.fromEntries(
    RIGHTS.filter((right) => JSON.stringify(before[right]) !== JSON.stringify(after[right])).map(
      (right) => [right, after[right]],
    ),
  );
}

export function rightsFields(rights: Partial<Rights>): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = {};
  for (const right of RIGHTS) {
    const value = rights[right];
    if (value !== undefined) fields[FIELD_OF_RIGHT[right]] = value as FieldValue;
  }
  return fields;
}
