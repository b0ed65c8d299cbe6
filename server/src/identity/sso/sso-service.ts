import { randomBytes } from 'node:crypto';
import type { AuditTrail, Doer } from '#access/audit-event.ts';
import type { Clock } from '#base/clock.ts';
import { SSO_HANDOVER_LIFETIME_MS, SSO_STATE_LIFETIME_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { SSO_RETURN_PATH_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { IssuedSession } from '@trellis/contract/shapes/sso.ts';
import type { KnownDevices } from '../known-devices.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import type { VaultReader } from '../vault.ts';
import { OidcClients } from './oidc-clients.ts';
import {
  admissionRules,
  OIDC_PROVIDER_NAMES,
  OidcConfig,
  type OidcConfigChange,
  type OidcConfigView,
  type OidcProvider,
} from './oidc-settings.ts';
import { OidcSignIn, type OidcState } from './oidc-sign-in.ts';
import type { Fetch } from './provider-fetch.ts';
import { samlMetadata } from './saml-assertion.ts';
import { SamlConfig, type SamlConfigView, type SamlProvidersChange } from './saml-settings.ts';
import { SamlSignIn, type SamlState, UsedAssertions } from './saml-sign-in.ts';
import { type Beginner, browserSecret, isSameBrowser, SealedStates } from './sealed-states.ts';
import { SettingStore } from './setting-change.ts';
import { SsoAccounts } from './sso-accounts.ts';
import { stateInvalid } from './sso-problems.ts';
import { type SsoOutcome, SsoThrottle } from '../login-throttle.ts';

export interface SsoParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Changes of users, one after the other. */
  readonly changes: OneAtATime;
  readonly fetch: Fetch;
  /** `MSK_PUBLIC_ADDRESS`, without a slash at the end. */
  readonly publicAddress: string | null;
  /** `MSK_JWT_KEY`, or the key in the storage folder: sign-ins under way outlive a restart. */
  readonly signingKey: string;
  /** A session for a user who has proven who they are; refuses one who is not active. */
  readonly signInAs: (userUid: string, via: string, address: string) => IssuedSession;
  readonly devices: KnownDevices;
}

/** The problems that count as failures of whoever tries: not a full disk, or two tries at once. */
const REFUSALS: ReadonlySet<string> = new Set([
  'sso_failed',
  'sso_domain_not_allowed',
  'sso_user_not_allowed',
]);

/** Sign-in at identity providers, with OpenID Connect and SAML (specification, section 4.2). */
export class SsoService {
  /** Whether browsers reach this workspace over TLS, so that its cookies may be theirs only. */
  readonly isSecure: boolean;
  readonly #parts: SsoParts;
  readonly #oidcConfig: OidcConfig;
  readonly #oidc: OidcSignIn;
  readonly #samlConfig: SamlConfig;
  readonly #saml: SamlSignIn;
  readonly #accounts: SsoAccounts;
  readonly #handOver: HandOver;
  readonly #throttle: SsoThrottle;

  constructor(parts: SsoParts) {
    const { reader, vault, commits, audit, clock, publicAddress, signingKey: secret } = parts;
    this.#parts = parts;
    this.isSecure = publicAddress?.startsWith('https:') ?? false;
    const settings = new SettingStore(reader, commits, audit);
    const config = { reader, vault, settings, publicAddress };
    const state = { secret, lifetimeMs: SSO_STATE_LIFETIME_MS, clock };
    this.#oidcConfig = new OidcConfig(config);
    this.#oidc = new OidcSignIn(
      new OidcClients(parts.fetch, clock),
      new SealedStates<OidcState>({ ...state, purpose: 'oidc' }),
    );
    this.#samlConfig = new SamlConfig(config);
    this.#saml = new SamlSignIn({
      states: new SealedStates<SamlState>({ ...state, purpose: 'saml' }),
      usedAssertions: new UsedAssertions(vault, clock),
      clock,
    });
    this.#throttle = new SsoThrottle(clock);
    this.#accounts = new SsoAccounts(parts);
    // A secret of this process only: what it knows of used codes it does not know after a restart.
    const codes = new SealedStates<Arrived>({
      secret: randomBytes(32),
      purpose: 'hand-over',
      lifetimeMs: SSO_HANDOVER_LIFETIME_MS,
      clock,
    });
    this.#handOver = new HandOver(codes, publicAddress ?? '');
  }

  getConfig(provider: OidcProvider): OidcConfigView {
    return this.#oidcConfig.view(provider);
  }

  setConfig(
    editor: Doer,
    provider: OidcProvider,
    change: OidcConfigChange,
  ): Promise<OidcConfigView> {
    return this.#oidcConfig.change(editor, provider, change);
  }

  /** Whether there is a SAML provider that people may sign in with. */
  takesSaml(): boolean {
    return this.#samlConfig.enabled().length > 0;
  }

  getSamlConfig(): SamlConfigView {
    return this.#samlConfig.view();
  }

  setSamlConfig(
    editor: Doer,
    { providers }: { readonly providers: SamlProvidersChange },
  ): Promise<SamlConfigView> {
    return this.#samlConfig.change(editor, providers);
  }

  /** For a page to sign in on: each with the path that begins it. */
  providers(): { items: { provider: string; name: string; loginUrl: string }[] } {
    const oidc = this.#oidcConfig.enabled().map((provider) => ({
      provider,
      name: OIDC_PROVIDER_NAMES[provider],
      loginUrl: `/api/${provider}/get-login-url`,
    }));
    const saml = this.#samlConfig.enabled().map((name) => {
      const issuer = encodeURIComponent(this.#samlConfig.serviceProvider().entityId);
      return {
        provider: `saml/${name}`,
        name,
        loginUrl: `/api/saml/createrequest/${name}/${issuer}/${encodeURIComponent('/')}`,
      };
    });
    return { items: [...oidc, ...saml] };
  }

  /** `browser` is the secret to leave in the browser's cookie. */
  async begin(
    provider: OidcProvider,
    returnTo: string,
    visitor: Pick<Visitor, 'browser' | 'marks'>,
  ): Promise<{ url: string; browser: string }> {
    const target = this.#oidcConfig.target(provider);
    const beginner = this.#beginner(visitor);
    const { browser } = beginner;
    return { url: await this.#oidc.begin(target, beginner, returnTo), browser };
  }

  async complete(
    provider: OidcProvider,
    answer: URLSearchParams,
    visitor: Visitor,
  ): Promise<Arrival> {
    const target = this.#oidcConfig.target(provider);
    const state = this.#oidc.resume(provider, answer.get('state'), visitor.browser);
    const { address } = visitor;
    const who = { address, device: state.device };
    const userUid = await this.#audited(provider, who, async (isAt) => {
      const identity = await this.#oidc.complete(target, state, answer);
      isAt(identity.email);
      const rules = admissionRules(target.settings);
      return this.#accounts.admit(identity, rules, { via: provider, address });
    });
    return this.#arrive(
      { userUid, via: provider, browser: state.browser },
      state.returnTo,
      visitor,
    );
  }

  /**
   * `issuer` must be our entity id; `destination` a path to return to, or the provider's entry
   * point.
   */
  async beginSaml(
    request: {
      readonly providerName: string;
      readonly issuer: string;
      readonly destination: string;
    },
    visitor: Pick<Visitor, 'browser' | 'marks'>,
  ): Promise<{ url: string; id: string; browser: string }> {
    const { provider, serviceProvider } = this.#samlConfig.target(request.providerName);
    const returnTo = returnPathOf(request, provider.entryPoint, serviceProvider.entityId);
    const beginner = this.#beginner(visitor);
    const { providerName } = request;
    return {
      ...(await this.#saml.begin(providerName, provider, serviceProvider, beginner, returnTo)),
      browser: beginner.browser,
    };
  }

  async completeSaml(
    form: { readonly SAMLResponse: string; readonly RelayState?: string | undefined },
    visitor: Visitor,
  ): Promise<Arrival> {
    const opened = this.#saml.resume(form.RelayState);
    const { state } = opened;
    // A browser brings its cookie when it exchanges the code: not here, where another site sends it
    // to.
    if (visitor.wantsSession && !isSameBrowser(state.browser, visitor.browser))
      throw stateInvalid();
    const { provider, serviceProvider } = this.#samlConfig.target(state.provider);
    const via = `saml/${state.provider}`;
    const { address } = visitor;
    const who = { address, device: state.device };
    const userUid = await this.#audited(via, who, async (isAt) => {
      const { identity, claim } = await this.#saml.complete(
        provider,
        serviceProvider,
        opened,
        form.SAMLResponse,
      );
      isAt(identity.email);
      try {
        return await this.#accounts.admit(identity, provider, { via, address }, claim.records);
      } finally {
        claim.settle();
      }
    });
    return this.#arrive({ userUid, via, browser: state.browser }, state.returnTo, visitor);
  }

  /** XML for the provider's administrator. Throws `sso_not_configured` without a public address. */
  samlMetadata(): Promise<string> {
    return samlMetadata(this.#samlConfig.serviceProvider());
  }

  /** The session of a sign-in that ended in a redirect. */
  exchange(code: string, visitor: Visitor): SignedIn {
    const { userUid, via } = this.#handOver.take(code, visitor.browser);
    return this.#signIn(userUid, via, visitor);
  }

  #signIn(userUid: string, via: string, { address, marks }: Visitor): SignedIn {
    const { signInAs, devices } = this.#parts;
    return { session: signInAs(userUid, via, address), marks: devices.mark(userUid, marks) };
  }

  #beginner({ browser, marks }: Pick<Visitor, 'browser' | 'marks'>): Beginner {
    const device = this.#parts.devices.anyDevice(marks);
    return { browser: browserSecret(browser), device };
  }

  #arrive(arrived: Arrived, returnTo: string, visitor: Visitor): Arrival {
    const { userUid, via } = arrived;
    return visitor.wantsSession
      ? this.#signIn(userUid, via, visitor)
      : { location: this.#handOver.location(arrived, returnTo) };
  }

  /**
   * Records a sign-in that was refused, with its user as soon as that is proven. A request that
   * never was a sign-in leaves no trace.
   */
  async #audited(
    via: string,
    { address, device }: { readonly address: string; readonly device: string | undefined },
    run: (isAt: (email: string) => void) => Promise<string>,
  ): Promise<string> {
    const end = await this.#throttle.begin(address, device);
    let outcome: SsoOutcome = 'untried';
    let proven: { readonly email: string } | undefined;
    try {
      const userUid = await run((email) => (proven = { email }));
      outcome = 'admitted';
      return userUid;
    } catch (error) {
      if (error instanceof Problem && REFUSALS.has(error.code)) {
        outcome = 'refused';
        this.#parts.audit.record({
          action: 'login.failed',
          actor: null,
          target: { kind: 'provider', id: via },
          outcome: 'failure',
          address,
          details: { code: error.code, ...error.details, ...proven },
        });
      }
      throw error;
    } finally {
      end(outcome);
    }
  }
}

