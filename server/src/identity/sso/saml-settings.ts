import { X509Certificate } from 'node:crypto';
import { SAML_PROVIDERS_MAX } from '@trellis/contract/limits.ts';
import { checkAddress } from './provider-fetch.ts';
import type { AdmissionRules } from './proven-identity.ts';
import { given, invalidSetting } from './setting-change.ts';

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

/** As the contract has it: what is left out stays, null removes the provider. */
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
export function changeSamlProviders(
  providers: SamlProviders,
  change: SamlProvidersChange,
): SamlProviders {
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
