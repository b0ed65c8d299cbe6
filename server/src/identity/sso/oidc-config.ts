import type { Doer } from '#access/deed.ts';
import { parseRecord, vaultRecord, type VaultWrite } from '../vault.ts';
import {
  checkOidcSettings,
  OIDC_PROVIDERS,
  oidcSettings,
  type OidcProvider,
  type OidcSettings,
  type OidcSettingsChange,
} from './oidc-settings.ts';
import type { OidcTarget } from './oidc-sign-in.ts';
import { checkTeams, given, requirePublicAddress, type ConfigParts } from './setting-change.ts';
import { notConfigured } from './sso-problems.ts';

/** As administrators see it: the secret is never told. */
export type OidcConfigView = OidcSettings & {
  readonly hasClientSecret: boolean;
  readonly redirectUri: string | null;
};

export type OidcConfigChange = OidcSettingsChange & {
  /** Null removes it. */
  readonly clientSecret?: string | null | undefined;
};

/** The settings of the OpenID Connect providers. */
export class OidcConfig {
  readonly #parts: ConfigParts;

  constructor(parts: ConfigParts) {
    this.#parts = parts;
  }

  view(provider: OidcProvider): OidcConfigView {
    return {
      ...this.#read(provider).settings,
      hasClientSecret: this.#secret(provider) !== null,
      redirectUri: this.#redirectUri(provider),
    };
  }

  async change(
    editor: Doer,
    provider: OidcProvider,
    { clientSecret, ...change }: OidcConfigChange,
  ): Promise<OidcConfigView> {
    const before = this.#read(provider);
    const settings: OidcSettings = { ...before.settings, ...given(change) };
    checkOidcSettings(settings);
    // Those that were mapped before may be gone: that must not keep anybody from changing the rest.
    checkTeams(this.#parts.reader, 'groupTeams', change.groupTeams ?? {});
    if (settings.enabled) requirePublicAddress(this.#parts.publicAddress);
    const isMoved = settings.issuer !== before.settings.issuer;
    await this.#parts.settings.write(
      settingKey(provider),
      { value: settings, version: before.version },
      editor,
      { provider, members: Object.keys(given({ ...change, clientSecret })) },
      // A secret goes only to the issuer it was entered for: nobody reads it by naming another one.
      secretRecords(provider, isMoved ? (clientSecret ?? null) : clientSecret),
    );
    return this.view(provider);
  }

  enabled(): OidcProvider[] {
    const { publicAddress } = this.#parts;
    if (publicAddress === null) return [];
    return OIDC_PROVIDERS.filter((provider) => this.#read(provider).settings.enabled);
  }

  /** Throws `sso_not_configured` unless people may sign in with it. */
  target(provider: OidcProvider): OidcTarget {
    const { settings } = this.#read(provider);
    const redirectUri = this.#redirectUri(provider);
    if (!settings.enabled || redirectUri === null) throw notConfigured(provider);
    return { provider, settings, redirectUri, clientSecret: this.#secret(provider) };
  }

  #read(provider: OidcProvider): { settings: OidcSettings; version: number } {
    const { value, version } = this.#parts.settings.read(settingKey(provider));
    return { settings: oidcSettings(provider, value), version };
  }

  #redirectUri(provider: OidcProvider): string | null {
    const { publicAddress } = this.#parts;
    return publicAddress && `${publicAddress}/api/${provider}/completed-login-attempt`;
  }

  #secret(provider: OidcProvider): string | null {
    const key = secretKey(provider);
    const value = this.#parts.vault.get(key);
    return value === undefined ? null : parseRecord(key, value, isSecret).clientSecret;
  }
}

function settingKey(provider: OidcProvider): string {
  return `sso.${provider}`;
}

function secretKey(provider: OidcProvider): string {
  return `sso-secret/${provider}`;
}

function secretRecords(provider: OidcProvider, secret: string | null | undefined): VaultWrite[] {
  if (secret === undefined) return [];
  const key = secretKey(provider);
  return [secret === null ? { key, value: null } : vaultRecord(key, { clientSecret: secret })];
}

function isSecret(record: {
  readonly clientSecret?: unknown;
}): record is { readonly clientSecret: string } {
  return typeof record.clientSecret === 'string';
}
