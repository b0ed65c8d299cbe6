import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  type Configuration,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  ResponseBodyError,
} from 'openid-client';
import type { OidcClients, OidcClientSettings } from './oidc-clients.ts';
import {
  GOOGLE_ISSUER,
  isMicrosoftTenant,
  type OidcProvider,
  type OidcSettings,
  type OidcTarget,
} from './oidc-settings.ts';
import {
  checkDomain,
  domainOf,
  groupNames,
  normalEmail,
  personName,
  type ProvenIdentity,
} from './proven-identity.ts';
import { isSafeAddress } from './provider-fetch.ts';
import { type Beginner, browserHash, isSameBrowser, type SealedStates } from './sealed-states.ts';
import { signInFailed, stateInvalid, userNotAllowed } from './sso-problems.ts';

/** What one sign-in must remember from its start to its return. */
export interface OidcState {
  readonly provider: OidcProvider;
  /** The mark of the browser that began it. */
  readonly browser: string;
  /** A mark that it brought then: on the way back from another site it brings none. */
  readonly device?: string;
  readonly verifier: string;
  readonly nonce: string;
  readonly returnTo: string;
}

/**
 * The authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, section 3.1; RFC
 * 9700).
 */
export class OidcSignIn {
  readonly #clients: OidcClients;
  readonly #states: SealedStates<OidcState>;

  constructor(clients: OidcClients, states: SealedStates<OidcState>) {
    this.#clients = clients;
    this.#states = states;
  }

  /**
   * The provider's page to send the browser to. Throws `sso_failed` when the provider cannot be
   * asked where that is.
   */
  async begin(
    target: OidcTarget,
    { browser, device }: Beginner,
    returnTo: string,
  ): Promise<string> {
    const { provider, settings, redirectUri } = target;
    const verifier = randomPKCECodeVerifier();
    const nonce = randomNonce();
    const known = device === undefined ? {} : { device };
    const state = { provider, browser: browserHash(browser), ...known, verifier, nonce, returnTo };
    return failingAs(provider, async () => {
      const client = await this.#clients.of(provider, clientSettings(target));
      const url = buildAuthorizationUrl(client, {
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: settings.scopes.join(' '),
        state: this.#states.seal(state),
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      if (!isSafeAddress(url)) throw signInFailed(provider, 'provider_address_not_safe');
      return url.href;
    });
  }

  /** The sign-in that this answer belongs to, which it uses up; throws `sso_state_invalid`. */
  resume(provider: OidcProvider, sealed: string | null, browser: string | undefined): OidcState {
    const opened = sealed === null ? undefined : this.#states.open(sealed);
    if (opened === undefined) throw stateInvalid();
    const { state } = opened;
    if (state.provider !== provider || !isSameBrowser(state.browser, browser)) throw stateInvalid();
    if (!opened.use()) throw stateInvalid();
    return state;
  }

  /**
   * The identity of the person who came back. Throws `sso_failed`, and the refusals of
   * `identityFromClaims`.
   */
  async complete(
    target: OidcTarget,
    state: OidcState,
    answer: URLSearchParams,
  ): Promise<ProvenIdentity> {
    const { provider, settings, redirectUri } = target;
    const claims = await failingAs(provider, async () => {
      const client = await this.#clients.of(provider, clientSettings(target));
      return readClaims(client, new URL(`${redirectUri}?${answer.toString()}`), state, settings);
    });
    return identityFromClaims(settings, claims);
  }
}

async function readClaims(
  client: Configuration,
  answer: URL,
  { verifier, nonce }: OidcState,
  settings: OidcSettings,
): Promise<Claims> {
  const tokens = await authorizationCodeGrant(client, answer, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    // Compared before, by the seal: here it only has to be the same text.
    expectedState: must(answer.searchParams.get('state'), 'the state of the answer'),
    idTokenExpected: true,
  });
  const idToken = must(tokens.claims(), 'the claims of the ID token');
  const wanted = [
    'email',
    ...(isMicrosoftTenant(idToken.iss) ? [] : ['email_verified']),
    ...(isMapped(settings) ? [settings.groupsClaim] : []),
  ];
  const isComplete = wanted.every((claim) => idToken[claim] !== undefined);
  if (isComplete || client.serverMetadata().userinfo_endpoint === undefined) return idToken;
  const userInfo = await fetchUserInfo(client, tokens.access_token, idToken.sub);
  // An address and whether it is verified belong together.
  const { email, email_verified } = idToken.email_verified === undefined ? userInfo : idToken;
  return { ...userInfo, ...idToken, email: email ?? idToken.email, email_verified };
}

function isMapped({ groupTeams }: OidcSettings): boolean {
  return Object.keys(groupTeams).length > 0;
}

function clientSettings({ settings, clientSecret }: OidcTarget): OidcClientSettings {
  return { issuer: settings.issuer, clientId: settings.clientId, clientSecret };
}

/** The one place where what goes wrong with a provider becomes a problem. */
async function failingAs<T>(provider: OidcProvider, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw signInFailed(provider, reasonOf(error), error);
  }
}

