import type { Profile, SAML } from '@node-saml/node-saml';
import { SAML_ASSERTION_AGE_MAX_MS, SAML_CLOCK_SKEW_MS } from '#base/limits.ts';
import { attributeOf, childrenOf, readPlainXml, textOf } from './plain-xml.ts';
import type { SamlProvider } from './saml-settings.ts';

/** This workspace as a SAML service provider. */
export interface ServiceProvider {
  readonly entityId: string;
  readonly acsUrl: string;
}

/**
 * An assertion of which every statement below is signed by the provider and meant for us, now, and
 * for our request.
 */
export interface CheckedAssertion {
  readonly id: string;
  /** Milliseconds since the Unix epoch: when nobody would accept it any more. */
  readonly endsAt: number;
  readonly nameId: string | null;
  readonly nameIdFormat: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Why a response is refused; `reason` is a stable word. */
export class SamlRefusal extends Error {
  override readonly name = 'SamlRefusal';
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/**
 * `requestId` is the id of the request that it makes. The library is loaded only here: few
 * workspaces use it.
 */
export async function samlClient(
  provider: SamlProvider,
  { entityId, acsUrl }: ServiceProvider,
  requestId: string,
): Promise<SAML> {
  const { SAML: Client, ValidateInResponseTo } = await import('@node-saml/node-saml');
  return new Client({
    entryPoint: provider.entryPoint,
    idpCert: [...provider.idpCertificates],
    issuer: entityId,
    audience: entityId,
    callbackUrl: acsUrl,
    generateUniqueId: () => requestId,
    // The provider names people as it is set up to; how it knows them is its own matter.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    // One of the two must be signed, and only what is signed is read.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: SAML_CLOCK_SKEW_MS,
    maxAssertionAgeMs: SAML_ASSERTION_AGE_MAX_MS,
    // Checked below, against the signed part and without a cache.
    validateInResponseTo: ValidateInResponseTo.never,
  });
}

/** Throws a `SamlRefusal`. `requestId` is that of the request which the response must answer. */
export async function checkAssertion(
  samlResponse: string,
  provider: SamlProvider,
  serviceProvider: ServiceProvider,
  requestId: string,
  nowMs: number,
): Promise<CheckedAssertion> {
  refuseSuspiciousXml(samlResponse, serviceProvider);
  const profile = await signedProfile(
    samlResponse,
    await samlClient(provider, serviceProvider, requestId),
  );
  const [assertion] = childrenOf(profile.getAssertion?.(), 'Assertion');
  if (textOf(childrenOf(assertion, 'Issuer')[0]) !== provider.idpIssuer) {
    throw new SamlRefusal('wrong_issuer');
  }
  const id = attributeOf(assertion, 'ID');
  if (id === undefined) throw new SamlRefusal('assertion_without_id');
  if (childrenOf(assertion, 'AuthnStatement').length === 0) {
    throw new SamlRefusal('no_authentication');
  }
  const confirmedUntilMs = confirmedUntil(assertion, serviceProvider, requestId, nowMs);
  return {
    id,
    // Whatever it says of itself, it is refused as too old after that.
    endsAt: Math.min(confirmedUntilMs, nowMs + SAML_ASSERTION_AGE_MAX_MS + 2 * SAML_CLOCK_SKEW_MS),
    nameId: profile.nameID ?? null,
    nameIdFormat: profile.nameIDFormat ?? null,
    attributes: isRecord(profile['attributes']) ? profile['attributes'] : {},
  };
}

/**
 * Before anything reads it: no markup that attacks are made of, and no SHA-1. The destination is
 * checked here too, though only a signed response vouches for it.
 */
function refuseSuspiciousXml(samlResponse: string, { acsUrl }: ServiceProvider): void {
  const xml = Buffer.from(samlResponse, 'base64').toString('utf8');
  const root = readPlainXml(xml);
  if (root === undefined) throw new SamlRefusal('unusual_markup');
  // Written with character references it would be the same to who verifies, and not to this.
  if (/Algorithm\s*=\s*["'](?:[^"']*&|[^"']*(?:#|-)sha1["'])/i.test(xml)) {
    throw new SamlRefusal('weak_signature');
  }
  const destination = root.attributes.get('Destination');
  if (destination !== undefined && destination.replaceAll('&amp;', '&') !== acsUrl) {
    throw new SamlRefusal('wrong_destination');
  }
}

async function signedProfile(samlResponse: string, client: SAML): Promise<Profile> {
  try {
    const { profile } = await client.validatePostResponseAsync({ SAMLResponse: samlResponse });
    if (profile !== null) return profile;
  } catch (error) {
    throw new SamlRefusal(reasonOf(error), error);
  }
  throw new SamlRefusal('no_assertion');
}

/** The library tells its errors apart by their text only. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/signature/i.test(message)) return 'invalid_signature';
  if (/audience/i.test(message)) return 'wrong_audience';
  if (/expired|not yet valid|subject confirmation/i.test(message)) return 'expired';
  if (/provider returned/i.test(message)) return 'refused_by_provider';
  return 'invalid_response';
}

/**
 * The end of a bearer confirmation that is for us and for this request (SAML 2.0 Profiles, section
 * 4.1.4.3).
 */
function confirmedUntil(
  assertion: unknown,
  { acsUrl }: ServiceProvider,
  requestId: string,
  nowMs: number,
): number {
  const [subject] = childrenOf(assertion, 'Subject');
  const bearers = childrenOf(subject, 'SubjectConfirmation')
    .filter((confirmation) => attributeOf(confirmation, 'Method') === BEARER)
    .flatMap((confirmation) => childrenOf(confirmation, 'SubjectConfirmationData'));
  const forUs = bearers.filter((data) => attributeOf(data, 'Recipient') === acsUrl);
  if (forUs.length === 0) throw new SamlRefusal('wrong_recipient');
  const answering = forUs.filter((data) => attributeOf(data, 'InResponseTo') === requestId);
  if (answering.length === 0) throw new SamlRefusal('not_our_request');
  const ends = answering
    .map((data) => Date.parse(attributeOf(data, 'NotOnOrAfter') ?? ''))
    .map((end) => end + SAML_CLOCK_SKEW_MS)
    .filter((end) => end > nowMs);
  if (ends.length === 0) throw new SamlRefusal('expired');
  return Math.max(...ends);
}

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export async function samlMetadata({ entityId, acsUrl }: ServiceProvider): Promise<string> {
  const { generateServiceProviderMetadata } = await import('@node-saml/node-saml');
  return generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
  });
}
