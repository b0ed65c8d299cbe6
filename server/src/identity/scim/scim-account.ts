import { USER_NAME_CHARACTERS_MAX, USER_TEXT_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { PASSWORD_INPUT_CHARACTERS_MAX } from '@trellis/contract/request-limits.ts';
import { emailAddress } from '@trellis/contract/shapes/user.ts';
import type { FieldValue } from '#graph/field-types.ts';
import { fullName } from '../user-service.ts';
import { attribute, isJson, type Json } from './scim-json.ts';
import { scimFault } from './scim-problem.ts';
import { externalIdOf, textOf } from './scim-resource.ts';

/** What is kept of a user; undefined where there is nothing. */
export interface Account {
  readonly userName: string;
  readonly externalId: string | undefined;
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  readonly fullName: string | undefined;
  readonly email: string | undefined;
  readonly active: boolean;
}

/** A change of an account; what is undefined stays as it is, null is taken away. */
export type AccountChange = {
  readonly [Name in keyof Account]?: Account[Name] | null | undefined;
} & {
  readonly password?: string | undefined;
};

/** What a body says of the attributes that are kept; the others are passed over. */
export function readAccount(body: Json): AccountChange {
  const name = attribute(body, 'name');
  const part = (of: string): unknown => (isJson(name) ? attribute(name, of) : undefined);
  const active = attribute(body, 'active');
  const password = attribute(body, 'password');
  const longest = USER_TEXT_CHARACTERS_MAX;
  return defined({
    userName: textOf(attribute(body, 'userName'), 'userName', USER_NAME_CHARACTERS_MAX),
    externalId: externalIdOf(attribute(body, 'externalId')),
    firstName: textOf(part('givenName'), 'name.givenName', longest),
    lastName: textOf(part('familyName'), 'name.familyName', longest),
    fullName:
      textOf(attribute(body, 'displayName'), 'displayName', longest) ??
      textOf(part('formatted'), 'name.formatted', longest),
    email: emailOf(attribute(body, 'emails')),
    active: active === undefined || active === null ? undefined : readFlag(active),
    password: password === undefined || password === null ? undefined : readPassword(password),
  });
}

function defined(change: AccountChange): AccountChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** One provider sends booleans as texts. */
function readFlag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) {
    return value.toLowerCase() === 'true';
  }
  throw scimFault('invalidValue', 'active: must be true or false');
}

function readPassword(value: unknown): string {
  if (typeof value === 'string' && value.length <= PASSWORD_INPUT_CHARACTERS_MAX) return value;
  throw scimFault('invalidValue', 'password: must be a text that is not too long');
}

/** The primary address, else the one at work, else the first. */
function emailOf(emails: unknown): string | undefined {
  if (emails === undefined || emails === null) return undefined;
  const all = [emails].flat().filter(isJson);
  const chosen =
    all.find((one) => [true, 'true', 'True'].some((flag) => flag === attribute(one, 'primary'))) ??
    all.find((one) => String(attribute(one, 'type')).toLowerCase() === 'work') ??
    all[0];
  const text = textOf(chosen && attribute(chosen, 'value'), 'emails', USER_TEXT_CHARACTERS_MAX);
  if (text === undefined || emailAddress.safeParse(text).success) return text;
  throw scimFault('invalidValue', 'emails: is no e-mail address');
}

/** What differs in a resource after its PATCH; an attribute that is gone is taken away. */
export function patchedAccount(before: Json, after: Json): AccountChange {
  const [old, now] = [readAccount(before), readAccount(after)];
  const removed = (['externalId', 'firstName', 'lastName', 'email'] as const).filter(
    (name) => old[name] !== undefined && now[name] === undefined,
  );
  const part = (resource: Json, name: string): unknown => {
    const names = attribute(resource, 'name');
    return isJson(names) ? attribute(names, name) : undefined;
  };
  const isSame = attribute(before, 'displayName') === attribute(after, 'displayName');
  const formatted = part(after, 'formatted');
  const isRenamed = formatted !== part(before, 'formatted') && typeof formatted === 'string';
  const { fullName: whole, ...more } = now;
  return {
    ...more,
    ...Object.fromEntries(removed.map((name) => [name, null])),
    ...(isSame && !isRenamed ? {} : { fullName: isSame ? String(formatted) : whole }),
  };
}

/** Only what differs; the whole name too that is given beside another part of it. */
export function differing(before: Account, change: AccountChange): AccountChange {
  const own: Readonly<Record<string, unknown>> = { ...before };
  const differs = ([name, value]: readonly [string, unknown]): boolean =>
    value !== undefined && value !== (own[name] ?? null);
  const different = Object.entries(change).filter(differs);
  const isPart = different.some(([name]) => name === 'firstName' || name === 'lastName');
  const whole = isPart && typeof change.fullName === 'string' ? { fullName: change.fullName } : {};
  return { ...Object.fromEntries(different), ...whole };
}

/** `isVouchedFor`: whether the identity provider says whose a new address is. */
export function fieldsOf(
  before: Account | undefined,
  change: AccountChange,
  isVouchedFor: boolean,
): Record<string, FieldValue> {
  const { userName, externalId, firstName, lastName, email, active } = change;
  const first = firstName === undefined ? before?.firstName : firstName;
  const last = lastName === undefined ? before?.lastName : lastName;
  const areNamesNew = before === undefined || firstName !== undefined || lastName !== undefined;
  const computed = areNamesNew
    ? fullName(first, last, userName ?? before?.userName ?? '')
    : undefined;
  const whole = change.fullName ?? computed;
  const fields = {
    UserName: userName ?? undefined,
    ExternalId: externalId,
    FirstName: firstName,
    LastName: lastName,
    FullName: whole,
    Email: email,
    Confirmed: typeof email === 'string' || before === undefined ? isVouchedFor : undefined,
    Active: active ?? undefined,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Record<string, FieldValue>;
}
