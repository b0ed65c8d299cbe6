import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumFile } from '../../tools/browser.ts';
import { field } from '../support/http-client.ts';
import { requireChromium } from '../support/requires.ts';
import { CLIENT_ID, CLIENT_SECRET, startOidcIdp, type OidcIdp } from './oidc-idp.ts';
import { startSsoWorkspace, type SsoWorkspace } from './sso-workspace.ts';

let at: SsoWorkspace;
let idp: OidcIdp;
let browser: Browser;

/** Begins as the front end does, and goes to the provider's page. */
async function goToProvider(page: Page): Promise<void> {
  await page.goto(`${at.url}/api/googlesso/get-login-url?returnTo=/%23/manage`);
  const { url } = JSON.parse((await page.textContent('body')) ?? '');
  await page.goto(url);
}

describe.skipIf(requireChromium())('in a real browser', () => {
  beforeAll(async () => {
    at = await startSsoWorkspace();
    idp = await startOidcIdp([`${at.url}/api/googlesso/completed-login-attempt`]);
    idp.people.set('ann', { email: 'ann@example.com', email_verified: true, groups: ['eng'] });
    browser = await chromium.launch({
      executablePath: chromiumFile(),
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await idp[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  test('a person signs in at the page of the provider, and their browser gets the session', async () => {
    const engineers = await at.createTeam('Engineers');
    await at.admin('/api/googlesso/config', {
      enabled: true,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      issuer: idp.issuer,
      groupTeams: { eng: engineers },
    });
    await using context = await browser.newContext();
    const page = await context.newPage();
    // Before the front end gets the session, somebody else tries to, with the code of the address.
    const stranger = await (await browser.newContext()).newPage();
    const theft = Promise.withResolvers<number>();
    await page.route(/login\/exchange/, async (route) => {
      const data = route.request().postDataJSON();
      const stolen = await stranger.request.post(`${at.url}/api/login/exchange`, { data });
      theft.resolve(stolen.status());
      await route.continue();
    });
    await page.goto(`${at.url}/#/preferences`);
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.getByRole('textbox', { name: 'Enter any login' }).fill('ann');
    await page.getByPlaceholder('and password').fill('anything');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Preferences', level: 1 }).waitFor();
    expect(await theft.promise).toBe(400);
    await page.getByRole('button', { name: 'Account of ann@example.com' }).waitFor();
    expect(await at.membersOf(engineers)).toEqual(['ann@example.com']);

    const [cookie] = await context.cookies(at.url);
    expect(cookie).toMatchObject({ name: 'trellis-sso', httpOnly: true, sameSite: 'Lax' });
  });

  test('a person lets an MCP client in, after signing in at the page of the provider', async () => {
    const redirect_uri = 'https://client.example/callback';
    const registration = await at.http.send({
      path: '/api/oauth/register',
      body: { client_name: 'Desk', redirect_uris: [redirect_uri] },
    });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: field(registration.json, 'client_id'),
      redirect_uri,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      state: 's'.repeat(1_000),
    });
    await using context = await browser.newContext();
    const page = await context.newPage();
    await page.route('https://client.example/**', (route) => route.fulfill({ body: 'Back.' }));
    await page.goto(`${at.url}/api/oauth/authorize?${query}`);
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.getByRole('textbox', { name: 'Enter any login' }).fill('ann');
    await page.getByPlaceholder('and password').fill('anything');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Let “Desk” in?' }).waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL('https://client.example/callback?**');
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('iss')).toBe(at.url);
    expect(searchParams.get('code')).toMatch(/^[\w-]+$/);
  });

  test('the address at which a sign-in ends does nothing in the browser of somebody else', async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    await goToProvider(page);
    const callback = page.waitForRequest((request) =>
      request.url().includes('/completed-login-attempt'),
    );
    // The provider leads back, but the person who began never arrives.
    await page.route(/completed-login-attempt/, (route) => route.abort());
    await page.getByRole('textbox', { name: 'Enter any login' }).fill('ann');
    await page.getByPlaceholder('and password').fill('anything');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    const address = (await callback).url();

    await using other = await browser.newContext();
    const victim = await other.newPage();
    const answer = await victim.goto(address);
    expect(answer?.status()).toBe(400);
    expect(await victim.textContent('body')).toContain('sso_state_invalid');
  });
});
