import { beforeAll, expect, test } from 'vitest';
import { hashPassword, PasswordVerifier } from './passwords.ts';

const VERIFICATIONS = 4;
const WRONG = 'not the password';

let verifier: PasswordVerifier;
let hash: string;
beforeAll(async () => {
  verifier = new PasswordVerifier();
  hash = await hashPassword('correct horse battery');
  await verifier.verify(undefined, WRONG);
});

/**
 * Processor time, of all threads: unlike the time on the clock it does not grow with what else the
 * machine does.
 */
async function workOf(passwordHash: string | null | undefined): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < VERIFICATIONS; i++) await verifier.verify(passwordHash, WRONG);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('only the password of a user who has one is right', async () => {
  expect(await verifier.verify(hash, 'correct horse battery')).toBe(true);
  expect(await verifier.verify(hash, WRONG)).toBe(false);
  expect(await verifier.verify(undefined, 'correct horse battery')).toBe(false);
  expect(await verifier.verify(null, '')).toBe(false);
});

test.each([undefined, null])(
  'who is not there (%s) costs the work of a wrong password: the time tells nobody which it was',
  async (nobody) => {
    const known = await workOf(hash);
    const unknown = await workOf(nobody);
    // Without it, it would be a thousandth. On a busy machine the same work has cost 2.6 times as
    // much a moment later.
    expect(unknown / known).toBeGreaterThan(0.1);
    expect(unknown / known).toBeLessThan(10);
  },
);
