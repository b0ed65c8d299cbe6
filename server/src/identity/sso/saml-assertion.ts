import {
  SAML_ASSERTION_AGE_MAX_MS,
  SAML_ATTRIBUTES_MAX,
  SAML_CLOCK_SKEW_MS,
  SAML_ELEMENTS_MAX,
} from '#base/limits.ts';
import type { Profile, SAML } from '@node-saml/node-saml';
import type { SamlProvider, ServiceProvider } from './saml-settings.ts';

/**
 * A checked assertion: the provider has signed every statement below, and means it for us, now, and
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

const DECLARATION = /^<\?xml [^<>?]*\?>[ \t\r\n]*/;
const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const START = new RegExp(`<(${NAME})`, 'y');
const ATTRIBUTE = new RegExp(
  `[ \\t\\r\\n]+(${NAME})[ \\t\\r\\n]*=[ \\t\\r\\n]*("[^"<]*"|'[^'<]*')`,
  'y',
);
const START_END = /[ \t\r\n]*(\/?)>/y;
const END = new RegExp(`</(${NAME})[ \\t\\r\\n]*>`, 'y');
const TEXT = /[^<]+/y;
const UNKNOWN_REFERENCE = /&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i;

/** The element at the root, as it is written. */
interface XmlRoot {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Whether a text is XML as every reader of XML understands it alike: elements, attributes and text,
 * well-formed, with no document type, comment, CDATA, processing instruction or unknown reference,
 * and not many of them. The library that checks signatures takes quadratic time for large documents
 * and prints what it finds odd, so that it is shown nothing else. Undefined when it is not. In one
 * pass; entities of values are not resolved.
 */
export function readPlainXml(text: string): XmlRoot | undefined {
  if (UNKNOWN_REFERENCE.test(text)) return undefined;
  const xml = text.replace(DECLARATION, '').trimEnd();
  const open: string[] = [];
  let root: XmlRoot | undefined;
  let elements = 0;
  let attributes = 0;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(xml);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < xml.length) {
    const end = take(END);
    if (end !== null) {
      if (open.pop() !== end[1]) return undefined;
      continue;
    }
    if (open.length > 0 && take(TEXT) !== null) continue;
    const name = take(START)?.[1];
    if (name === undefined || (open.length === 0 && root !== undefined)) return undefined;
    const own = new Map<string, string>();
    for (let found = take(ATTRIBUTE); found !== null; found = take(ATTRIBUTE)) {
      const [, attribute = '', quoted = ''] = found;
      if (own.has(attribute)) return undefined;
      own.set(attribute, quoted.slice(1, -1));
    }
    const tail = take(START_END);
    if (tail === null) return undefined;
    if (tail[1] === '') open.push(name);
    attributes += own.size;
    if (++elements > SAML_ELEMENTS_MAX || attributes > SAML_ATTRIBUTES_MAX) return undefined;
    root ??= { name, attributes: own };
  }
  return open.length === 0 ? root : undefined;
}

/**
 * Reads the tree that the SAML library makes of signed XML: an element is an object with its
 * attributes under "$", its text under "_", and under each local name the list of its children of
 * that name.
 */
function childrenOf(element: unknown, name: string): readonly unknown[] {
  const found = memberOf(element, name);
  if (found === undefined) return [];
  return Array.isArray(found) ? found : [found];
}

function attributeOf(element: unknown, name: string): string | undefined {
  const value = memberOf(memberOf(element, '$'), name);
  return typeof value === 'string' ? value : undefined;
}

function textOf(element: unknown): string | undefined {
  const text = typeof element === 'string' ? element : memberOf(element, '_');
  return typeof text === 'string' ? text : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
