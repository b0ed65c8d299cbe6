import type { SamlConfig, SamlConfigChange } from '@trellis/contract/shapes/sso.ts';
import { groupTeamsOf, type GroupTeam, rowsOf } from './group-teams.ts';

export type SamlProvider = SamlConfig['providers'][string];
type SamlProviderChange = NonNullable<SamlConfigChange['providers'][string]>;

export interface SamlValues {
  enabled: boolean;
  entryPoint: string;
  idpIssuer: string;
  /** Certificates in PEM, one after the other. */
  idpCertificates: string;
  emailAttribute: string;
  firstNameAttribute: string;
  lastNameAttribute: string;
  groupsAttribute: string;
  allowedDomains: readonly string[];
  createUsers: boolean;
  groupTeams: readonly GroupTeam[];
}

export function samlValuesOf({ attributes, ...provider }: SamlProvider): SamlValues {
  return {
    ...provider,
    idpCertificates: provider.idpCertificates.map((pem) => pem.trim()).join('\n'),
    emailAttribute: attributes.email,
    firstNameAttribute: attributes.firstName,
    lastNameAttribute: attributes.lastName,
    groupsAttribute: attributes.groups,
    groupTeams: rowsOf(provider.groupTeams),
  };
}

/**
 * Only what is another: teams that are gone by now must not keep anybody from changing the rest.
 */
export function samlChangeOf(before: SamlProvider, values: SamlValues): SamlProviderChange {
  const was = samlValuesOf(before);
  const isChanged = (name: keyof SamlValues) =>
    JSON.stringify(values[name]) !== JSON.stringify(was[name]);
  const { enabled, entryPoint, idpIssuer, idpCertificates } = values;
  return {
    ...(isChanged('enabled') && { enabled }),
    ...(isChanged('entryPoint') && { entryPoint }),
    ...(isChanged('idpIssuer') && { idpIssuer }),
    ...(isChanged('idpCertificates') && { idpCertificates: certificatesOf(idpCertificates) }),
    ...(isChanged('allowedDomains') && { allowedDomains: [...values.allowedDomains] }),
    ...(isChanged('createUsers') && { createUsers: values.createUsers }),
    ...(isChanged('groupTeams') && { groupTeams: groupTeamsOf(values.groupTeams) }),
    attributes: {
      ...(isChanged('emailAttribute') && { email: values.emailAttribute }),
      ...(isChanged('firstNameAttribute') && { firstName: values.firstNameAttribute }),
      ...(isChanged('lastNameAttribute') && { lastName: values.lastNameAttribute }),
      ...(isChanged('groupsAttribute') && { groups: values.groupsAttribute }),
    },
  };
}

const END = '-----END CERTIFICATE-----';

/** Whatever stands after the last end is a certificate too: the server says that it is none. */
function certificatesOf(text: string): string[] {
  return text
    .split(new RegExp(`(?<=${END})`))
    .map((pem) => pem.trim())
    .filter((pem) => pem !== '');
}