/** The browser or program at the other end. */
export interface Visitor {
  /** The secret of its cookie, when it brings one. */
  readonly browser: string | undefined;
  /** The marks that the browser keeps of earlier sign-ins. */
  readonly marks: string | undefined;
  readonly address: string;
  /** Whether a program asks, which wants the session as the answer instead of a page to go to. */
  readonly wantsSession: boolean;
}

export type Arrival = SignedIn | { readonly location: string };

/** `marks` is what the browser shall keep from now on. */
interface SignedIn {
  readonly session: IssuedSession;
  readonly marks: string;
}

/** A path of this workspace: nothing that a browser could take for another site. */
const RETURN_PATH = /^\/(?![/\\])[^\\\p{C}]*$/u;

/**
 * Where a SAML sign-in leads; the problem `invalid_request` for an issuer that is not ours, or a
 * destination elsewhere.
 */
export function returnPathOf(
  request: { readonly issuer: string; readonly destination: string },
  entryPoint: string,
  entityId: string,
): string {
  if (request.issuer !== entityId) {
    throw invalidSegment('issuer', `must be the entity id of this workspace, ${entityId}`);
  }
  if (request.destination === entryPoint) return '/';
  if (
    RETURN_PATH.test(request.destination) &&
    request.destination.length <= SSO_RETURN_PATH_CHARACTERS_MAX
  ) {
    return request.destination;
  }
  throw invalidSegment(
    'destination',
    "must be a path of this workspace or the provider's entry point",
  );
}

