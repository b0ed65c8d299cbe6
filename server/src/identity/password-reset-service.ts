import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type AuditEvent, type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import {
  LOGIN_THROTTLE_SUBJECTS_MAX,
  PASSWORD_RESET_LIFETIME_MS,
  PASSWORD_RESET_MAILS_MAX,
  PASSWORD_RESET_QUEUE_MAX,
  PASSWORD_RESET_REQUESTS_MAX,
  PASSWORD_RESET_WINDOW_MS,
} from '#base/sign-in-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { USER_TEXT_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { addressGroup, subjectKey } from './address-group.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { checkPasswordStrength, hashPassword } from './passwords.ts';
import { hasLinkedAccount } from './sso/account-links.ts';
import { confirmedUsers, findUser, findUsersByEmail, type UserRecord } from './users.ts';
import {
  parseRecord,
  readCredential,
  type VaultReader,
  vaultRecord,
  type VaultWrite,
  writeCredential,
} from './vault.ts';

export interface PasswordResetParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
  readonly audit: AuditTrail;
  readonly logger: { error(fields: object, message: string): void };
  /** Null without a mail server. */
  readonly mail: MailSender | null;
  /**
   * Where people reach the workspace; no slash at its end. Never taken from a request, which could
   * lead elsewhere.
   */
  readonly publicUrl: () => string;
}

export interface ResetLink {
  readonly link: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** Why a request leads to no mail; for administrators, in the audit trail. */
type Refusal =
  | 'no_mail_server'
  | 'unknown_address'
  | 'shared_address'
  | 'inactive'
  | 'unconfirmed_address'
  | 'identity_provider';

/**
 * New passwords for those who have lost theirs (open-shapes, section 3): by a link that is mailed,
 * or that an administrator hands over. Disposing waits for what is under way.
 */
export class PasswordResetService implements AsyncDisposable {
  readonly #parts: PasswordResetParts;
  readonly #requests = new OneAtATime();
  readonly #changes = new OneAtATime();
  readonly #byAddress: RateLimit;
  readonly #byEmail: RateLimit;
  #waiting = 0;

  constructor(parts: PasswordResetParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#byAddress = new RateLimit(clock, PASSWORD_RESET_REQUESTS_MAX, PASSWORD_RESET_WINDOW_MS);
    this.#byEmail = new RateLimit(clock, PASSWORD_RESET_MAILS_MAX, PASSWORD_RESET_WINDOW_MS);
  }

  /**
   * Returns at once and looks afterwards whether there is such a user: neither the answer nor its
   * time tells. What comes too often, from one address or for one, is dropped.
   */
  request(email: string, address: string): void {
    if (!this.#byAddress.take(addressGroup(address))) return;
    if (!this.#byEmail.take(email.toLowerCase())) return;
    if (this.#waiting >= PASSWORD_RESET_QUEUE_MAX) return;
    this.#waiting++;
    void this.#requests.run(async () => {
      try {
        await setImmediate();
        await this.#mailLink(email, address);
      } catch (error) {
        this.#parts.logger.error({ err: error }, 'a password reset could not be prepared');
      } finally {
        this.#waiting--;
      }
    });
  }

  /**
   * Ends the sessions of the user, and with them every other link. Throws `invalid_reset_token`;
   * `weak_password`, which leaves the link as it was.
   */
  complete(
    reset: { readonly token: string; readonly newPassword: string },
    address: string,
  ): Promise<void> {
    return this.#changes.run(async () => {
      const { clock, commits, audit } = this.#parts;
      const user = this.#holder(reset.token);
      checkPasswordStrength(reset.newPassword);
      const passwordHash = await hashPassword(reset.newPassword);
      const now = clock.now();
      const credential = {
        passwordHash,
        changedAt: now,
        sessionsNotBefore: now,
        keptSession: null,
      };
      const target = { kind: 'user', id: user.uid, name: user.userName };
      await commits.commit({
        system: true,
        operations: [
          audit.operation({
            action: 'password.reset',
            actor: null,
            target,
            outcome: 'success',
            address,
          }),
        ],
        vault: [writeCredential(user.uid, credential), usedReset(reset.token)],
      });
    });
  }

