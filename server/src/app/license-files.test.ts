import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { formatLicense } from '@trellis/contract/license.ts';
import { readLicense } from './license.ts';

const folder = mkdtempSync(join(tmpdir(), 'trellis-license-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const keys = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const claims = { sub: 'me', features: ['Replicas'], exp: 2_000 };
const text = formatLicense(claims, (bytes) => sign(null, bytes, keys.privateKey));
const license = file('my.new.license', `${text}\n`);
const publicKey = file('public.pem', keys.publicKey);
const now = 1_000_000;

function refusal(given: Partial<Parameters<typeof readLicense>[0]>): string {
  try {
    readLicense({ license, publicKey, folder, now, ...given });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe('MSK_LICENSE and MSK_LICENSE_PUBLIC_KEY', () => {
  const good = { subject: 'me', features: ['Replicas'], expiresAt: 2_000_000 };

  it('are texts or paths, each for itself', () => {
    for (const given of [text, license, 'my.new.license']) {
      for (const key of [keys.publicKey, publicKey, './public.pem']) {
        expect(readLicense({ license: given, publicKey: key, folder, now })).toEqual(good);
      }
    }
  });

  it('may both be missing, but not the key alone', () => {
    expect(readLicense({ license: null, publicKey: null, folder, now })).toBeNull();
    expect(refusal({ publicKey: null })).toContain('cannot be verified without a public key');
  });

  it('name files that are there', () => {
    const missing = join(folder, 'nothing');
    expect(refusal({ license: missing })).toBe(
      `license_invalid: MSK_LICENSE is ${JSON.stringify(missing)}: there is no such file`,
    );
    expect(refusal({ publicKey: missing })).toContain('MSK_LICENSE_PUBLIC_KEY is "');
    expect(refusal({ license: folder })).toContain('it is no file');
    expect(refusal({ license: join(license, 'below') })).toContain('ENOTDIR');
    expect(refusal({ publicKey: file('long', ' '.repeat(20_000)) })).toContain('it is too long');
  });

  it('name files that hold what they should', () => {
    expect(refusal({ publicKey: license })).toContain('MSK_LICENSE_PUBLIC_KEY is no PEM');
    expect(refusal({ publicKey: file('private.pem', keys.privateKey) })).toContain('a PRIVATE KEY');
    expect(refusal({ license: publicKey })).toContain('MSK_LICENSE has 1 parts');
    expect(refusal({ license: file('empty', '') })).toContain('MSK_LICENSE has 1 parts');
  });

  it('are told as what they are when they are cut or quoted, and never in full', () => {
    expect(refusal({ license: text.slice(0, -1) })).toContain('MSK_LICENSE has a');
    const quoted = refusal({ license: `'${text}'` });
    expect(quoted).toContain('there is no such file');
    expect(quoted).not.toContain(text.slice(-86));
  });
});
