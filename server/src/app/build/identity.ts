import { join } from 'node:path';
import type { AccessIndex } from '#access/access-index.ts';
import { RunningCallers } from '#access/running-callers.ts';
import { CALLER_LOOK_INTERVAL_MS, LAST_USE_FLUSH_INTERVAL_MS } from '#base/limits.ts';
import { OAUTH_CLEAR_INTERVAL_MS } from '#base/sign-in-limits.ts';
import { AuditService } from '#identity/audit-service.ts';
import { IdentityService } from '#identity/identity-service.ts';
import { KnownDevices } from '#identity/known-devices.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { PasswordResetService } from '#identity/password-reset-service.ts';
import { PrincipalService } from '#identity/principal-service.ts';
import { EndpointSecrets } from '#identity/secrets/endpoint-secrets.ts';
import { ScimService } from '#identity/scim/scim-service.ts';
import { SecretService } from '#identity/secrets/secret-service.ts';
import { SecretUses } from '#identity/secrets/secret-uses.ts';
import { StoredSecrets } from '#identity/secrets/stored-secrets.ts';
import { OAuthService } from '#identity/oauth/oauth-service.ts';
import { SsoService } from '#identity/sso/sso-service.ts';
import { TeamService } from '#identity/team-service.ts';
import { TokenAuthenticator } from '#identity/token-authenticator.ts';
import { TokenService } from '#identity/token-service.ts';
import { TokenSignature } from '#identity/token-claims.ts';
import { LastUses, SECRET_USES, TOKEN_USES } from '#identity/last-uses.ts';
import { UserService } from '#identity/user-service.ts';
import { WorkspaceSettings } from '#identity/workspace-settings.ts';
import type { Logger } from '#observe/logger.ts';
import { must } from '#base/assert.ts';
import { DigestFolder, FRONT_END_FOLDER } from '../front-end/digest-folder.ts';
import { Interfaces } from '../front-end/interfaces.ts';
import { openMailSender } from '../mail-sender.ts';
import { startPeriodic } from '../periodic.ts';
import type { Foundation } from './foundation.ts';

/** Where people reach the workspace: `MSK_PUBLIC_ADDRESS`, or else where this process listens. */
export class PublicAddress {
  /** No final slash. */
  readonly configured: string | null;
  #listening: string | undefined;

  constructor(configured: string | null) {
    this.configured = configured;
  }

  /** To be called once the process listens. */
  listensAt(url: string): void {
    this.#listening = url;
  }

