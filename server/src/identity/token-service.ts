import { type AuditEvent, type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { NewToken } from '@trellis/contract/shapes/token.ts';
import { scopesFor, type TokenKind } from '@trellis/contract/rights.ts';
import { ISSUER, TOKEN_RULES, type TokenClaims, type TokenSignature } from './token-claims.ts';
import type { LastUses } from './last-uses.ts';
import {
  isGoing,
  isRevokedToken,
  readToken,
  type StoredToken,
  storedTokens,
  tokenRecord,
} from './stored-tokens.ts';
import { grantIdsOf } from './oauth/oauth-grants.ts';
import { findUser } from './users.ts';
import { endedRevocations, revocation, type VaultReader } from './vault.ts';

export interface TokenServiceParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly clock: Clock;
  readonly signature: TokenSignature;
  readonly uses: LastUses;
  readonly audit: AuditTrail;
  /** Changes of tokens that there are, one after the other. */
  readonly tokenChanges: OneAtATime;
}

/** A token as it is listed (open-shapes, section 3). Times are ISO 8601 UTC. */
export interface ListedToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly scopes: string[];
  readonly path: string | null;
  readonly actingUser: string | null;
  /** The MCP client to which the user granted it; null for a token that an administrator made. */
  readonly client: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revoked: boolean;
}

interface TokenPage {
  readonly kind?: TokenKind | undefined;
  /** Only tokens that are revoked, or only those that are not. */
  readonly revoked?: boolean | undefined;
  readonly skip: number;
  readonly take: number;
}

/**
 * The tokens that administrators mint: JWTs that need no record to be valid, and records that tell
 * of them.
 */
export class TokenService {
  readonly #parts: TokenServiceParts;

  constructor(parts: TokenServiceParts) {
    this.#parts = parts;
  }

