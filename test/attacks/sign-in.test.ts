import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signInFrom, type SignInAnswer, type SignInTry } from '../support/client-address.ts';
import { HttpClient } from '../support/http-client.ts';
import { scale } from '../support/scale.ts';
import { ADMIN_PASSWORD, temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const ATTACKER = '127.0.0.66';
const RIGHT = { user: 'admin', password: ADMIN_PASSWORD };
const WRONG = { user: 'admin', password: 'wrong' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const start = (env: Readonly<Record<string, string>> = {}) =>
  TrellisProcess.start({ storage: folder.path, env });

async function times(
  url: string,
  count: number,
  attempt: (i: number) => SignInTry,
): Promise<SignInAnswer[]> {
  const answers: SignInAnswer[] = [];
  for (let i = 0; i < count; i++) answers.push(await signInFrom(url, attempt(i)));
  return answers;
}

const statuses = (answers: readonly SignInAnswer[]): number[] =>
  answers.map(({ status }) => status);

describe('wrong passwords', () => {
  test('delay their sender for longer and longer, and lock nobody out elsewhere', async () => {
    await using server = await start();
    const guesses = await times(server.url, 8, () => ({ ...WRONG, from: ATTACKER }));
    expect(statuses(guesses)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const refused = await signInFrom(server.url, { ...RIGHT, from: ATTACKER });
    expect(refused.status).toBe(429);
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(await signInFrom(server.url, RIGHT)).toMatchObject({ status: 200 });
  });

  test('of invented names leave others at the same address their known devices', async () => {
    await using server = await start();
    const { cookie = '', setCookie } = await signInFrom(server.url, { ...RIGHT, from: ATTACKER });
    expect(setCookie).toMatch(
      /^trellis-device=.+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    const guesses = await times(server.url, 5, () => ({ ...WRONG, from: ATTACKER }));
    expect(statuses(guesses)).toEqual([401, 401, 401, 401, 401]);
    const count = scale({ sample: 30, soak: 2_000 });
    const invented = await times(server.url, count, (i) => ({
      user: `invented ${i}`,
      password: 'wrong',
      from: ATTACKER,
    }));
    expect(new Set(statuses(invented))).toEqual(new Set([401, 429]));
    const headers = { cookie };
    const known = await signInFrom(server.url, { ...RIGHT, from: ATTACKER, headers });
    expect(known.status).toBe(200);
    const forged = { cookie: cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) };
    const other = await signInFrom(server.url, { ...RIGHT, from: ATTACKER, headers: forged });
    expect(other.status).toBe(429);
    expect(await signInFrom(server.url, RIGHT)).toMatchObject({ status: 200 });
  });

  test('count for their sender, whatever address the request claims', async () => {
    await using server = await start({ MSK_USE_HSTS: 'true' });
    const guesses = await times(server.url, 6, (i) => ({
      ...WRONG,
      headers: { 'x-forwarded-for': `203.0.113.${i}`, forwarded: `for=203.0.113.${i}` },
    }));
    expect(statuses(guesses).at(-1)).toBe(429);
  });

  test('count for the address that a trusted proxy tells, of IPv6 for 64 bits', async () => {
    await using server = await start({ MSK_TRUSTED_PROXIES: '127.0.0.1' });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const guesses = await times(server.url, 6, (i) => ({ ...WRONG, ...from(`2001:db8::${i}`) }));
    expect(statuses(guesses)).toEqual([401, 401, 401, 401, 401, 429]);
    const elsewhere = await signInFrom(server.url, { ...RIGHT, ...from('2001:db8:0:1::1') });
    expect(elsewhere.status).toBe(200);
  });

  test('of many machines at once occupy neither the server nor those who are known', async () => {
    await using server = await start();
    const http = new HttpClient(server.url);
    const { cookie = '' } = await signInFrom(server.url, RIGHT);
    const flood = Array.from({ length: 480 }, (_, i) =>
      signInFrom(server.url, {
        user: `invented ${i}`,
        password: 'wrong',
        from: `127.0.1.${1 + (i % 120)}`,
      }),
    );
    const known = await signInFrom(server.url, { ...RIGHT, headers: { cookie } });
    expect(known.status).toBe(200);
    expect((await http.send({ path: '/health' })).status).toBe(200);
    const answers = await Promise.all(flood);
    expect(new Set(statuses(answers))).toEqual(new Set([401, 429]));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.every(({ retryAfter = 0 }) => retryAfter > 0)).toBe(true);
  });
});
