import { type AuditEvent, type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import {
  OAUTH_ACCESS_LIFETIME_MS,
  OAUTH_ENDED_GRANTS_KEPT_MS,
  OAUTH_GRANTS_ENDED_AT_ONCE,
  OAUTH_GRANTS_OF_USER_MAX,
  OAUTH_REFRESH_LIFETIME_MS,
} from '#base/sign-in-limits.ts';
import { TextSeal } from '#base/text-seal.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { TOKEN_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { LastUses } from '../last-uses.ts';
import {
  deletedToken,
  endedWithSessions,
  isRevokedToken,
  readToken,
  type StoredGrant,
  type StoredToken,
  storedTokens,
  tokenRecord,
} from '../stored-tokens.ts';
import { ISSUER, type TokenClaims, type TokenSignature } from '../token-claims.ts';
import { findUser, type UserRecord } from '../users.ts';
import { revocation, type VaultReader, vaultRecord, type VaultWrite } from '../vault.ts';
import type { AuthorizationCode } from './authorization.ts';
import { grantOfClient, redirectHost, type RegisteredClient } from './oauth-clients.ts';

export interface OAuthGrantsParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly signature: TokenSignature;
  readonly uses: LastUses;
  /** Changes of tokens that there are, one after the other. */
  readonly tokenChanges: OneAtATime;
  readonly signingKey: string;
}

/** What a client gets for a code or a refresh token (RFC 6749, section 5.1). */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken: string;
}

/** What a refresh token says: which one it is of the tokens of a grant. */
interface RefreshState {
  readonly grantId: string;
  readonly generation: number;
}

type GrantToken = StoredToken & { readonly grant: StoredGrant; readonly actingUser: string };

/**
 * What users have granted to clients. A grant is a token of the list, kept in the vault, from which
 * a client gets access tokens that end soon: JWTs of kind `mcp` with the id of the grant, so that
 * every server checks them by themselves, and refuses all of them once the grant is revoked.
 */
export class OAuthGrants {
  readonly #parts: OAuthGrantsParts;
  readonly #refreshTokens: TextSeal;

  constructor(parts: OAuthGrantsParts) {
    this.#parts = parts;
    this.#refreshTokens = TextSeal.for('oauth-refresh', parts.signingKey);
  }

  /**
   * Makes the grant of a code. A code that is used a second time was stolen, now or before: the
   * grant ends. Throws `invalid_grant`. `check` throws what is wrong with the request.
   */
  exchange(
    { value: code, isOver }: { readonly value: AuthorizationCode; readonly isOver: boolean },
    client: RegisteredClient,
    check: () => void,
    address: string,
  ): Promise<IssuedTokens> {
    const { vault, commits, audit, clock, tokenChanges } = this.#parts;
    return tokenChanges.run(async () => {
      const used = readToken(vault, code.grantId);
      if (used !== undefined) {
        await this.#end(used, 'code-reused', address);
        throw badGrant('The code was used before.');
      }
      if (isOver) throw badGrant('The code has expired.');
      check();
      const user = this.#userOf(code.userUid, code);
      const createdMs = clock.now();
      const { grantId: id, clientId, clientName, resource, beganAt } = code;
      const name = `${clientName} (${redirectHost(code.redirectUri)})`;
      const token: GrantToken = {
        id,
        kind: 'mcp',
        name: [...name].slice(0, TOKEN_NAME_CHARACTERS_MAX).join(''),
        scopes: [],
        path: null,
        actingUser: user.uid,
        createdBy: user.uid,
        createdMs,
        expiresMs: createdMs + OAUTH_REFRESH_LIFETIME_MS,
        revokedMs: null,
        grant: { clientId, clientName, resource, beganAt, generation: 1 },
      };
      const surplus = this.#surplus(user.uid);
      const ended = surplus.filter(({ isEnded }) => !isEnded);
      await commits.commit({
        system: true,
        operations: [
          ...ended.map((one) =>
            audit.operation(
              eventOf('token.revoked', one.token, user, address, { reason: 'too-many-grants' }),
            ),
          ),
          audit.operation(eventOf('token.created', token, user, address)),
        ],
        vault: [
          ...recordsOf(token, client),
          ...surplus.flatMap((one) => [
            ...this.#forget(one.token),
            revocation(one.token.id, createdMs, createdMs + OAUTH_ACCESS_LIFETIME_MS),
          ]),
        ],
      });
      return this.#issue(token);
    });
  }

