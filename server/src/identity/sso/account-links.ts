import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from '../vault.ts';

/**
 * The user here to whom an account at an identity provider belongs. It stays when the address of
 * the account changes.
 */
interface SubjectLink {
  readonly userUid: string;
}

/** The accounts of one user here, by issuer. */
interface UserLinks {
  /** The account there, so that another one there cannot take the user over. */
  readonly subjects: Readonly<Record<string, string>>;
  /** UIDs of the teams that the user is in because of their groups there. */
  readonly teams: Readonly<Record<string, readonly string[]>>;
}

export function linkedUser(
  vault: VaultReader,
  issuer: string,
  subject: string,
): string | undefined {
  const key = subjectKey(issuer, subject);
  const value = vault.get(key);
  return value && parseRecord<SubjectLink>(key, value, isSubjectLink).userUid;
}

/** The account at the issuer that the user is linked to. */
export function linkedSubject(
  vault: VaultReader,
  userUid: string,
  issuer: string,
): string | undefined {
  const { subjects } = readUserLinks(vault, userUid);
  return Object.hasOwn(subjects, issuer) ? subjects[issuer] : undefined;
}

/** The teams that the user is in because of their groups at the issuer. */
export function grantedTeams(
  vault: VaultReader,
  userUid: string,
  issuer: string,
): readonly string[] {
  const { teams } = readUserLinks(vault, userUid);
  return (Object.hasOwn(teams, issuer) ? teams[issuer] : undefined) ?? [];
}

/** Whether the user has signed in with an account at an identity provider. */
export function hasLinkedAccount(vault: VaultReader, userUid: string): boolean {
  return Object.keys(readUserLinks(vault, userUid).subjects).length > 0;
}

/**
 * The records that link a user and an account at an issuer, and say what came of its groups; none
 * when they do already.
 */
export function linkRecords(
  vault: VaultReader,
  userUid: string,
  { issuer, subject }: { readonly issuer: string; readonly subject: string | null },
  granted: readonly string[],
): VaultWrite[] {
  const before = readUserLinks(vault, userUid);
  const subjects = subject === null ? before.subjects : { ...before.subjects, [issuer]: subject };
  const after: UserLinks = {
    subjects,
    teams:
      granted.length === 0 ? without(before.teams, issuer) : { ...before.teams, [issuer]: granted },
  };
  const isLinked = subject === null || linkedUser(vault, issuer, subject) === userUid;
  return [
    ...(isLinked
      ? []
      : [vaultRecord(subjectKey(issuer, subject), { userUid } satisfies SubjectLink)]),
    ...(isDeepStrictEqual(before, after) ? [] : [vaultRecord(linksKey(userUid), after)]),
  ];
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function readUserLinks(vault: VaultReader, userUid: string): UserLinks {
  const key = linksKey(userUid);
  const value = vault.get(key);
  return value === undefined ? { subjects: {}, teams: {} } : parseRecord(key, value, isUserLinks);
}

function subjectKey(issuer: string, subject: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
  return `sso-subject/${hash}`;
}

function linksKey(userUid: string): string {
  return `sso-links/${userUid}`;
}

function isSubjectLink(record: { readonly userUid?: unknown }): record is SubjectLink {
  return typeof record.userUid === 'string';
}

function isUserLinks(record: {
  readonly subjects?: unknown;
  readonly teams?: unknown;
}): record is UserLinks {
  const isText = (value: unknown) => typeof value === 'string';
  return (
    isRecordOf(record.subjects, isText) &&
    isRecordOf(record.teams, (teams) => Array.isArray(teams) && teams.every(isText))
  );
}

function isRecordOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isMember);
}
