import type { Operation } from '@trellis/contract/operation.ts';
import { operations } from '@trellis/contract/operations/oauth.ts';
import type { RegisteredClient } from '#identity/oauth/oauth-clients.ts';
import { MCP_PATH, MCP_SCOPE, type Reached } from '#identity/oauth/oauth-service.ts';
import {
  answer,
  type Answer,
  type Input,
  readInput,
  type Route,
  routesOf,
  sendJson,
  sendNoBody,
} from '../route.ts';
import { SEQUENCE } from '../headers.ts';
import type { Awaitable, HttpServices } from '../services.ts';

interface OAuthInput<O extends Operation> extends Input<O> {
  readonly reached: Reached;
}

/** A route for a client, or its browser, which may have come by any address of this server. */
function oauthRoute<const O extends Operation>(
  operation: O,
  handler: (input: OAuthInput<O>, services: HttpServices) => Awaitable<Answer<O>>,
  intake: 'json' | 'form' = 'json',
): Route {
  return {
    operation,
    intake,
    async handle(request, reply, { services, reachedBy }) {
      const input = { ...readInput(operation, request), reached: reachedBy(request) };
      const { status, body, headers = {} }: OwnAnswer = await handler(input, services);
      reply.code(status).headers(headers).header(SEQUENCE, services.sequence());
      return body === undefined ? sendNoBody(reply) : sendJson(reply, services, body);
    },
  };
}

interface OwnAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

function resourceOf({ base, issuer }: Reached, { workspace }: HttpServices) {
  return answer(200, {
    resource: base + MCP_PATH,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: [MCP_SCOPE],
    resource_name: workspace.current().name,
  });
}

/** What a client can do with the grants that it gets. */
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const RESPONSE_TYPES = ['code'];
/** A page lists no more tools. */
const LISTED_TOOLS_MAX = 200;

function serverOf({ issuer }: Reached, { oauth }: HttpServices) {
  const paths = `${issuer}/api/oauth`;
  return answer(200, {
    issuer,
    authorization_endpoint: `${paths}/authorize`,
    token_endpoint: `${paths}/token`,
    ...(oauth.takesRegistrations ? { registration_endpoint: `${paths}/register` } : {}),
    revocation_endpoint: `${paths}/revoke`,
    response_types_supported: RESPONSE_TYPES,
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [MCP_SCOPE],
    authorization_response_iss_parameter_supported: true,
  });
}

function told({ clientId, issuedMs, name, redirectUris }: RegisteredClient) {
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(issuedMs / 1_000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: GRANT_TYPES,
    response_types: RESPONSE_TYPES,
    token_endpoint_auth_method: 'none' as const,
    scope: MCP_SCOPE,
  };
}

export const oauthRoutes = routesOf(operations, {
  getProtectedResource: oauthRoute(operations.getProtectedResource, ({ reached }, services) =>
    resourceOf(reached, services),
  ),
  getMcpResource: oauthRoute(operations.getMcpResource, ({ reached }, services) =>
    resourceOf(reached, services),
  ),
  getAuthorizationServer: oauthRoute(operations.getAuthorizationServer, ({ reached }, services) =>
    serverOf(reached, services),
  ),
  registerOAuthClient: ({ body }, { oauth }) => answer(201, told(oauth.register(body))),
  createOAuthClient: async ({ caller, body, address }, { oauth }) =>
    answer(201, told(await oauth.createClient({ caller, address }, body))),
  listOAuthClients: ({ query }, { oauth }) => answer(200, oauth.listClients(query)),
  listOAuthClientGrants: ({ params, query }, { oauth, tokens }) =>
    answer(200, tokens.grantsIn(oauth.grantsOfClient(params.id), query)),
  withdrawOAuthClient: async ({ caller, params, address }, { oauth }) => {
    await oauth.withdrawClient({ caller, address }, params.id);
    return answer(204);
  },
  listOAuthGrants: ({ caller, query }, { tokens }) => answer(200, tokens.grants(caller, query)),
  endOAuthGrant: async ({ caller, params, address }, { tokens }) => {
    await tokens.endGrant(caller, params.id, address);
    return answer(204);
  },
  authorizeOAuthClient: oauthRoute(
    operations.authorizeOAuthClient,
    ({ query, reached }, { oauth }) => ({
      status: 303 as const,
      headers: { location: oauth.authorize(query, reached) },
    }),
  ),
  createOAuthTokens: oauthRoute(
    operations.createOAuthTokens,
    async ({ body, address }, { oauth }) => {
      const issued = await oauth.token(body, address);
      return answer(200, {
        access_token: issued.accessToken,
        token_type: 'Bearer' as const,
        expires_in: issued.expiresInSeconds,
        refresh_token: issued.refreshToken,
        scope: MCP_SCOPE,
      });
    },
    'form',
  ),
  revokeOAuthToken: oauthRoute(
    operations.revokeOAuthToken,
    async ({ body, address }, { oauth }) => {
      await oauth.revoke(body, address);
      return answer(200);
    },
    'form',
  ),
  describeOAuthRequest: ({ caller, body }, { oauth, mcp }) => {
    const { clientName, redirectHost, resource } = oauth.describe(body.request);
    const tools = mcp.tools(caller);
    return answer(200, {
      client: clientName,
      redirectHost,
      resource,
      tools: tools
        .slice(0, LISTED_TOOLS_MAX)
        .map(({ name, description, isReadOnly }) => ({ name, description, isReadOnly })),
      toolsTotal: tools.length,
    });
  },
  decideOAuthRequest: ({ caller, body }, { oauth }) =>
    answer(200, { redirectTo: oauth.decide(caller, body.request, body.allow) }),
});
