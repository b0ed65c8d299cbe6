import { Problem } from '#base/problem.ts';
import { describe, expect, test } from 'vitest';
import { admissionRules, checkOidcSettings, GOOGLE_ISSUER, oidcSettings } from './oidc-settings.ts';
import { identityFromClaims } from './oidc-sign-in.ts';

const ANN = { sub: '1', email: 'Ann@Example.com', email_verified: true };

function emailOf(claims: object, allowedDomains: readonly string[] = []): string {
  const settings = { ...oidcSettings('googlesso', undefined), allowedDomains };
  try {
    return identityFromClaims(settings, { iss: GOOGLE_ISSUER, ...ANN, ...claims }).email;
  } catch (error) {
    if (error instanceof Problem) return String(error.details?.['reason'] ?? error.code);
    throw error;
  }
}

describe('an account at Google', () => {
  test('has an address that Google or the organisation of the account answers for', () => {
    expect(emailOf({ hd: 'example.com' })).toBe('ann@example.com');
    expect(emailOf({ email: 'ann@gmail.com' })).toBe('ann@gmail.com');
    expect(emailOf({ email: 'ann@GoogleMail.com' })).toBe('ann@googlemail.com');
    expect(emailOf({})).toBe('email_not_verified');
    expect(emailOf({}, ['example.com', 'gmail.com'])).toBe('email_not_verified');
  });

  test('must belong to the organisation where only that may sign in', () => {
    expect(emailOf({ hd: 'example.org' }, ['example.com'])).toBe('sso_domain_not_allowed');
    expect(emailOf({ hd: 'Example.com' }, ['example.com'])).toBe('ann@example.com');
  });

  test('is no new user unless it is said which domains may sign in', () => {
    const open = oidcSettings('googlesso', undefined);
    expect(admissionRules(open).createUsers).toBe(false);
    expect(admissionRules({ ...open, allowedDomains: ['example.com'] }).createUsers).toBe(true);
    expect(admissionRules({ ...open, issuer: 'https://idp.example' }).createUsers).toBe(true);
  });
});

describe('an account at Microsoft', () => {
  const TENANT = 'https://login.microsoftonline.com/0f3c1f6a-7a11-4b4e-8b53-8c1d3a7a2f10/v2.0';
  const EVE = { iss: TENANT, sub: '2', preferred_username: 'Eve@example.com' };
  const read = (claims: object): unknown => {
    try {
      return identityFromClaims(oidcSettings('microsoftsso', undefined), { ...EVE, ...claims });
    } catch (error) {
      if (error instanceof Problem) return error.details?.['reason'];
      throw error;
    }
  };

  test('has the address that its tenant gives it', () => {
    expect(read({})).toMatchObject({ email: 'eve@example.com' });
    expect(read({ email: 'e@example.com' })).toMatchObject({ email: 'e@example.com' });
  });

  test.each([
    ['is denied', { email_verified: false }],
    ['is not of the domain’s owner', { xms_edov: false }],
    ['is a guest’s', { idp: 'https://sts.windows.net/elsewhere/' }],
    ['is that of another issuer', { iss: 'https://idp.example' }],
    ['is in a tenant for all', { iss: 'https://login.microsoftonline.com/Common/v2.0' }],
  ])('that %s proves no address', (_case, claims) => {
    expect(read({ email: 'eve@example.com', ...claims })).toBe('email_not_verified');
  });

  test.each([
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/Organizations/v2.0',
    'https://login.microsoftonline.com//common/v2.0',
    'https://login.microsoftonline.com/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0',
    'https://login.microsoftonline.us/common',
    'https://idp.example/.well-known/openid-configuration',
  ])('is not signed in with the issuer %s', (issuer) => {
    const settings = { ...oidcSettings('microsoftsso', undefined), issuer };
    expect(() => checkOidcSettings(settings)).toThrow('issuer');
  });

  test('tells its groups, or that they are too many to tell', () => {
    expect(read({ groups: ['a'] })).toMatchObject({ groups: ['a'] });
    expect(read({})).toMatchObject({ groups: [] });
    expect(read({ _claim_names: { groups: 'src1' } })).toMatchObject({ groups: null });
    expect(read({ hasgroups: true })).toMatchObject({ groups: null });
  });
});

test('names are one line, groups are a list or one, and what is neither is nothing', () => {
  const settings = oidcSettings('oktasso', { groupsClaim: 'roles' });
  const read = (claims: object) =>
    identityFromClaims(settings, { iss: 'https://okta.example', ...ANN, ...claims });
  expect(
    read({ given_name: ' Ann\n\u202e ', family_name: '', name: 7, roles: 'eng' }),
  ).toMatchObject({ firstName: 'Ann', lastName: null, fullName: null, groups: ['eng'] });
  expect(read({ roles: ['a', 1, null, 'b'], name: 'x'.repeat(300) })).toMatchObject({
    groups: ['a', 'b'],
    fullName: 'x'.repeat(200),
  });
  expect(read({ groups: ['eng'] }).groups).toEqual([]);
});
