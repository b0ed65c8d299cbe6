import { deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { isGoing, readToken } from '../stored-tokens.ts';
import { currentSettings } from '../workspace-settings.ts';
import {
  answerOf,
  type AuthorizationQuery,
  type AuthorizationRequest,
  Authorizations,
  isVerifierOf,
  resourceOf,
} from './authorization.ts';
import {
  type ClientMetadata,
  createdClient,
  type KnownClient,
  OAuthClients,
  redirectHost,
  type RegisteredClient,
} from './oauth-clients.ts';
import { type IssuedTokens, OAuthGrants, type OAuthGrantsParts } from './oauth-grants.ts';

export interface OAuthParts extends OAuthGrantsParts {
  /** Whether clients may register themselves. */
  readonly takesRegistrations: boolean;
}

/** Where a request found this server: the URL of the workspace, without a slash at the end. */
export interface Reached {
  readonly base: string;
  /** URL of the authorization server: that of the primary. */
  readonly issuer: string;
}

/** The fields of a request for tokens (RFC 6749, 7636, 8707). */
export interface TokenRequest {
  readonly grant_type?: string | undefined;
  readonly client_id?: string | undefined;
  readonly code?: string | undefined;
  readonly code_verifier?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly refresh_token?: string | undefined;
  readonly resource?: string | undefined;
}

/** What the user is asked. */
export interface ConsentRequest {
  readonly clientName: string;
  /** The host that gets the answer, or the scheme of an app, such as `cursor:`. */
  readonly redirectHost: string;
  readonly resource: string;
}

/** A client as administrators see it. Times are ISO 8601 UTC. */
export interface ListedClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly createdBy: string | null;
  readonly registeredAt: string | null;
  readonly grants: number;
  readonly lastUsedAt: string | null;
}

interface Page {
  readonly skip: number;
  readonly take: number;
}

export const MCP_PATH = '/api/mcp';
export const MCP_SCOPE = 'mcp';

/**
 * The authorization server of the workspace's own MCP server (open-shapes, section 12): OAuth 2.1
 * with PKCE, for clients that keep no secret.
 */
export class OAuthService {
  readonly takesRegistrations: boolean;
  readonly #parts: OAuthParts;
  readonly #clients: OAuthClients;
  readonly #authorizations: Authorizations;
  readonly #grants: OAuthGrants;

  constructor(parts: OAuthParts) {
    this.#parts = parts;
    this.takesRegistrations = parts.takesRegistrations;
    this.#clients = new OAuthClients(parts.signingKey, parts.vault, parts.clock);
    this.#authorizations = new Authorizations(parts.signingKey, this.#clients, parts.clock);
    this.#grants = new OAuthGrants(parts);
  }

  /** Throws `invalid_redirect_uri`, `oauth_registration_off`. */
  register(metadata: ClientMetadata): RegisteredClient {
    if (!this.takesRegistrations) {
      throw new Problem('oauth_registration_off', 'Clients may not register themselves here.');
    }
    return this.#clients.register(metadata);
  }

  /** By an administrator, also where clients may not. Throws `invalid_redirect_uri`. */
  async createClient(by: Doer, metadata: ClientMetadata): Promise<RegisteredClient> {
    const { commits, audit } = this.#parts;
    const client = this.#clients.register(metadata, true);
    const { id, name, redirectUris } = client;
    const target = { kind: 'oauth-client', id, name };
    const event = deed('oauth-client.created', by, target, { redirectUris });
    await commits.commit({
      system: true,
      operations: [audit.operation(event)],
      vault: [createdClient(client, must(by.caller.userUid, 'the user of an administrator'))],
    });
    return client;
  }

  /** Clients that have a grant, and those that administrators have registered; newest first. */
  listClients({ skip, take }: Page) {
    const all = this.#clients
      .known()
      .flatMap((client) => this.#listed(client) ?? [])
      .toSorted((a, b) => compare(b.registeredAt, a.registeredAt) || compare(a.id, b.id));
    return { items: all.slice(skip, skip + take), total: all.length, skip, take };
  }

  /** Ids of its grants, also of those that have ended. Throws `oauth_client_not_found`. */
  grantsOfClient(id: string): readonly string[] {
    return this.#mustKnow(id).client.grantIds;
  }

  /**
   * Ends every grant of a client, which is refused from now on. Nothing hinders the program from
   * registering as another client. Throws `oauth_client_not_found`.
   */
  withdrawClient(by: Doer, id: string): Promise<void> {
    const { commits, audit, tokenChanges } = this.#parts;
    return tokenChanges.run(async () => {
      const { client, listed } = this.#mustKnow(id);
      const { name, grants } = listed;
      const event = deed(
        'oauth-client.withdrawn',
        by,
        { kind: 'oauth-client', id, name },
        { grants },
      );
      // Goes before, so that the client gets nothing more, even if the server ends in between.
      await commits.commit({
        system: true,
        operations: [audit.operation(event)],
        vault: this.#clients.withdrawal(client),
      });
      await this.#grants.endAll(client.grantIds, by);
    });
  }

  /** Where to send the browser: to the page that asks the user, or back to the client. */
  authorize(query: AuthorizationQuery, { base, issuer }: Reached): string {
    const begun = this.#authorizations.begin(query, { issuer, resources: this.#resources(base) });
    if ('location' in begun) return begun.location;
    const { interface: custom } = currentSettings(this.#parts.reader);
    // The built-in front end asks, also where another one is served at the root.
    const frontEnd = custom === null ? base : `${base}/trellis`;
    return `${frontEnd}/#/authorize?request=${begun.request}`;
  }

  /** Throws `oauth_request_invalid`. */
  describe(request: string): ConsentRequest {
    const { clientName, redirectUri, resource } = this.#open(request);
    return { clientName, redirectHost: redirectHost(redirectUri), resource };
  }

  /** Where to send the browser with the user's answer. Throws `oauth_request_invalid`. */
  decide(caller: Caller, request: string, allow: boolean): string {
    const opened = this.#open(request);
    if (!allow) return answerOf(opened, { error: 'access_denied' });
    const { state: _state, issuer: _issuer, ...granted } = opened;
    const code = this.#authorizations.issueCode({
      ...granted,
      grantId: formatUid(randomUid()),
      userUid: must(caller.userUid, 'the user of a session'),
      beganAt: this.#parts.clock.now(),
    });
    return answerOf(opened, { code });
  }