  /**
   * Answers the value, which nobody can read again. The problem `invalid_request` for what the kind
   * does not take.
   */
  async create(
    caller: Caller,
    request: NewToken,
    address: string,
  ): Promise<ListedToken & { readonly token: string }> {
    const { clock, commits, audit, signature } = this.#parts;
    const createdMs = clock.now();
    const content = contentOf(request, createdMs);
    if (content.actingUser !== null) this.#checkActingUser(content.actingUser);
    const stored: StoredToken = {
      id: formatUid(randomUid()),
      kind: request.kind,
      name: request.name,
      ...content,
      scopes: content.scopes ?? [],
      createdBy: must(caller.userUid, 'the user of an administrator'),
      createdMs,
      revokedMs: null,
    };
    const event = eventOf('token.created', { caller, address }, stored);
    await commits.commit({
      system: true,
      operations: [audit.operation(event)],
      vault: [tokenRecord(stored)],
    });
    return { ...this.#listed(stored, null), token: signature.sign(claimsOf(stored)) };
  }

  /** Newest first; those that are revoked or have expired stay in the list. */
  list(
    _caller: Caller,
    page: TokenPage,
  ): { items: ListedToken[]; total: number; skip: number; take: number } {
    const { kind, revoked, skip, take } = page;
    const all = storedTokens(this.#parts.vault).filter(
      (token) =>
        (kind === undefined || token.kind === kind) &&
        (revoked === undefined || isRevokedToken(this.#parts.vault, token) === revoked),
    );
    const items = all
      .slice(skip, skip + take)
      .map((token) => this.#listed(token, this.#parts.uses.lastUsedMs(token.id)));
    return { items, total: all.length, skip, take };
  }

  /** What the caller has granted to MCP clients, newest first, without what has ended. */
  grants({ userUid }: Caller, page: Pick<TokenPage, 'skip' | 'take'>) {
    const ids = grantIdsOf(this.#parts.vault, must(userUid, 'the user of a session'));
    return this.grantsIn(ids, page);
  }

  /** Those of these grants that have not ended, newest first. */
  grantsIn(ids: readonly string[], { skip, take }: Pick<TokenPage, 'skip' | 'take'>) {
    const { vault, clock, uses } = this.#parts;
    const now = clock.now();
    const going = ids
      .flatMap((id) => readToken(vault, id) ?? [])
      .filter((one) => isGoing(vault, one, now))
      .toSorted((a, b) => b.createdMs - a.createdMs);
    const items = going
      .slice(skip, skip + take)
      .map((token) => this.#listed(token, uses.lastUsedMs(token.id)));
    return { items, total: going.length, skip, take };
  }

  /** Ends a grant of the caller's own. The problem `token_not_found`, also for one of another. */
  endGrant(caller: Caller, id: string, address: string): Promise<void> {
    const { vault } = this.#parts;
    const isOwn = grantIdsOf(vault, must(caller.userUid, 'the user of a session')).includes(id);
    if (!isOwn) throw notFound();
    return this.revoke(caller, id, address);
  }

  /** The problem `token_not_found`. A token that is revoked or has expired is there. */
  get(id: string): ListedToken {
    const { vault, uses } = this.#parts;
    return this.#listed(mustRead(vault, id), uses.lastUsedMs(id));
  }

  /** Refused from the next request. Once more changes nothing. The problem `token_not_found`. */
  revoke(caller: Caller, id: string, address: string): Promise<void> {
    const { vault, commits, audit, clock, tokenChanges } = this.#parts;
    return tokenChanges.run(async () => {
      const stored = mustRead(vault, id);
      if (stored.revokedMs !== null) return;
      const revokedMs = clock.now();
      const event = eventOf('token.revoked', { caller, address }, stored);
      await commits.commit({
        system: true,
        operations: [audit.operation(event)],
        vault: [tokenRecord({ ...stored, revokedMs }), revocation(id, revokedMs, stored.expiresMs)],
      });
    });
  }

  /**
   * Writes down when tokens were used last, and clears away revocations of what has expired; called
   * now and then.
   */
  async flush(): Promise<void> {
    const { uses, commits, vault, clock } = this.#parts;
    await uses.flush(commits, endedRevocations(vault, clock.now()));
  }

  #listed(token: StoredToken, lastUsedMs: number | null): ListedToken {
    return {
      id: token.id,
      kind: token.kind,
      name: token.name,
      scopes: [...token.scopes],
      path: token.path,
      actingUser: token.actingUser,
      client: token.grant?.clientName ?? null,
      createdBy: token.createdBy,
      createdAt: new Date(token.createdMs).toISOString(),
      expiresAt: token.expiresMs === null ? null : new Date(token.expiresMs).toISOString(),
      lastUsedAt: lastUsedMs === null ? null : new Date(lastUsedMs).toISOString(),
      revoked: isRevokedToken(this.#parts.vault, token),
    };
  }

  #checkActingUser(uid: string): void {
    this.#parts.reader.refresh();
    if (findUser(this.#parts.reader, uid)?.active !== true) throw unknownActingUser();
  }
}

function mustRead(vault: VaultReader, id: string): StoredToken {
  const stored = readToken(vault, id);
  if (stored === undefined) throw notFound();
  return stored;
}

function notFound(): Problem {
  return new Problem('token_not_found', 'There is no token of this id.');
}

function eventOf(
  action: 'token.created' | 'token.revoked',
  doer: Doer,
  { id, name, kind, scopes, path, actingUser, grant }: StoredToken,
): AuditEvent {
  const client = grant === undefined ? {} : { client: grant.clientName };
  const details = { kind, scopes, path, actingUser, ...client };
  return deed(action, doer, { kind: 'token', id, name }, details);
}

function claimsOf({ id, kind, scopes, path, actingUser, ...times }: StoredToken): TokenClaims {
  const { flavour } = TOKEN_RULES[kind];
  return {
    iss: ISSUER,
    kind,
    id,
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(path === null ? {} : { path }),
    ...(actingUser === null ? {} : { actingUser }),
    ...(flavour === undefined ? {} : { flavour }),
    iat: Math.floor(times.createdMs / 1_000),
    ...(times.expiresMs === null ? {} : { exp: times.expiresMs / 1_000 }),
  };
}

/** The content of a token that is made; null for what its kind does not have. */
interface TokenContent {
  readonly scopes: readonly string[] | null;
  readonly path: string | null;
  readonly actingUser: string | null;
  /** Milliseconds since the Unix epoch, a whole second; null for never. */
  readonly expiresMs: number | null;
}

/**
 * The problem `invalid_request` unless the request has what its kind needs and nothing that it does
 * not take.
 */
function contentOf(request: NewToken, nowMs: number): TokenContent {
  const { kind } = request;
  const rule = TOKEN_RULES[kind];
  for (const member of ['scopes', 'path', 'actingUser'] as const) {
    if (!isNone(request[member]) && rule[member] === undefined) {
      throw invalid(member, `is not for a token of kind "${kind}"`);
    }
  }
  const scopes = request.scopes ?? rule.scopes ?? null;
  if (rule.scopes !== undefined && (scopes === null || scopes.length === 0)) {
    throw invalid('scopes', `must name at least one scope for a token of kind "${kind}"`);
  }
  const other = scopes?.find((scope) => !scopesFor(kind).some((one) => one === scope));
  if (other !== undefined) {
    throw invalid('scopes', `"${other}" is not for a token of kind "${kind}"`);
  }
  if (rule.actingUser === 'required' && isNone(request.actingUser)) {
    throw invalid('actingUser', `must be the UID of a user for a token of kind "${kind}"`);
  }
  return {
    scopes: scopes && [...new Set(scopes)],
    path: rule.path === undefined ? null : (request.path ?? ''),
    actingUser: request.actingUser ?? null,
    expiresMs:
      request.expiresAt === undefined || request.expiresAt === null
        ? null
        : expiry(request.expiresAt, nowMs),
  };
}

/** Null and no scopes are how a token is listed that has none. */
function isNone(member: string | readonly string[] | null | undefined): boolean {
  return member === undefined || member === null || (Array.isArray(member) && member.length === 0);
}

function unknownActingUser(): Problem {
  return invalid('actingUser', 'must be the UID of an active user');
}

/** Claims know whole seconds: a token does not outlive the time that was asked for. */
function expiry(expiresAt: string, nowMs: number): number {
  const expiresMs = Math.floor(Date.parse(expiresAt) / 1_000) * 1_000;
  if (expiresMs > nowMs) return expiresMs;
  throw invalid('expiresAt', 'must be a time in the future');
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
