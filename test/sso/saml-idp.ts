import { promisify } from 'node:util';
import { getSamlResponse, parseRequest } from 'samlp';
import { generate } from 'selfsigned';
import { startLoopback } from './loopback-server.ts';
import { formOf, type Form, type PlainBrowser } from './plain-browser.ts';

const EMAIL = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
const GROUPS = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups';
const GIVEN_NAME = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname';

/** What the provider knows of somebody, and how it answers for them. */
export interface SamlPerson {
  readonly nameId: string;
  readonly email: string;
  readonly groups: readonly string[];
}

/** Options of the library beyond those that make a good response. */
export type ResponseOptions = Readonly<Record<string, unknown>>;

/** A SAML identity provider on the loopback. */
export interface SamlIdp extends AsyncDisposable {
  readonly entityId: string;
  readonly entryPoint: string;
  /** PEM. */
  readonly certificate: string;
  /** Who is signed in there, and how the next responses are. */
  person: SamlPerson;
  options: ResponseOptions;
  /** The form with which the provider sends the browser back, not submitted yet. */
  answer(browser: PlainBrowser, url: string): Promise<Form>;
}

export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

export async function newKeyPair(): Promise<KeyPair> {
  const attributes = [{ name: 'commonName', value: 'idp.example' }];
  const made = await generate(attributes, { algorithm: 'sha256', keySize: 2048 });
  return { key: made.private, cert: made.cert };
}

export async function startSamlIdp(person: SamlPerson): Promise<SamlIdp> {
  const { key, cert } = await newKeyPair();
  const idp: { person: SamlPerson; options: ResponseOptions } = { person, options: {} };
  const server = await startLoopback((url) => async (request, response) => {
    const query = Object.fromEntries(new URL(request.url ?? '', url).searchParams);
    const asked = await promisify(parseRequest)({ query }, {});
    const acsUrl = asked.assertionConsumerServiceURL;
    const xml = await promisify(getSamlResponse)(
      {
        issuer: `${url}/metadata`,
        key,
        cert,
        audience: asked.issuer,
        recipient: acsUrl,
        destination: acsUrl,
        inResponseTo: asked.id,
        lifetimeInSeconds: 300,
        signatureAlgorithm: 'rsa-sha256',
        digestAlgorithm: 'sha256',
        profileMapper: mapper,
        ...idp.options,
      },
      idp.person,
    );
    response.writeHead(200, { 'content-type': 'text/html' }).end(
      `<form method="post" action="${acsUrl}">
        <input name="SAMLResponse" value="${Buffer.from(xml).toString('base64')}">
        <input name="RelayState" value="${query['RelayState']}">
      </form>`,
    );
  });
  return Object.assign(idp, {
    entityId: `${server.url}/metadata`,
    entryPoint: `${server.url}/sso`,
    certificate: cert,
    answer: async (browser: PlainBrowser, url: string) => formOf(await browser.visit(url), {}),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

function mapper({ nameId, email, groups }: SamlPerson) {
  return {
    getClaims: () => ({ [EMAIL]: email, [GROUPS]: groups, [GIVEN_NAME]: 'Ann' }),
    getNameIdentifier: () => ({
      nameIdentifier: nameId,
      nameIdentifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    }),
  };
}
