import type { HttpServices } from '../services.ts';

/** Sign-in at providers that say yes to everybody, and settings that stay as they are. */
export function memorySso(): HttpServices['sso'] {
  const session = { token: 'h.c.s', expiresAt: '2026-11-21T00:00:00.000Z' };
  const config = {
    enabled: false,
    clientId: '',
    issuer: '',
    scopes: ['openid'],
    allowedDomains: [],
    groupsClaim: 'groups',
    groupTeams: {},
    createUsers: true,
    hasClientSecret: false,
    redirectUri: null,
  };
  const saml = { providers: {}, entityId: null, acsUrl: null };
  const arrival: HttpServices['sso']['complete'] = async (_provider, _answer, { wantsSession }) =>
    wantsSession
      ? { session, marks: 'm' }
      : { location: 'https://trellis.example/#/signed-in?code=c' };
  return {
    isSecure: true,
    getConfig: () => config,
    setConfig: async () => config,
    takesSaml: () => true,
    getSamlConfig: () => saml,
    setSamlConfig: async () => saml,
    providers: () => ({ items: [{ provider: 'oktasso', name: 'Okta', loginUrl: '/api' }] }),
    begin: async (_provider, _returnTo, { browser }) => ({
      url: 'https://provider.example/authorize',
      browser: browser ?? 'secret',
    }),
    complete: arrival,
    beginSaml: async (_request, { browser }) => ({
      url: 'https://provider.example/saml',
      id: '_1',
      browser: browser ?? 'secret',
    }),
    completeSaml: async (_form, visitor) => arrival('oktasso', new URLSearchParams(), visitor),
    samlMetadata: () => '<EntityDescriptor/>',
    exchange: () => ({ session, marks: 'm' }),
  };
}