  /**
   * For an administrator to hand to the user, with or without a mail server. Throws
   * `user_not_found`.
   */
  async createLink(caller: Caller, uid: string, address: string): Promise<ResetLink> {
    const { reader } = this.#parts;
    reader.refresh();
    const user = findUser(reader, uid);
    if (user === undefined) throw new Problem('user_not_found', 'There is no such user.');
    if (!user.active) {
      throw new Problem('user_deactivated', 'The user is deactivated: no password lets them in.');
    }
    const target = { kind: 'user', id: uid, name: user.userName };
    const event = deed('password.reset-requested', { caller, address }, target, { via: 'link' });
    return this.#issue(uid, null, event);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requests.run(async () => {});
    await this.#changes.run(async () => {});
  }

  async #mailLink(email: string, address: string): Promise<void> {
    const { reader, audit, mail } = this.#parts;
    reader.refresh();
    const all = findUsersByEmail(reader, email);
    const confirmed = confirmedUsers(all);
    const users = confirmed.length > 0 ? confirmed : all;
    const [user] = users;
    const refusal = this.#refusal(users);
    const event: AuditEvent = {
      action: 'password.reset-requested',
      actor: null,
      target:
        user === undefined
          ? { kind: 'address', id: email.slice(0, USER_TEXT_CHARACTERS_MAX).toWellFormed() }
          : { kind: 'user', id: user.uid, name: user.userName },
      outcome: refusal === undefined ? 'success' : 'failure',
      address,
      details: refusal === undefined ? { via: 'mail' } : { reason: refusal },
    };
    if (user === undefined || mail === null || refusal !== undefined) {
      audit.record(event);
      return;
    }
    const to = user.email ?? email;
    const { link } = await this.#issue(user.uid, to, event);
    const minutes = PASSWORD_RESET_LIFETIME_MS / 60_000;
    mail.send(passwordResetMail(to, { userName: user.userName, link, minutes }));
  }

  /**
   * An address that is not proven to be the user's would hand the account to whoever reads there.
   */
  #refusal(users: readonly UserRecord[]): Refusal | undefined {
    const { vault, mail } = this.#parts;
    const [user, second] = users;
    if (mail === null) return 'no_mail_server';
    if (user === undefined) return 'unknown_address';
    if (second !== undefined) return 'shared_address';
    if (!user.active) return 'inactive';
    if (!user.isConfirmed) return 'unconfirmed_address';
    // A user who signs in at an identity provider only should not get around it.
    const hasPassword = typeof readCredential(vault, user.uid)?.passwordHash === 'string';
    if (!hasPassword && hasLinkedAccount(vault, user.uid)) return 'identity_provider';
    return undefined;
  }

  async #issue(uid: string, email: string | null, event: AuditEvent): Promise<ResetLink> {
    const { clock, commits, audit, vault, publicUrl } = this.#parts;
    const token = randomBytes(32).toString('base64url');
    const issuedMs = clock.now();
    const expiresMs = issuedMs + PASSWORD_RESET_LIFETIME_MS;
    await commits.commit({
      system: true,
      operations: [audit.operation(event)],
      vault: [
        resetRecord(token, { userUid: uid, issuedMs, expiresMs, email }),
        ...endedResets(vault, issuedMs),
      ],
    });
    return {
      link: `${publicUrl()}/#/reset-password?token=${token}`,
      expiresAt: new Date(expiresMs).toISOString(),
    };
  }

  /** The user whose password the token may change. Throws `invalid_reset_token`. */
  #holder(token: string): UserRecord {
    const { reader, vault, clock } = this.#parts;
    reader.refresh();
    const reset = readReset(vault, token);
    const user = reset && findUser(reader, reset.userUid);
    if (reset === undefined || user?.active !== true || reset.expiresMs <= clock.now()) {
      throw invalidToken();
    }
    // A password that was set since, a deactivation, or another address: the mailbox may have
    // changed hands.
    const { changedAt = 0, sessionsNotBefore = 0 } = readCredential(vault, user.uid) ?? {};
    const changedMs = Math.max(changedAt, sessionsNotBefore);
    const isOutdated = reset.email !== null && reset.email !== user.email;
    if (changedMs > reset.issuedMs || isOutdated) throw invalidToken();
    return user;
  }
}

