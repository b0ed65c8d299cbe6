import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keptText } from './kept-text.ts';

/**
 * A primary (`npm run primary`) and a replica of it (`npm run replica`) on this machine, to try out
 * how they work together. What they share is made on first use and kept in the folder `local`: the
 * key that both sign tokens with, and a license that its own authority has issued. Variables that
 * are set go before the ones here.
 */
const ROOT = resolve(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'server/dist/trellis.js');
const FOLDER = join(ROOT, 'local');
const PRIMARY = 'http://127.0.0.1:8080';
const REPLICA = 'http://127.0.0.1:8081';

/** What the command prints. */
function trellis(...args: readonly string[]): string {
  const { stdout, status } = spawnSync(process.execPath, [...process.execArgv, PROGRAM, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`trellis ${args.join(' ')} ended with ${status}`);
  return stdout;
}

const kept = (name: string, make: () => string): string => keptText(join(FOLDER, name), make);

function makeLicense(): string {
  const keys = join(FOLDER, 'authority');
  if (!existsSync(keys)) trellis('license', 'keygen', '--out', keys);
  const key = join(keys, 'private.pem');
  return trellis('license', 'issue', '--features', 'Replicas', '--key', key);
}

function settingsOf(role: string | undefined): Readonly<Record<string, string>> {
  const storage = { MSK_GRAPH_STORAGE: join(FOLDER, role ?? '') };
  const shared = {
    ...storage,
    MSK_JWT_KEY: kept('jwt.key', () => randomBytes(48).toString('hex')),
  };
  switch (role) {
    case 'primary':
      return { ...shared, MSK_PORT: '8080', MSK_PUBLIC_ADDRESS: PRIMARY, MSK_CORS: REPLICA };
    case 'replica':
      return {
        ...shared,
        MSK_REPLICA: 'true',
        MSK_PRIMARY_ADDRESS: PRIMARY,
        MSK_PORT: '8081',
        MSK_PUBLIC_ADDRESS: REPLICA,
        MSK_LICENSE: kept('license.jws', makeLicense),
        MSK_LICENSE_PUBLIC_KEY: join(FOLDER, 'authority/public.pem'),
      };
    default:
      throw new Error('say which one: primary or replica');
  }
}

mkdirSync(FOLDER, { recursive: true });
const [node = '', , role] = process.argv;
Object.assign(process.env, { ...settingsOf(role), ...process.env });
process.argv = [node, 'trellis', 'serve'];
await import(pathToFileURL(PROGRAM).href);
