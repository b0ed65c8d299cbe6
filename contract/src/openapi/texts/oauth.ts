import { operations } from '../../operations/oauth.ts';
import { oauthErrorBody } from '../../errors.ts';
import * as oauth from '../../shapes/oauth.ts';
import { texts } from './property-texts.ts';

const REQUEST = {
  request: 'The request of the client, as the address of the page has it.',
} as const;
const CLIENT_ID = 'Id that the client got when it registered.';
const RESOURCE = 'URL of the MCP server that the tokens are for (RFC 8707).';
const REDIRECT = 'Address that gets the answer; one of those that the client registered.';

/** What OAuth clients send and read: its words are explained in the standards. */
export const oauthTexts = [
  ...texts(oauthErrorBody, {
    error: 'Word of the protocol for what is wrong, such as `invalid_grant`.',
    error_description: 'What is wrong, in a sentence for people.',
    traceId: 'Names this request in the log of the server; the same as `X-Request-Id`.',
  }),
  ...texts(oauth.protectedResource, {
    resource: 'URL of the MCP server.',
    authorization_servers: 'URLs of the servers that give tokens for it: this workspace.',
    bearer_methods_supported: 'How tokens are sent: in the header `Authorization`.',
    scopes_supported: 'Scopes that clients may ask for; there is one.',
    resource_name: 'Name of the workspace, for people.',
  }),
  ...texts(oauth.authorizationServer, {
    issuer: 'URL of the authorization server.',
    authorization_endpoint: 'Where to send the browser of the user.',
    token_endpoint: 'Where clients get tokens.',
    registration_endpoint: 'Where clients register; left out if they may not.',
    revocation_endpoint: 'Where clients end a grant.',
    response_types_supported: 'What comes back: a code.',
    response_modes_supported: 'How it comes back: in the query.',
    grant_types_supported: 'What tokens are given for.',
    token_endpoint_auth_methods_supported: 'How clients prove who they are: they have no secret.',
    revocation_endpoint_auth_methods_supported: 'The same when they end a grant.',
    code_challenge_methods_supported: 'How a client proves that a code is its own (RFC 7636).',
    scopes_supported: 'Scopes that clients may ask for; there is one.',
    authorization_response_iss_parameter_supported:
      'Whether answers name the authorization server (RFC 9207).',
  }),
  ...texts(oauth.oauthRegistration, {
    redirect_uris:
      'Addresses that may get answers: https, http of the own machine, or the scheme of an app.',
    client_name: 'Name of the client, which users read.',
  }),
  ...texts(oauth.oauthClient, {
    client_id: CLIENT_ID,
    client_id_issued_at: 'When the client registered, in seconds since 1970.',
    client_name: 'Name of the client, which users read.',
    redirect_uris: 'Addresses that may get answers.',
    grant_types: 'What the client may get tokens for.',
    response_types: 'What the client may ask the user for.',
    token_endpoint_auth_method: 'Always `none`: clients have no secret.',
    scope: 'Scope that the client may ask for.',
  }),
  ...texts(oauth.oauthClientRecord, {
    id: 'Id of the client in this list; the client itself knows another one.',
    name: 'Name that the client gave itself.',
    redirectUris: 'Addresses that may get answers; empty where an older server did not keep them.',
    createdBy: 'UID of the administrator who registered it; null for one that did so itself.',
    registeredAt: 'When it was registered; null where an older server did not keep it.',
    grants: 'How many users let it act as them now.',
    lastUsedAt: 'When it was used last, as any of them; null for never.',
  }),
  ...texts(operations.withdrawOAuthClient.params, { id: 'Id of the client, as the list has it.' }),
  ...texts(oauth.authorizationQuery, {
    response_type: 'What the client asks the user for; always `code`.',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT,
    scope: 'Means nothing: there is one scope.',
    state: 'Comes back with the answer.',
    code_challenge: 'SHA-256 of the verifier, in base64url (RFC 7636).',
    code_challenge_method: 'How the challenge was made of the verifier; always `S256`.',
    resource: RESOURCE,
  }),
  ...texts(oauth.oauthTokenRequest, {
    grant_type: '`authorization_code` or `refresh_token`.',
    client_id: CLIENT_ID,
    code: 'The code that came back; it is good once, for a minute.',
    code_verifier: 'The text whose SHA-256 was the challenge.',
    redirect_uri: REDIRECT,
    refresh_token: 'The last refresh token that the client got; it is good once.',
    resource: RESOURCE,
    scope: 'Means nothing: there is one scope.',
  }),
  ...texts(oauth.oauthTokens, {
    access_token: 'Token for the MCP server, as bearer token.',
    token_type: 'How the access token is sent; always `Bearer`.',
    expires_in: 'How many seconds the access token is valid.',
    refresh_token: 'What the client gets the next tokens for, once.',
    scope: 'Scope of the access token.',
  }),
  ...texts(oauth.oauthRevocation, {
    token: 'An access token or a refresh token; its grant ends.',
    token_type_hint: 'Means nothing: the server sees which one it is.',
    client_id: CLIENT_ID,
  }),
  ...texts(operations.endOAuthGrant.params, { id: 'Id of the grant, as the list has it.' }),
  ...texts(operations.describeOAuthRequest.body, REQUEST),
  ...texts(operations.decideOAuthRequest.body, {
    ...REQUEST,
    allow: 'Whether the client may act as the caller.',
  }),
  ...texts(operations.decideOAuthRequest.responses[200].body, {
    redirectTo: 'Address of the client, with the answer in its query.',
  }),
  ...texts(oauth.oauthConsent, {
    client: 'Name that the client gave itself.',
    redirectHost: 'Host that gets the answer, or the scheme of an app, such as `cursor:`.',
    resource: 'URL of the MCP server.',
    tools: [
      'What the client could call as the caller; of many the first.',
      {
        name: 'Name of the tool.',
        description: 'What the tool does.',
        isReadOnly: 'Whether the tool changes nothing.',
      },
    ],
    toolsTotal: 'How many tools there are.',
  }),
];
