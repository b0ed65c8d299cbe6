import { randomUUID } from 'node:crypto';
import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { SESSION_TEAMS_MAX } from '#base/limits.ts';
import { userKey } from '#access/user-names.ts';
import { Problem } from '#base/problem.ts';
import {
  PASSWORD_HASHES_MAX,
  PASSWORD_HASHES_WAITING_MAX,
  SESSION_LIFETIME_MS,
} from '#base/sign-in-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { IssuedSession } from '@trellis/contract/shapes/sso.ts';
import { addressGroup } from './address-group.ts';
import type { KnownDevices } from './known-devices.ts';
import { type Attempt, FairGate, LoginThrottle, type Ticket } from './login-throttle.ts';
import { checkPasswordStrength, hashPassword, PasswordVerifier } from './passwords.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { ISSUER, type TokenSignature } from './token-claims.ts';
import { findUser, findUserByName, type UserRecord, userUid } from './users.ts';
import { readCredential, revocation, type VaultReader, writeCredential } from './vault.ts';

export interface IdentityParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
  readonly signature: TokenSignature;
  readonly authenticator: TokenAuthenticator;
  readonly audit: AuditTrail;
  readonly devices: KnownDevices;
  /** UIDs of the teams a user is in, nested ones included. */
  readonly teamsOf: (userUid: string) => readonly string[];
}

/** What an audit event holds of a name that somebody tried: any text can be sent. */
const TRIED_NAME_CHARACTERS_MAX = 200;

/** Sign-in and who asks (specification, sections 4.1 and 5; open-shapes, section 3). */
export class IdentityService {
  readonly #parts: IdentityParts;
  readonly #throttle: LoginThrottle;
  readonly #passwords = new PasswordVerifier();
  readonly #gate = new FairGate({
    runningMax: PASSWORD_HASHES_MAX,
    waitingMax: PASSWORD_HASHES_WAITING_MAX,
  });

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    this.#throttle = new LoginThrottle(parts.clock);
  }

  /**
   * A wrong user and a wrong password are the same 401 `invalid_credentials` in the same time.
   * `marks` are what the browser keeps of sign-ins before this one, and shall keep from now on.
   */
  async login(
    user: string,
    password: string,
    address: string,
    marks?: string,
  ): Promise<IssuedSession & { readonly marks: string }> {
    const { reader, vault, devices } = this.#parts;
    reader.refresh();
    const tried = triedUser(user, findUserByName(reader, user)?.uid ?? userUid(user));
    const device = devices.deviceOf(tried.uid, marks);
    const record = await this.#tryPassword(
      { user: userKey(user), address, device },
      () => this.#loginFailed(tried, address, { via: 'password', reason: 'throttled' }),
      async () => {
        reader.refresh();
        const found = findUserByName(reader, user);
        const credential = found && readCredential(vault, found.uid);
        const matches = await this.#passwords.verify(credential?.passwordHash, password);
        return matches && found?.active === true ? found : undefined;
      },
    );
    if (record === undefined) {
      this.#loginFailed(tried, address, { via: 'password', reason: 'credentials' });
      throw invalidCredentials();
    }
    const session = this.#begin(record, 'password', address);
    return { ...session, marks: devices.mark(record.uid, marks) };
  }

  /**
   * Begins a session of a user whom somebody else has proved to be there; `via` names them, such as
   * "googlesso" or "saml". The problem `forbidden` when the user is not active.
   */
  signInAs(uid: string, via: string, address: string): IssuedSession {
    this.#parts.reader.refresh();
    const record = findUser(this.#parts.reader, uid);
    if (record?.active === true) return this.#begin(record, via, address);
    const name = record?.userName ?? uid;
    this.#loginFailed({ uid, name }, address, { via, reason: 'inactive' });
    throw new Problem('forbidden', 'This user may not sign in.', {
      hint: 'An administrator can activate the user.',
    });
  }

  /** The caller behind a bearer token, or the problem `invalid_token`. */
  authenticate(token: string): Caller {
    return this.#parts.authenticator.authenticate(token);
  }

  verify(token: string): void {
    this.#parts.authenticator.verify(token);
  }

  /** `GET /api/login/check` (specification, section 2.4). */
  check(caller: Caller): { user: { uid: string; name: string } } {
    if (caller.userUid === null || caller.userName === null) {
      throw new Problem('forbidden', 'This token does not belong to a user.', {
        details: { role: 'session' },
      });
    }
    return { user: { uid: caller.userUid, name: caller.userName } };
  }

  /** Ends the session that asks; its token is refused from the next request. */
  async endSession(caller: Caller, address: string): Promise<void> {
    const { commits, audit, clock } = this.#parts;
    const { user } = this.check(caller);
    const nowMs = clock.now();
    await commits.commit({
      system: true,
      operations: [audit.operation(ofUser('login.ended', user, address))],
      vault: [revocation(caller.tokenId, nowMs, nowMs + SESSION_LIFETIME_MS)],
    });
  }

  /** Ends the user's other sessions; the one that asks goes on. */
  async changePassword(
    caller: Caller,
    change: { oldPassword: string; newPassword: string },
    address: string,
  ): Promise<void> {
    const { clock, commits, audit, vault } = this.#parts;
    const { user } = this.check(caller);
    const changed = ofUser('password.changed', user, address);
    // The session is what it is told by: what strangers do elsewhere does not count against its
    // user.
    const attempt = { user: userKey(user.name), address, device: caller.tokenId };
    const isRight = await this.#tryPassword(
      attempt,
      () => audit.record({ ...changed, outcome: 'failure', details: { reason: 'throttled' } }),
      () => {
        const credential = readCredential(vault, user.uid);
        return this.#passwords.verify(credential?.passwordHash, change.oldPassword);
      },
    );
    if (!isRight) {
      audit.record({ ...changed, outcome: 'failure', details: { reason: 'credentials' } });
      throw new Problem('wrong_password', 'The old password is not right.', {
        details: { fields: [{ path: 'oldPassword', message: 'is not the present password' }] },
      });
    }
    checkPasswordStrength(change.newPassword);
    const passwordHash = await this.#gate.run(ticketOf(attempt), () =>
      hashPassword(change.newPassword),
    );
    const now = clock.now();
    const record = {
      passwordHash,
      changedAt: now,
      sessionsNotBefore: now,
      keptSession: caller.tokenId,
    };
    await commits.commit({
      operations: [audit.operation(changed)],
      system: true,
      vault: [writeCredential(user.uid, record)],
    });
  }

  /** Tries a password when it may be tried, and when it is its turn; what is not true was wrong. */
  async #tryPassword<T>(
    attempt: Attempt,
    onRefused: () => void,
    verify: () => Promise<T>,
  ): Promise<T> {
    const begun = await this.#throttle.begin(attempt, onRefused);
    let outcome: 'right' | 'wrong' | 'untried' = 'untried';
    try {
      const result = await this.#gate.run(ticketOf(attempt), verify);
      outcome = result ? 'right' : 'wrong';
      return result;
    } finally {
      begun.end(outcome);
    }
  }

  #begin({ uid, userName }: UserRecord, via: string, address: string): IssuedSession {
    const { signature, clock, teamsOf, audit } = this.#parts;
    const user = { uid, name: userName };
    const session = issueSession(signature, clock, { ...user, teams: teamsOf(uid) }, randomUUID());
    audit.record({ ...ofUser('login.succeeded', user, address), details: { via } });
    return session;
  }

  #loginFailed(
    { uid, name }: { readonly uid: string; readonly name: string },
    address: string,
    details: { readonly via: string; readonly reason: string },
  ): void {
    this.#parts.audit.record({
      action: 'login.failed',
      actor: null,
      target: { kind: 'user', id: uid, name },
      outcome: 'failure',
      address,
      details,
    });
  }
}