  /**
   * Throws `invalid_client`, `invalid_grant`, `invalid_target`, `unsupported_grant_type`,
   * `invalid_request`.
   */
  async token(request: TokenRequest, address: string): Promise<IssuedTokens> {
    switch (request.grant_type) {
      case 'authorization_code':
        return this.#exchange(request, address);
      case 'refresh_token':
        return this.#refresh(request, address);
      default:
        throw new Problem(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token.',
        );
    }
  }

  /** Says nothing of a token that there is not (RFC 7009). Throws `invalid_client`. */
  async revoke(
    request: { readonly token: string; readonly client_id: string },
    address: string,
  ): Promise<void> {
    const client = this.#clients.find(request.client_id);
    await this.#grants.revoke(request.token, client.id, address);
  }

  /** Whether a granted token may be used where the request came; others are for any server. */
  accepts({ resource }: Caller, { base }: Reached): boolean {
    return resource === undefined || this.#resources(base).includes(resource);
  }

  /** Forgets what ended long ago; called now and then. */
  async clear(): Promise<void> {
    await this.#grants.clear();
    const vault = this.#clients.endedWithdrawals();
    if (vault.length > 0) await this.#parts.commits.commit({ system: true, operations: [], vault });
  }

  #open(request: string): AuthorizationRequest {
    const opened = this.#authorizations.open(request);
    if (!this.#clients.isWithdrawn(opened.clientId)) return opened;
    throw new Problem('oauth_request_invalid', 'An administrator has withdrawn this client.');
  }

  #mustKnow(id: string): { readonly client: KnownClient; readonly listed: ListedClient } {
    const client = this.#clients.knownOf(id);
    const listed = client && this.#listed(client);
    if (client === undefined || listed === undefined) {
      throw new Problem('oauth_client_not_found', 'No client of this id is known here.');
    }
    return { client, listed };
  }

  /** Undefined when it has nothing any more. */
  #listed({ id, registration, createdBy, grantIds }: KnownClient): ListedClient | undefined {
    const { vault, clock, uses } = this.#parts;
    const now = clock.now();
    const grants = grantIds
      .flatMap((grantId) => readToken(vault, grantId) ?? [])
      .filter((token) => isGoing(vault, token, now));
    if (grants.length === 0 && createdBy === null) return undefined;
    const used = Math.max(...grants.map((token) => uses.lastUsedMs(token.id) ?? 0), 0);
    return {
      id,
      name: registration?.name ?? grants[0]?.grant?.clientName ?? id,
      redirectUris: registration?.redirectUris ?? [],
      createdBy,
      registeredAt: registration ? new Date(registration.issuedMs).toISOString() : null,
      grants: grants.length,
      lastUsedAt: used === 0 ? null : new Date(used).toISOString(),
    };
  }

  #exchange(request: TokenRequest, address: string): Promise<IssuedTokens> {
    const client = this.#clients.find(given('client_id', request.client_id));
    const code = this.#authorizations.openCode(given('code', request.code));
    if (code === undefined) throw new Problem('invalid_grant', 'The code is not valid.');
    const { value } = code;
    const check = (): void => {
      this.#clients.checkNotWithdrawn(client.id);
      const isBack =
        request.redirect_uri === undefined || request.redirect_uri === value.redirectUri;
      const isVerified = isVerifierOf(request.code_verifier ?? '', value.challenge);
      if (client.id !== value.clientId || !isBack || !isVerified) {
        throw new Problem(
          'invalid_grant',
          'The code is for another client, redirect_uri or code_verifier.',
        );
      }
      checkResource(request.resource, value.resource);
    };
    return this.#grants.exchange(code, client, check, address);
  }

  #refresh(request: TokenRequest, address: string): Promise<IssuedTokens> {
    const client = this.#clients.find(given('client_id', request.client_id));
    const refreshToken = given('refresh_token', request.refresh_token);
    return this.#grants.refresh(
      refreshToken,
      (grant) => {
        if (client.id !== grant.clientId) {
          throw new Problem('invalid_grant', 'The refresh token is for another client.');
        }
        checkResource(request.resource, grant.resource);
      },
      address,
    );
  }

  /** The MCP servers of this workspace, the one that was asked first. */
  #resources(base: string): string[] {
    const { ReplicaURLs } = currentSettings(this.#parts.reader);
    const others = ReplicaURLs.split(';').map((url) => url.trim().replace(/\/+$/, ''));
    return [base, ...others.filter((url) => url !== '')].map((url) => url + MCP_PATH);
  }
}

function compare(one: string | null, other: string | null): number {
  if (one === other) return 0;
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function given(name: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value;
  const message = 'is missing';
  throw new Problem('invalid_request', `body, ${name}: ${message}`, {
    details: { fields: [{ path: name, message }] },
  });
}

function checkResource(asked: string | undefined, granted: string): void {
  if (asked === undefined || resourceOf(asked, [granted]) !== undefined) return;
  throw new Problem('invalid_target', `The grant is for ${granted}.`);
}
