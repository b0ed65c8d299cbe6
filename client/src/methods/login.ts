import type { IssuedSession } from '@trellis/contract/shapes/sso.ts';
import { callTo } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** An identity provider to offer, with the path that begins a sign-in there. */
export interface LoginProvider {
  readonly provider: string;
  readonly name: string;
  readonly loginUrl: string;
}

/**
 * Where to send the browser to sign in at one of `client.login.listProviders()`; `returnTo` is the
 * page of the front end to come back to. The browser has to make this call itself: it gets a
 * cookie.
 */
export function beginLogin(
  transport: Transport,
  provider: LoginProvider,
  returnTo = '/',
  options?: CallOptions,
): Promise<{ readonly url: string }> {
  const { loginUrl } = provider;
  const isSaml = loginUrl.startsWith('/api/saml/');
  // SAML has the page in the path, as its last part.
  const folder = loginUrl.slice(0, loginUrl.lastIndexOf('/') + 1);
  const target = isSaml
    ? { path: folder + encodeURIComponent(returnTo) }
    : { path: loginUrl, query: { returnTo } };
  return transport.json({ method: 'GET', ...target, ...options });
}

/** The return from a SAML provider; browsers come here by themselves. */
export function consumeSamlResponse(
  transport: Transport,
  form: { readonly SAMLResponse: string; readonly RelayState?: string },
  options?: CallOptions,
): Promise<IssuedSession> {
  return transport.json({
    ...callTo('sso', 'consumeSamlResponse'),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    ...options,
  });
}