/**
 * The line in which a try waits for the processor: a known device as itself, anybody else as their
 * address.
 */
function ticketOf({ user, address, device }: Attempt): Ticket {
  const isKnown = device !== undefined;
  return { isKnown, group: isKnown ? user : addressGroup(address) };
}

/** The name that somebody tried, whether there is such a user or not. */
function triedUser(name: string, uid: string): { readonly uid: string; readonly name: string } {
  // A copy: what is cut of a long text keeps the whole of it in memory.
  const start = Buffer.from(name.slice(0, TRIED_NAME_CHARACTERS_MAX)).toString();
  return { uid, name: start };
}

/** The event of something that a user has done to their own account. */
function ofUser(
  action: AuditEvent['action'],
  user: { readonly uid: string; readonly name: string },
  address: string,
): AuditEvent {
  const target = { kind: 'user', id: user.uid, name: user.name };
  return { action, actor: user, target, outcome: 'success', address };
}

function invalidCredentials(): Problem {
  return new Problem('invalid_credentials', 'The user name or the password is not right.', {
    hint: 'Check both; after five failures within a minute each further try has to wait.',
  });
}

/** The token of a new session (open-shapes, section 3: twelve hours). `sid` identifies it. */
export function issueSession(
  signature: TokenSignature,
  clock: Clock,
  user: { readonly uid: string; readonly name: string; readonly teams: readonly string[] },
  sid: string,
): IssuedSession {
  const beganAt = clock.now();
  const exp = Math.floor((beganAt + SESSION_LIFETIME_MS) / 1_000);
  const token = signature.sign({
    iss: ISSUER,
    kind: 'session',
    sub: user.uid,
    name: user.name,
    teams: user.teams.slice(0, SESSION_TEAMS_MAX),
    sid,
    beganAt,
    iat: Math.floor(beganAt / 1_000),
    exp,
  });
  return { token, expiresAt: new Date(exp * 1_000).toISOString() };
}
