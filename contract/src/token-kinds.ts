/**
 * The kinds of tokens an administrator can mint (specification, section 2.1; open-shapes, section
 * 3).
 */
export const TOKEN_KINDS = [
  'api',
  'endpoint',
  'llm-openai',
  'llm-anthropic',
  'connector',
  'automation',
  'interface',
  'mcp',
] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];
