import type { TokenKind } from '@trellis/contract/token-kinds.ts';
import { TOKEN_RULES, type TokenRule } from './token-rules.ts';

export const ISSUER = 'trellis';

/**
 * The claims of a session JWT (specification, section 2.1). Decisions use the live graph, never
 * `teams`.
 */
export interface SessionClaims {
  readonly iss: typeof ISSUER;
  readonly kind: 'session';
  /** UID of the user. */
  readonly sub: string;
  readonly name: string;
  /** UIDs of the teams at sign-in, nested ones included, up to `SESSION_TEAMS_MAX`. */
  readonly teams: readonly string[];
  /** Identifies the session. */
  readonly sid: string;
  /** Milliseconds since the Unix epoch; `iat` and `exp` are its seconds. */
  readonly beganAt: number;
  readonly iat: number;
  readonly exp: number;
}

/**
 * The claims of every other token (open-shapes, section 3): which of the optional ones are there,
 * its kind's rule says.
 */
export interface TokenClaims {
  readonly iss: typeof ISSUER;
  readonly kind: TokenKind;
  readonly id: string;
  readonly scopes?: readonly string[];
  /** Name of an endpoint, prefix that ends in "/", or empty for every endpoint. */
  readonly path?: string;
  /** UID of a user. */
  readonly actingUser?: string;
  readonly flavour?: 'openai' | 'anthropic';
  readonly iat: number;
  readonly exp?: number;
}

export type Claims = SessionClaims | TokenClaims;

/**
 * Whether these are claims that we sign: of our issuer, of a known kind, with every claim that its
 * kind has and none that it has not. So nothing that one kind may do can be borrowed by another.
 */
export function isClaims(value: unknown): value is Claims {
  if (typeof value !== 'object' || value === null) return false;
  const claims: Readonly<Record<string, unknown>> = { ...value };
  if (claims['iss'] !== ISSUER) return false;
  const checks = CHECKS.get(claims['kind']);
  if (checks === undefined) return false;
  for (const [name, check] of checks) if (!check(claims[name])) return false;
  return Object.keys(claims).every((name) => checks.has(name));
}

type Check = (claim: unknown) => boolean;
type Checks = ReadonlyMap<string, Check>;

const isText: Check = (claim) => typeof claim === 'string' && claim !== '';
const isTime: Check = (claim) => Number.isSafeInteger(claim);
const isTexts = (claim: unknown): claim is string[] => Array.isArray(claim) && claim.every(isText);
const optional =
  (check: Check): Check =>
  (claim) =>
    claim === undefined || check(claim);

const SESSION_CHECKS: Checks = new Map([
  ['iss', isText],
  ['kind', isText],
  ['sub', isText],
  ['name', isText],
  ['teams', isTexts],
  ['sid', isText],
  ['beganAt', isTime],
  ['iat', isTime],
  ['exp', isTime],
]);

function tokenChecks({ scopes, path, actingUser, flavour }: TokenRule): Checks {
  const checks = new Map<string, Check>([
    ['iss', isText],
    ['kind', isText],
    ['id', isText],
    ['iat', isTime],
    ['exp', optional(isTime)],
  ]);
  if (scopes !== undefined) checks.set('scopes', (claim) => isTexts(claim) && claim.length > 0);
  if (path === true) checks.set('path', (claim) => typeof claim === 'string');
  if (actingUser === 'required') checks.set('actingUser', isText);
  if (actingUser === 'optional') checks.set('actingUser', optional(isText));
  if (flavour !== undefined) checks.set('flavour', (claim) => claim === flavour);
  return checks;
}

const CHECKS: ReadonlyMap<unknown, Checks> = new Map([
  ['session', SESSION_CHECKS],
  ...Object.entries(TOKEN_RULES).map(([kind, rule]) => [kind, tokenChecks(rule)] as const),
]);
