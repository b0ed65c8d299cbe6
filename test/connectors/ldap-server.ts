import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { SLAPD } from '../../tools/debian-package.ts';
import { freePort } from '../cluster/free-port.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { isListening, startDaemon } from './daemon.ts';

/** OpenLDAP itself; nobody but its one user may read it. */
export interface DirectoryServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly user: string;
  /** Bound as that user. */
  readonly client: Client;
}

export const BASE = 'dc=example,dc=com';

export async function startDirectory(
  password: string,
  tls: { readonly key: string; readonly cert: string },
  entries: string,
): Promise<DirectoryServer> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('data'));
  writeFileSync(at('key.pem'), tls.key);
  writeFileSync(at('cert.pem'), tls.cert);
  const user = `cn=reader,${BASE}`;
  writeFileSync(at('slapd.conf'), settings(folder.path, user, password));
  writeFileSync(at('entries.ldif'), entries);
  execFileSync('/usr/sbin/slapadd', ['-f', at('slapd.conf'), '-l', at('entries.ldif')]);
  const url = `ldap://127.0.0.1:${port}`;
  const server = await startDaemon(SLAPD, ['-d', '0', '-f', at('slapd.conf'), '-h', url], () =>
    isListening(port),
  );
  const client = new Client({ url });
  await client.bind(user, password);
  return {
    port,
    url,
    user,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.unbind();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function settings(folder: string, user: string, password: string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
suffix "${BASE}"
rootdn "${user}"
rootpw ${password}
directory ${folder}/data
access to * by * none
`;
}
