/**
 * The roles of users who are no administrators; an administrator holds all of them (open-shapes,
 * section 3).
 */
export const ROLES = ['CanManageSynonyms', 'CanManageUsers', 'CanManageTeams'] as const;
export type Role = (typeof ROLES)[number];

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

/** The scopes of an API token and what each is for (specification, section 2.2). */
export const scopes = {
  ingestion: 'create and update nodes and edges',
  'ingestion:acl': 'additionally ingest access-control data (RestrictAccessTo*)',
  read: 'run graph queries',
  search: 'run searches',
  'admin:backup': 'snapshot and restore',
  'admin:tasks': 'scheduled-task management',
  'admin:webhooks': 'webhooks, which are told of every change',
  'admin:connectors': 'connectors, which bring sources into the workspace',
  'admin:scim': 'users and teams, as an identity provider keeps them (SCIM)',
  'endpoints:run': 'invoke custom endpoints',
  deploy: 'export, compare and import definitions',
} as const;

export type Scope = keyof typeof scopes;

export const SCOPES = Object.keys(scopes) as readonly Scope[];

/** Scopes that only tokens of kind `automation` can have. */
const AUTOMATION_SCOPES: readonly Scope[] = ['deploy'];

/** The scopes that a token of a kind can have, if it can have any. */
export function scopesFor(kind: TokenKind): readonly Scope[] {
  if (kind === 'automation') return SCOPES;
  return SCOPES.filter((scope) => !AUTOMATION_SCOPES.includes(scope));
}

/** The scopes of an operation: each is enough to call it. */
export function scopesOf({
  scope,
}: {
  readonly scope?: Scope | readonly Scope[];
}): readonly Scope[] {
  return scope === undefined ? [] : [scope].flat();
}
