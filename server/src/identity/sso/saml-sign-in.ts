import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { groupNames, normalEmail, personName, type ProvenIdentity } from './proven-identity.ts';
import {
  checkAssertion,
  type CheckedAssertion,
  samlClient,
  SamlRefusal,
} from './saml-assertion.ts';
import type { SamlProvider, ServiceProvider } from './saml-settings.ts';
import {
  type Beginner,
  browserHash,
  type OpenedState,
  type SealedStates,
} from './sealed-states.ts';
import { signInFailed, stateInvalid } from './sso-problems.ts';
import { SAML_USED_ASSERTIONS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { parseRecord, type VaultReader, vaultRecord, type VaultWrite } from '../vault.ts';

/** What one sign-in must remember from its request to the response; it travels as RelayState. */
export interface SamlState {
  /** Name of the provider. */
  readonly provider: string;
  readonly requestId: string;
  readonly browser: string;
  readonly device?: string;
  readonly returnTo: string;
}

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const TRANSIENT_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

export interface SamlSignInParts {
  readonly states: SealedStates<SamlState>;
  readonly usedAssertions: UsedAssertions;
  readonly clock: Clock;
}

/**
 * The Web Browser SSO profile: request by redirect, response by post (SAML 2.0 Profiles, section
 * 4.1).
 */
export class SamlSignIn {
  readonly #parts: SamlSignInParts;

  constructor(parts: SamlSignInParts) {
    this.#parts = parts;
  }

  /** The provider's page to send the browser to, with the request in it. */
  async begin(
    name: string,
    provider: SamlProvider,
    serviceProvider: ServiceProvider,
    { browser, device }: Beginner,
    returnTo: string,
  ): Promise<{ url: string; id: string }> {
    const id = `_${randomBytes(20).toString('hex')}`;
    const client = await samlClient(provider, serviceProvider, id);
    const relayState = this.#parts.states.seal({
      provider: name,
      requestId: id,
      browser: browserHash(browser),
      ...(device === undefined ? {} : { device }),
      returnTo,
    });
    return { url: await client.getAuthorizeUrlAsync(relayState, undefined, {}), id };
  }

  /**
   * The sign-in that a response belongs to. Throws `sso_failed` when it belongs to none,
   * `sso_state_invalid` for a wrong one.
   */
  resume(relayState: string | undefined): OpenedState<SamlState> {
    if (relayState === undefined || relayState === '') throw signInFailed('saml', 'unsolicited');
    const opened = this.#parts.states.open(relayState);
    if (opened === undefined) throw stateInvalid();
    return opened;
  }

  /**
   * Who the provider says it is. Throws `sso_failed`, and `sso_user_not_allowed` without an
   * address.
   */
  async complete(
    provider: SamlProvider,
    serviceProvider: ServiceProvider,
    { state, use }: OpenedState<SamlState>,
    samlResponse: string,
  ): Promise<{ identity: ProvenIdentity; claim: AssertionClaim }> {
    const via = `saml/${state.provider}`;
    const now = this.#parts.clock.now();
    let assertion: CheckedAssertion;
    try {
      assertion = await checkAssertion(
        samlResponse,
        provider,
        serviceProvider,
        state.requestId,
        now,
      );
    } catch (error) {
      throw error instanceof SamlRefusal ? signInFailed(via, error.reason, error) : error;
    }
    const { id, endsAt } = assertion;
    const claim = this.#parts.usedAssertions.claim(provider.idpIssuer, id, endsAt);
    if (claim === undefined) throw signInFailed(via, 'assertion_replayed');
    try {
      if (!use()) throw signInFailed(via, 'request_answered_before');
      return { identity: identityFromAssertion(provider, assertion), claim };
    } catch (error) {
      claim.settle();
      throw error;
    }
  }
}

export function identityFromAssertion(
  { idpIssuer, attributes: names }: SamlProvider,
  { nameId, nameIdFormat, attributes }: CheckedAssertion,
): ProvenIdentity {
  const first = (name: string): unknown => groupNames(attributes[name])[0];
  const named = nameIdFormat === EMAIL_FORMAT ? nameId : undefined;
  return {
    issuer: idpIssuer,
    subject: nameIdFormat === TRANSIENT_FORMAT ? null : nameId,
    email: normalEmail(first(names.email) ?? named),
    firstName: personName(first(names.firstName)),
    lastName: personName(first(names.lastName)),
    fullName: null,
    groups:
      attributes[`${names.groups}.link`] === undefined || attributes[names.groups] !== undefined
        ? groupNames(attributes[names.groups])
        : null,
  };
}

const PREFIX = 'saml-assertion/';

/** An assertion that was accepted; kept until it would not be accepted any more by its age. */
interface UsedAssertion {
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** Every assertion is accepted once, also across a restart (SAML 2.0 Profiles, section 4.1.4.5). */
export class UsedAssertions {
  readonly #vault: VaultReader;
  readonly #clock: Clock;
  /** Accepted, and perhaps not yet in the vault. */
  readonly #accepting = new Set<string>();

  constructor(vault: VaultReader, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /**
   * Accepts the assertion, or answers undefined when it was accepted before. The records must be
   * committed with what it does; then, or when that fails, `settle` ends the claim.
   */
  claim(issuer: string, assertionId: string, endsAt: number): AssertionClaim | undefined {
    const key = keyOf(issuer, assertionId);
    if (this.#accepting.has(key) || this.#vault.get(key) !== undefined) return undefined;
    const kept = this.#vault.list(PREFIX);
    const now = this.#clock.now();
    const ended = kept.filter(
      ({ key: old, value }) => parseRecord(old, value, isUsed).endsAt <= now,
    );
    if (kept.length - ended.length >= SAML_USED_ASSERTIONS_MAX) {
      throw new Problem('too_many_requests', 'Too many people sign in with SAML at the moment.');
    }
    this.#accepting.add(key);
    return {
      records: [
        ...ended.map(({ key: old }) => ({ key: old, value: null })),
        vaultRecord(key, { endsAt } satisfies UsedAssertion),
      ],
      settle: () => void this.#accepting.delete(key),
    };
  }
}

export interface AssertionClaim {
  readonly records: readonly VaultWrite[];
  settle(): void;
}

function keyOf(issuer: string, assertionId: string): string {
  const hash = createHash('sha256').update(JSON.stringify([issuer, assertionId]));
  return PREFIX + hash.digest('base64url');
}

function isUsed(record: { readonly endsAt?: unknown }): record is UsedAssertion {
  return typeof record.endsAt === 'number';
}
