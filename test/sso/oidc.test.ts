import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, startOidcIdp, type OidcIdp, type Person } from './oidc-idp.ts';
import { PlainBrowser } from './plain-browser.ts';
import {
  beginLogin,
  exchange,
  finishAsProgram,
  refusal,
  signedInPage,
  startSsoWorkspace,
  whoIs,
  type SsoWorkspace,
} from './sso-workspace.ts';

let at: SsoWorkspace;
let idp: OidcIdp;
let engineers: string;
let readers: string;

const ANN: Person = {
  email: 'Ann@Example.com',
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Lee',
  groups: ['eng', 'everybody'],
};

beforeAll(async () => {
  at = await startSsoWorkspace();
  idp = await startOidcIdp(['googlesso', 'oktasso'].map((provider) => redirectUri(provider)));
  engineers = await at.createTeam('Engineers');
  readers = await at.createTeam('Readers');
});
afterAll(async () => {
  await idp[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});
beforeEach(() => {
  idp.people.clear();
  idp.people.set('ann', ANN);
});

function redirectUri(provider: string): string {
  return `${at.url}/api/${provider}/completed-login-attempt`;
}

async function configure(provider: string, change: object = {}): Promise<void> {
  const answer = await at.admin(`/api/${provider}/config`, {
    enabled: true,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    issuer: idp.issuer,
    groupTeams: { eng: engineers, all: readers },
    allowedDomains: [],
    createUsers: true,
    ...change,
  });
  expect(answer.status, answer.text).toBe(200);
}

/** Where the provider leads back to, not visited yet. */
async function comeBack(browser: PlainBrowser, name: string, provider = 'oktasso') {
  return idp.signIn(browser, await beginLogin(at, browser, provider), name);
}

/** The status and code with which somebody is refused who came back. */
async function refusedAs(name: string, provider = 'oktasso'): Promise<unknown[]> {
  const browser = new PlainBrowser();
  return refusal(await browser.send(await comeBack(browser, name, provider)));
}

async function signIn(name: string, provider = 'oktasso'): Promise<string> {
  const browser = new PlainBrowser();
  return finishAsProgram(browser, await comeBack(browser, name, provider));
}

describe.each(['googlesso', 'oktasso'])('signing in with %s', (provider) => {
  beforeAll(() => configure(provider));

  test('leads back to the page with a code, which the browser exchanges for a session once', async () => {
    const browser = new PlainBrowser();
    const loginUrl = await beginLogin(at, browser, provider, '/#/manage?x=1');
    const asked = new URL(loginUrl).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: CLIENT_ID,
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: redirectUri(provider),
      scope: 'openid email profile',
      nonce: expect.any(String),
    });
    const back = await browser.send(await idp.signIn(browser, loginUrl, 'ann'));
    expect(back.status).toBe(303);
    const location = back.headers.get('location') ?? '';
    expect(new URL(location).origin).toBe(at.url);
    expect(new URL(location).search).toBe('');
    expect(signedInPage(location).get('returnTo')).toBe('/#/manage?x=1');

    const session = await exchange(at, browser, location);
    expect(session.status, session.text).toBe(200);
    const { token, expiresAt } = JSON.parse(session.text);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    expect((await whoIs(at, token)).name).toBe('ann@example.com');
    expect(refusal(await exchange(at, browser, location))).toEqual([400, 'sso_state_invalid']);
  });

  test('again is the same user, whose teams follow the groups', async () => {
    const first = await whoIs(at, await signIn('ann', provider));
    expect(await at.membersOf(engineers)).toEqual(['ann@example.com']);
    idp.people.set('ann', { ...ANN, groups: ['all'] });
    const second = await whoIs(at, await signIn('ann', provider));
    expect(second).toEqual(first);
    expect(await at.membersOf(engineers)).toEqual([]);
    expect(await at.membersOf(readers)).toEqual(['ann@example.com']);
  });
});

describe('who comes in', () => {
  beforeAll(() => configure('oktasso'));

  test('is known by the account, whatever becomes of the address', async () => {
    const { uid } = await whoIs(at, await signIn('ann'));
    idp.people.set('ann', { ...ANN, email: 'ann.married@example.com' });
    expect((await whoIs(at, await signIn('ann'))).uid).toBe(uid);
    idp.people.set('bob', { ...ANN, email: ANN.email });
    expect(await refusedAs('bob')).toEqual([403, 'sso_user_not_allowed', 'linked_to_another']);
  });

  test.each<[string, Partial<Person>, unknown[]]>([
    ['an unverified address', { email_verified: false }, ['email_not_verified']],
    ['no usable address', { email: 'ann' }, ['email_missing']],
    ['an address that only looks the same', { email: 'ann@example.\u{212a}om' }, ['email_missing']],
  ])('%s is refused', async (_case, traits, reason) => {
    idp.people.set('eve', { ...ANN, ...traits });
    expect(await refusedAs('eve')).toEqual([403, 'sso_user_not_allowed', ...reason]);
  });

  test('only from the allowed domains', async () => {
    await configure('oktasso', { allowedDomains: ['example.org', 'example.net'] });
    idp.people.set('eve', { ...ANN, email: 'eve@sub.example.org' });
    expect(await refusedAs('eve')).toEqual([403, 'sso_domain_not_allowed']);
    idp.people.set('fay', { ...ANN, email: 'fay@example.net' });
    expect((await whoIs(at, await signIn('fay'))).name).toBe('fay@example.net');
    await configure('oktasso');
  });

  test('only who is a user already, when that is set', async () => {
    await configure('oktasso', { createUsers: false });
    idp.people.set('gil', { ...ANN, email: 'gil@example.com' });
    expect(await refusedAs('gil')).toEqual([403, 'sso_user_not_allowed', 'unknown_user']);
    expect((await whoIs(at, await signIn('ann'))).name).toBe('ann@example.com');
    await configure('oktasso');
  });
});

