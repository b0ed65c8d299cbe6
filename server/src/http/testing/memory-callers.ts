import type { Caller } from '#access/caller.ts';

/** A caller for each kind of token there is; the token is the name. */
export const CALLERS = {
  admin: caller({ isAdmin: true }),
  'read-only-admin': caller({ isReadOnlyAdmin: true }),
  user: caller({}),
  guest: caller({ isGuest: true }),
  'synonym-manager': caller({ roles: ['CanManageSynonyms'] }),
  'ingestion-token': caller({ kind: 'api', userUid: null, scopes: ['ingestion'] }),
  'acl-token': caller({ kind: 'connector', userUid: null, scopes: ['ingestion:acl'] }),
  'connector-token': caller({ kind: 'connector', userUid: null, scopes: ['ingestion'] }),
  'backup-token': caller({ kind: 'api', userUid: null, scopes: ['admin:backup'] }),
  'run-token': caller({ kind: 'api', userUid: null, scopes: ['endpoints:run'] }),
  'tasks-token': caller({ kind: 'api', userUid: null, scopes: ['admin:tasks'] }),
  'read-token': caller({ kind: 'api', userUid: null, scopes: ['read'] }),
  'bare-token': caller({ kind: 'api', userUid: null }),
  'interface-token': caller({ kind: 'interface', userUid: null }),
  'endpoint-token': caller({ kind: 'endpoint', userUid: null, endpointPath: '' }),
  'llm-openai-token': caller({ kind: 'llm-openai' }),
  'llm-anthropic-token': caller({ kind: 'llm-anthropic' }),
  /** Acting as an administrator opens nothing. */
  'mcp-token': caller({ kind: 'mcp', isAdmin: true }),
} as const satisfies Record<string, Caller>;

export type CallerName = keyof typeof CALLERS;

function caller(traits: Partial<Caller>): Caller {
  return {
    kind: 'session',
    userUid: '1111111111111111111111',
    userName: 'ada',
    isAdmin: false,
    isReadOnlyAdmin: false,
    isGuest: false,
    roles: [],
    scopes: [],
    endpointPath: null,
    tokenId: 't',
    ...traits,
  };
}
