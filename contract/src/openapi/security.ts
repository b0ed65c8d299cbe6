import type { Operation } from '../operation.ts';
import { type Scope, scopes, scopesOf, TOKEN_KINDS, type TokenKind } from '../rights.ts';

type Requirement = Readonly<Record<string, readonly string[]>>;

/** The schemes by the kind of token; a session is one more. */
const SCHEMES: Readonly<Record<TokenKind, string>> = {
  api: 'apiToken',
  connector: 'connectorToken',
  automation: 'automationToken',
  endpoint: 'endpointToken',
  'llm-openai': 'llmOpenAiToken',
  'llm-anthropic': 'llmAnthropicToken',
  interface: 'interfaceToken',
  mcp: 'mcpToken',
};
const API_KEY = 'llmAnthropicKey';

/** The kinds of tokens that can carry a scope. */
const SCOPED: readonly TokenKind[] = ['api', 'connector', 'automation'];

const DESCRIPTIONS: Readonly<Record<TokenKind, string>> = {
  api: 'A token of kind `api`, with the scopes that are named.',
  connector: 'A token of kind `connector`, with the scopes that are named.',
  automation: 'A token of kind `automation`, with the scopes that are named.',
  endpoint: 'A token of kind `endpoint`: it runs the endpoints that its path covers.',
  'llm-openai': "A token of kind `llm-openai`, for clients that speak OpenAI's protocol.",
  'llm-anthropic': "A token of kind `llm-anthropic`, for clients that speak Anthropic's protocol.",
  interface: 'A token of kind `interface`: it uploads custom interfaces.',
  mcp: 'A token of kind `mcp`, for assistants that speak the Model Context Protocol.',
};

export function securitySchemes(): Record<string, object> {
  const bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
  const scopeList = Object.entries(scopes).map(([scope, purpose]) => `- \`${scope}\`: ${purpose}`);
  return {
    session: {
      ...bearer,
      description:
        'The session of a user, from `POST /api/login/create` or an identity provider. A name with it is what the user must be: `admin` ' +
        'a system administrator, read-only ones included; `admin-write` one with write access; or the role that is named instead.',
    },
    ...Object.fromEntries(
      TOKEN_KINDS.map((kind) => {
        const more = SCOPED.includes(kind) ? `\n\nScopes:\n${scopeList.join('\n')}` : '';
        return [SCHEMES[kind], { ...bearer, description: DESCRIPTIONS[kind] + more }];
      }),
    ),
    [API_KEY]: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'A token of kind `llm-anthropic`, where the clients of that protocol put it.',
    },
  };
}

/** Each of them is enough by itself; none at all for what anybody may call. */
export function securityOf(operation: Operation): readonly Requirement[] {
  const { auth, role, tokens = [], tokenHeader } = operation;
  if (auth === 'none') return [];
  return [
    ...sessionsOf(auth, role),
    ...scopesOf(operation).flatMap((scope) => SCOPED.map((kind) => ({ [SCHEMES[kind]]: [scope] }))),
    ...tokens.map((kind) => ({ [SCHEMES[kind]]: [] })),
    ...(tokenHeader === undefined ? [] : [{ [API_KEY]: [] }]),
  ];
}

/** A custom endpoint takes a session, or a token with that scope. */
export function securityOfRuns(scope: Scope): readonly Requirement[] {
  return [{ session: [] }, ...SCOPED.map((kind) => ({ [SCHEMES[kind]]: [scope] }))];
}

export function securityOfTokenRuns(): readonly Requirement[] {
  return [{ [SCHEMES.endpoint]: [] }];
}

function sessionsOf(auth: Operation['auth'], role: Operation['role']): readonly Requirement[] {
  if (auth === 'token') return [];
  if (auth === 'session') return [{ session: [] }];
  return [{ session: [auth] }, ...(role === undefined ? [] : [{ session: [role] }])];
}
