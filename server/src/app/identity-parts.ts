import { join } from 'node:path';
import type { AccessIndex } from '#access/access-index.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { RunningCallers } from '#access/running-callers.ts';
import { systemClock } from '#base/clock.ts';
import { CALLER_LOOK_INTERVAL_MS, TOKEN_USE_FLUSH_INTERVAL_MS } from '#base/limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { AuditService } from '#identity/audit-service.ts';
import { IdentityService } from '#identity/identity-service.ts';
import { KnownDevices } from '#identity/known-devices.ts';
import { OneAtATime } from '#identity/one-at-a-time.ts';
import { PasswordResetService } from '#identity/password-reset-service.ts';
import { PrincipalService } from '#identity/principal-service.ts';
import { SsoService } from '#identity/sso/sso-service.ts';
import { TeamService } from '#identity/team-service.ts';
import { TokenAuthenticator } from '#identity/token-authenticator.ts';
import { TokenService } from '#identity/token-service.ts';
import { TokenSignature } from '#identity/token-signature.ts';
import { TokenUse } from '#identity/token-use.ts';
import { UserService } from '#identity/user-service.ts';
import { WorkspaceSettings } from '#identity/workspace-settings.ts';
import type { VaultReader } from '#identity/vault.ts';
import type { Logger } from '#observe/logger.ts';
import { DigestFolder, FRONT_END_FOLDER } from './front-end/digest-folder.ts';
import { Interfaces } from './front-end/interfaces.ts';
import { openMailSender } from './mail-sender.ts';
import { startPeriodic } from './periodic.ts';

export interface IdentityOptions {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly signingKey: string;
  readonly access: AccessIndex;
  readonly logger: Logger;
  /** `MSK_PUBLIC_ADDRESS`. */
  readonly publicAddress: string | null;
  /** The same, or where this process listens. */
  readonly publicUrl: () => string;
  /** `MSK_SMTP_URL`. */
  readonly smtpUrl: string | null;
  /** Nothing is written here: the last use of tokens neither. */
  readonly isReplica: boolean;
  readonly storage: string;
  /** Called once a change of the workspace's settings, or of an interface, is committed; resolves once it is served. */
  readonly onFrontEndChanged: () => Promise<void>;
}

/** Sign-in, users, teams, tokens, and the settings of the workspace, put together; disposing writes down what waits to be. */
export interface IdentityParts extends AsyncDisposable {
  readonly identity: IdentityService;
  readonly running: RunningCallers;
  readonly tokens: TokenService;
  readonly sso: SsoService;
  readonly passwordReset: PasswordResetService;
  readonly users: UserService;
  readonly teams: TeamService;
  readonly principals: PrincipalService;
  readonly audit: AuditService;
  readonly workspace: WorkspaceSettings;
  readonly interfaces: Interfaces;
}

export function openIdentity(options: IdentityOptions): IdentityParts {
  const signature = new TokenSignature(options.signingKey);
  const uses = new TokenUse(options.vault);
  const { access, reader } = options;
  const teamsOf = (userUid: string): readonly string[] => access.teamsOf(userUid);
  const parts = {
    ...options,
    clock: systemClock,
    signature,
    uses,
    teamsOf,
    changes: new OneAtATime(),
  };
  const authenticator = new TokenAuthenticator(parts);
  const running = new RunningCallers(authenticator);
  const looking = setInterval(() => running.look(), CALLER_LOOK_INTERVAL_MS).unref();
  const tokens = new TokenService(parts);
  const housekeeping = options.isReplica ? undefined : keepTokenUse(tokens, options.logger);
  const devices = new KnownDevices(options.signingKey, systemClock);
  const identity = new IdentityService({ ...parts, authenticator, devices });
  const sso = new SsoService({
    ...parts,
    devices,
    fetch,
    signInAs: (userUid, via, address) => identity.signInAs(userUid, via, address),
  });
  const interfaces = new Interfaces({
    ...parts,
    folder: new DigestFolder(join(options.storage, FRONT_END_FOLDER)),
    chosen: () => workspace.current().interface,
    onChanged: options.onFrontEndChanged,
  });
  const workspace = new WorkspaceSettings({
    ...parts,
    hasInterface: (name) => interfaces.has(name),
    onSettingsChanged: options.onFrontEndChanged,
  });
  const { smtpUrl } = options;
  const mail = smtpUrl === null ? null : openMailSender({ ...options, smtpUrl });
  const passwordReset = new PasswordResetService({ ...parts, mail });
  return {
    identity,
    running,
    tokens,
    sso,
    passwordReset,
    users: new UserService(parts),
    teams: new TeamService({ ...parts, settings: workspace }),
    principals: new PrincipalService(reader),
    audit: new AuditService(reader),
    workspace,
    interfaces,
    [Symbol.asyncDispose]: async () => {
      clearInterval(looking);
      await passwordReset[Symbol.asyncDispose]();
      await mail?.[Symbol.asyncDispose]();
      await housekeeping?.[Symbol.asyncDispose]();
    },
  };
}

function keepTokenUse(tokens: TokenService, logger: Logger): AsyncDisposable {
  return startPeriodic(
    TOKEN_USE_FLUSH_INTERVAL_MS,
    () => tokens.flush(),
    (error) => logger.warn({ err: error }, 'the last use of tokens was not written'),
  );
}