describe('a sign-in is refused', () => {
  beforeAll(() => configure('oktasso'));

  test('a second time, with the same state and code', async () => {
    const browser = new PlainBrowser();
    const back = await comeBack(browser, 'ann');
    await finishAsProgram(browser, back);
    expect(refusal(await browser.send(back))).toEqual([400, 'sso_state_invalid']);
    const other = new URL(await beginLogin(at, browser, 'oktasso')).searchParams.get('state') ?? '';
    const replayed = new URL(back);
    replayed.searchParams.set('state', other);
    expect(refusal(await browser.send(replayed.href))).toEqual([
      401,
      'sso_failed',
      'invalid_grant',
    ]);
  });

  test('in another browser', async () => {
    const browser = new PlainBrowser();
    const back = await comeBack(browser, 'ann');
    expect(refusal(await new PlainBrowser().send(back))).toEqual([400, 'sso_state_invalid']);
    const other = new PlainBrowser();
    await beginLogin(at, other, 'oktasso');
    expect(refusal(await other.send(back))).toEqual([400, 'sso_state_invalid']);
    await finishAsProgram(browser, back);
  });

  test('when the code is exchanged in another browser', async () => {
    const browser = new PlainBrowser();
    const { headers } = await browser.send(await comeBack(browser, 'ann'));
    const location = headers.get('location') ?? '';
    expect(refusal(await exchange(at, new PlainBrowser(), location))).toEqual([
      400,
      'sso_state_invalid',
    ]);
    expect((await exchange(at, browser, location)).status).toBe(200);
  });

  test('with the state of another provider, of nobody, or with none', async () => {
    await configure('googlesso');
    const browser = new PlainBrowser();
    const back = await comeBack(browser, 'ann', 'oktasso');
    const elsewhere = back.replace('/oktasso/', '/googlesso/');
    expect(refusal(await browser.send(elsewhere))).toEqual([400, 'sso_state_invalid']);
    for (const query of ['', '?state=', '?state=AAAA', '?code=x', `?state=${'A'.repeat(200)}`]) {
      const visit = await browser.send(redirectUri('oktasso') + query);
      expect(refusal(visit), query).toEqual([400, 'sso_state_invalid']);
    }
  });

  test('when the challenge was taken out of the request', async () => {
    const browser = new PlainBrowser();
    const url = new URL(await beginLogin(at, browser, 'oktasso'));
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    const back = await idp.signIn(browser, url.href, 'ann');
    expect(new URL(back).searchParams.get('code')).toBeTypeOf('string');
    expect(refusal(await browser.send(back))).toEqual([401, 'sso_failed', 'invalid_grant']);
  });

  test('when the person or the provider says no', async () => {
    const browser = new PlainBrowser();
    const state = new URL(await beginLogin(at, browser, 'oktasso')).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: 'access_denied', iss: idp.issuer });
    const visit = await browser.send(`${redirectUri('oktasso')}?${query.toString()}`);
    expect(refusal(visit)).toEqual([401, 'sso_failed', 'access_denied']);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/%09/evil.example\t',
    '/a\\b',
    '',
    'javascript:alert(1)',
    `/${'a'.repeat(500)}`,
  ])('when it should lead to %j', async (returnTo) => {
    const query = new URLSearchParams({ returnTo });
    const path = `/api/oktasso/get-login-url?${query.toString()}`;
    const answer = await at.http.send({ path });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
  });

  test('when it is not enabled, whose provider does not answer, and when there is no such provider', async () => {
    const path = '/api/auth0sso/get-login-url';
    const { http } = at;
    expect(refusal(await http.send({ path }))).toEqual([404, 'sso_not_configured']);
    const nobody = { clientId: 'x', issuer: 'http://127.0.0.1:1/', enabled: true };
    expect((await at.admin('/api/auth0sso/config', nobody)).status).toBe(200);
    expect(refusal(await http.send({ path }))).toEqual([401, 'sso_failed', 'provider_unreachable']);
    expect((await at.admin('/api/auth0sso/config', { enabled: false })).status).toBe(200);
    for (const unknown of ['/api/xsso/get-login-url', '/api/login/config', '/api/schema/config']) {
      expect(refusal(await http.send({ path: unknown })), unknown).toEqual([
        404,
        'route_not_found',
      ]);
    }
  });
});

test('a sign-in page can list the enabled providers', async () => {
  await configure('oktasso');
  await configure('googlesso', { enabled: false });
  const { json } = await at.http.send({ path: '/api/login/providers' });
  expect(json).toEqual({
    items: [{ provider: 'oktasso', name: 'Okta', loginUrl: '/api/oktasso/get-login-url' }],
  });
});

test('a secret of a provider is not told by any answer or log', async () => {
  await configure('oktasso');
  const { text, json } = await at.admin('/api/oktasso/config');
  expect(json).toMatchObject({ hasClientSecret: true, redirectUri: redirectUri('oktasso') });
  await signIn('ann');
  expect(text).not.toContain(CLIENT_SECRET);
  expect(at.logged()).not.toContain(CLIENT_SECRET);
});
