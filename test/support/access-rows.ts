import type { Operation } from '@trellis/contract/operation.ts';
import type { OperationId } from '@trellis/contract/operations.ts';
import {
  type Role,
  type Scope,
  scopesFor,
  scopesOf,
  type TokenKind,
} from '@trellis/contract/rights.ts';

/** Who asks: people with a session, each with what they are. */
const PEOPLE = {
  guest: { isGuest: true },
  user: {},
  'team-administrator': {},
  'synonym-manager': { role: 'CanManageSynonyms' },
  'read-only-administrator': { reads: true },
  administrator: { reads: true, writes: true },
} as const satisfies Record<string, Person>;

interface Person {
  readonly isGuest?: true;
  readonly role?: Role;
  readonly reads?: true;
  readonly writes?: true;
}

/** Tokens that are valid, each with its kind and the scopes that it has. */
const TOKENS = {
  'api-token': { kind: 'api', scopes: scopesFor('api') },
  'api-token-without-scope': { kind: 'api', scopes: ['admin:backup'] },
  'endpoint-token': { kind: 'endpoint' },
  'endpoint-token-of-another-path': { kind: 'endpoint' },
  'llm-openai-token': { kind: 'llm-openai' },
  'llm-anthropic-token': { kind: 'llm-anthropic' },
  // Connectors and automation have these scopes when they are given none.
  'connector-token': { kind: 'connector', scopes: ['ingestion'] },
  'automation-token': { kind: 'automation', scopes: ['endpoints:run', 'admin:tasks'] },
  'deploy-token': { kind: 'automation', scopes: ['deploy'] },
  'interface-token': { kind: 'interface' },
  'mcp-token': { kind: 'mcp' },
} as const satisfies Record<string, Token>;

interface Token {
  readonly kind: TokenKind;
  readonly scopes?: readonly Scope[];
}

export const INVALID_CALLERS = ['expired-token', 'revoked-token', 'token-of-another-key'] as const;

export type CallerKind =
  | 'nobody'
  | keyof typeof PEOPLE
  | keyof typeof TOKENS
  | (typeof INVALID_CALLERS)[number];

export const CALLER_KINDS: readonly CallerKind[] = [
  'nobody',
  ...(Object.keys(PEOPLE) as (keyof typeof PEOPLE)[]),
  ...(Object.keys(TOKENS) as (keyof typeof TOKENS)[]),
  ...INVALID_CALLERS,
];

/** Whoever is in neither list meets 401 without a valid token, else 403. */
export interface AccessRow {
  readonly allowed: readonly CallerKind[];
  /** 404, as if it were not there. */
  readonly hidden: readonly CallerKind[];
}

interface Narrowing {
  /** Those of the people who may call it; what tokens may do stays. */
  readonly people?: readonly (keyof typeof PEOPLE)[];
  readonly hidden?: readonly CallerKind[];
}

const READERS = { people: ['read-only-administrator', 'administrator'] } as const;
const WRITERS = { people: ['administrator'] } as const;
const TEAM_READERS = { hidden: ['guest'] } as const;
const TEAM_WRITERS = { people: ['team-administrator', 'administrator'], ...TEAM_READERS } as const;
const OTHER_PATH = { hidden: ['endpoint-token-of-another-path'] } as const;

/** What no row says, since it depends on what the call is about. */
const NARROWINGS: { readonly [Id in OperationId]?: Narrowing } = {
  // Another user.
  getUser: READERS,
  updateUser: WRITERS,
  // A role allows it too, which none of these people has.
  createTeam: WRITERS,
  // A team that the guest is not in.
  getTeam: TEAM_READERS,
  listTeamUsers: TEAM_READERS,
  updateTeam: TEAM_WRITERS,
  deleteTeam: TEAM_WRITERS,
  setTeamUsers: TEAM_WRITERS,
  // A node that everybody sees and somebody else owns.
  getNodeAccess: READERS,
  putNodeAccess: WRITERS,
  // Nodes of a type that nobody is named to write.
  createNode: WRITERS,
  updateNode: WRITERS,
  deleteNode: WRITERS,
  changeNodeLinks: WRITERS,
  restoreNode: WRITERS,
  // A job of somebody else.
  getJob: READERS,
  cancelJob: WRITERS,
  watchJob: READERS,
  // An endpoint that the path of the token leaves out.
  runEndpointWithToken: OTHER_PATH,
  cancelRunWithToken: OTHER_PATH,
};

/** Who may call an operation with its sample: what its row says, and `NARROWINGS`. */
export function accessRow(operation: Operation & { readonly id: OperationId }): AccessRow {
  const { people, hidden = [] }: Narrowing = NARROWINGS[operation.id] ?? {};
  const allowed = CALLER_KINDS.filter(
    (kind) =>
      !hidden.includes(kind) &&
      (isPerson(kind)
        ? (people?.includes(kind) ?? personMay(operation, PEOPLE[kind]))
        : isToken(kind)
          ? tokenMay(operation, TOKENS[kind])
          : operation.auth === 'none'),
  );
  return { allowed, hidden };
}

function isPerson(kind: CallerKind): kind is keyof typeof PEOPLE {
  return kind in PEOPLE;
}

function isToken(kind: CallerKind): kind is keyof typeof TOKENS {
  return kind in TOKENS;
}

function personMay({ auth, role, noGuests }: Operation, person: Person): boolean {
  if (noGuests === true && person.isGuest === true) return false;
  const hasRole = role !== undefined && person.role === role;
  const rights = {
    none: true,
    session: true,
    admin: person.reads === true || hasRole,
    'admin-write': person.writes === true || hasRole,
    token: false,
  };
  return rights[auth];
}

function tokenMay(operation: Operation, { kind, scopes = [] }: Token): boolean {
  const { auth, tokens = [] } = operation;
  const hasScope = scopesOf(operation).some((scope) => scopes.includes(scope));
  return auth === 'none' || hasScope || tokens.includes(kind);
}
