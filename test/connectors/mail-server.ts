import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { freePort } from '../cluster/free-port.ts';
import { DOVECOT } from '../../tools/debian-package.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { isGreeting, startDaemon } from './daemon.ts';

/** Dovecot itself, with a mailbox for each user, whose folders have access lists. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** With TLS from the beginning. */
  readonly securePort: number;
  /** Works on the mailbox of a user. */
  readonly as: <T>(user: string, work: (mail: ImapFlow) => Promise<T>) => Promise<T>;
  /** Says who may read a folder: `$name` is a group. */
  readonly allow: (user: string, folder: string, who: string, rights: string) => Promise<void>;
}

/** `passwords` by user. */
export async function startMailServer(
  passwords: Readonly<Record<string, string>>,
  tls: { readonly key: string; readonly cert: string },
): Promise<MailServer> {
  const folder = await temporaryFolder();
  const [port, securePort] = [await freePort(), await freePort()];
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, 'dovecot'], { encoding: 'utf8' }).trim());
  const at = (name: string) => join(folder.path, name);
  chmodSync(folder.path, 0o755);
  for (const name of ['mail', 'run', 'state']) mkdirSync(at(name));
  writeFileSync(at('key.pem'), tls.key);
  writeFileSync(at('cert.pem'), tls.cert);
  const users = Object.entries(passwords).map(([user, password]) => `${user}:${password}::::::\n`);
  writeFileSync(at('users'), users.join(''));
  writeFileSync(at('dovecot.conf'), settings(folder.path, port, securePort));
  for (const name of ['mail', 'state']) chownSync(at(name), id('-u'), id('-g'));
  // Its processes take connections a while before they answer.
  const server = await startDaemon(DOVECOT, ['-F', '-c', at('dovecot.conf')], () =>
    isGreeting(port),
  );
  const as: MailServer['as'] = async (user, work) => {
    const auth = { user, pass: passwords[user] ?? '' };
    const mail = new ImapFlow({ host: '127.0.0.1', port, auth, doSTARTTLS: false, logger: false });
    await mail.connect();
    try {
      return await work(mail);
    } finally {
      await mail.logout();
    }
  };
  return {
    port,
    securePort,
    as,
    allow: async (user, name, who, rights) => {
      execFileSync('doveadm', [
        '-c',
        at('dovecot.conf'),
        'acl',
        'set',
        '-u',
        user,
        name,
        who,
        ...rights.split(' '),
      ]);
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function settings(folder: string, port: number, securePort: number): string {
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail/%u
mail_uid = dovecot
mail_gid = dovecot
first_valid_uid = 1
mail_plugins = acl
protocol imap {
  mail_plugins = acl imap_acl
}
plugin {
  acl = vfile
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    auto = create
    special_use = \\Trash
  }
}
passdb {
  driver = passwd-file
  args = scheme=PLAIN ${folder}/users
}
userdb {
  driver = passwd-file
  args = ${folder}/users
  default_fields = home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${securePort}
  }
}
service anvil {
  chroot =
}
`;
}