  /**
   * New tokens for a refresh token, which is good once: one that was used before was stolen, now or
   * then, and ends the grant. Throws `invalid_grant`.
   */
  refresh(
    refreshToken: string,
    check: (grant: StoredGrant) => void,
    address: string,
  ): Promise<IssuedTokens> {
    const state = this.#openRefresh(refreshToken);
    if (state === undefined) return Promise.reject(badGrant('The refresh token is not valid.'));
    const { vault, commits, clock, tokenChanges } = this.#parts;
    return tokenChanges.run(async () => {
      const token = grantIn(readToken(vault, state.grantId));
      if (token === undefined || isRevokedToken(vault, token))
        throw badGrant('The grant has ended.');
      check(token.grant);
      if (state.generation !== token.grant.generation) {
        await this.#end(token, 'refresh-reused', address);
        throw badGrant('The refresh token was used before.');
      }
      const now = clock.now();
      if ((token.expiresMs ?? 0) <= now) throw badGrant('The refresh token has expired.');
      this.#userOf(token.actingUser, token.grant);
      const grant = { ...token.grant, generation: token.grant.generation + 1 };
      const next: GrantToken = { ...token, expiresMs: now + OAUTH_REFRESH_LIFETIME_MS, grant };
      await commits.commit({ system: true, operations: [], vault: [tokenRecord(next)] });
      return this.#issue(next);
    });
  }

  /**
   * Ends the grant of a refresh token or an access token of this client (RFC 7009). Any other text
   * changes nothing.
   */
  async revoke(value: string, clientId: string, address: string): Promise<void> {
    const id = this.#openRefresh(value)?.grantId ?? this.#grantOfAccess(value);
    if (id === undefined) return;
    await this.#parts.tokenChanges.run(async () => {
      const token = readToken(this.#parts.vault, id);
      if (token?.grant?.clientId === clientId) await this.#end(token, 'client', address);
    });
  }

  /** Ends grants because their client is withdrawn. Call it within `tokenChanges`. */
  async endAll(ids: readonly string[], by: Doer): Promise<void> {
    const { vault, commits, audit, clock } = this.#parts;
    const going = ids
      .flatMap((id) => grantIn(readToken(vault, id)) ?? [])
      .filter(({ revokedMs }) => revokedMs === null);
    for (let first = 0; first < going.length; first += OAUTH_GRANTS_ENDED_AT_ONCE) {
      const some = going.slice(first, first + OAUTH_GRANTS_ENDED_AT_ONCE);
      const revokedMs = clock.now();
      await commits.commit({
        system: true,
        operations: some.map((token) => audit.operation(withdrawnOf(token, by))),
        vault: some.flatMap((token) => [
          tokenRecord({ ...token, revokedMs }),
          revocation(token.id, revokedMs, token.expiresMs),
        ]),
      });
    }
  }

  /** Forgets grants that ended long ago; called now and then. */
  async clear(): Promise<void> {
    const { vault, commits, clock, tokenChanges } = this.#parts;
    await tokenChanges.run(async () => {
      const before = clock.now() - OAUTH_ENDED_GRANTS_KEPT_MS;
      const old = storedTokens(vault).flatMap((token) => grantIn(token) ?? []);
      const ended = old.filter(
        ({ expiresMs, revokedMs }) => (revokedMs ?? expiresMs ?? 0) <= before,
      );
      if (ended.length === 0) return;
      const deletions = ended.flatMap((token) => this.#forget(token));
      await commits.commit({ system: true, operations: [], vault: deletions });
    });
  }

  #issue({ id, actingUser, grant: { generation, ...grant } }: GrantToken): IssuedTokens {
    const iat = Math.floor(this.#parts.clock.now() / 1_000);
    const expiresInSeconds = OAUTH_ACCESS_LIFETIME_MS / 1_000;
    const claims: TokenClaims = {
      iss: ISSUER,
      kind: 'mcp',
      id,
      actingUser,
      aud: grant.resource,
      beganAt: grant.beganAt,
      iat,
      exp: iat + expiresInSeconds,
    };
    const state: RefreshState = { grantId: id, generation };
    return {
      accessToken: this.#parts.signature.sign(claims),
      expiresInSeconds,
      refreshToken: this.#refreshTokens.seal(JSON.stringify(state)),
    };
  }

  #openRefresh(refreshToken: string): RefreshState | undefined {
    const opened = this.#refreshTokens.open(refreshToken);
    return opened && JSON.parse(opened.text);
  }

  #grantOfAccess(value: string): string | undefined {
    try {
      const claims = this.#parts.signature.open(value);
      return claims.kind === 'mcp' && claims.aud !== undefined ? claims.id : undefined;
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }

  /** The user, as long as they are active and have not ended their sessions since they agreed. */
  #userOf(uid: string, began: { readonly beganAt: number }): UserRecord {
    const { reader, vault } = this.#parts;
    reader.refresh();
    const user = findUser(reader, uid);
    if (user?.active !== true || endedWithSessions(vault, uid, began)) {
      throw badGrant('The user has ended what they granted.');
    }
    return user;
  }

  async #end(token: StoredToken, reason: string, address: string): Promise<void> {
    const { commits, audit, clock, reader } = this.#parts;
    const { id, actingUser, expiresMs } = token;
    if (token.revokedMs !== null) return;
    const revokedMs = clock.now();
    reader.refresh();
    // Who asks has a secret of the client, so that it is told as its user's.
    const user = actingUser === null ? undefined : findUser(reader, actingUser);
    await commits.commit({
      system: true,
      operations: [audit.operation(eventOf('token.revoked', token, user, address, { reason }))],
      vault: [tokenRecord({ ...token, revokedMs }), revocation(id, revokedMs, expiresMs)],
    });
  }

  /** Makes room for one more grant of a user: those that ended go first, then the oldest. */
  #surplus(userUid: string): { readonly token: GrantToken; readonly isEnded: boolean }[] {
    const { vault, clock } = this.#parts;
    const ids = grantIdsOf(vault, userUid);
    const surplus = ids.length + 1 - OAUTH_GRANTS_OF_USER_MAX;
    if (surplus <= 0) return [];
    const now = clock.now();
    const own = ids.flatMap((id) => grantIn(readToken(vault, id)) ?? []);
    const end = (token: GrantToken): number =>
      isRevokedToken(vault, token) ? 0 : (token.expiresMs ?? 0);
    return own
      .toSorted((a, b) => end(a) - end(b))
      .slice(0, surplus)
      .map((token) => ({ token, isEnded: end(token) <= now }));
  }

  #forget(token: GrantToken): VaultWrite[] {
    return [...recordsOf(token, null), this.#parts.uses.forget(token.id)];
  }
}

