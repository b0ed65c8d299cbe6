import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatLicense,
  isLicenseText,
  LicenseFault,
  licenseTime,
  parseLicense,
  pemLabel,
  type LicenseClaims,
} from './license.ts';
import {
  LICENSE_CHARACTERS_MAX,
  LICENSE_FEATURES_MAX,
  LICENSE_TEXT_CHARACTERS_MAX,
} from './limits.ts';

const SIGNATURE = new Uint8Array(64).fill(7);
const CLAIMS: LicenseClaims = { sub: 'Example Ltd', features: ['Replicas'], exp: 1_800_000_000 };

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** A license of parts as an attacker would write them. */
function compact(header: unknown, claims: unknown, signature: Uint8Array = SIGNATURE): string {
  const parts = [header, claims].map((part) => base64url(JSON.stringify(part)));
  return [...parts, Buffer.from(signature).toString('base64url')].join('.');
}

const HEADER = { alg: 'EdDSA' };

describe('a license', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const seconds = fc.integer({ min: 0, max: 253_402_300_799 });
  const claims = fc.record(
    {
      sub: name,
      features: fc.array(
        name.filter((text) => !/[\s\p{Cc}]/u.test(text)),
        { maxLength: 5 },
      ),
      exp: seconds,
      iat: seconds,
      nbf: seconds,
    },
    { requiredKeys: ['sub', 'features', 'exp'] },
  );
  const signature = fc.uint8Array({ minLength: 64, maxLength: 64 });

  it('is read as it was written, with the bytes that were signed', () => {
    fc.assert(
      fc.property(claims, signature, (given, bytes) => {
        const signed: Uint8Array[] = [];
        const text = formatLicense(given as LicenseClaims, (message) => {
          signed.push(message);
          return bytes;
        });
        const parsed = parseLicense(`\n${text} \n`);
        expect(parsed.claims).toEqual(given);
        expect([parsed.signedBytes, parsed.signature]).toEqual([signed[0], bytes]);
        expect(isLicenseText(text)).toBe(true);
      }),
    );
  });

  it('is a JWS whose header says EdDSA and nothing else', () => {
    const [header, body, end] = formatLicense(CLAIMS, () => SIGNATURE).split('.');
    expect(Buffer.from(header!, 'base64url').toString()).toBe('{"alg":"EdDSA"}');
    expect(JSON.parse(Buffer.from(body!, 'base64url').toString())).toEqual(CLAIMS);
    expect(Buffer.from(end!, 'base64url')).toEqual(Buffer.from(SIGNATURE));
  });

  it('keeps features that this version does not know, and ignores other claims and headers', () => {
    const features = ['Replicas', 'Time-Travel', 'späte/Funktion'];
    const text = compact({ ...HEADER, typ: 'JWT', kid: 'k' }, { ...CLAIMS, features, aud: 'x' });
    expect(parseLicense(text).claims).toEqual({ ...CLAIMS, features });
  });

  it('is good from nbf until before exp', () => {
    const limited = { ...CLAIMS, nbf: 100, exp: 200 };
    expect([99_999, 100_000, 199_999, 200_000].map((now) => licenseTime(limited, now))).toEqual([
      'not_yet_valid',
      'current',
      'current',
      'expired',
    ]);
  });
});

