import { z } from 'zod';
import { SAML_RESPONSE_CHARACTERS_MAX, SSO_TEXT_CHARACTERS_MAX } from '../limits.ts';
import { FORM_BODY_BYTES_MAX, SSO_STATE_CHARACTERS_MAX } from '../request-limits.ts';
import { withIds, type Rows } from '../operation.ts';
import {
  issuedSession,
  returnPath,
  samlConfig,
  samlConfigChange,
  samlProviderName,
  ssoConfig,
  ssoConfigChange,
  ssoProvider,
} from '../shapes/sso.ts';

const provider = z.object({ provider: ssoProvider });
const HANDED_OVER =
  'Signed in: leads to "/#/signed-in?code=...&returnTo=...", whose code exchangeLogin takes once.';
const SIGNED_IN_JSON = 'Signed in, for a client that asks with "Accept: application/json".';

const signIn = { area: 'sso', auth: 'none', onReplica: 'redirect' } as const;

export const operations = withIds({
  getSsoConfig: {
    sdk: 'sso.getConfig',
    area: 'sso',
    method: 'GET',
    path: '/api/{provider}/config',
    auth: 'admin',
    params: provider,
    responses: { 200: { description: 'The settings, without the secret.', body: ssoConfig } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read the settings of an OpenID Connect provider.',
  },

  setSsoConfig: {
    sdk: 'sso.setConfig',
    area: 'sso',
    method: 'POST',
    path: '/api/{provider}/config',
    auth: 'admin-write',
    params: provider,
    body: ssoConfigChange,
    responses: { 200: { description: 'The settings after the change.', body: ssoConfig } },
    errors: ['sso_needs_public_address', 'version_conflict'],
    onReplica: 'redirect',
    summary: 'Change the settings of an OpenID Connect provider.',
  },

  getLoginUrl: {
    ...signIn,
    sdk: 'sso.getLoginUrl',
    method: 'GET',
    path: '/api/{provider}/get-login-url',
    params: provider,
    query: z.object({ returnTo: returnPath.optional() }),
    responses: {
      200: {
        description: 'Where to send the browser, which gets a cookie that its return must bring.',
        body: z.strictObject({ url: z.url() }),
        headers: ['Set-Cookie'],
      },
    },
    errors: ['sso_not_configured', 'sso_failed'],
    summary: 'Begin a sign-in at an OpenID Connect provider.',
  },

  completeLogin: {
    ...signIn,
    sdk: 'sso.completeLogin',
    method: 'GET',
    path: '/api/{provider}/completed-login-attempt',
    params: provider,
    query: z.looseObject({ state: z.string().max(SSO_STATE_CHARACTERS_MAX).optional() }),
    responses: {
      200: { description: SIGNED_IN_JSON, body: issuedSession },
      303: { description: HANDED_OVER },
    },
    errors: [
      'sso_not_configured',
      'sso_state_invalid',
      'sso_failed',
      'sso_domain_not_allowed',
      'sso_user_not_allowed',
      'too_many_requests',
    ],
    summary: 'Take the browser back from an OpenID Connect provider.',
  },

  getSamlConfig: {
    sdk: 'sso.getSamlConfig',
    area: 'sso',
    method: 'GET',
    path: '/api/saml/config',
    auth: 'admin',
    responses: { 200: { description: 'The settings of all providers.', body: samlConfig } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read the settings of the SAML providers.',
  },

  setSamlConfig: {
    sdk: 'sso.setSamlConfig',
    area: 'sso',
    method: 'POST',
    path: '/api/saml/config',
    auth: 'admin-write',
    body: samlConfigChange,
    responses: { 200: { description: 'The settings after the change.', body: samlConfig } },
    errors: ['sso_needs_public_address', 'version_conflict'],
    onReplica: 'redirect',
    summary: 'Change the settings of SAML providers.',
  },

  createSamlRequest: {
    ...signIn,
    sdk: 'sso.createSamlRequest',
    method: 'GET',
    path: '/api/saml/createrequest/{providerName}/{issuer}/{destination}',
    params: z.object({
      providerName: samlProviderName,
      /** The entity id of this workspace. */
      issuer: z.string().max(SSO_TEXT_CHARACTERS_MAX),
      /** A path of this workspace to return to, or the provider's entry point. */
      destination: z.string().max(SSO_TEXT_CHARACTERS_MAX),
    }),
    responses: {
      200: {
        description: 'Where to send the browser with the AuthnRequest, and the id of the request.',
        body: z.strictObject({ url: z.url(), id: z.string() }),
        headers: ['Set-Cookie'],
      },
    },
    errors: ['sso_not_configured'],
    summary: 'Begin a sign-in at a SAML provider.',
  },

  consumeSamlResponse: {
    ...signIn,
    sdk: 'sso.consumeSamlResponse',
    method: 'POST',
    path: '/api/saml/acs',
    consumes: ['application/x-www-form-urlencoded'],
    bodyBytesMax: FORM_BODY_BYTES_MAX,
    body: z.object({
      SAMLResponse: z.string().min(1).max(SAML_RESPONSE_CHARACTERS_MAX),
      RelayState: z.string().max(SSO_TEXT_CHARACTERS_MAX).optional(),
    }),
    responses: {
      200: { description: SIGNED_IN_JSON, body: issuedSession },
      303: { description: HANDED_OVER },
    },
    errors: [
      'sso_not_configured',
      'sso_state_invalid',
      'sso_failed',
      'sso_domain_not_allowed',
      'sso_user_not_allowed',
      'too_many_requests',
    ],
    summary: 'Take the answer of a SAML provider.',
  },

  getSamlMetadata: {
    ...signIn,
    sdk: 'sso.getSamlMetadata',
    method: 'GET',
    path: '/api/saml/metadata',
    responses: {
      200: {
        description: 'What a SAML provider needs to know of this workspace.',
        body: z.string(),
        contentType: 'application/xml',
      },
    },
    errors: ['sso_not_configured'],
    summary: 'Describe this workspace to a SAML provider.',
  },

  listLoginProviders: {
    sdk: 'login.listProviders',
    area: 'sso',
    method: 'GET',
    path: '/api/login/providers',
    auth: 'none',
    responses: {
      200: {
        description: 'The providers to offer, each with the path that begins a sign-in.',
        body: z.strictObject({
          items: z.array(
            z.strictObject({ provider: z.string(), name: z.string(), loginUrl: z.string() }),
          ),
        }),
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'List the identity providers that can be signed in with.',
  },

  exchangeLogin: {
    ...signIn,
    sdk: 'login.exchange',
    method: 'POST',
    path: '/api/login/exchange',
    body: z.strictObject({ code: z.string().max(SSO_TEXT_CHARACTERS_MAX) }),
    responses: {
      200: {
        description: 'A session token and when it expires (ISO 8601, UTC).',
        body: issuedSession,
      },
    },
    errors: ['sso_state_invalid'],
    summary: 'Take the session of a sign-in at an identity provider, once and in the same browser.',
  },
} as const satisfies Rows);
