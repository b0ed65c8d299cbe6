import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ClientAuth,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client';
import type { Clock } from '#base/clock.ts';
import { SSO_DISCOVERY_LIFETIME_MS, SSO_PROVIDER_TIMEOUT_MS } from '#base/limits.ts';
import type { OidcProvider } from './oidc-settings.ts';
import { providerFetch, type Fetch } from './provider-fetch.ts';

const CLOCK_TOLERANCE_SECONDS = 30;

/** What makes one client of a provider different from another. */
export interface OidcClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/**
 * Clients of the providers, each made from its discovery document when it is first needed, and
 * again after a while.
 */
export class OidcClients {
  readonly #fetch: CustomFetch;
  readonly #clock: Clock;
  readonly #clients = new Map<OidcProvider, KnownClient>();

  constructor(fetch: Fetch, clock: Clock) {
    this.#fetch = providerFetch(fetch);
    this.#clock = clock;
  }

  /** Rejects as the discovery does, and asks again the next time. */
  async of(provider: OidcProvider, settings: OidcClientSettings): Promise<Configuration> {
    const known = this.#clients.get(provider);
    const now = this.#clock.now();
    if (known !== undefined && isSame(known.settings, settings) && now < known.endsAt) {
      return known.client;
    }
    const fresh: KnownClient = {
      settings,
      endsAt: now + SSO_DISCOVERY_LIFETIME_MS,
      client: this.#discover(settings),
    };
    this.#clients.set(provider, fresh);
    try {
      return await fresh.client;
    } catch (error) {
      if (this.#clients.get(provider) === fresh) this.#clients.delete(provider);
      throw error;
    }
  }

  async #discover({ issuer, clientId, clientSecret }: OidcClientSettings): Promise<Configuration> {
    const url = new URL(issuer);
    // Without it a loopback issuer is refused; what else is not https, our own fetch refuses.
    const insecure = url.protocol === 'http:' ? [allowInsecureRequests] : [];
    const options = {
      [customFetch]: this.#fetch,
      timeout: SSO_PROVIDER_TIMEOUT_MS / 1_000,
      // The signature of every ID token is checked, although it comes straight from the provider.
      execute: [...insecure, enableNonRepudiationChecks],
    };
    const metadata = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const found = await discovery(url, clientId, metadata, None(), options);
    if (clientSecret === null) return found;
    const server = found.serverMetadata();
    const client = new Configuration(
      server,
      clientId,
      metadata,
      secretAuthentication(server, clientSecret),
    );
    client[customFetch] = this.#fetch;
    client.timeout = options.timeout;
    for (const extend of options.execute) extend(client);
    return client;
  }
}

interface KnownClient {
  readonly settings: OidcClientSettings;
  readonly endsAt: number;
  readonly client: Promise<Configuration>;
}

function isSame(a: OidcClientSettings, b: OidcClientSettings): boolean {
  return a.issuer === b.issuer && a.clientId === b.clientId && a.clientSecret === b.clientSecret;
}

/** A provider that names no method takes HTTP Basic (OpenID Connect Discovery 1.0, section 3). */
function secretAuthentication(
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  secret: string,
): ClientAuth {
  return methods === undefined || methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret);
}
