import { domainNotAllowed, userNotAllowed } from './sso-problems.ts';

/** Who somebody is, as an identity provider has proven it. */
export interface ProvenIdentity {
  /**
   * The authority, and its own lasting name of the person; null when it gives a new name each time.
   */
  readonly issuer: string;
  readonly subject: string | null;
  /** Verified, in lower case. */
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly fullName: string | null;
  /** Null when the provider has not told. */
  readonly groups: readonly string[] | null;
}

/** The part of a provider's settings that says who may come in. */
export interface AdmissionRules {
  readonly allowedDomains: readonly string[];
  /** From the name of a group to the UID of a team. */
  readonly groupTeams: Readonly<Record<string, string>>;
  readonly createUsers: boolean;
}

const NAME_CHARACTERS_MAX = 200;
/**
 * One "@" and ASCII only: letters that merely look alike, or become alike in lower case, are
 * another address.
 */
const ADDRESS = /^[\x21-\x3f\x41-\x7e]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)*$/i;

/**
 * The address in the form in which it is compared; the problem `sso_user_not_allowed` when there is
 * none.
 */
export function normalEmail(value: unknown): string {
  if (typeof value !== 'string' || value.length > 254 || !ADDRESS.test(value)) {
    throw userNotAllowed('email_missing');
  }
  return value.toLowerCase();
}

export function checkDomain(domain: string, allowedDomains: readonly string[]): void {
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) throw domainNotAllowed(domain);
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** A name as it may be shown: one line, not too long; null when nothing is left. */
export function personName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return name === '' ? null : name.slice(0, NAME_CHARACTERS_MAX);
}

/** The groups in a claim that has one or several; anything that is not text is left out. */
export function groupNames(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((group) => typeof group === 'string');
}
