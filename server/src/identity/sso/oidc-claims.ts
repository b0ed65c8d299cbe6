import { GOOGLE_ISSUER, type OidcProvider, type OidcSettings } from './oidc-settings.ts';
import {
  checkDomain,
  groupNames,
  normalEmail,
  personName,
  type ProvenIdentity,
} from './proven-identity.ts';
import { userNotAllowed } from './sso-problems.ts';

/** The claims of an ID token whose signature, issuer, audience, nonce and expiry are checked, and those of the user info. */
export type Claims = Readonly<Record<string, unknown>> & {
  readonly iss: string;
  readonly sub: string;
};

/** Throws `sso_user_not_allowed` without a verified address, `sso_domain_not_allowed` for a foreign one. */
export function identityFromClaims(
  provider: OidcProvider,
  settings: OidcSettings,
  claims: Claims,
): ProvenIdentity {
  checkHostedDomain(claims, settings.allowedDomains);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: verifiedEmail(provider, claims),
    firstName: personName(claims['given_name']),
    lastName: personName(claims['family_name']),
    fullName: personName(claims['name']),
    groups: groupNames(claims[settings.groupsClaim]),
  };
}

function verifiedEmail(provider: OidcProvider, claims: Claims): string {
  // Microsoft has no such claim: the one tenant that may sign in answers for the addresses of its people.
  const isVouchedFor = provider === 'microsoftsso' && claims['email_verified'] === undefined;
  const email = normalEmail(
    isVouchedFor ? (claims['email'] ?? claims['preferred_username']) : claims['email'],
  );
  if (!isVouchedFor && claims['email_verified'] !== true)
    throw userNotAllowed('email_not_verified');
  return email;
}

/**
 * Google verifies addresses of any domain for accounts that the domain's owner has no power over; only `hd` says that the
 * account is the organisation's.
 */
function checkHostedDomain(claims: Claims, allowedDomains: readonly string[]): void {
  const { hd } = claims;
  if (typeof hd === 'string') checkDomain(hd.toLowerCase(), allowedDomains);
  else if (claims.iss === GOOGLE_ISSUER) checkDomain('gmail.com', allowedDomains);
}
