import { randomBytes } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import { hashPassword } from './passwords.ts';
import { userKey, userUid } from './users.ts';
import { writeCredential } from './vault.ts';

export const FIRST_ADMINISTRATOR = 'admin';

/**
 * Creates the first administrator (open-shapes, section 1) with the given password, or a random
 * one. Answers the password when it made it: the only time that anybody can see it.
 */
export async function createFirstAdministrator(
  commits: CommitPort,
  clock: Clock,
  givenPassword: string | undefined,
): Promise<{ readonly generatedPassword: string | null }> {
  const password = givenPassword ?? randomBytes(18).toString('base64url');
  const now = clock.now();
  await commits.commit({
    system: true,
    operations: [
      {
        op: 'addOrUpdate',
        type: '_User',
        key: userKey(FIRST_ADMINISTRATOR),
        fields: {
          UserName: FIRST_ADMINISTRATOR,
          FullName: 'Administrator',
          IsAdmin: true,
          Active: true,
          Confirmed: true,
        },
        ifVersion: 0,
      },
    ],
    vault: [
      writeCredential(userUid(FIRST_ADMINISTRATOR), {
        passwordHash: await hashPassword(password),
        changedAt: now,
        sessionsNotBefore: 0,
        keptSession: null,
      }),
    ],
  });
  return { generatedPassword: givenPassword === undefined ? password : null };
}
