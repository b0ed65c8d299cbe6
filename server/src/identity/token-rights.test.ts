import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHmac } from 'node:crypto';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { openTestIdentity, TEST_KEY, type TestIdentity } from './testing/test-identity.ts';

let at: TestIdentity;
let users: readonly string[];
beforeAll(async () => {
  at = await openTestIdentity();
  users = [
    await at.putUser('admin', { IsAdmin: true, Roles: ['CanManageUsers'] }),
    await at.putUser('guest', { IsGuest: true }),
    await at.putUser('gone', { Active: false }),
  ];
});
afterAll(() => at[Symbol.asyncDispose]());

/** What each kind may have at most, said once more and plainly. */
const SCOPED = ['api', 'connector', 'automation'];
const ACTING = ['session', 'endpoint', 'llm-openai', 'llm-anthropic', 'mcp'];

function callerOf(claims: object): Caller | undefined {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createHmac('sha256', TEST_KEY).update(signed).digest('base64url');
  try {
    return at.identity.authenticate(`${signed}.${signature}`);
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_token') return undefined;
    throw error;
  }
}

test('no combination of claims makes a caller with more than its kind may have', () => {
  const one = <T>(...values: T[]) => fc.constantFrom(...values);
  // Mostly what fits, so that many combinations are near to a good one.
  const claims = fc.record(
    {
      iss: one('trellis', 'trellis', 'trellis', 'other'),
      kind: one(...SCOPED, ...ACTING, 'interface', 'root'),
      id: one('a', 'b', ''),
      scopes: one<unknown>(['ingestion', 'admin:tasks'], ['read'], [], 'read', { 0: 'read' }),
      path: one<unknown>('', 'a/', 'a', 7),
      actingUser: fc.nat(3).map((i): unknown => users[i] ?? 'nobody'),
      flavour: one('openai', 'anthropic'),
      sub: fc.nat(3).map((i): unknown => users[i] ?? 'nobody'),
      name: one('admin'),
      teams: one<unknown>([], ['t'], 't'),
      sid: one('s'),
      isAdmin: one(true),
      roles: one(['CanManageTeams']),
      beganAt: one<unknown>(at.graph.clock.time, '0'),
      iat: one<unknown>(1, 'now'),
      exp: one<unknown>(4e9, 1, null),
    },
    { requiredKeys: ['iss', 'kind'] },
  );
  const kinds = new Set<string>();
  fc.assert(
    fc.property(withFew(claims), (given) => {
      const caller = callerOf(given);
      if (caller === undefined) return;
      kinds.add(caller.kind);
      expect(caller.kind).toBe(given.kind);
      if (!SCOPED.includes(caller.kind)) expect(caller.scopes).toEqual([]);
      else expect(caller.scopes).toEqual(given.scopes);
      expect(caller.endpointPath).toBe(caller.kind === 'endpoint' ? given.path : null);
      const user = ACTING.includes(caller.kind) ? (given.sub ?? given.actingUser) : undefined;
      expect(caller.userUid).toBe(user ?? null);
      expect([caller.isAdmin, caller.isGuest]).toEqual([user === users[0], user === users[1]]);
      expect(caller.roles).toEqual(user === users[0] ? ['CanManageUsers'] : []);
      expect(user).not.toBe(users[2]);
    }),
    { numRuns: 20_000 },
  );
  expect(kinds.size).toBe(9);
});

/** Keeps of each record what one kind has, and now and then a claim more or less. */
function withFew<T extends { readonly kind: string }>(
  claims: fc.Arbitrary<T>,
): fc.Arbitrary<T & Readonly<Record<string, unknown>>> {
  return fc.tuple(claims, fc.nat(5), fc.nat(15)).map(([given, mode, index]) => {
    const names = mode === 0 ? Object.keys(given) : namesOf(given.kind);
    const extra = mode === 1 ? Object.keys(given)[index] : undefined;
    const kept = Object.entries(given).filter(([name]) => names.includes(name) || name === extra);
    return Object.fromEntries(kept) as T & Readonly<Record<string, unknown>>;
  });
}

function namesOf(kind: string): string[] {
  if (kind === 'session') {
    return ['iss', 'kind', 'sub', 'name', 'teams', 'sid', 'beganAt', 'iat', 'exp'];
  }
  const own = [
    ...(SCOPED.includes(kind) ? ['scopes'] : []),
    ...(ACTING.includes(kind) ? ['actingUser'] : []),
    ...(kind === 'endpoint' ? ['path'] : []),
    ...(kind.startsWith('llm-') ? ['flavour'] : []),
  ];
  return ['iss', 'kind', 'id', 'iat', 'exp', ...own];
}
