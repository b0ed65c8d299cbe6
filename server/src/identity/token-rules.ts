import type { TokenKind } from '@trellis/contract/token-kinds.ts';

/** What a token of one kind carries; what its rule does not give it, it neither takes nor has. */
export interface TokenRule {
  /**
   * For a kind that carries scopes those it has when none are named; null when they must be named.
   */
  readonly scopes?: readonly string[] | null;
  /** Whether it is limited to endpoints by a path. */
  readonly path?: true;
  /** Whether it acts as a user. */
  readonly actingUser?: 'optional' | 'required';
  /** The clients whose flavour of the LLM router it is for. */
  readonly flavour?: 'openai' | 'anthropic';
}

export const TOKEN_RULES: Readonly<Record<TokenKind, TokenRule>> = {
  api: { scopes: null },
  connector: { scopes: ['ingestion'] },
  automation: { scopes: ['endpoints:run', 'admin:tasks'] },
  endpoint: { path: true, actingUser: 'optional' },
  'llm-openai': { actingUser: 'required', flavour: 'openai' },
  'llm-anthropic': { actingUser: 'required', flavour: 'anthropic' },
  mcp: { actingUser: 'required' },
  interface: {},
};

export function isTokenKind(kind: unknown): kind is TokenKind {
  return typeof kind === 'string' && Object.hasOwn(TOKEN_RULES, kind);
}
