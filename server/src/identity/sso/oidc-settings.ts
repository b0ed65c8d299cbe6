import { checkAddress } from './provider-fetch.ts';
import type { AdmissionRules } from './proven-identity.ts';
import {
  checkTeams,
  type ConfigParts,
  given,
  invalidSetting,
  requirePublicAddress,
} from './setting-change.ts';
import type { Doer } from '#access/audit-event.ts';
import { parseRecord, vaultRecord, type VaultWrite } from '../vault.ts';
import { notConfigured } from './sso-problems.ts';

/** The prefixes of the specification, section 4.2, with the names that people know. */
export const OIDC_PROVIDER_NAMES = {
  googlesso: 'Google',
  microsoftsso: 'Microsoft',
  oktasso: 'Okta',
  auth0sso: 'Auth0',
} as const;

export type OidcProvider = keyof typeof OIDC_PROVIDER_NAMES;

export const OIDC_PROVIDERS = Object.keys(OIDC_PROVIDER_NAMES) as readonly OidcProvider[];

export const GOOGLE_ISSUER = 'https://accounts.google.com';

export interface OidcSettings extends AdmissionRules {
  readonly enabled: boolean;
  /** Empty until it is given, as the issuer. */
  readonly clientId: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
}

/** The shape of the contract: what is left out stays. */
type OidcSettingsChange = {
  readonly [Name in keyof OidcSettings]?: OidcSettings[Name] | undefined;
};

export function oidcSettings(provider: OidcProvider, stored: unknown): OidcSettings {
  return {
    enabled: false,
    clientId: '',
    issuer: provider === 'googlesso' ? GOOGLE_ISSUER : '',
    scopes: ['openid', 'email', 'profile'],
    allowedDomains: [],
    groupsClaim: 'groups',
    groupTeams: {},
    createUsers: true,
    ...(stored as Partial<OidcSettings> | undefined),
  };
}

/** Hosts of Microsoft's clouds: the public one, and those of governments and of China. */
const MICROSOFT_HOSTS: ReadonlySet<string> = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
]);
/** One tenant, by its id or a domain. */
const TENANT_PATH = /^\/([\da-z.-]+)\/v2\.0\/?$/i;
/** Tenants that anybody can be in: their addresses are whatever their owner wrote. */
const SHARED_TENANTS: ReadonlySet<string> = new Set([
  'common',
  'organizations',
  'consumers',
  // The tenant of all personal accounts.
  '9188040d-6c67-4c5b-b112-36a304b66dad',
]);

/**
 * Whether an issuer answers for the addresses of its people: a tenant of Microsoft's that somebody
 * administers.
 */
export function isMicrosoftTenant(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  if (!MICROSOFT_HOSTS.has(hostname)) return false;
  const tenant = TENANT_PATH.exec(pathname)?.[1];
  return tenant !== undefined && !SHARED_TENANTS.has(tenant.toLowerCase());
}

/**
 * Anybody has an account at Google or can make one: without domains that may sign in, only users
 * who are here already do.
 */
export function admissionRules(settings: OidcSettings): AdmissionRules {
  const isOpenToAll = settings.issuer === GOOGLE_ISSUER && settings.allowedDomains.length === 0;
  return isOpenToAll ? { ...settings, createUsers: false } : settings;
}

/**
 * Throws `invalid_request` for settings that could not work, or that would let in the wrong people.
 */
export function checkOidcSettings(settings: OidcSettings): void {
  const { enabled, clientId, issuer, scopes } = settings;
  if (!scopes.includes('openid')) throw invalidSetting('scopes', 'must include "openid"');
  if (issuer !== '') {
    const { hostname, pathname, search } = checkAddress('issuer', issuer);
    if (search !== '') throw invalidSetting('issuer', 'must have no query');
    if (pathname.includes('/.well-known/')) {
      throw invalidSetting('issuer', 'must be the issuer, not the address of its metadata');
    }
    if (MICROSOFT_HOSTS.has(hostname) && !isMicrosoftTenant(issuer)) {
      throw invalidSetting(
        'issuer',
        'must name your own tenant: https://login.microsoftonline.com/<tenant>/v2.0',
      );
    }
  }
  if (!enabled) return;
  if (clientId === '') throw invalidSetting('clientId', 'is needed to enable the provider');
  if (issuer === '') throw invalidSetting('issuer', 'is needed to enable the provider');
}

/** As administrators see it: the secret is never told. */
export type OidcConfigView = OidcSettings & {
  readonly hasClientSecret: boolean;
  readonly redirectUri: string | null;
};

export type OidcConfigChange = OidcSettingsChange & {
  /** Null removes it. */
  readonly clientSecret?: string | null | undefined;
};

/** A provider with everything that a sign-in needs. */
export interface OidcTarget {
  readonly provider: OidcProvider;
  readonly settings: OidcSettings;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
}

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
    // Teams that were mapped before may be gone: that must not keep anybody from changing the rest.
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
