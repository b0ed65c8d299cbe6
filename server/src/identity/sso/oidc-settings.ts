import { checkAddress } from './provider-address.ts';
import type { AdmissionRules } from './proven-identity.ts';
import { invalidSetting } from './setting-change.ts';

/** The prefixes of the specification, section 4.2, with the names that people know. */
export const OIDC_PROVIDER_NAMES = {
  googlesso: 'Google',
  microsoftsso: 'Microsoft',
  oktasso: 'Okta',
  auth0sso: 'Auth0',
} as const;

export type OidcProvider = keyof typeof OIDC_PROVIDER_NAMES;

export const OIDC_PROVIDERS = Object.keys(OIDC_PROVIDER_NAMES) as readonly OidcProvider[];

export const GOOGLE_ISSUER = 'https://accounts.google.com';

export interface OidcSettings extends AdmissionRules {
  readonly enabled: boolean;
  /** Empty until it is given, as the issuer. */
  readonly clientId: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
}

/** As the contract has it: what is left out stays. */
export type OidcSettingsChange = {
  readonly [Name in keyof OidcSettings]?: OidcSettings[Name] | undefined;
};

export function oidcSettings(provider: OidcProvider, stored: unknown): OidcSettings {
  return {
    enabled: false,
    clientId: '',
    issuer: provider === 'googlesso' ? GOOGLE_ISSUER : '',
    scopes: ['openid', 'email', 'profile'],
    allowedDomains: [],
    groupsClaim: 'groups',
    groupTeams: {},
    createUsers: true,
    ...(stored as Partial<OidcSettings> | undefined),
  };
}

/** Tenants of Microsoft's that anybody can be in: their addresses are whatever their owner wrote. */
const SHARED_TENANTS = /^\/(?:common|organizations|consumers)(?:\/|$)/;

/** Throws `invalid_request` for settings that could not work, or that would let in the wrong people. */
export function checkOidcSettings(provider: OidcProvider, settings: OidcSettings): void {
  const { enabled, clientId, issuer, scopes } = settings;
  if (!scopes.includes('openid')) throw invalidSetting('scopes', 'must include "openid"');
  if (issuer !== '') {
    const { pathname, search } = checkAddress('issuer', issuer);
    if (search !== '') throw invalidSetting('issuer', 'must have no query');
    if (provider === 'microsoftsso' && SHARED_TENANTS.test(pathname)) {
      throw invalidSetting(
        'issuer',
        'must name your own tenant: https://login.microsoftonline.com/<tenant>/v2.0',
      );
    }
  }
  if (!enabled) return;
  if (clientId === '') throw invalidSetting('clientId', 'is needed to enable the provider');
  if (issuer === '') throw invalidSetting('issuer', 'is needed to enable the provider');
}
