import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { formatLicense, type LicenseClaims } from '@trellis/contract/license.ts';
import { requireFeature, verifyLicense } from './license.ts';

const spki = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const authority = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const publicKey = spki(authority.publicKey);

const EXP = 1_800_000_000;
const CLAIMS: LicenseClaims = { sub: 'Example Ltd', features: ['Replicas', 'Other'], exp: EXP };
const NOW = EXP * 1_000 - 1;

function issue(claims: LicenseClaims, key: KeyObject = authority.privateKey): string {
  return formatLicense(claims, (bytes) => sign(null, bytes, key));
}

const license = issue(CLAIMS);

/** The code and message of what `verifyLicense` throws, or its answer. */
function outcome(given: Partial<Parameters<typeof verifyLicense>[0]>): unknown {
  try {
    return verifyLicense({ license, publicKey, now: NOW, ...given });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [error.code, error.message];
  }
}

describe('a license', () => {
  it('that the authority has signed is good until it expires', () => {
    const good = { subject: 'Example Ltd', features: ['Replicas', 'Other'], expiresAt: NOW + 1 };
    expect(outcome({})).toEqual(good);
    expect(outcome({ license: `  ${license}\n`, publicKey: `\n${publicKey}` })).toEqual(good);
    expect(outcome({ now: NOW + 1 })).toEqual([
      'license_expired',
      'the license expired at 2027-01-15T08:00:00.000Z',
    ]);
  });

  it('is not good before its time', () => {
    const later = issue({ ...CLAIMS, nbf: EXP - 10 });
    expect(outcome({ license: later })).toMatchObject({ subject: 'Example Ltd' });
    expect(outcome({ license: later, now: (EXP - 10) * 1_000 - 1 })).toEqual([
      'license_invalid',
      'the license is not valid before 2027-01-15T07:59:50.000Z',
    ]);
  });

  it('of another authority is refused, and expired or not is not told of it', () => {
    const refused = ['license_invalid', 'the license is not signed by the key of the authority'];
    expect(outcome({ license: issue(CLAIMS, stranger.privateKey) })).toEqual(refused);
    expect(outcome({ publicKey: spki(stranger.publicKey) })).toEqual(refused);
    const expired = issue({ ...CLAIMS, exp: 1 }, stranger.privateKey);
    expect(outcome({ license: expired })).toEqual(refused);
  });

  it('with the signature of another is refused', () => {
    const [header, claims] = issue({ ...CLAIMS, exp: EXP + 1 }).split('.');
    const [, , signature] = license.split('.');
    expect(outcome({ license: `${header}.${claims}.${signature}` })).toEqual([
      'license_invalid',
      expect.stringContaining('not signed'),
    ]);
  });

  it('with another header is refused, signed over it or not', () => {
    const [, claims, signature] = license.split('.');
    for (const header of ['{"alg":"none"}', '{"alg":"HS256"}', '{"alg":"EdDSA","typ":"JWT"}']) {
      const encoded = Buffer.from(header).toString('base64url');
      for (const end of [signature, '']) {
        expect(outcome({ license: `${encoded}.${claims}.${end}` })).toEqual([
          'license_invalid',
          expect.any(String),
        ]);
      }
    }
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const signed = sign(null, Buffer.from(`${none}.${claims}`), authority.privateKey);
    expect(outcome({ license: `${none}.${claims}.${signed.toString('base64url')}` })).toEqual([
      'license_invalid',
      expect.stringContaining('header: alg'),
    ]);
  });

  it('with any one bit changed is refused', () => {
    const bytes = Buffer.from(license);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const text = changed.toString('latin1');
      // A blank at the end is cut off, and a signature without its last character is none.
      expect(outcome({ license: text })).toEqual(['license_invalid', expect.any(String)]);
    }
  });

  it('changed anywhere, in any way, is refused', () => {
    const place = fc.nat(license.length - 1);
    const character = fc.constantFrom(
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.',
    );
    fc.assert(
      fc.property(place, fc.nat(3), fc.array(character, { maxLength: 3 }), (at, cut, put) => {
        const changed = license.slice(0, at) + put.join('') + license.slice(at + cut);
        fc.pre(changed !== license);
        expect(outcome({ license: changed })).toEqual(['license_invalid', expect.any(String)]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of any size is refused by its size', () => {
    expect(outcome({ license: license.repeat(100_000) })).toEqual([
      'license_invalid',
      expect.stringContaining('longer than'),
    ]);
  });
});

describe('a key that is no Ed25519 public key is refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const x25519 = generateKeyPairSync('x25519');
  const ed448 = generateKeyPairSync('ed448');
  const [begin, , end] = publicKey.split('\n');

  it.each([
    ['the private key', pkcs8(authority.privateKey), 'a PRIVATE KEY'],
    ['both keys', `${publicKey}${pkcs8(authority.privateKey)}`, 'no PEM'],
    ['two keys', `${publicKey}${publicKey}`, 'no PEM'],
    ['RSA', spki(rsa.publicKey), 'a key of the kind rsa'],
    ['RSA in its own format', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }), 'a RSA PUB'],
    ['X25519', spki(x25519.publicKey), 'a key of the kind x25519'],
    ['Ed448', spki(ed448.publicKey), 'a key of the kind ed448'],
    [
      'a private key under the other name',
      pkcs8(authority.privateKey).replaceAll('PRIVATE', 'PUBLIC'),
      'damaged',
    ],
    ['a key cut short', `${begin}\nMCow\n${end}`, 'damaged'],
    ['nothing', '', 'no PEM'],
    ['another text', license, 'no PEM'],
  ])('%s', (_, pem, says) => {
    expect(outcome({ publicKey: String(pem) })).toEqual([
      'license_invalid',
      expect.stringContaining(`MSK_LICENSE_PUBLIC_KEY is ${says}`),
    ]);
  });

  it('and what an Ed448 key has signed is not verified with it', () => {
    const [header, claims] = license.split('.');
    const signature = sign(null, Buffer.from(`${header}.${claims}`), ed448.privateKey);
    expect(
      outcome({
        license: `${header}.${claims}.${signature.toString('base64url')}`,
        publicKey: spki(ed448.publicKey),
      }),
    ).toEqual(['license_invalid', expect.any(String)]);
  });
});

it('what the license does not name is not covered', () => {
  const given = { subject: 's', expiresAt: NOW };
  expect(requireFeature({ ...given, features: ['Other', 'Replicas'] }, 'Replicas')).toBeUndefined();
  for (const features of [[], ['replicas'], ['Replicas2'], ['Other']]) {
    expect(() => requireFeature({ ...given, features }, 'Replicas')).toThrow(
      expect.objectContaining({
        code: 'license_missing_feature',
        message: 'the license does not cover replica usage',
        details: { feature: 'Replicas', features },
      }),
    );
  }
  expect(() => requireFeature(null, 'Replicas')).toThrow('does not cover replica usage');
});
