import type { Scope, TokenKind } from '@trellis/contract/rights.ts';

/**
 * A kind of token as people know it, and what one of it carries (open-shapes, section 3;
 * specification, section 2.1).
 */
export interface TokenVariant {
  readonly kind: TokenKind;
  readonly label: string;
  readonly hint: string;
  /** The scopes that are proposed, for a kind that has scopes. */
  readonly scopes?: readonly Scope[];
  /** Whether it is for the endpoints below a path. */
  readonly hasPath?: true;
  readonly actingUser?: 'optional' | 'required';
}

export const TOKEN_VARIANTS: readonly TokenVariant[] = [
  {
    kind: 'api',
    label: 'API',
    hint: 'Scripts, CI jobs and the command line, with named scopes.',
    scopes: [],
  },
  {
    kind: 'endpoint',
    label: 'Endpoint',
    hint: 'Other systems that call custom endpoints.',
    hasPath: true,
    actingUser: 'optional',
  },
  {
    kind: 'llm-openai',
    label: 'LLM router, OpenAI style',
    hint: 'OpenAI-style clients of the LLM router, as one user.',
    actingUser: 'required',
  },
  {
    kind: 'llm-anthropic',
    label: 'LLM router, Anthropic style',
    hint: 'Anthropic-style clients of the LLM router, as one user.',
    actingUser: 'required',
  },
  {
    kind: 'connector',
    label: 'Data connector',
    hint: 'Programs that bring data in with the connector library.',
    scopes: ['ingestion'],
  },
  {
    kind: 'automation',
    label: 'Automation service',
    hint: 'A service that runs endpoints and scheduled tasks.',
    scopes: ['endpoints:run', 'admin:tasks'],
  },
  {
    kind: 'interface',
    label: 'Interface upload',
    hint: 'Uploads of custom interfaces, and nothing else.',
  },
  { kind: 'mcp', label: 'MCP', hint: 'MCP clients, as one user.', actingUser: 'required' },
];

export function variantOf(kind: TokenKind): TokenVariant {
  return TOKEN_VARIANTS.find((variant) => variant.kind === kind) ?? { kind, label: kind, hint: '' };
}

export function isTokenKind(text: string | undefined): text is TokenKind {
  return TOKEN_VARIANTS.some(({ kind }) => kind === text);
}
