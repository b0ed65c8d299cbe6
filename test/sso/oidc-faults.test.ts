import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { startForgingIdp, type Forgery, type ForgingIdp } from './forging-idp.ts';
import { PlainBrowser, type Visit } from './plain-browser.ts';
import {
  beginLogin,
  exchange,
  refusal,
  startSsoWorkspace,
  type SsoWorkspace,
} from './sso-workspace.ts';

const SECRET = 'a-client-secret-of-the-forger';
const EVE = { email: 'eve@example.com', email_verified: true };

let at: SsoWorkspace;
let idp: ForgingIdp;
beforeAll(async () => {
  at = await startSsoWorkspace();
  idp = await startForgingIdp();
});
afterAll(async () => {
  await idp[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

function settings(change: object = {}) {
  return {
    enabled: true,
    clientId: 'trellis',
    clientSecret: SECRET,
    issuer: idp.issuer,
    ...change,
  };
}

/**
 * Comes back from the forger, whose ID token has the right nonce unless the claims say otherwise.
 */
async function comeBack(
  { claims, ...forgery }: Forgery,
  provider = 'auth0sso',
  browser = new PlainBrowser(),
): Promise<Visit> {
  const asked = new URL(await beginLogin(at, browser, provider)).searchParams;
  idp.answer = { ...forgery, claims: { nonce: asked.get('nonce'), ...claims } };
  const query = new URLSearchParams({ state: asked.get('state') ?? '', code: 'made-up' });
  return browser.send(`${at.url}/api/${provider}/completed-login-attempt?${query.toString()}`);
}

describe('a provider that', () => {
  beforeAll(async () => {
    const { status, text } = await at.admin('/api/auth0sso/config', settings());
    expect(status, text).toBe(200);
  });
  beforeEach(() => void idp.tokenRequests.splice(0));

  test('answers well is believed, and gets secret and verifier', async () => {
    expect((await comeBack({ claims: EVE })).status).toBe(303);
    const sent = new URLSearchParams(idp.tokenRequests[0]);
    expect(Object.fromEntries(sent)).toMatchObject({
      grant_type: 'authorization_code',
      client_secret: SECRET,
      code_verifier: expect.stringMatching(/^[\w-]{43,}$/),
      redirect_uri: `${at.url}/api/auth0sso/completed-login-attempt`,
    });
  });

  const mismatch = 'oauth_jwt_claim_comparison_failed';
  test.each<[string, Forgery, string]>([
    ['sends another nonce', { claims: { ...EVE, nonce: 'mine' } }, mismatch],
    ['sends no nonce', { claims: { ...EVE, nonce: undefined } }, 'oauth_invalid_response'],
    ['speaks for another issuer', { claims: { ...EVE, iss: 'https://a.example' } }, mismatch],
    ['speaks to another client', { claims: { ...EVE, aud: 'another' } }, mismatch],
    [
      'sends an expired token',
      { claims: { ...EVE, iat: 1, exp: 2 } },
      'oauth_jwt_timestamp_check_failed',
    ],
    ['signs with another key', { claims: EVE, key: 'foreign' }, 'oauth_invalid_response'],
    ['does not sign', { claims: EVE, algorithm: 'none' }, 'oauth_invalid_response'],
    [
      'leads the token request elsewhere',
      { claims: EVE, redirect: 'http://127.0.0.1:1/' },
      'oauth_response_is_not_conform',
    ],
  ])('%s is refused', async (_case, forgery, reason) => {
    expect(refusal(await comeBack(forgery))).toEqual([401, 'sso_failed', reason]);
  });

  test.each<[string, object]>([
    ['says nothing of it', { email: 'eve@example.com' }],
    ['says so in words', { ...EVE, email_verified: 'true' }],
    ['says no', { ...EVE, email_verified: false }],
  ])('has not verified the address, and %s, is refused', async (_case, claims) => {
    expect(refusal(await comeBack({ claims: { ...claims } }))).toEqual([
      403,
      'sso_user_not_allowed',
      'email_not_verified',
    ]);
  });

  test('names the organisation of the account is held to it', async () => {
    await at.admin('/api/auth0sso/config', { allowedDomains: ['example.com'] });
    const foreign = await comeBack({ claims: { ...EVE, hd: 'example.org' } });
    expect(refusal(foreign)).toEqual([403, 'sso_domain_not_allowed']);
    expect((await comeBack({ claims: { ...EVE, hd: 'example.com' } })).status).toBe(303);
    await at.admin('/api/auth0sso/config', { allowedDomains: [] });
  });

  test('is no tenant of Microsoft’s answers for no address, whatever the route', async () => {
    await at.admin('/api/microsoftsso/config', settings());
    const claims = { sub: 'ms', email: 'fay@example.com' };
    const verified = { ...claims, email_verified: true };
    expect((await comeBack({ claims: verified }, 'microsoftsso')).status).toBe(303);
    expect(refusal(await comeBack({ claims }, 'microsoftsso'))).toEqual([
      403,
      'sso_user_not_allowed',
      'email_not_verified',
    ]);
  });

  test('signs in a deactivated user is refused', async () => {
    const claims = { ...EVE, sub: 'hal', email: 'hal@example.com' };
    const browser = new PlainBrowser();
    const { headers } = await comeBack({ claims }, 'auth0sso', browser);
    const begun = await exchange(at, browser, headers.get('location') ?? '');
    const session = field(JSON.parse(begun.text), 'token');
    const check = () => at.http.send({ path: '/api/login/check', token: session });
    expect((await check()).status).toBe(200);
    const users = await at.admin('/api/users?query=hal');
    const hal = field(users.json, 'items', '0', 'UID');
    await at.deactivate(hal);
    await at.admin(`/api/users/user/${hal}`, { active: true }, 'PUT');
    // Without a password too, what began before stays over.
    expect((await check()).status).toBe(401);
    await at.deactivate(hal);
    expect(refusal(await comeBack({ claims }))).toEqual([
      403,
      'sso_user_not_allowed',
      'deactivated',
    ]);
  });
});

describe('the settings of a provider', () => {
  const path = '/api/googlesso/config';

  test('begin with what can be known, and keep what a change leaves out', async () => {
    expect((await at.admin(path)).json).toEqual({
      enabled: false,
      clientId: '',
      issuer: 'https://accounts.google.com',
      scopes: ['openid', 'email', 'profile'],
      allowedDomains: [],
      groupsClaim: 'groups',
      groupTeams: {},
      createUsers: true,
      hasClientSecret: false,
      redirectUri: `${at.url}/api/googlesso/completed-login-attempt`,
    });
    await at.admin(path, { clientId: 'one', clientSecret: SECRET });
    const changed = await at.admin(path, { allowedDomains: ['example.com'] });
    expect(changed.json).toMatchObject({
      clientId: 'one',
      allowedDomains: ['example.com'],
      hasClientSecret: true,
    });
  });

  test('can be changed although a team that groups are mapped to is gone', async () => {
    const team = await at.createTeam('Short-lived');
    await at.admin(path, { groupTeams: { eng: team } });
    await at.admin(`/api/groups/group/${team}/delete`, {});
    expect((await at.admin(path, { clientId: 'two' })).status).toBe(200);
    await at.admin(path, { groupTeams: {}, clientId: 'one' });
  });

  test('keep the secret for the issuer that it was given for', async () => {
    await at.admin(path, { clientSecret: SECRET });
    const moved = await at.admin(path, { issuer: 'https://collector.example' });
    expect(moved.json).toMatchObject({ hasClientSecret: false });
    const both = { issuer: 'https://accounts.google.com', clientSecret: SECRET };
    expect((await at.admin(path, both)).json).toMatchObject({ hasClientSecret: true });
    const removed = await at.admin(path, { clientSecret: null });
    expect(removed.json).toMatchObject({ hasClientSecret: false });
  });

  test.each<[string, object, string]>([
    ['an issuer without TLS', { issuer: 'http://idp.example' }, 'issuer'],
    ['an issuer that is no address', { issuer: 'accounts.google.com' }, 'issuer'],
    ['an issuer of another kind', { issuer: 'file:///etc/passwd' }, 'issuer'],
    ['credentials in the issuer', { issuer: 'https://a:b@idp.example' }, 'issuer'],
    ['no client to enable', { enabled: true, clientId: '' }, 'clientId'],
    ['no issuer to enable', { enabled: true, clientId: 'x', issuer: '' }, 'issuer'],
    ['scopes without openid', { scopes: ['email'] }, 'scopes'],
    ['a team that is none', { groupTeams: { eng: '1'.repeat(22) } }, 'groupTeams.eng'],
    ['a domain that is none', { allowedDomains: ['@example.com'] }, 'allowedDomains.0'],
    ['a member that is none', { clientSecrets: 'x' }, 'clientSecrets'],
    ['an empty secret', { clientSecret: '' }, 'clientSecret'],
  ])('are refused with %s', async (_case, change, where) => {
    const answer = await at.admin(path, change);
    expect(answer.status, answer.text).toBe(400);
    expect(field(answer.json, 'error', 'details', 'fields', '0', 'path')).toBe(where);
  });

  test.each(['common', 'organizations', 'consumers'])(
    'are refused with the tenant "%s", which is nobody in particular',
    async (tenant) => {
      const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
      expect((await at.admin('/api/microsoftsso/config', { issuer })).status).toBe(400);
    },
  );

  test('are for administrators, and a method that is not there is told', async () => {
    const { http } = at;
    expect((await http.send({ path })).status).toBe(401);
    expect((await http.send({ path, body: {} })).status).toBe(401);
    const put = await at.admin(path, {}, 'PUT');
    expect(put.status).toBe(405);
    expect(put.headers.get('allow')).toBe('GET, HEAD, POST');
    const other = await at.admin('/api/endpoints/config', {});
    expect(other.status).toBe(405);
    expect(other.headers.get('allow')).not.toContain('POST');
  });
});

test('neither answers nor logs tell a secret, and the audit tells what was changed and refused', async () => {
  const { text } = await at.admin('/api/auth0sso/config');
  expect(text).not.toContain(SECRET);
  expect(at.logged()).not.toContain(SECRET);
  const changes = await at.admin('/api/audit?action=sso.config-changed&take=1000');
  expect(changes.text).not.toContain(SECRET);
  expect(changes.text).toContain('"clientSecret"');
  const failures = await at.admin('/api/audit?action=login.failed&take=1000');
  expect(failures.text).toContain('oauth_jwt_claim_comparison_failed');
});
