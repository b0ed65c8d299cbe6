import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { formatLicense } from '@trellis/contract/license.ts';
import { licenseReporter } from './license.ts';

const keys = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const license = formatLicense(
  { sub: 'me', features: ['Replicas'], exp: 2_000, nbf: 1_000 },
  (bytes) => sign(null, bytes, keys.privateKey),
);
const good = { license, publicKey: keys.publicKey, folder: '/nowhere' };
const signed = {
  licensed: true,
  subject: 'me',
  features: ['Replicas'],
  expiresAt: '1970-01-01T00:33:20.000Z',
};

it('a license is good between its times, which may pass while the process runs', () => {
  const clock = { at: 0, now: () => clock.at };
  const report = licenseReporter(good, clock);
  expect(report()).toEqual({
    ...signed,
    valid: false,
    reason: 'the license is not valid before 1970-01-01T00:16:40.000Z',
  });
  clock.at = 1_000_000;
  expect(report()).toEqual({ ...signed, valid: true });
  clock.at = 2_000_000;
  expect(report()).toEqual({
    ...signed,
    valid: false,
    reason: 'the license expired at 1970-01-01T00:33:20.000Z',
  });
});

it('without one nothing is licensed', () => {
  const report = licenseReporter({ ...good, license: null }, { now: () => 0 });
  expect(report()).toEqual({ licensed: false, features: [], valid: false });
});

it.each([
  ['no key', { publicKey: null }, 'MSK_LICENSE cannot be verified without a public key'],
  [
    'another key',
    { publicKey: otherKey() },
    'the license is not signed by the key of the authority',
  ],
  [
    'a text that is cut',
    { license: license.slice(0, -9) },
    'MSK_LICENSE has a part that is not base64url',
  ],
  ['a text without its head', { license: license.slice(1) }, 'MSK_LICENSE names no file'],
  ['no file', { publicKey: 'public.pem' }, 'MSK_LICENSE_PUBLIC_KEY names no file'],
])('of %s it says why, and nothing of the text', (_, change, reason) => {
  const report = licenseReporter({ ...good, ...change }, { now: () => 1_500_000 })();
  expect(report).toEqual({
    licensed: true,
    features: [],
    valid: false,
    reason: expect.stringContaining(reason),
  });
  expect(report.reason).not.toContain(license.slice(1, 20));
});

function otherKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}
