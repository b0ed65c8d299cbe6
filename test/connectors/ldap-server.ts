import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'ldapts';
import { SLAPD } from '../../tools/debian-package.ts';
import { freePort } from '../cluster/free-port.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

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
  const server = spawn(SLAPD, ['-d', '0', '-f', at('slapd.conf'), '-h', url], { stdio: 'ignore' });
  const exited = once(server, 'exit');
  await listening(port, () => server.exitCode !== null);
  const client = new Client({ url });
  await client.bind(user, password);
  return {
    port,
    url,
    user,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.unbind();
      server.kill('SIGTERM');
      await exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** It tells nobody when it takes connections. */
async function listening(port: number, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    if (hasEnded()) throw new Error('slapd did not start');
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    await delay(20);
  }
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