/** Codes of OAuth errors, which an answer can make up, are cut down to what a code can be. */
function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return /^[a-z_]{1,60}$/.test(error.error) ? error.error : 'provider_error';
  }
  if (error instanceof ClientError) return (error.code ?? 'invalid_answer').toLowerCase();
  return 'provider_unreachable';
}

/**
 * The claims of an ID token whose signature, issuer, audience, nonce and expiry are checked, and
 * those of the user info.
 */
type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

/**
 * Throws `sso_user_not_allowed` without a verified address, `sso_domain_not_allowed` for a foreign
 * one.
 */
export function identityFromClaims(settings: OidcSettings, claims: Claims): ProvenIdentity {
  const email = verifiedEmail(claims);
  checkHostedDomain(claims, email, settings.allowedDomains);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    firstName: personName(claims['given_name']),
    lastName: personName(claims['family_name']),
    fullName: personName(claims['name']),
    groups: groupsOf(claims, settings.groupsClaim),
  };
}

/**
 * Null where there are too many to tell: then nobody knows which they are (Microsoft calls it the
 * groups overage).
 */
function groupsOf(claims: Claims, name: string): readonly string[] | null {
  const elsewhere = claims['_claim_names'];
  const isCutOff =
    claims['hasgroups'] !== undefined ||
    (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name));
  return claims[name] === undefined && isCutOff ? null : groupNames(claims[name]);
}

/**
 * Microsoft has no claim that says so: the tenant that may sign in answers for the addresses of its
 * people, but not for those of its guests.
 */
function isVouchedForByTenant(claims: Claims): boolean {
  const isGuest = claims['idp'] !== undefined && claims['idp'] !== claims.iss;
  return (
    claims['email_verified'] === undefined &&
    claims['xms_edov'] !== false &&
    !isGuest &&
    isMicrosoftTenant(claims.iss)
  );
}

function verifiedEmail(claims: Claims): string {
  const isVouchedFor = isVouchedForByTenant(claims);
  const email = normalEmail(
    isVouchedFor ? (claims['email'] ?? claims['preferred_username']) : claims['email'],
  );
  if (!isVouchedFor && claims['email_verified'] !== true)
    throw userNotAllowed('email_not_verified');
  return email;
}

/**
 * Google verifies addresses of any domain for accounts that the domain's owner has no power over;
 * only `hd` says that the account is the organisation's.
 */
function checkHostedDomain(
  { iss, hd }: Claims,
  email: string,
  allowedDomains: readonly string[],
): void {
  if (typeof hd === 'string') checkDomain(hd.toLowerCase(), allowedDomains);
  else if (iss === GOOGLE_ISSUER && !GOOGLES_OWN_DOMAINS.has(domainOf(email))) {
    throw userNotAllowed('email_not_verified');
  }
}

const GOOGLES_OWN_DOMAINS: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);
