import type { SsoConfig, SsoConfigChange, SsoProvider } from '@trellis/contract/shapes/sso.ts';
import { groupTeamsOf, type GroupTeam, rowsOf } from './group-teams.ts';

interface OidcProviderText {
  readonly provider: SsoProvider;
  readonly label: string;
  readonly issuerHint: string;
}

/** The providers of OpenID Connect (specification, section 4.2). */
export const OIDC_PROVIDERS: readonly OidcProviderText[] = [
  {
    provider: 'googlesso',
    label: 'Google',
    issuerHint: 'Set already: https://accounts.google.com',
  },
  {
    provider: 'microsoftsso',
    label: 'Microsoft',
    issuerHint: 'With your own tenant: https://login.microsoftonline.com/<tenant>/v2.0',
  },
  {
    provider: 'oktasso',
    label: 'Okta',
    issuerHint: 'Your domain, such as https://example.okta.com',
  },
  {
    provider: 'auth0sso',
    label: 'Auth0',
    issuerHint: 'Your domain, such as https://example.auth0.com/',
  },
];

export interface OidcValues {
  enabled: boolean;
  clientId: string;
  /** Blank keeps the one that is set. */
  clientSecret: string;
  removesSecret: boolean;
  issuer: string;
  scopes: readonly string[];
  groupsClaim: string;
  allowedDomains: readonly string[];
  createUsers: boolean;
  groupTeams: readonly GroupTeam[];
}

export function oidcValuesOf(config: SsoConfig): OidcValues {
  const { hasClientSecret: _has, redirectUri: _uri, groupTeams, ...settings } = config;
  return {
    ...settings,
    clientSecret: '',
    removesSecret: false,
    groupTeams: rowsOf(groupTeams),
  };
}

/**
 * Only what is another: teams that are gone by now must not keep anybody from changing the rest.
 */
export function oidcChangeOf(before: SsoConfig, values: OidcValues): SsoConfigChange {
  const { clientSecret, removesSecret, groupTeams, ...settings } = values;
  const after = { ...settings, groupTeams: groupTeamsOf(groupTeams) };
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof after]),
  );
  return {
    ...Object.fromEntries(changed),
    ...(clientSecret !== '' && { clientSecret }),
    ...(removesSecret && clientSecret === '' && { clientSecret: null }),
  };
}
