import { createSigner } from 'fast-jwt';
import { describe, expect, test } from 'vitest';
import { SESSION_LIFETIME_MS } from '#base/limits.ts';
import { SessionTokens } from './session-tokens.ts';

const KEY = 'a key that signs tokens, for tests';
const USER = { uid: 'u'.repeat(22), name: 'ann', teams: ['t'.repeat(22)] };
const START = Date.UTC(2026, 10, 20);

function tokensAt(now: { ms: number }, key = KEY): SessionTokens {
  return new SessionTokens(key, { now: () => now.ms });
}

describe('a session token', () => {
  test('tells who it is for, and lasts twelve hours to the second', () => {
    const now = { ms: START };
    const tokens = tokensAt(now);
    const { token, expiresAt } = tokens.issue(USER, 'sid');
    expect(Date.parse(expiresAt)).toBe(START + SESSION_LIFETIME_MS);
    expect(tokens.verify(token)).toMatchObject({
      kind: 'session',
      sub: USER.uid,
      teams: USER.teams,
    });
    now.ms = START + SESSION_LIFETIME_MS - 1;
    expect(tokens.verify(token).sid).toBe('sid');
    now.ms = START + SESSION_LIFETIME_MS;
    expect(() => tokens.verify(token)).toThrow('not valid');
  });

  test('is worth nothing under another key', () => {
    const now = { ms: START };
    const { token } = tokensAt(now).issue(USER, 'sid');
    expect(() => tokensAt(now, `${KEY}!`).verify(token)).toThrow('not valid');
  });

  test.each([
    [
      'another kind',
      { kind: 'api', sub: USER.uid, name: 'ann', sid: 's', beganAt: START, exp: 2e9 },
    ],
    ['no expiry', { kind: 'session', sub: USER.uid, name: 'ann', sid: 's', beganAt: START }],
    ['no user', { kind: 'session', name: 'ann', sid: 's', beganAt: START, exp: 2e9 }],
  ])('%s: refused, though the signature is good', (_case, claims) => {
    const token = createSigner({ key: KEY, algorithm: 'HS256', noTimestamp: true })(claims);
    expect(() => tokensAt({ ms: START }).verify(token)).toThrow('not valid');
  });

  test('with another algorithm or none is refused', () => {
    const now = { ms: START };
    const [, claims] = tokensAt(now).issue(USER, 'sid').token.split('.');
    for (const header of ['{"alg":"none"}', '{"alg":"HS512"}', '{"alg":"RS256"}']) {
      const forged = `${Buffer.from(header).toString('base64url')}.${claims}.`;
      expect(() => tokensAt(now).verify(forged)).toThrow('not valid');
    }
  });
});
