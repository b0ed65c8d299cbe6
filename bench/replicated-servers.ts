import { generateKeyPairSync, sign } from 'node:crypto';
import { join } from 'node:path';
import { formatLicense } from '@trellis/contract/license.ts';
import { startServer, type BenchServer } from './server.ts';

const REPLICATION_PORT = '42899';
const JWT_KEY = 'a key that primary and replica of the bench share';

/** `core` is the one processor that the server may use. */
export function startPrimary(folder: string, sample: 'wordnet' | 'none', core?: number) {
  const settings = {
    MSK_JWT_KEY: JWT_KEY,
    MSK_PUBLIC_ADDRESS: 'http://127.0.0.1',
    MSK_REPLICATION_PORT: REPLICATION_PORT,
  };
  return startServer(join(folder, 'primary'), sample, { settings, core });
}

export function startReplica(folder: string, primary: BenchServer, core?: number) {
  const settings = {
    MSK_JWT_KEY: JWT_KEY,
    MSK_REPLICA: 'true',
    MSK_PRIMARY_ADDRESS: primary.url,
    MSK_PUBLIC_ADDRESS: 'http://127.0.0.1:1',
    MSK_REPLICATION_PORT: REPLICATION_PORT,
    ...licenseSettings(),
  };
  return startServer(join(folder, 'replica'), 'none', { settings, core });
}

function licenseSettings(): Record<string, string> {
  const keys = generateKeyPairSync('ed25519');
  const exp = Math.floor(Date.now() / 1_000) + 86_400;
  const claims = { sub: 'bench', features: ['Replicas'], exp };
  return {
    MSK_LICENSE: formatLicense(claims, (bytes) => sign(null, bytes, keys.privateKey)),
    MSK_LICENSE_PUBLIC_KEY: String(keys.publicKey.export({ type: 'spki', format: 'pem' })),
  };
}
