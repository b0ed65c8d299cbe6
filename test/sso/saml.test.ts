import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { PlainBrowser } from './plain-browser.ts';
import { ANN, openSamlScene, submit, type SamlScene } from './saml-scene.ts';
import { exchange, refusal, signedInPage, whoIs } from './sso-workspace.ts';

let scene: SamlScene;
beforeAll(async () => {
  scene = await openSamlScene();
});
afterAll(() => scene[Symbol.asyncDispose]());
beforeEach(() => scene.configure());

async function signedIn(): Promise<string> {
  const browser = new PlainBrowser();
  const visit = await submit(await scene.comeBack(browser));
  expect(visit.status, visit.text).toBe(303);
  const session = await exchange(scene.at, browser, visit.headers.get('location') ?? '');
  const token = field(JSON.parse(session.text), 'token');
  return (await whoIs(scene.at, token)).name;
}

describe('signing in with SAML', () => {
  test('leads to the page with a code, for the browser that began', async () => {
    const browser = new PlainBrowser();
    const visit = await submit(await scene.comeBack(browser, '/#/manage'));
    expect(visit.status, visit.text).toBe(303);
    const location = visit.headers.get('location') ?? '';
    expect(signedInPage(location).get('returnTo')).toBe('/#/manage');
    expect(refusal(await exchange(scene.at, new PlainBrowser(), location))).toEqual([
      400,
      'sso_state_invalid',
    ]);
    const session = await exchange(scene.at, browser, location);
    expect(session.status).toBe(200);
    expect(await scene.at.membersOf(scene.engineers)).toEqual(['ann@example.com']);
  });

  test('answers a program its session, when it brings the cookie', async () => {
    const browser = new PlainBrowser();
    const { action, fields } = await scene.comeBack(browser);
    const init = {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(fields),
    };
    expect(refusal(await new PlainBrowser().send(action, init))).toEqual([
      400,
      'sso_state_invalid',
    ]);
    const visit = await browser.send(action, init);
    expect(JSON.parse(visit.text)).toEqual({
      token: expect.any(String),
      expiresAt: expect.any(String),
    });
  });

  test.each([
    ['only the response signed', { signAssertion: false, signResponse: true }],
    ['both signed', { signResponse: true }],
  ])('takes %s', async (_case, options) => {
    scene.idp.options = options;
    expect(await signedIn()).toBe('ann@example.com');
  });

  test('again is the same user, who leaves the team with the group', async () => {
    scene.idp.person = { ...ANN, email: 'ann.married@example.com', groups: [] };
    expect(await signedIn()).toBe('ann@example.com');
    expect(await scene.at.membersOf(scene.engineers)).toEqual([]);
  });

  test('describes itself to the provider, and is offered', async () => {
    const { http } = scene.at;
    const metadata = await http.send({ path: '/api/saml/metadata' });
    expect(metadata.headers.get('content-type')).toMatch('application/xml');
    expect(metadata.text).toContain(`entityID="${scene.at.url}/api/saml/metadata"`);
    expect(metadata.text).toContain(`Location="${scene.at.url}/api/saml/acs"`);
    const providers = await http.send({ path: '/api/login/providers' });
    const loginUrl = scene.requestPath(`${scene.at.url}/api/saml/metadata`, '/');
    expect(providers.json).toEqual({
      items: [{ provider: 'saml/corporate', name: 'corporate', loginUrl }],
    });
    expect((await http.send({ path: loginUrl })).status).toBe(200);
  });
});

describe('a request is refused', () => {
  const refused = async (issuer: string, destination: string, name?: string) =>
    refusal(await scene.at.http.send({ path: scene.requestPath(issuer, destination, name) }));

  test('for another issuer', async () => {
    expect(await refused('https://evil.example', '/')).toEqual([400, 'invalid_request']);
  });

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/\n/evil', 'x'])(
    'to lead to %j',
    async (destination) => {
      const issuer = `${scene.at.url}/api/saml/metadata`;
      expect(await refused(issuer, destination)).toEqual([400, 'invalid_request']);
      expect(await refused(issuer, '/', 'nobody')).toEqual([404, 'sso_not_configured']);
    },
  );

  test('when the provider is not enabled', async () => {
    await scene.configure({ enabled: false });
    const issuer = `${scene.at.url}/api/saml/metadata`;
    expect(await refused(issuer, '/')).toEqual([404, 'sso_not_configured']);
  });
});

describe('the settings of SAML providers', () => {
  const change = (corporate: object | null, name = 'corporate') =>
    scene.at.admin('/api/saml/config', { providers: { [name]: corporate } });

  test('keep what a change leaves out, and forget a provider that is null', async () => {
    await change({ attributes: { email: 'mail' } });
    const { json } = await scene.at.admin('/api/saml/config');
    expect(json).toMatchObject({
      entityId: `${scene.at.url}/api/saml/metadata`,
      acsUrl: `${scene.at.url}/api/saml/acs`,
      providers: { corporate: { enabled: true, attributes: { email: 'mail' } } },
    });
    expect((await change(null)).json).toMatchObject({ providers: {} });
  });

  test.each<[string, object, string]>([
    ['an entry point without TLS', { entryPoint: 'http://idp.example/' }, 'entryPoint'],
    ['an entry point that is a script', { entryPoint: 'javascript:alert(1)' }, 'entryPoint'],
    ['a certificate that is none', { idpCertificates: ['x'] }, 'idpCertificates.0'],
    ['no certificate to enable', { idpCertificates: [] }, 'idpCertificates'],
    ['no issuer to enable', { idpIssuer: '' }, 'idpIssuer'],
    ['a team that is none', { groupTeams: { x: '1'.repeat(22) } }, 'groupTeams.x'],
  ])('are refused with %s', async (_case, wrong, where) => {
    const answer = await change(wrong);
    expect(answer.status, answer.text).toBe(400);
    const path = field(answer.json, 'error', 'details', 'fields', '0', 'path');
    expect(path).toBe(`providers.corporate.${where}`);
  });

  test.each(['', 'a/b', '__proto__', 'a'.repeat(41)])('take no name like %j', async (name) => {
    expect((await change({}, name)).status).toBe(400);
  });
});
