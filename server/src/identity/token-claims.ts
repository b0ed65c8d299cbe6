import type { TokenKind } from '@trellis/contract/rights.ts';
import { createSigner, createVerifier } from 'fast-jwt';
import { Problem } from '#base/problem.ts';

/**
 * What a token of one kind carries, and nothing else: neither who makes a token nor the check of
 * its claims may name more.
 */
interface TokenRule {
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
  /** Whether a user can grant it to a client: it is then for one resource. */
  readonly grant?: true;
}

export const TOKEN_RULES: Readonly<Record<TokenKind, TokenRule>> = {
  api: { scopes: null },
  connector: { scopes: ['ingestion'] },
  automation: { scopes: ['endpoints:run', 'admin:tasks'] },
  endpoint: { path: true, actingUser: 'optional' },
  'llm-openai': { actingUser: 'required', flavour: 'openai' },
  'llm-anthropic': { actingUser: 'required', flavour: 'anthropic' },
  mcp: { actingUser: 'required', grant: true },
  interface: {},
};

export function isTokenKind(kind: unknown): kind is TokenKind {
  return typeof kind === 'string' && Object.hasOwn(TOKEN_RULES, kind);
}

/**
 * Whether the path of an endpoint token covers an endpoint (specification, sections 2.3 and 4.3):
 * an empty one covers all, one that ends in "/" the names below it, any other the one endpoint of
 * that name; so "a" does not cover "a/x".
 */
export function pathCovers(path: string, endpointName: string): boolean {
  if (path === '') return true;
  return path.endsWith('/') ? endpointName.startsWith(path) : endpointName === path;
}

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
  /** URL of the MCP server that a granted token is for (RFC 8707). */
  readonly aud?: string;
  /** When the user granted it, in milliseconds since the Unix epoch. */
  readonly beganAt?: number;
  readonly iat: number;
  readonly exp?: number;
}

export type Claims = SessionClaims | TokenClaims;

/**
 * Whether these are claims that we sign: of our issuer, of a known kind, with every claim that its
 * kind has and none that it has not. So nothing that one kind may do can be borrowed by another.
 */
function isClaims(value: unknown): value is Claims {
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

function tokenChecks({ scopes, path, actingUser, flavour, grant }: TokenRule): Checks {
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
  if (grant === true) checks.set('aud', optional(isText)).set('beganAt', optional(isTime));
  return checks;
}

const CHECKS: ReadonlyMap<unknown, Checks> = new Map([
  ['session', SESSION_CHECKS],
  ...Object.entries(TOKEN_RULES).map(([kind, rule]) => [kind, tokenChecks(rule)] as const),
]);

/** HS256 over `MSK_JWT_KEY`. A changed key makes every token invalid (specification, section 5). */
export class TokenSignature {
  readonly #sign: (claims: Claims) => string;
  readonly #verify: (token: string) => unknown;

  constructor(key: string) {
    this.#sign = createSigner({ key, algorithm: 'HS256' });
    // Expiry is checked by our clock, and again for every request.
    this.#verify = createVerifier({ key, algorithms: ['HS256'], ignoreExpiration: true });
  }

  sign(claims: Claims): string {
    return this.#sign(claims);
  }

  /**
   * The claims, expired or not; the problem `invalid_token` for what was signed by another key or
   * algorithm, or has claims that we do not sign.
   */
  open(token: string): Claims {
    let claims: unknown;
    try {
      claims = this.#verify(token);
    } catch (cause) {
      throw invalidToken(cause);
    }
    if (!isClaims(claims)) throw invalidToken();
    return claims;
  }
}

export function invalidToken(cause?: unknown): Problem {
  return new Problem(
    'invalid_token',
    'The token is not valid: wrong signature, expired, or revoked.',
    {
      hint: 'Sign in again, or ask an administrator for a new token.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
