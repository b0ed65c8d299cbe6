import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  OAUTH_ID_CHARACTERS_MAX,
  OAUTH_REDIRECT_URIS_SENT_MAX,
  OAUTH_TEXT_CHARACTERS_MAX,
} from '../request-limits.ts';

/** Names of members are those of the protocol, not of this interface. */

const text = z.string().max(OAUTH_TEXT_CHARACTERS_MAX);
const clientId = z.string().max(OAUTH_ID_CHARACTERS_MAX);

/** RFC 9728, section 2. */
export const protectedResource = z.strictObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  resource_name: z.string(),
});

/** RFC 8414, section 2. */
export const authorizationServer = z.strictObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  /** Only where clients may register themselves. */
  registration_endpoint: z.string().optional(),
  revocation_endpoint: z.string(),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  /** RFC 9207. */
  authorization_response_iss_parameter_supported: z.boolean(),
});

/** RFC 7591, section 2. Other members mean nothing here. */
export const oauthRegistration = z.object({
  redirect_uris: z.array(text).max(OAUTH_REDIRECT_URIS_SENT_MAX),
  client_name: text.optional(),
});

/** RFC 7591, section 3.2.1. */
export const oauthClient = z.strictObject({
  client_id: z.string(),
  client_id_issued_at: z.number(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
  scope: z.string(),
});

/** A client as administrators see it: it has a grant, or one of them has registered it. */
export const oauthClientRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Empty when the client got its grants from an older server, which did not keep them. */
  redirectUris: z.array(z.string()),
  /** UID of the administrator who registered it; null for one that did so itself. */
  createdBy: z.string().nullable(),
  registeredAt: z.iso.datetime().nullable(),
  /** How many there are now. */
  grants: z.int().min(0),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type OAuthClientRecord = Immutable<z.infer<typeof oauthClientRecord>>;

/** RFC 6749, section 4.1.1, with RFC 7636 and 8707. Other parameters mean nothing here. */
export const authorizationQuery = z.object({
  response_type: text.optional(),
  client_id: clientId.optional(),
  redirect_uri: text.optional(),
  scope: text.optional(),
  state: text.optional(),
  code_challenge: text.optional(),
  code_challenge_method: text.optional(),
  resource: text.optional(),
});

/** RFC 6749, sections 4.1.3 and 6. */
export const oauthTokenRequest = z.object({
  grant_type: text.optional(),
  client_id: clientId.optional(),
  code: clientId.optional(),
  code_verifier: text.optional(),
  redirect_uri: text.optional(),
  refresh_token: text.optional(),
  resource: text.optional(),
  scope: text.optional(),
});

/** RFC 6749, section 5.1. */
export const oauthTokens = z.strictObject({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Seconds. */
  expires_in: z.number(),
  refresh_token: z.string(),
  scope: z.string(),
});

/** RFC 7009, section 2.1. */
export const oauthRevocation = z.object({
  token: z.string().max(OAUTH_ID_CHARACTERS_MAX),
  token_type_hint: text.optional(),
  client_id: clientId,
});

/** A request of a client, as its page has it. */
export const oauthRequestText = z.string().max(OAUTH_ID_CHARACTERS_MAX);

/** What the user is asked. */
export const oauthConsent = z.strictObject({
  client: z.string(),
  redirectHost: z.string(),
  resource: z.string(),
  tools: z.array(
    z.strictObject({ name: z.string(), description: z.string(), isReadOnly: z.boolean() }),
  ),
  /** All of them, also those that are not listed. */
  toolsTotal: z.number(),
});
export type OAuthConsent = Immutable<z.infer<typeof oauthConsent>>;
