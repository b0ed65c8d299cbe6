import { GOOGLE_ISSUER, isMicrosoftTenant, type OidcSettings } from './oidc-settings.ts';
import {
  checkDomain,
  domainOf,
  groupNames,
  normalEmail,
  personName,
  type ProvenIdentity,
} from './proven-identity.ts';
import { userNotAllowed } from './sso-problems.ts';

/**
 * The claims of an ID token whose signature, issuer, audience, nonce and expiry are checked, and
 * those of the user info.
 */
export type Claims = Readonly<Record<string, unknown>> & {
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
