import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OwnServer, type OwnServerOptions } from '../own-server.ts';

interface DevServerOptions extends Pick<OwnServerOptions, 'port' | 'env' | 'tell' | 'signal'> {
  /** Its data and the password of its administrator lie in `.trellis` there. */
  readonly folder: string;
}

const USER = 'admin';

/** Starts a server for one folder. */
export async function startDevServer({ folder, ...options }: DevServerOptions): Promise<OwnServer> {
  const own = join(resolve(folder), '.trellis');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const passwordFile = join(own, 'password');
  const password = keptPassword(passwordFile);
  const data = join(own, 'data');
  const server = await OwnServer.start({ ...options, data, user: USER, password });
  const { url, pid } = server;
  options.tell(
    { event: 'serving', url, pid, user: USER, passwordFile },
    `Serving ${url} (user ${USER}, password in ${join(folder, '.trellis/password')})`,
  );
  return server;
}

/** Made at the first start, which makes the administrator. */
function keptPassword(file: string): string {
  if (!existsSync(file))
    writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
