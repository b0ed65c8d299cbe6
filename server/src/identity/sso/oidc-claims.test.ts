import { describe, expect, test } from 'vitest';
import { Problem } from '#base/problem.ts';
import { identityFromClaims } from './oidc-claims.ts';
import { GOOGLE_ISSUER, oidcSettings } from './oidc-settings.ts';

const ANN = { sub: '1', email: 'Ann@Example.com', email_verified: true };

function emailOf(claims: object, allowedDomains: readonly string[] = []): string {
  const settings = { ...oidcSettings('googlesso', undefined), allowedDomains };
  try {
    return identityFromClaims('googlesso', settings, { iss: GOOGLE_ISSUER, ...ANN, ...claims })
      .email;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe('an account at Google', () => {
  test('may have any verified address where all domains may sign in', () => {
    expect(emailOf({})).toBe('ann@example.com');
  });

  test('must belong to the organisation where only that may sign in', () => {
    expect(emailOf({}, ['example.com'])).toBe('sso_domain_not_allowed');
    expect(emailOf({ hd: 'example.org' }, ['example.com'])).toBe('sso_domain_not_allowed');
    expect(emailOf({ hd: 'Example.com' }, ['example.com'])).toBe('ann@example.com');
    expect(emailOf({}, ['gmail.com'])).toBe('ann@example.com');
  });
});

test('names are one line, groups are a list or one, and what is neither is nothing', () => {
  const settings = oidcSettings('oktasso', { groupsClaim: 'roles' });
  const read = (claims: object) =>
    identityFromClaims('oktasso', settings, { iss: 'https://okta.example', ...ANN, ...claims });
  expect(
    read({ given_name: ' Ann\n\u202e ', family_name: '', name: 7, roles: 'eng' }),
  ).toMatchObject({ firstName: 'Ann', lastName: null, fullName: null, groups: ['eng'] });
  expect(read({ roles: ['a', 1, null, 'b'], name: 'x'.repeat(300) })).toMatchObject({
    groups: ['a', 'b'],
    fullName: 'x'.repeat(200),
  });
  expect(read({ groups: ['eng'] }).groups).toEqual([]);
});
