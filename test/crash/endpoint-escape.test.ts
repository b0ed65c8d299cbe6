import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { field, HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const PRELOAD = new URL('./escaped-worker.ts', import.meta.url).href;

/** Texts that occur nowhere but where a secret is. */
const SECRETS = {
  MSK_JWT_KEY: 'jwt-key-7f3a9c51e08b42d6-of-this-test',
  MSK_ADMIN_PASSWORD: 'admin-password-52c1d9e7-of-this-test',
  MSK_SMTP_URL: 'smtps://mailer:smtp-password-93ab04ce@127.0.0.1:1',
};
const MASTER_KEY = 'master-key-4d8e21f7b6a0-of-this-test';
const PROVIDER_SECRET = 'provider-secret-c60b1f38-of-this-test';

describe.each([
  ['a store in the clear', {}],
  ['an encrypted store', { MSK_GRAPH_MASTER_KEY: MASTER_KEY }],
])('somebody who has got out of the realm of an endpoint, over %s', (_store, key) => {
  test('gets nothing that is refused, and sees no secret', async () => {
    await using folder = await temporaryFolder();
    const loot = join(folder.path, 'loot');
    await mkdir(loot);
    const storage = join(folder.path, 'store');
    const env = { ...SECRETS, ...key, MSK_PUBLIC_ADDRESS: 'http://127.0.0.1' };
    // The secrets are there before anybody breaks in.
    const tokens = await fillWithSecrets(storage, env);
    const broken = { TRELLIS_LOOT: loot, NODE_OPTIONS: `--import ${PRELOAD}` };
    await using server = await TrellisProcess.start({ storage, env: { ...env, ...broken } });
    await expect.poll(() => existsSync(join(loot, 'found.json'))).toBe(true);
    expect(JSON.parse(await readFile(join(loot, 'found.json'), 'utf8'))).toEqual({});

    const secrets = [...Object.values(SECRETS), MASTER_KEY, PROVIDER_SECRET, ...tokens];
    const names = await readdir(loot);
    expect(names).toEqual(expect.arrayContaining(['report', 'heap', 'graph-data-mdb']));
    // What is looked through is what it seems to be.
    expect((await readFile(join(loot, 'heap'))).includes('trellis:guest')).toBe(true);
    expect((await readFile(join(loot, 'report'))).includes('javascriptHeap')).toBe(true);
    for (const name of names) {
      const bytes = await readFile(join(loot, name));
      for (const secret of secrets) {
        for (const encoding of ['utf8', 'utf16le', 'base64', 'hex'] as const) {
          expect(bytes.includes(encoded(secret, encoding)), `${secret} in ${name}`).toBe(false);
        }
      }
    }
    expect(server.isRunning).toBe(true);
    const http = new HttpClient(server.url);
    const run = { path: '/api/login/check', token: await signIn(http) };
    expect((await http.send(run)).status).toBe(200);
  });
});

function encoded(secret: string, encoding: 'utf8' | 'utf16le' | 'base64' | 'hex'): Buffer {
  if (encoding === 'utf8' || encoding === 'utf16le') return Buffer.from(secret, encoding);
  return Buffer.from(Buffer.from(secret).toString(encoding));
}

async function signIn(http: HttpClient): Promise<string> {
  return http.signIn('admin', SECRETS.MSK_ADMIN_PASSWORD);
}

/** A provider, an API token and an endpoint token; the secrets that the server made itself. */
async function fillWithSecrets(
  storage: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await signIn(http);
  const provider = { clientId: 'one', clientSecret: PROVIDER_SECRET };
  const saved = await http.send({ path: '/api/googlesso/config', token, body: provider });
  expect(saved.status, saved.text).toBe(200);
  const body = { kind: 'api', name: 'a token', scopes: ['read'] };
  const made = await http.send({ path: '/api/tokens', token, body });
  expect(made.status).toBe(201);
  await server.stop();
  return [token, field(made.json, 'token')];
}