/**
 * The records of a grant: its token, and how it is found by its user and by its client. Without the
 * client they are removed.
 */
function recordsOf(token: GrantToken, client: RegisteredClient | null): VaultWrite[] {
  const { id, actingUser, grant } = token;
  const key = userPrefix(actingUser) + id;
  return [
    client === null ? deletedToken(id) : tokenRecord(token),
    client === null ? { key, value: null } : vaultRecord(key, {}),
    grantOfClient(grant.clientId, id, client),
  ];
}

/** Of the grants of a user: there are at most `OAUTH_GRANTS_OF_USER_MAX`. */
export function grantIdsOf(vault: VaultReader, userUid: string): string[] {
  const prefix = userPrefix(userUid);
  return vault.list(prefix).map(({ key }) => key.slice(prefix.length));
}

function userPrefix(userUid: string): string {
  return `oauth-user/${userUid}/`;
}

function grantIn(token: StoredToken | undefined): GrantToken | undefined {
  if (token?.grant === undefined || token.actingUser === null) return undefined;
  const { grant, actingUser } = token;
  return { ...token, grant, actingUser };
}

function withdrawnOf({ id, name, kind, actingUser, grant }: GrantToken, by: Doer): AuditEvent {
  const { clientName: client, resource } = grant;
  const details = { kind, actingUser, client, resource, reason: 'client-withdrawn' };
  return deed('token.revoked', by, { kind: 'token', id, name }, details);
}

function eventOf(
  action: AuditEvent['action'],
  { id, name, kind, actingUser, grant }: StoredToken,
  user: UserRecord | undefined,
  address: string,
  details: Readonly<Record<string, string>> = {},
): AuditEvent {
  return {
    action,
    actor: user === undefined ? null : { uid: user.uid, name: user.userName },
    target: { kind: 'token', id, name },
    outcome: 'success',
    address,
    details: { kind, actingUser, client: grant?.clientName, resource: grant?.resource, ...details },
  };
}

function badGrant(message: string): Problem {
  return new Problem('invalid_grant', message);
}
