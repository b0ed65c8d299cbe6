import type {
  IssuedSession,
  SamlConfig,
  SamlConfigChange,
  SsoConfig,
  SsoConfigChange,
  SsoProvider,
} from '@trellis/contract/shapes/sso.ts';
import { ClientBase } from './client-base.ts';
import type { CallOptions } from './transport.ts';

/** An identity provider to offer, with the path that begins a sign-in there. */
export interface LoginProvider {
  readonly provider: string;
  readonly name: string;
  readonly loginUrl: string;
}

/** Signing in and out: by password, and at identity providers. */
export class LoginClient extends ClientBase {
  /** Signs in. `expiresAt` is ISO 8601, UTC. */
  createLogin(
    login: { readonly user: string; readonly password: string },
    options?: CallOptions,
  ): Promise<{ token: string; expiresAt: string }> {
    return this.post('/api/login/create', login, options);
  }

  /** Tells who the session belongs to. */
  checkLogin(options?: CallOptions): Promise<{ user: { uid: string; name: string } }> {
    return this.get('/api/login/check', options);
  }

  /** Signs out: the token is refused from the next request. */
  endSession(options?: CallOptions): Promise<void> {
    return this.tell('POST', '/api/login/end', undefined, options);
  }

  /** Changes the caller's own password; their other sessions end. */
  changePassword(
    passwords: { readonly oldPassword: string; readonly newPassword: string },
    options?: CallOptions,
  ): Promise<void> {
    return this.tell('POST', '/api/login/password/change', passwords, options);
  }

  /** Has a link mailed with which one can set a new password; the answer is the same whether there is such a user or not. */
  async resetPassword(email: string, options?: CallOptions): Promise<void> {
    await this.post('/api/login/password/reset', { email }, options);
  }

  /** Sets a new password with the token of a reset link, once. */
  completePasswordReset(
    reset: { readonly token: string; readonly newPassword: string },
    options?: CallOptions,
  ): Promise<void> {
    return this.tell('POST', '/api/login/password/reset/complete', reset, options);
  }

  /** The identity providers at which one can sign in here. */
  listLoginProviders(options?: CallOptions): Promise<{ readonly items: readonly LoginProvider[] }> {
    return this.get('/api/login/providers', options);
  }

  /**
   * Where to send the browser to sign in at one of `listLoginProviders`; `returnTo` is the page of the front end to come back to.
   * The browser has to make this call itself: it gets a cookie.
   */
  beginLogin(
    { loginUrl }: LoginProvider,
    returnTo = '/',
    options?: CallOptions,
  ): Promise<{ readonly url: string }> {
    if (!loginUrl.startsWith('/api/saml/')) return this.get(loginUrl, options, { returnTo });
    // SAML has the page in the path, as its last part.
    const path = loginUrl.slice(0, loginUrl.lastIndexOf('/') + 1);
    return this.get(path + encodeURIComponent(returnTo), options);
  }

  /** Exchanges the code that a sign-in at a provider ends with for a session, once. */
  exchangeLogin(code: string, options?: CallOptions): Promise<IssuedSession> {
    return this.post('/api/login/exchange', { code }, options);
  }

  getSsoConfig(provider: SsoProvider, options?: CallOptions): Promise<SsoConfig> {
    return this.get(`/api/${provider}/config`, options);
  }

  /** What is left out stays as it is. */
  setSsoConfig(
    provider: SsoProvider,
    change: SsoConfigChange,
    options?: CallOptions,
  ): Promise<SsoConfig> {
    return this.post(`/api/${provider}/config`, change, options);
  }

  /** Where to send the browser, which has to make this call itself: it gets a cookie. */
  getLoginUrl(
    provider: SsoProvider,
    returnTo?: string,
    options?: CallOptions,
  ): Promise<{ readonly url: string }> {
    return this.get(`/api/${provider}/get-login-url`, options, { returnTo });
  }

  /** The return from an OpenID Connect provider, with what it put in the query; browsers come here by themselves. */
  completeLogin(
    provider: SsoProvider,
    query: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<IssuedSession> {
    return this.get(`/api/${provider}/completed-login-attempt`, options, query);
  }

  getSamlConfig(options?: CallOptions): Promise<SamlConfig> {
    return this.get('/api/saml/config', options);
  }

  /** Providers by name: what is left out stays as it is, null removes the provider. */
  setSamlConfig(change: SamlConfigChange, options?: CallOptions): Promise<SamlConfig> {
    return this.post('/api/saml/config', change, options);
  }

  /** `issuer` is the entity id of the workspace, `destination` a path of it to return to. */
  createSamlRequest(
    request: { readonly provider: string; readonly issuer: string; readonly destination: string },
    options?: CallOptions,
  ): Promise<{ readonly url: string; readonly id: string }> {
    const { provider, issuer, destination } = request;
    const path = [provider, issuer, destination].map(encodeURIComponent).join('/');
    return this.get(`/api/saml/createrequest/${path}`, options);
  }

  /** The return from a SAML provider; browsers come here by themselves. */
  consumeSamlResponse(
    form: { readonly SAMLResponse: string; readonly RelayState?: string },
    options?: CallOptions,
  ): Promise<IssuedSession> {
    return this.transport.json({
      method: 'POST',
      path: '/api/saml/acs',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      ...options,
    });
  }

  /** The metadata of this workspace, as XML. */
  async getSamlMetadata(options?: CallOptions): Promise<string> {
    const path = '/api/saml/metadata';
    const { text } = await this.transport.send({ method: 'GET', path, ...options });
    return text;
  }
}