function invalidSegment(path: string, message: string): Problem {
  return new Problem('invalid_request', `path, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}

/** Somebody who has signed in and whose browser has not fetched the session yet. */
interface Arrived {
  readonly userUid: string;
  readonly via: string;
  /** The browser in which the sign-in began: no other one gets the session. */
  readonly browser: string;
}

/**
 * How a session reaches the front end without standing in an address, a log or a history: the
 * redirect carries a code in the fragment, which the same browser exchanges for the session, once
 * and soon.
 */
class HandOver {
  readonly #codes: SealedStates<Arrived>;
  readonly #publicAddress: string;

  constructor(codes: SealedStates<Arrived>, publicAddress: string) {
    this.#codes = codes;
    this.#publicAddress = publicAddress;
  }

  /**
   * Where to send the browser: the page `#/signed-in` of the front end, which goes on to
   * `returnTo`.
   */
  location(arrived: Arrived, returnTo: string): string {
    const query = new URLSearchParams({ code: this.#codes.seal(arrived), returnTo });
    return `${this.#publicAddress}/#/signed-in?${query.toString()}`;
  }

  /** Throws `sso_state_invalid`. */
  take(code: string, browser: string | undefined): Arrived {
    const opened = this.#codes.open(code);
    if (opened === undefined || !isSameBrowser(opened.state.browser, browser)) throw stateInvalid();
    if (!opened.use()) throw stateInvalid();
    return opened.state;
  }
}
