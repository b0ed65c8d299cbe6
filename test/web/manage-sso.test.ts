import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../sso/loopback-server.ts';
import { CLIENT_ID, CLIENT_SECRET, startOidcIdp, type OidcIdp } from '../sso/oidc-idp.ts';
import { newKeyPair } from '../sso/saml-idp.ts';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/manage/access/sso';

describe.skipIf(requireChromium())('the page of single sign-on', () => {
  const browser = useBrowser();
  let people: People;
  let idp: OidcIdp;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    people = await People.start({ MSK_PORT: String(port), MSK_PUBLIC_ADDRESS: url });
    idp = await startOidcIdp([`${url}/api/oktasso/completed-login-attempt`]);
    await people.add('rita', { isReadOnlyAdmin: true });
    await people.add('plain');
    await people.addTeam('Engineers');
  });
  afterAll(async () => {
    await idp[Symbol.asyncDispose]();
    await people[Symbol.asyncDispose]();
  });

  const config = async (provider: string) =>
    Object((await people.as('admin', 'GET', `/api/${provider}/config`)).json);

  test('an OpenID Connect provider is set up, tested, and its secret kept', async () => {
    const path = `${PATH}?provider=oktasso`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page, complaints } = opened;
    const form = page.getByRole('region', { name: 'Okta', exact: true });
    await page.getByText(`${url}/api/oktasso/completed-login-attempt`).waitFor();
    expect(await page.getByRole('button', { name: 'Test sign-in' }).isDisabled()).toBe(true);

    await form.getByLabel('Enabled').check();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('is needed to enable the provider').waitFor();
    await form.getByLabel('Client id').fill(CLIENT_ID);
    await form.getByLabel('Client secret').fill(CLIENT_SECRET);
    await form.getByLabel('Issuer').fill('http://127.0.0.1:1');
    await form.getByLabel('Allowed domains').fill('example.com');
    await page.keyboard.press('Enter');
    await form.getByRole('textbox', { name: 'Allowed domains' }).fill('Example.Org');
    await form.getByRole('button', { name: 'Add a group' }).click();
    await form.getByLabel('Group 1 at the provider').fill('"eng" <b>');
    await form.getByRole('combobox', { name: 'Team of group 1' }).fill('eng');
    await page.getByRole('option', { name: 'Engineers' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must be a domain in lower case').waitFor();
    await expectAccessibleInBothThemes(page);
    await form.getByRole('textbox', { name: 'Allowed domains' }).fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved').first().waitFor();

    await page.getByRole('button', { name: 'Test sign-in' }).click();
    await page.getByText('The sign-in could not begin').waitFor();
    await expectAccessibleInBothThemes(page);
    await form.getByLabel('Issuer').fill(idp.issuer);
    await form.getByLabel('Client secret').fill(CLIENT_SECRET);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Set. Leave it blank to keep it').waitFor();
    await expect.poll(() => form.getByLabel('Client secret').inputValue()).toBe('');
    await form.getByLabel('Groups claim').fill('teams');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await config('oktasso')).groupsClaim).toBe('teams');
    expect(await config('oktasso')).toMatchObject({
      enabled: true,
      hasClientSecret: true,
      issuer: idp.issuer,
      allowedDomains: ['example.com'],
      groupTeams: { '"eng" <b>': expect.any(String) },
    });

    await page.getByRole('button', { name: 'Test sign-in' }).click();
    await page.getByText('The server can begin a sign-in').waitFor();
    const link = page.getByRole('link', { name: 'Open the sign-in in a new tab' });
    const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await tab.getByRole('textbox', { name: 'Enter any login' }).waitFor();
    expect(page.url()).toContain(path);
    expect(complaints).toEqual([]);
  });

  test('a SAML provider is added, set up, tested and removed', async () => {
    const path = `${PATH}?provider=saml`;
    const { cert } = await newKeyPair();
    await using opened = await browser.signedInPage(people.workspace, {
      path,
    });
    const { page, complaints } = opened;
    await page.getByText(`${url}/api/saml/acs`).waitFor();
    await page.getByRole('button', { name: 'Test metadata' }).click();
    await page.getByText(`for the entity ${url}/api/saml/metadata`).waitFor();
    await page.getByRole('button', { name: 'Add SAML provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add SAML provider' });
    await dialog.getByLabel('Name').fill('not a name');
    await dialog.getByRole('button', { name: 'Add provider' }).click();
    await dialog.getByText('Use 1 to 40 letters, digits and “-”.').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Name').fill('corporate');
    await dialog.getByRole('button', { name: 'Add provider' }).click();

    const form = page.getByRole('region', { name: 'corporate' });
    await form.getByLabel('Enabled').check();
    await form.getByLabel('Sign-on URL').fill('https://idp.example/sso');
    await form.getByLabel('Entity id of the provider').fill('https://idp.example');
    await form.getByLabel('Certificates').fill('no certificate');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must be a certificate in PEM').waitFor();
    await expectAccessibleInBothThemes(page);
    await form.getByLabel('Certificates').fill(`${cert}\n${cert}`);
    await form.getByLabel('Groups attribute').fill('memberOf');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Test sign-in' }).click();
    await page.getByText('It leads to').getByText('https://idp.example/sso').waitFor();
    const { providers } = await config('saml');
    expect(providers.corporate).toMatchObject({
      enabled: true,
      attributes: { groups: 'memberOf', email: expect.stringContaining('emailaddress') },
    });
    expect(providers.corporate.idpCertificates).toHaveLength(2);

    await form.getByRole('button', { name: 'Remove provider' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove the provider “corporate”?' });
    await expectAccessibleInBothThemes(page);
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No SAML provider yet').waitFor();
    expect((await config('saml')).providers).toEqual({});
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page } = opened;
    await page.getByText('you are a read-only administrator').waitFor();
    const form = page.getByRole('region', { name: 'Google', exact: true });
    expect(await form.getByLabel('Issuer').isDisabled()).toBe(true);
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });
});
