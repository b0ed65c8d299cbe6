import { expect, test } from 'vitest';
import { groupTeamsOf, rowsOf, withRow } from './group-teams.ts';
import { samlChangeOf, samlValuesOf } from './saml-values.ts';

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;

const PROVIDER = {
  enabled: false,
  entryPoint: 'https://idp.example/sso',
  idpIssuer: 'https://idp.example',
  idpCertificates: [`${pem('one')}\n`],
  attributes: { email: 'mail', firstName: 'givenName', lastName: 'sn', groups: 'memberOf' },
  allowedDomains: [],
  groupTeams: { engineers: 'a team' },
  createUsers: true,
};

test('only what is another is sent', () => {
  const values = samlValuesOf(PROVIDER);
  expect(samlChangeOf(PROVIDER, values)).toEqual({ attributes: {} });
  const changed = { ...values, enabled: true, groupsAttribute: 'groups' };
  expect(samlChangeOf(PROVIDER, changed)).toEqual({
    enabled: true,
    attributes: { groups: 'groups' },
  });
});

test('certificates are told apart by their ends, and what is none is sent too', () => {
  const values = samlValuesOf(PROVIDER);
  const idpCertificates = `${pem('one')}\n\n${pem('two')}\nno certificate`;
  expect(samlChangeOf(PROVIDER, { ...values, idpCertificates })).toMatchObject({
    idpCertificates: [pem('one'), pem('two'), 'no certificate'],
  });
});

test('rows that are not complete say nothing', () => {
  const rows = withRow(rowsOf(PROVIDER.groupTeams));
  expect(rows).toEqual([
    { id: 0, group: 'engineers', team: 'a team' },
    { id: 1, group: '', team: '' },
  ]);
  expect(groupTeamsOf(rows)).toEqual(PROVIDER.groupTeams);
});