describe('no license', () => {
  const whole = compact(HEADER, CLAIMS);
  const [header, body, signature] = whole.split('.') as [string, string, string];
  const long = 'x'.repeat(LICENSE_TEXT_CHARACTERS_MAX + 1);

  it.each([
    ['nothing', '', '1 parts'],
    ['two parts', `${header}.${body}`, '2 parts'],
    ['four parts', `${whole}.${signature}`, '4 parts'],
    ['algorithm none', compact({ alg: 'none' }, CLAIMS), 'header: alg'],
    ['algorithm None', compact({ alg: 'None' }, CLAIMS), 'header: alg'],
    ['none without signature', `${base64url('{"alg":"none"}')}.${body}.`, 'header: alg'],
    ['a MAC', compact({ alg: 'HS256' }, CLAIMS), 'header: alg'],
    ['no algorithm', compact({}, CLAIMS), 'header: alg'],
    ['a list of algorithms', compact({ alg: ['EdDSA'] }, CLAIMS), 'header: alg'],
    ['extensions that must be understood', compact({ ...HEADER, crit: ['b64'] }, CLAIMS), 'crit'],
    ['a list as header', compact([HEADER], CLAIMS), 'header'],
    ['claims that are no object', compact(HEADER, null), 'claims'],
    ['no subject', compact(HEADER, { ...CLAIMS, sub: undefined }), 'claims: sub'],
    ['a subject too long', compact(HEADER, { ...CLAIMS, sub: long }), 'claims: sub'],
    ['no features', compact(HEADER, { ...CLAIMS, features: undefined }), 'claims: features'],
    ['features as text', compact(HEADER, { ...CLAIMS, features: 'Replicas' }), 'claims: features'],
    ['a feature with a blank', compact(HEADER, { ...CLAIMS, features: ['a b'] }), 'features.0'],
    ['an empty feature', compact(HEADER, { ...CLAIMS, features: [''] }), 'features.0'],
    ['a feature too long', compact(HEADER, { ...CLAIMS, features: [long] }), 'features.0'],
    [
      'too many features',
      compact(HEADER, { ...CLAIMS, features: Array(LICENSE_FEATURES_MAX + 1).fill('x') }),
      'claims: features',
    ],
    ['no expiry', compact(HEADER, { ...CLAIMS, exp: undefined }), 'claims: exp'],
    ['an expiry as text', compact(HEADER, { ...CLAIMS, exp: '1800000000' }), 'claims: exp'],
    ['half a second', compact(HEADER, { ...CLAIMS, exp: 1.5 }), 'claims: exp'],
    ['milliseconds', compact(HEADER, { ...CLAIMS, exp: 1_800_000_000_000 }), 'claims: exp'],
    ['a time of issue as text', compact(HEADER, { ...CLAIMS, iat: 'now' }), 'claims: iat'],
    ['a signature too short', compact(HEADER, CLAIMS, SIGNATURE.subarray(1)), '63 bytes'],
    ['a signature too long', compact(HEADER, CLAIMS, new Uint8Array(65)), '65 bytes'],
    ['a header that is no JSON', `${base64url('{alg}')}.${body}.${signature}`, 'no JSON'],
    ['bytes before the JSON', `${header}.${base64url('\ufeff{}')}.${signature}`, 'no JSON'],
    ['claims that are no UTF-8', `${header}._w.${signature}`, 'no JSON'],
    ['base64 with padding', `${header}.${body}.${signature}==`, 'base64url'],
    ['base64 of the other alphabet', `${header}.${body}.+/${signature.slice(2)}`, 'base64url'],
    ['a line break inside', `${header}.${body}.\n${signature}`, 'base64url'],
    ['a part of an impossible length', `${header}.A.${signature}`, 'base64url'],
  ])('%s', (_, text, says) => {
    expect(() => parseLicense(text)).toThrow(LicenseFault);
    expect(() => parseLicense(text)).toThrow(says);
  });

  it('has a second spelling: bits that are not used are zero', () => {
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const readable = [...last].filter((character) => {
      try {
        return parseLicense(whole.slice(0, -1) + character) !== undefined;
      } catch (error) {
        expect(error).toBeInstanceOf(LicenseFault);
        return false;
      }
    });
    expect(readable).toEqual(['A', 'Q', 'g', 'w']);
  });

  it('is longer than the limit, and longer ones are not even looked at', () => {
    const filled = `${whole}${' '.repeat(LICENSE_CHARACTERS_MAX - whole.length)}`;
    expect(parseLicense(filled).claims).toEqual(CLAIMS);
    const says = `longer than ${LICENSE_CHARACTERS_MAX} characters`;
    expect(() => parseLicense(`${filled} `)).toThrow(says);
    expect(() => parseLicense('.'.repeat(50_000_000))).toThrow(says);
    const features = Array(LICENSE_FEATURES_MAX).fill('\u{1f40b}'.repeat(50)) as string[];
    expect(() => formatLicense({ ...CLAIMS, features }, () => SIGNATURE)).toThrow(says);
  });

  it('comes of any other text: it is refused, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => parseLicense(text)).toThrow(LicenseFault);
        pemLabel(text);
      }),
    );
  });

  it('is written with wrong claims', () => {
    expect(() => formatLicense({ ...CLAIMS, sub: '' }, () => SIGNATURE)).toThrow(LicenseFault);
  });
});

it('the text of a license, also half of one, is told from a path', () => {
  const text = formatLicense(CLAIMS, () => SIGNATURE);
  expect([text, `\n${text}\n`, text.slice(0, 15)].map(isLicenseText)).toEqual([true, true, true]);
  const paths = ['license.jws', './eyJ.a.b', '/etc/trellis/my.new.license', 'C:\\eyJ.a.b', '-', ''];
  expect(paths.map(isLicenseText)).toEqual(paths.map(() => false));
});

it('a PEM text is one block, and says what it is', () => {
  const pem = '-----BEGIN PUBLIC KEY-----\nMCow\nBQ==\n-----END PUBLIC KEY-----\n';
  expect(pemLabel(pem)).toBe('PUBLIC KEY');
  expect(pemLabel(pem.replaceAll('\n', '\r\n'))).toBe('PUBLIC KEY');
  expect(pemLabel(pem.replaceAll('PUBLIC', 'PRIVATE'))).toBe('PRIVATE KEY');
  const others = ['', 'MCow', pem + pem, `${pem}x`, `x${pem}`, pem.replace('END PUBLIC', 'END')];
  expect(others.map(pemLabel)).toEqual(others.map(() => undefined));
});
