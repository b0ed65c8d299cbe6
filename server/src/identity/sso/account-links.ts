import { createHash } from 'node:crypto';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from '../vault.ts';

/** Of one account at an identity provider: whose it is here. Kept although the address behind the account may change. */
interface SubjectLink {
  readonly userUid: string;
}

/** Of one user here: the account at each issuer, so that another account there cannot take the user over. */
interface UserLinks {
  readonly subjects: Readonly<Record<string, string>>;
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

/** Whether the user has signed in with an account at an identity provider. */
export function hasLinkedAccount(vault: VaultReader, userUid: string): boolean {
  return Object.keys(readUserLinks(vault, userUid).subjects).length > 0;
}

/** The records that link the two. */
export function linkRecords(
  vault: VaultReader,
  userUid: string,
  issuer: string,
  subject: string,
): VaultWrite[] {
  const { subjects } = readUserLinks(vault, userUid);
  return [
    vaultRecord(subjectKey(issuer, subject), { userUid } satisfies SubjectLink),
    vaultRecord(userKey(userUid), {
      subjects: { ...subjects, [issuer]: subject },
    } satisfies UserLinks),
  ];
}

function readUserLinks(vault: VaultReader, userUid: string): UserLinks {
  const key = userKey(userUid);
  const value = vault.get(key);
  return value === undefined ? { subjects: {} } : parseRecord(key, value, isUserLinks);
}

function subjectKey(issuer: string, subject: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
  return `sso-subject/${hash}`;
}

function userKey(userUid: string): string {
  return `sso-links/${userUid}`;
}

function isSubjectLink(record: { readonly userUid?: unknown }): record is SubjectLink {
  return typeof record.userUid === 'string';
}

function isUserLinks(record: { readonly subjects?: unknown }): record is UserLinks {
  return (
    typeof record.subjects === 'object' &&
    record.subjects !== null &&
    Object.values(record.subjects).every((subject) => typeof subject === 'string')
  );
}