function invalidToken(): Problem {
  return new Problem('invalid_reset_token', 'The reset link is not valid, or not any more.');
}

const PREFIX = 'reset/';

/** The record of a reset link until it is used. Times in milliseconds since the Unix epoch. */
interface StoredReset {
  readonly userUid: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** The address that it was mailed to; null when an administrator made it. */
  readonly email: string | null;
}

function readReset(vault: VaultReader, token: string): StoredReset | undefined {
  const key = resetKey(token);
  const value = vault.get(key);
  return value && parseRecord(key, value, isStoredReset);
}

function resetRecord(token: string, reset: StoredReset): VaultWrite {
  return vaultRecord(resetKey(token), reset);
}

/** Removes the record of a token. */
function usedReset(token: string): VaultWrite {
  return { key: resetKey(token), value: null };
}

/** Removes what has run out. */
function endedResets(vault: VaultReader, nowMs: number): VaultWrite[] {
  return vault
    .list(PREFIX)
    .filter(({ key, value }) => parseRecord(key, value, isStoredReset).expiresMs <= nowMs)
    .map(({ key }) => ({ key, value: null }));
}

/** Whoever reads the vault cannot use what is in it. */
function resetKey(token: string): string {
  return PREFIX + createHash('sha256').update(token).digest('hex');
}

function isStoredReset(record: Partial<Record<keyof StoredReset, unknown>>): record is StoredReset {
  return (
    typeof record.userUid === 'string' &&
    typeof record.issuedMs === 'number' &&
    typeof record.expiresMs === 'number' &&
    (record.email === null || typeof record.email === 'string')
  );
}

/**
 * Limits how often something happens for one subject, such as an address, within any window of that
 * length. It keeps hashes, as strangers name the subjects.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #timesMax: number;
  readonly #windowMs: number;
  /** When each subject was counted; the one that asked last is the last. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(clock: Clock, timesMax: number, windowMs: number) {
    this.#clock = clock;
    this.#timesMax = timesMax;
    this.#windowMs = windowMs;
  }

  /** Counts once more, or answers false when it would be once too often. */
  take(name: string): boolean {
    const subject = subjectKey(name);
    const now = this.#clock.now();
    const recent = (this.#times.get(subject) ?? []).filter((at) => at > now - this.#windowMs);
    const isAllowed = recent.length < this.#timesMax;
    this.#times.delete(subject);
    this.#times.set(subject, isAllowed ? [...recent, now] : recent);
    this.#forget(now);
    return isAllowed;
  }

  /** Bounds the memory that made-up subjects can take. */
  #forget(now: number): void {
    for (const [subject, times] of this.#times) {
      const isOver = (times.at(-1) ?? 0) <= now - this.#windowMs;
      if (!isOver && this.#times.size <= LOGIN_THROTTLE_SUBJECTS_MAX) return;
      this.#times.delete(subject);
    }
  }
}

interface ResetMailContent {
  readonly userName: string;
  readonly link: string;
  readonly minutes: number;
}

export function passwordResetMail(to: string, content: ResetMailContent): Mail {
  const { userName, link, minutes } = content;
  const what = `Somebody, probably you, asked for a new password for the user ${userName}.`;
  const then = `The link works once, for ${minutes} minutes. If it was not you, do nothing: the password stays as it is.`;
  return {
    to,
    subject: 'Set a new password for Trellis',
    text: `${what}\n\nSet one here:\n${link}\n\n${then}\n`,
    html: [
      `<p>${escapeHtml(what)}</p>`,
      `<p><a href="${escapeHtml(link)}">Set a new password</a></p>`,
      `<p>${escapeHtml(then)}</p>`,
    ].join('\n'),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Outgoing mail. */
export interface MailSender {
  /** Soon, in the background: a mail that cannot be sent is a line in the log. */
  send(mail: Mail): void;
}
