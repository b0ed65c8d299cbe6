import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LicenseAuthority } from '../support/license-authority.ts';

const DAY_SECONDS = 24 * 60 * 60;

let authority: LicenseAuthority;
let privatePem: string;
let publicPem: string;
beforeAll(async () => {
  authority = await LicenseAuthority.create();
  ({ privatePem, publicPem } = authority);
});
afterAll(() => authority[Symbol.asyncDispose]());

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

describe('keygen', () => {
  const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

  test('writes a pair of Ed25519 keys, the private one for its user alone', () => {
    expect(readdirSync(authority.keys).toSorted()).toEqual(['private.pem', 'public.pem']);
    const ofPrivate = createPublicKey(createPrivateKey(readFileSync(privatePem)));
    const ofPublic = createPublicKey(readFileSync(publicPem));
    expect(ofPublic.asymmetricKeyType).toBe('ed25519');
    expect(ofPublic.equals(ofPrivate)).toBe(true);
    expect(readFileSync(publicPem, 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(readFileSync(privatePem, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(modeOf(privatePem)).toBe(0o600);
  });

  test('replaces keys, or one of them that is left, only when it is told to', async () => {
    const out = join(authority.folder, 'kept');
    mkdirSync(out);
    const [publicKey, privateKey] = [join(out, 'public.pem'), join(out, 'private.pem')];
    writeFileSync(publicKey, 'old');
    const refused = await authority.run(['keygen', '--out', out]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${publicKey} exists\nhint: Name another folder`);
    expect(readdirSync(out)).toEqual(['public.pem']);

    // Others could read the old key, and the new one must not get into what a link leads to.
    const elsewhere = authority.file('elsewhere', 'untouched');
    symlinkSync(elsewhere, privateKey);
    chmodSync(elsewhere, 0o644);
    const forced = await authority.run(['keygen', '--out', out, '--force', '--json']);
    expect([forced.code, JSON.parse(forced.stdout)]).toEqual([0, { publicKey, privateKey }]);
    expect(lstatSync(privateKey).isFile()).toBe(true);
    expect(modeOf(privateKey)).toBe(0o600);
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
    const ofPrivate = createPublicKey(createPrivateKey(readFileSync(privateKey)));
    expect(createPublicKey(readFileSync(publicKey)).equals(ofPrivate)).toBe(true);
  });

  test('makes other keys each time', async () => {
    const out = join(authority.folder, 'second');
    expect(await authority.run(['keygen', '--out', out])).toEqual({
      code: 0,
      stdout: `${join(out, 'public.pem')}\n${join(out, 'private.pem')}\n`,
      stderr: expect.stringContaining('keep it to yourself'),
    });
    const [first, second] = [publicPem, join(out, 'public.pem')].map((path) => readFileSync(path));
    expect(second).not.toEqual(first);
  });

  test.each([
    ['no folder', ['keygen'], 2, "required option '--out <folder>' not specified"],
    ['an empty name', ['keygen', '--out', ''], 2, '--out needs the name of a folder'],
  ])('refuses %s', async (_, args, code, says) => {
    const stderr = expect.stringContaining(says);
    expect(await authority.run(args)).toEqual({ code, stdout: '', stderr });
  });
});

describe('issue', () => {
  test('prints a license and nothing else, good for a year', async () => {
    const from = nowSeconds();
    const { code, stdout, stderr } = await authority.issue();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}\n$/);
    const parts = authority.read(stdout.trim());
    expect(parts).toEqual({
      header: { alg: 'EdDSA' },
      claims: {
        sub: 'trellis',
        features: ['Replicas'],
        iat: expect.any(Number),
        exp: Number(parts.claims['iat']) + 365 * DAY_SECONDS,
      },
    });
    expect(parts.claims['iat']).toBeGreaterThanOrEqual(from);
    expect(parts.claims['iat']).toBeLessThanOrEqual(nowSeconds());
    const until = new Date(Number(parts.claims['exp']) * 1_000).toISOString();
    expect(stderr).toBe(`Issued to trellis, good until ${until}.\n`);
  });

  test('takes subject, days, and features in every way one writes them', async () => {
    const more = [
      '--days',
      '36500',
      '--subject',
      'Müller & Söhne',
      '--features',
      'b,Replicas',
      'c',
    ];
    const { code, stdout, stderr } = await authority.issue(...more);
    expect(code).toBe(0);
    const { iat, ...rest } = authority.read(stdout.trim()).claims;
    expect(rest).toEqual({
      sub: 'Müller & Söhne',
      features: ['Replicas', 'b', 'c'],
      exp: Number(iat) + 36_500 * DAY_SECONDS,
    });
    expect(stderr).toContain('no feature "b", only Replicas.\n');
    expect(stderr).toContain('no feature "c", only Replicas.\n');
  });

  test('says with --json what it has issued', async () => {
    const { code, stdout } = await authority.issue('--json', '--days', '1', '--subject', 'x');
    expect(code).toBe(0);
    const { license: text, ...view } = JSON.parse(stdout);
    const { iat, exp } = authority.read(text).claims;
    expect(view).toEqual({
      subject: 'x',
      features: ['Replicas'],
      issuedAt: new Date(Number(iat) * 1_000).toISOString(),
      validFrom: null,
      expiresAt: new Date(Number(exp) * 1_000).toISOString(),
    });
    expect(Number(exp) - Number(iat)).toBe(DAY_SECONDS);
  });

  test.each([
    ['no days', ['--days', '0'], 'from 1 to 36500'],
    ['days before today', ['--days', '-1'], 'from 1 to 36500'],
    ['half a day', ['--days', '0.5'], 'from 1 to 36500'],
    ['more days than there may be', ['--days', '36501'], 'from 1 to 36500'],
    ['a feature without a name', ['--features', 'a,'], 'features.2: the name of a feature'],
    ['a feature with a blank', ['--features', 'a b'], 'features.1: the name of a feature'],
    ['an empty subject', ['--subject', ''], 'claims: sub'],
    ['a subject too long', ['--subject', 'x'.repeat(101)], 'claims: sub'],
  ])('refuses %s', async (_, args, says) => {
    const stderr = expect.stringContaining(says);
    expect(await authority.issue(...args)).toEqual({ code: 2, stdout: '', stderr });
  });

  test.each([
    ['--key', ['--features', 'Replicas']],
    ['--features', ['--key', 'private.pem']],
  ])('needs %s', async (option, args) => {
    const stderr = expect.stringContaining(`required option '${option} <`);
    expect(await authority.run(['issue', ...args])).toEqual({ code: 2, stdout: '', stderr });
  });

  test('signs with an Ed25519 private key and nothing else', async () => {
    const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export(pkcs8);
    const ed448 = generateKeyPairSync('ed448').privateKey.export(pkcs8);
    const pem = readFileSync(privatePem, 'utf8');
    const cut = pem.replace(/\n(.{20}).*\n/, '\n$1\n');
    const wrong = [
      [publicPem, `${publicPem} is a PUBLIC KEY, and must be an Ed25519 private key`],
      [authority.file('rsa.pem', String(rsa)), 'is a key of the kind rsa'],
      [authority.file('ed448.pem', String(ed448)), 'is a key of the kind ed448'],
      [authority.file('cut.pem', cut), 'is damaged'],
      [authority.file('both.pem', pem + readFileSync(publicPem, 'utf8')), 'is no PEM file'],
      [authority.keys, `${authority.keys} is a folder`],
      [join(authority.keys, 'nothing.pem'), `there is no file ${authority.keys}`],
      ['', 'the path of a file is empty'],
    ] as const;
    const outcomes = [];
    for (const [key] of wrong) {
      outcomes.push(await authority.run(['issue', '--features', 'Replicas', '--key', key]));
    }
    expect(outcomes).toEqual(
      wrong.map(([, says]) => ({ code: 1, stdout: '', stderr: expect.stringContaining(says) })),
    );
    // What a key file holds is told to nobody.
    expect(outcomes[3]?.stderr).not.toContain(cut.split('\n')[1]);
  });

  test('says with --json what it refuses', async () => {
    const { code, stdout, stderr } = await authority.issue('--json', '--key', publicPem);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'failed',
        message: `${publicPem} is a PUBLIC KEY, and must be an Ed25519 private key`,
        hint: 'Give the private.pem of "trellis license keygen".',
      },
    });
  });
});

test.each([[['keygen']], [['issue']], [['show']]])('%j has help with examples', async (command) => {
  const { code, stdout, stderr } = await authority.run([...command, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Usage: trellis license ${command.join(' ')} `);
  expect(stdout).toMatch(/\nExamples:\n {2}\$ trellis license /);
});
