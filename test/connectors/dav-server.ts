import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APACHE } from '../../tools/debian-package.ts';
import { freePort } from '../cluster/free-port.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { isListening, startDaemon } from './daemon.ts';

/** Apache itself with `mod_dav`: only its users may read, and `/staff` only one of them. */
export interface DavTestServer extends AsyncDisposable {
  readonly origin: string;
  /** Of the folder that is brought. */
  readonly url: string;
  /** Changes something there as a user does. */
  readonly send: (user: string, method: string, path: string, body?: string) => Promise<number>;
  /** The `ETag` of a file. For a second after a change it is a weak one, and then another. */
  readonly tagOf: (user: string, path: string) => Promise<string | null>;
}

/** `passwords` by user; the first may read all of it, and changes it. */
export async function startDav(
  passwords: Readonly<Record<string, string>>,
): Promise<DavTestServer> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const at = (name: string) => join(folder.path, name);
  chmodSync(folder.path, 0o755);
  for (const name of ['web', 'web/docs', 'run']) {
    mkdirSync(at(name));
    chmodSync(at(name), 0o777);
  }
  const hashOf = (password: string) => `{SHA}${hash('sha1', password, 'base64')}`;
  const users = Object.entries(passwords).map(([user, text]) => `${user}:${hashOf(text)}\n`);
  writeFileSync(at('users'), users.join(''));
  const [first = ''] = Object.keys(passwords);
  writeFileSync(at('apache.conf'), settings(folder.path, port, first));
  const server = await startDaemon(APACHE, ['-X', '-f', at('apache.conf')], () =>
    isListening(port),
  );
  const origin = `http://127.0.0.1:${port}`;
  const send = async (user: string, method: string, path: string, body?: string) => {
    const basic = Buffer.from(`${user}:${passwords[user]}`).toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    const given = body === undefined ? {} : { body };
    const response = await fetch(`${origin}/docs${path}`, { method, headers, ...given });
    await response.body?.cancel();
    return response;
  };
  return {
    origin,
    url: `${origin}/docs`,
    send: async (...asked) => (await send(...asked)).status,
    tagOf: async (user, path) => (await send(user, 'HEAD', path)).headers.get('etag'),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const MODULES = [
  'mpm_event',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_user',
  'auth_basic',
  'dav',
  'dav_fs',
] as const;

function settings(folder: string, port: number, user: string): string {
  const modules = MODULES.map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return `
ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/run/pid
DefaultRuntimeDir ${folder}/run
ErrorLog ${folder}/run/log
User nobody
Group nogroup
${modules.join('\n')}
DocumentRoot ${folder}/web
DavLockDB ${folder}/run/locks
<Directory ${folder}/web>
  Dav On
  AuthType Basic
  AuthName files
  AuthBasicProvider file
  AuthUserFile ${folder}/users
  Require valid-user
</Directory>
<Location /docs/staff>
  Require user ${user}
</Location>
`;
}
