import { X509Certificate } from 'node:crypto';
import { SAML_PROVIDERS_MAX } from '@trellis/contract/limits.ts';
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
import { must } from '#base/assert.ts';
import { notConfigured } from './sso-problems.ts';

export interface SamlProvider extends AdmissionRules {
  readonly enabled: boolean;
  /** Where it takes requests (HTTP-Redirect binding). Empty until it is given, as the issuer. */
  readonly entryPoint: string;
  readonly idpIssuer: string;
  /** PEM. */
  readonly idpCertificates: readonly string[];
  /** Names of attributes. */
  readonly attributes: SamlAttributes;
}

export interface SamlAttributes {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groups: string;
}

export type SamlProviders = Readonly<Record<string, SamlProvider>>;

/** The shape of the contract: what is left out stays, null removes the provider. */
export type SamlProvidersChange = Readonly<Record<string, SamlProviderChange | null>>;

export type SamlProviderChange = {
  readonly [Name in Exclude<keyof SamlProvider, 'attributes'>]?: SamlProvider[Name] | undefined;
} & {
  readonly attributes?:
    | { readonly [Name in keyof SamlAttributes]?: string | undefined }
    | undefined;
};

/** The names under which most providers send attributes. */
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

const NEW_PROVIDER: SamlProvider = {
  enabled: false,
  entryPoint: '',
  idpIssuer: '',
  idpCertificates: [],
  attributes: {
    email: `${CLAIMS}/emailaddress`,
    firstName: `${CLAIMS}/givenname`,
    lastName: `${CLAIMS}/surname`,
    groups: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  },
  allowedDomains: [],
  groupTeams: {},
  createUsers: true,
};

/** Throws `invalid_request` for settings that could not work. */
function changeSamlProviders(providers: SamlProviders, change: SamlProvidersChange): SamlProviders {
  const changed = new Map(Object.entries(providers));
  for (const [name, settings] of Object.entries(change)) {
    if (settings === null) changed.delete(name);
    else changed.set(name, changedProvider(name, changed.get(name) ?? NEW_PROVIDER, settings));
  }
  if (changed.size > SAML_PROVIDERS_MAX) {
    throw invalidSetting('providers', `must be at most ${SAML_PROVIDERS_MAX}`);
  }
  return Object.fromEntries(changed);
}

function changedProvider(
  name: string,
  before: SamlProvider,
  { attributes, ...change }: SamlProviderChange,
): SamlProvider {
  const provider: SamlProvider = {
    ...before,
    ...given(change),
    attributes: { ...before.attributes, ...given(attributes ?? {}) },
  };
  checkSamlProvider(`providers.${name}`, provider);
  return provider;
}

function checkSamlProvider(path: string, provider: SamlProvider): void {
  const { enabled, entryPoint, idpIssuer, idpCertificates } = provider;
  if (entryPoint !== '') checkAddress(`${path}.entryPoint`, entryPoint);
  for (const [i, certificate] of idpCertificates.entries()) {
    if (!isCertificate(certificate)) {
      throw invalidSetting(`${path}.idpCertificates.${i}`, 'must be a certificate in PEM');
    }
  }
  if (!enabled) return;
  const needed = [
    ['entryPoint', entryPoint === ''],
    ['idpIssuer', idpIssuer === ''],
    ['idpCertificates', idpCertificates.length === 0],
  ] as const;
  const missing = needed.find(([, isMissing]) => isMissing);
  if (missing !== undefined) {
    throw invalidSetting(`${path}.${missing[0]}`, 'is needed to enable the provider');
  }
}

function isCertificate(pem: string): boolean {
  if (!/^\s*-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/.test(pem)) return false;
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    // Told to the caller as what it is: no certificate.
    return false;
  }
}

const SETTING = 'saml';

/** As administrators see it. */
export interface SamlConfigView {
  readonly providers: SamlProviders;
  readonly entityId: string | null;
  readonly acsUrl: string | null;
}

/** This workspace as a SAML service provider. */
export interface ServiceProvider {
  readonly entityId: string;
  readonly acsUrl: string;
}

/** The settings of the SAML providers. */
export class SamlConfig {
  readonly #parts: ConfigParts;

  constructor(parts: ConfigParts) {
    this.#parts = parts;
  }

  view(): SamlConfigView {
    const self = this.#self();
    return {
      providers: this.#read().providers,
      entityId: self?.entityId ?? null,
      acsUrl: self?.acsUrl ?? null,
    };
  }

  async change(editor: Doer, change: SamlProvidersChange): Promise<SamlConfigView> {
    const { providers: before, version } = this.#read();
    const providers = changeSamlProviders(before, change);
    for (const [name, settings] of Object.entries(change)) {
      if (providers[name]?.enabled === true) requirePublicAddress(this.#parts.publicAddress);
      const teams = settings?.groupTeams ?? {};
      checkTeams(this.#parts.reader, `providers.${name}.groupTeams`, teams);
    }
    await this.#parts.settings.write(SETTING, { value: providers, version }, editor, {
      provider: 'saml',
      members: Object.keys(change),
    });
    return this.view();
  }

  /** Names of the providers that people may sign in with. */
  enabled(): string[] {
    if (this.#self() === null) return [];
    return Object.entries(this.#read().providers).flatMap(([name, { enabled }]) =>
      enabled ? [name] : [],
    );
  }

  /** Throws `sso_not_configured` unless people may sign in with it. */
  target(name: string): { provider: SamlProvider; serviceProvider: ServiceProvider } {
    const serviceProvider = this.serviceProvider();
    const { providers } = this.#read();
    const provider = Object.hasOwn(providers, name) ? must(providers[name], name) : undefined;
    if (provider?.enabled !== true) throw notConfigured(`saml/${name}`);
    return { provider, serviceProvider };
  }

  /** This workspace; throws `sso_not_configured` when it does not know its address. */
  serviceProvider(): ServiceProvider {
    const self = this.#self();
    if (self === null) throw notConfigured('saml');
    return self;
  }

  #self(): ServiceProvider | null {
    const { publicAddress } = this.#parts;
    if (publicAddress === null) return null;
    return {
      entityId: `${publicAddress}/api/saml/metadata`,
      acsUrl: `${publicAddress}/api/saml/acs`,
    };
  }

  #read(): { providers: SamlProviders; version: number } {
    const { value, version } = this.#parts.settings.read(SETTING);
    return { providers: (value ?? {}) as SamlProviders, version };
  }
}
