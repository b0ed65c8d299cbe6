import { randomUUID } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { TOKEN_CACHE_ENTRIES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Caller } from '#access/caller.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { LoginThrottle } from './login-throttle.ts';
import { checkPasswordStrength, hashPassword, PasswordVerifier } from './passwords.ts';
import {
  invalidToken,
  SessionTokens,
  type IssuedSession,
  type SessionClaims,
} from './session-tokens.ts';
import { findUser, findUserByName, sessionCaller, userKey } from './users.ts';
import { readCredential, writeCredential, type VaultReader } from './vault.ts';

export interface IdentityParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
  /** `MSK_JWT_KEY`, or the key in the storage folder. */
  readonly signingKey: string;
}

/** Sign-in and who asks (specification, sections 4.1 and 5; open-shapes, section 3). */
export class IdentityService {
  readonly #parts: IdentityParts;
  readonly #tokens: SessionTokens;
  readonly #throttle: LoginThrottle;
  readonly #passwords = new PasswordVerifier();
  /** Callers as of one sequence: any commit may have changed a user, so a newer one makes them stale. */
  readonly #callers = new Map<string, { readonly sequence: number; readonly caller: Caller }>();

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    this.#tokens = new SessionTokens(parts.signingKey, parts.clock);
    this.#throttle = new LoginThrottle(parts.clock);
  }

  /** A wrong user and a wrong password are the same 401 `invalid_credentials` in the same time. */
  async login(user: string, password: string, address: string): Promise<IssuedSession> {
    const attempt = await this.#throttle.begin(userKey(user), address);
    let succeeded = false;
    try {
      this.#parts.reader.refresh();
      const record = findUserByName(this.#parts.reader, user);
      const credential = record && readCredential(this.#parts.vault, record.uid);
      const matches = await this.#passwords.verify(credential?.passwordHash, password);
      if (record === undefined || !matches || !record.active) throw invalidCredentials();
      succeeded = true;
      return this.#tokens.issue(
        { uid: record.uid, name: record.userName, teams: this.#teamsOf(record.uid) },
        randomUUID(),
      );
    } finally {
      attempt.end(succeeded);
    }
  }

  /** The caller behind a bearer token, or the problem `invalid_token`. */
  authenticate(token: string): Caller {
    const claims = this.#tokens.verify(token);
    const sequence = this.#parts.reader.refresh();
    const known = this.#callers.get(token);
    if (known?.sequence === sequence) return known.caller;
    const caller = this.#callerOf(claims);
    if (this.#callers.size >= TOKEN_CACHE_ENTRIES_MAX) this.#callers.clear();
    this.#callers.set(token, { sequence, caller });
    return caller;
  }

  #callerOf(claims: SessionClaims): Caller {
    const { reader, vault } = this.#parts;
    const user = findUser(reader, claims.sub);
    if (user === undefined || !user.active) throw invalidToken();
    const credential = readCredential(vault, claims.sub);
    if (
      credential !== undefined &&
      claims.beganAt <= credential.sessionsNotBefore &&
      claims.sid !== credential.keptSession
    ) {
      throw invalidToken();
    }
    return sessionCaller(user, claims.sid);
  }

  /** `GET /api/login/check` (specification, section 2.4). */
  check(caller: Caller): { user: { uid: string; name: string } } {
    if (caller.userUid === null || caller.userName === null) {
      throw new Problem('forbidden', 'This token does not belong to a user.', {
        details: { needs: 'session' },
      });
    }
    return { user: { uid: caller.userUid, name: caller.userName } };
  }

  /** Ends the user's other sessions; the one that asks goes on. */
  async changePassword(
    caller: Caller,
    change: { oldPassword: string; newPassword: string },
    address: string,
  ): Promise<void> {
    const { user } = this.check(caller);
    const attempt = await this.#throttle.begin(userKey(user.name), address);
    let succeeded = false;
    try {
      const credential = readCredential(this.#parts.vault, user.uid);
      if (!(await this.#passwords.verify(credential?.passwordHash, change.oldPassword))) {
        throw new Problem('wrong_password', 'The old password is not right.', {
          details: { fields: [{ path: 'oldPassword', message: 'is not the present password' }] },
        });
      }
      succeeded = true;
      checkPasswordStrength(change.newPassword);
    } finally {
      attempt.end(succeeded);
    }
    const passwordHash = await hashPassword(change.newPassword);
    const now = this.#parts.clock.now();
    const record = {
      passwordHash,
      changedAt: now,
      sessionsNotBefore: now,
      keptSession: caller.tokenId,
    };
    await this.#parts.commits.commit({
      operations: [],
      system: true,
      vault: [writeCredential(user.uid, record)],
    });
  }

  #teamsOf(uid: string): string[] {
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    if (id === undefined) return [];
    return reader
      .neighbors(id, 'out', '_MemberOf')
      .map((team) => reader.uid(team))
      .filter((team) => team !== undefined);
  }
}

function invalidCredentials(): Problem {
  return new Problem('invalid_credentials', 'The user name or the password is not right.', {
    hint: 'Check both; after five failures within a minute sign-in is refused for a while.',
  });
}
