import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LicenseAuthority } from '../support/license-authority.ts';

const DAY_SECONDS = 24 * 60 * 60;
const YEAR_2100 = 4_102_444_800;
const claims = { sub: 'Example Ltd', features: ['Replicas'], exp: YEAR_2100 };

let authority: LicenseAuthority;
let privatePem: string;
let publicPem: string;
beforeAll(async () => {
  authority = await LicenseAuthority.create();
  ({ privatePem, publicPem } = authority);
});
afterAll(() => authority[Symbol.asyncDispose]());

describe('show', () => {
  test('reads what issue prints, from standard input', async () => {
    const issued = await authority.issue('--subject', 'Example Ltd');
    const { iat } = authority.read(issued.stdout.trim()).claims;
    const shown = await authority.run(['show', '-', '--public-key', publicPem], issued.stdout);
    const time = (seconds: number): string => new Date(seconds * 1_000).toISOString();
    expect(shown).toEqual({
      code: 0,
      stdout:
        'subject     Example Ltd\n' +
        'features    Replicas\n' +
        `issued      ${time(Number(iat))}\n` +
        `expires     ${time(Number(iat) + 365 * DAY_SECONDS)}\n` +
        'state       current\n' +
        'signature   good\n',
      stderr: '',
    });
  });

  test('takes the text itself or a file, and says when it verifies nothing', async () => {
    const text = authority.sign({ ...claims, features: ['Replicas', 'later'], nbf: 1, aud: 'x' });
    const outcomes = [
      await authority.run(['show', text, '--json']),
      await authority.run(['show', authority.file('license.jws', `${text}\n`), '--json']),
    ];
    for (const { code, stdout, stderr } of outcomes) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({
        subject: 'Example Ltd',
        features: ['Replicas', 'later'],
        issuedAt: null,
        validFrom: '1970-01-01T00:00:01.000Z',
        expiresAt: '2100-01-01T00:00:00.000Z',
        state: 'current',
        verified: null,
      });
      expect(stderr).toContain('Not verified');
    }
  });

  test('fails when the authority has not signed it', async () => {
    const [header, , signature] = authority.sign(claims).split('.');
    const [, other] = authority.sign({ ...claims, exp: YEAR_2100 + 1 }).split('.');
    const forged = [`${header}.${other}.${signature}`, '--public-key', publicPem];
    const people = await authority.run(['show', ...forged]);
    expect([people.code, people.stdout]).toEqual([1, expect.stringMatching(/^signature +WRONG$/m)]);
    expect(people.stderr).toContain('has not signed this license');
    const program = await authority.run(['show', ...forged, '--json']);
    expect([program.code, JSON.parse(program.stdout)]).toEqual([
      1,
      expect.objectContaining({ verified: false }),
    ]);
  });

  test.each([
    ['expired', 'EXPIRED', { exp: 1_000 }],
    ['not_yet_valid', 'NOT YET VALID', { nbf: YEAR_2100 - 1 }],
  ])('fails for one that is %s', async (state, shown, times) => {
    const text = authority.sign({ ...claims, ...times });
    const people = await authority.run(['show', text]);
    expect(people.code).toBe(1);
    expect(people.stdout).toMatch(new RegExp(`^state +${shown}$`, 'm'));
    const program = await authority.run(['show', text, '--json', '--public-key', publicPem]);
    expect(program.code).toBe(1);
    expect(JSON.parse(program.stdout)).toMatchObject({ state, verified: true });
  });

  test('refuses what is no license', async () => {
    const text = authority.sign(claims);
    const refused = [
      [text.slice(0, -1), 'the license has a part that is not base64url, its signature'],
      [text.split('.').slice(0, 2).join('.'), 'the license has 2 parts'],
      [publicPem, `${publicPem} has 1 parts with dots between, not 3`],
      [join(authority.keys, 'no.jws'), 'there is no file'],
      [authority.keys, 'is a folder'],
      ['', 'the path of a file is empty'],
    ] as const;
    for (const [given, says] of refused) {
      const stderr = expect.stringContaining(says);
      expect(await authority.run(['show', given])).toEqual({ code: 1, stdout: '', stderr });
    }
    const wrongKey = await authority.run(['show', text, '--public-key', privatePem]);
    expect([wrongKey.code, wrongKey.stdout]).toEqual([1, '']);
    expect(wrongKey.stderr).toContain('must be an Ed25519 public key');
    expect((await authority.run(['show'])).code).toBe(2);
  });

  test('prints nothing that a terminal would obey', async () => {
    const { stdout } = await authority.run([
      'show',
      authority.sign({ ...claims, sub: '\u001b[2J\u202emoc' }),
    ]);
    expect(stdout).toContain('subject     \ufffd[2J\ufffdmoc\n');
  });
});
