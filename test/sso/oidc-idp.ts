import Provider from 'oidc-provider';
import { startLoopback } from './loopback-server.ts';
import { formOf, type PlainBrowser } from './plain-browser.ts';

/** What the provider knows of somebody; they sign in with their name and any password. */
export interface Person {
  readonly email: string;
  readonly email_verified: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly name?: string;
  readonly groups?: readonly string[];
}

export const CLIENT_ID = 'trellis';
export const CLIENT_SECRET = 'a-client-secret-that-nobody-else-knows';

/** A certified OpenID provider with its own pages, on the loopback. */
export interface OidcIdp extends AsyncDisposable {
  readonly issuer: string;
  readonly people: Map<string, Person>;
  /** Signs in at the page that `loginUrl` shows; the address to which the provider leads back. */
  signIn(browser: PlainBrowser, loginUrl: string, name: string): Promise<string>;
}

export async function startOidcIdp(redirectUris: readonly string[]): Promise<OidcIdp> {
  const people = new Map<string, Person>();
  // Another host than the one under test, so that browsers take them for two sites.
  const server = await startLoopback((issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [...redirectUris] },
      ],
      claims: {
        openid: ['sub', 'groups'],
        email: ['email', 'email_verified'],
        profile: ['name', 'given_name', 'family_name'],
      },
      cookies: { keys: ['a key of the provider'] },
      // So that a test can leave the challenge out.
      pkce: { required: () => false },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...people.get(id) }),
      }),
    });
    return provider.callback();
  }, 'localhost');
  return {
    issuer: server.url,
    people,
    async signIn(browser, loginUrl, name) {
      let visit = await browser.visit(loginUrl, redirectBase(redirectUris));
      while (visit.status === 200) {
        const form = formOf(visit, { login: name, password: 'any' });
        visit = await browser.submit(form, redirectBase(redirectUris));
      }
      return visit.url;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function redirectBase([first]: readonly string[]): string {
  return new URL('/', first).href;
}
