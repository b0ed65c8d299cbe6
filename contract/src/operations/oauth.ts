import { z } from 'zod';
import { uidText } from '../bounded-shapes.ts';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import { tokenRecord } from '../shapes/token.ts';
import {
  authorizationQuery,
  authorizationServer,
  oauthClient,
  oauthClientRecord,
  oauthConsent,
  oauthRegistration,
  oauthRequestText,
  oauthRevocation,
  oauthTokenRequest,
  oauthTokens,
  protectedResource,
} from '../shapes/oauth.ts';

const open = { area: 'oauth', auth: 'none' } as const;
const asked = { area: 'oauth', auth: 'session' } as const;
const form = { consumes: ['application/x-www-form-urlencoded'] } as const;

const clientInPath = z.object({ id: uidText.min(1) });

const resource = {
  ...open,
  method: 'GET',
  responses: { 200: { description: 'What the MCP server is.', body: protectedResource } },
  errors: [],
  onReplica: 'serve',
} as const;

export const operations = withIds({
  getProtectedResource: {
    ...resource,
    path: '/.well-known/oauth-protected-resource',
    summary: 'Describe the MCP server to clients, and where they get tokens (RFC 9728).',
  },

  getMcpResource: {
    ...resource,
    path: '/.well-known/oauth-protected-resource/api/mcp',
    summary: 'The same, where clients look first that know the path of the MCP server.',
  },

  getAuthorizationServer: {
    ...open,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    responses: { 200: { description: 'Its addresses.', body: authorizationServer } },
    errors: [],
    onReplica: 'serve',
    summary: 'Describe the authorization server of the MCP server to clients (RFC 8414).',
  },

  registerOAuthClient: {
    ...open,
    method: 'POST',
    path: '/api/oauth/register',
    body: oauthRegistration,
    responses: { 201: { description: 'The client, with its id.', body: oauthClient } },
    errors: ['invalid_redirect_uri', 'oauth_registration_off'],
    onReplica: 'redirect',
    summary: 'Register an MCP client (RFC 7591).',
  },

  authorizeOAuthClient: {
    ...open,
    method: 'GET',
    path: '/api/oauth/authorize',
    query: authorizationQuery,
    responses: {
      303: { description: 'To the page that asks the user; or back to the client with an error.' },
    },
    errors: ['invalid_client', 'invalid_redirect_uri'],
    onReplica: 'redirect',
    summary: 'Take the browser of a user whom an MCP client asks for access (OAuth 2.1).',
  },

  createOAuthTokens: {
    ...open,
    ...form,
    method: 'POST',
    path: '/api/oauth/token',
    body: oauthTokenRequest,
    responses: {
      200: { description: 'An access token and the next refresh token.', body: oauthTokens },
    },
    errors: [
      'invalid_client',
      'invalid_grant',
      'invalid_target',
      'unsupported_grant_type',
      ...STORE_ERRORS,
    ],
    onReplica: 'redirect',
    summary: 'Exchange a code, or a refresh token, for tokens (OAuth 2.1).',
  },

  revokeOAuthToken: {
    ...open,
    ...form,
    method: 'POST',
    path: '/api/oauth/revoke',
    body: oauthRevocation,
    responses: { 200: { description: 'The grant has ended, if there was one.' } },
    errors: ['invalid_client', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'End a grant by one of its tokens (RFC 7009).',
  },

  describeOAuthRequest: {
    ...asked,
    sdk: 'oauth.describe',
    method: 'POST',
    path: '/api/oauth/request',
    body: z.strictObject({ request: oauthRequestText }),
    responses: { 200: { description: 'Who asks, and for what.', body: oauthConsent } },
    errors: ['oauth_request_invalid'],
    onReplica: 'serve',
    summary: 'Tell the user which MCP client asks for access, and what it could do.',
  },

  decideOAuthRequest: {
    ...asked,
    sdk: 'oauth.decide',
    method: 'POST',
    path: '/api/oauth/consent',
    body: z.strictObject({ request: oauthRequestText, allow: z.boolean() }),
    responses: {
      200: {
        description: 'Where to send the browser.',
        body: z.strictObject({ redirectTo: z.string() }),
      },
    },
    errors: ['oauth_request_invalid'],
    onReplica: 'redirect',
    summary: 'Let an MCP client act as you, or refuse it.',
  },
  createOAuthClient: {
    sdk: 'oauth.createClient',
    area: 'oauth',
    auth: 'admin-write',
    method: 'POST',
    path: '/api/oauth/clients',
    body: oauthRegistration,
    responses: { 201: { description: 'The client, with its id.', body: oauthClient } },
    errors: ['invalid_redirect_uri', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'Register an MCP client for users, also where clients may not do so themselves.',
  },

  listOAuthClients: {
    sdk: 'oauth.clients',
    area: 'oauth',
    auth: 'admin',
    method: 'GET',
    path: '/api/oauth/clients',
    query: pageQuery,
    responses: {
      200: { description: 'Clients, newest first.', body: listOf(oauthClientRecord) },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'List the MCP clients that act as users, or that administrators have registered.',
  },

  listOAuthClientGrants: {
    sdk: 'oauth.clientGrants',
    area: 'oauth',
    auth: 'admin',
    method: 'GET',
    path: '/api/oauth/clients/{id}/grants',
    params: clientInPath,
    query: pageQuery,
    responses: { 200: { description: 'Grants, newest first.', body: listOf(tokenRecord) } },
    errors: ['oauth_client_not_found'],
    onReplica: 'serve',
    summary: 'List the users as whom an MCP client acts.',
  },

  withdrawOAuthClient: {
    sdk: 'oauth.withdrawClient',
    area: 'oauth',
    auth: 'admin-write',
    method: 'DELETE',
    path: '/api/oauth/clients/{id}',
    params: clientInPath,
    responses: { 204: { description: 'Withdrawn; its tokens are refused from the next request.' } },
    errors: ['oauth_client_not_found', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'End all access of an MCP client, for good.',
  },

  listOAuthGrants: {
    ...asked,
    sdk: 'oauth.grants',
    method: 'GET',
    path: '/api/oauth/grants',
    query: pageQuery,
    responses: { 200: { description: 'Grants, newest first.', body: listOf(tokenRecord) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the MCP clients that act as you.',
  },

  endOAuthGrant: {
    ...asked,
    sdk: 'oauth.endGrant',
    method: 'DELETE',
    path: '/api/oauth/grants/{id}',
    params: z.object({ id: uidText.min(1) }),
    responses: { 204: { description: 'Ended; the client is refused from the next request.' } },
    errors: ['token_not_found', ...STORE_ERRORS],
    onReplica: 'redirect',
    summary: 'End what you have granted to an MCP client.',
  },
} as const satisfies Rows);
