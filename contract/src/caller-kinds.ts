/** The kinds of callers that the access table tells apart. */
export const CALLER_KINDS = [
  'nobody',
  'guest',
  'user',
  'team-administrator',
  'synonym-manager',
  'read-only-administrator',
  'administrator',
  'api-token',
  'api-token-without-scope',
  'endpoint-token',
  'endpoint-token-of-another-path',
  'llm-openai-token',
  'llm-anthropic-token',
  'connector-token',
  'automation-token',
  'interface-token',
  'mcp-token',
  'expired-token',
  'revoked-token',
  'token-of-another-key',
] as const;

export type CallerKind = (typeof CALLER_KINDS)[number];

/** `hidden`: 404, as if it were not there. Whoever is not named meets 401 without a valid token, else 403. */
export interface AccessRow {
  readonly allowed: readonly CallerKind[];
  readonly hidden?: readonly CallerKind[];
}
