import { randomBytes } from 'node:crypto';
import { hash, verify, type Options } from '@node-rs/argon2';
import { Problem } from '#base/problem.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '@trellis/contract/limits.ts';

/**
 * argon2id with the second recommended option of RFC 9106, section 4, at a memory cost a small
 * server can bear.
 */
const ARGON2ID: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, ARGON2ID);
}

export class PasswordVerifier {
  /**
   * Hash of a password nobody knows: a name that does not exist costs the same time as a wrong
   * password.
   */
  readonly #nobody: Promise<string> = hashPassword(randomBytes(32).toString('base64'));

  async verify(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    if (password.length > PASSWORD_CHARACTERS_MAX) return false;
    const matches = await verify(passwordHash ?? (await this.#nobody), password);
    return matches && typeof passwordHash === 'string';
  }
}

/** 422 `weak_password` (open-shapes, section 3). */
export function checkPasswordStrength(password: string): void {
  if (password.length < PASSWORD_CHARACTERS_MIN) {
    throw new Problem('weak_password', 'The new password is too short.', {
      hint: `Use ${PASSWORD_CHARACTERS_MIN} characters or more.`,
      details: { charactersMin: PASSWORD_CHARACTERS_MIN },
    });
  }
  if (password.length > PASSWORD_CHARACTERS_MAX) {
    throw new Problem('weak_password', 'The new password is too long.', {
      hint: `Use at most ${PASSWORD_CHARACTERS_MAX} characters.`,
      details: { charactersMax: PASSWORD_CHARACTERS_MAX },
    });
  }
}