  readonly url = (): string =>
    this.configured ?? must(this.#listening, 'the address that the server listens at');
}

export interface IdentityArguments {
  readonly access: AccessIndex;
  readonly storage: string;
  readonly signingKey: string;
  readonly address: PublicAddress;
  /** `MSK_SMTP_URL`. */
  readonly smtpUrl: string | null;
  /** `MSK_OAUTH_REGISTRATION`. */
  readonly takesOAuthRegistrations: boolean;
  /**
   * Called once a change of the workspace's settings, or of an interface, is committed; resolves
   * once it is served.
   */
  readonly onFrontEndChanged: () => Promise<void>;
}

/**
 * Sign-in, users, teams, tokens, and the settings of the workspace, put together; disposing writes
 * down what waits to be.
 */
export interface Identity extends AsyncDisposable {
  readonly identity: IdentityService;
  readonly running: RunningCallers;
  readonly tokens: TokenService;
  readonly sso: SsoService;
  readonly oauth: OAuthService;
  readonly passwordReset: PasswordResetService;
  readonly users: UserService;
  readonly teams: TeamService;
  readonly scim: ScimService;
  readonly principals: PrincipalService;
  readonly audit: AuditService;
  readonly workspace: WorkspaceSettings;
  readonly interfaces: Interfaces;
  readonly secrets: SecretService;
  /** For the requests of endpoint code. */
  readonly endpointSecrets: EndpointSecrets;
}

export function buildIdentity(foundation: Foundation, parts: IdentityArguments): Identity {
  const { reader, vault, logger, clock, preview } = foundation;
  const { access, storage, signingKey, address, smtpUrl, onFrontEndChanged } = parts;
  const signature = new TokenSignature(signingKey);
  const uses = new LastUses(vault, TOKEN_USES);
  const authenticator = new TokenAuthenticator({ ...foundation, signature, uses });
  const running = new RunningCallers(authenticator);
  const looking = setInterval(() => running.look(), CALLER_LOOK_INTERVAL_MS).unref();
  const granted = buildTokens(foundation, parts, { signature, uses });
  const { tokens, oauth } = granted;
  const devices = new KnownDevices(signingKey, clock);
  const teamsOf = (userUid: string): readonly string[] => access.teamsOf(userUid);
  const identity = new IdentityService({
    ...foundation,
    signature,
    authenticator,
    devices,
    teamsOf,
  });
  // Users and their providers' accounts are changed one at a time.
  const changes = new OneAtATime();
  const sso = new SsoService({
    ...foundation,
    changes,
    signingKey,
    publicAddress: address.configured,
    devices,
    fetch: preview === null ? fetch : refuseFetch,
    signInAs: (userUid, via, client) => identity.signInAs(userUid, via, client),
  });
  const interfaces = new Interfaces({
    ...foundation,
    folder: new DigestFolder(join(storage, FRONT_END_FOLDER)),
    onChanged: onFrontEndChanged,
  });
  const workspace = new WorkspaceSettings({
    ...foundation,
    hasInterface: (name) => interfaces.has(name),
    onSettingsChanged: onFrontEndChanged,
  });
  const mail =
    smtpUrl === null
      ? null
      : openMailSender({ smtpUrl, publicAddress: address.configured, logger });
  const secrets = buildSecrets(foundation, signingKey);
  const passwordReset = new PasswordResetService({ ...foundation, publicUrl: address.url, mail });
  return {
    identity,
    running,
    tokens,
    sso,
    oauth,
    passwordReset,
    ...buildPeople(foundation, { access, workspace, changes, publicUrl: address.url }),
    principals: new PrincipalService(reader),
    audit: new AuditService(reader),
    workspace,
    interfaces,
    secrets: secrets.service,
    endpointSecrets: secrets.endpointSecrets,
    [Symbol.asyncDispose]: async () => {
      clearInterval(looking);
      await secrets[Symbol.asyncDispose]();
      await passwordReset[Symbol.asyncDispose]();
      await mail?.[Symbol.asyncDispose]();
      await granted[Symbol.asyncDispose]();
    },
  };
}

interface PeopleArguments {
  readonly access: AccessIndex;
  readonly workspace: WorkspaceSettings;
  /** Changes of users. */
  readonly changes: OneAtATime;
  readonly publicUrl: () => string;
}

/** Users and teams, as people here and as identity providers change them. */
function buildPeople(
  foundation: Foundation,
  { access, workspace, changes, publicUrl }: PeopleArguments,
): Pick<Identity, 'users' | 'teams' | 'scim'> {
  const teamChanges = new OneAtATime();
  return {
    users: new UserService({ ...foundation, access, changes }),
    teams: new TeamService({ ...foundation, access, settings: workspace, changes: teamChanges }),
    scim: new ScimService({ ...foundation, userChanges: changes, teamChanges, publicUrl }),
  };
}

/** Identity providers know nothing of a preview. */
function refuseFetch(): Promise<never> {
  return Promise.reject(new Error('a preview asks no identity provider'));
}

interface BuiltSecrets extends AsyncDisposable {
  readonly service: SecretService;
  readonly endpointSecrets: EndpointSecrets;
}

/** A replica writes nothing, also not when a secret was used there last. */
function buildSecrets(
  { vault, commits, audit, clock, logger, isReplica }: Foundation,
  signingKey: string,
): BuiltSecrets {
  const secrets = new StoredSecrets(vault, signingKey);
  const uses = new LastUses(vault, SECRET_USES);
  const audited = new SecretUses({ audit, clock });
  const flush = startPeriodic(
    LAST_USE_FLUSH_INTERVAL_MS,
    async () => {
      audited.flush();
      if (!isReplica) await uses.flush(commits, []);
    },
    (error) => logger.warn({ err: error }, 'the last use of secrets was not written'),
  );
  return {
    service: new SecretService({ secrets, uses, commits, audit, clock }),
    endpointSecrets: new EndpointSecrets({ secrets, uses, audited, clock }),
    [Symbol.asyncDispose]: async () => {
      audited.flush(true);
      await flush[Symbol.asyncDispose]();
    },
  };
}

interface BuiltTokens extends AsyncDisposable {
  readonly tokens: TokenService;
  readonly oauth: OAuthService;
}

/** Tokens that administrators make, and those that users grant to MCP clients. */
function buildTokens(
  foundation: Foundation,
  { signingKey, takesOAuthRegistrations: takesRegistrations }: IdentityArguments,
  { signature, uses }: { readonly signature: TokenSignature; readonly uses: LastUses },
): BuiltTokens {
  const { logger, isReplica } = foundation;
  const parts = { ...foundation, signature, uses, tokenChanges: new OneAtATime() };
  const tokens = new TokenService(parts);
  const oauth = new OAuthService({ ...parts, signingKey, takesRegistrations });
  const kept = new AsyncDisposableStack();
  if (!isReplica) {
    kept.use(keepTokenUse(tokens, logger));
    kept.use(keepGrants(oauth, logger));
  }
  return { tokens, oauth, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function keepTokenUse(tokens: TokenService, logger: Logger): AsyncDisposable {
  return startPeriodic(
    LAST_USE_FLUSH_INTERVAL_MS,
    () => tokens.flush(),
    (error) => logger.warn({ err: error }, 'the last use of tokens was not written'),
  );
}

function keepGrants(oauth: OAuthService, logger: Logger): AsyncDisposable {
  return startPeriodic(
    OAUTH_CLEAR_INTERVAL_MS,
    () => oauth.clear(),
    (error) => logger.warn({ err: error }, 'grants that ended long ago were not deleted'),
  );
}
