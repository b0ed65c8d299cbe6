import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVaultReader } from '../server/src/app/open-storage.ts';
import { openWriter, type OpenWriter } from '../server/src/app/writer/open-writer.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { openGraphReader } from '../server/src/graph/open-reader.ts';
import { issueSession } from '../server/src/identity/identity-service.ts';
import { LastUses, TOKEN_USES } from '../server/src/identity/last-uses.ts';
import { revocation } from '../server/src/identity/vault.ts';
import { libraryVerifier } from '../server/src/identity/testing/signature-peers.ts';
import { TokenAuthenticator } from '../server/src/identity/token-authenticator.ts';
import { TokenSignature } from '../server/src/identity/token-claims.ts';
import { userUid } from '../server/src/identity/users.ts';
import type { Report } from './report.ts';

const KEY = 'a key that signs tokens, for measurements';
const TOKENS = 1_000;
const REVOKED = 10_000;
const CALLS = 50_000;
const ROUNDS = 7;
const TARGET_US = 2;

/** What a request pays for its token, once the token was seen before. */
export async function benchTokens(report: Report): Promise<void> {
  const storage = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, () => {});
    await fill(writer);
    const store = {
      storage,
      environmentKey: undefined,
      vaultKey: undefined,
      newestSequence: () => 1,
    };
    using reader = openGraphReader(store);
    using vault = openVaultReader(store);
    const signature = new TokenSignature(KEY);
    const uses = new LastUses(vault, TOKEN_USES);
    const authenticator = new TokenAuthenticator({
      reader,
      vault,
      clock: systemClock,
      signature,
      uses,
    });
    const ours = (token: string) => authenticator.authenticate(token);
    const sessions = manyOf((i) => sessionOf(signature, i));
    const tokens = manyOf((i) =>
      signature.sign({ iss: 'trellis', kind: 'api', id: `t${i}`, scopes: ['read'], iat: 1 }),
    );
    const peers = {
      'fast-jwt with its cache': libraryVerifier(KEY, TOKENS),
      'fast-jwt': libraryVerifier(KEY, false),
      'bare HMAC and JSON': bareVerify,
    };
    const times = compareTimes({ session: ours, token: ours, ...peers }, (name) =>
      name === 'token' ? tokens : sessions,
    );
    add(report, 'session', times);
    add(report, 'token', times);
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

async function fill({ graph }: OpenWriter): Promise<void> {
  await graph.commit({
    system: true,
    operations: manyOf((i) => ({
      op: 'addOrUpdate' as const,
      type: '_User',
      key: `user ${i}`,
      fields: { UserName: `user ${i}`, Active: true, Roles: ['CanManageTeams'] },
    })),
    vault: Array.from({ length: REVOKED }, (_, i) => revocation(`revoked ${i}`, 0, null)),
  });
}

function sessionOf(signature: TokenSignature, i: number): string {
  const user = { uid: userUid(`user ${i}`), name: `user ${i}`, teams: [] };
  return issueSession(signature, systemClock, user, `session ${i}`).token;
}

/** The least that anybody without a cache has to do. */
function bareVerify(token: string): unknown {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', KEY).update(`${header}.${claims}`).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) throw new Error('forged');
  const parsed: { readonly exp: number } = JSON.parse(
    Buffer.from(claims, 'base64url').toString('utf8'),
  );
  if (parsed.exp * 1_000 <= Date.now()) throw new Error('expired');
  return parsed;
}

/**
 * Microseconds for a call, the median of interleaved rounds. A call is shorter than the clock can
 * tell, so that rounds are timed; and each gets a new string, as each request has one.
 */
function compareTimes(
  subjects: Readonly<Record<string, (token: string) => unknown>>,
  tokensOf: (name: string) => readonly string[],
): Record<string, number> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, verify] of Object.entries(subjects)) {
      const tokens = tokensOf(name).map((token) => Buffer.from(token));
      const calls = Array.from({ length: CALLS }, (_, i) =>
        (tokens[i % tokens.length] ?? Buffer.alloc(0)).toString('latin1'),
      );
      const start = process.hrtime.bigint();
      for (const token of calls) verify(token);
      const elapsedUs = Number(process.hrtime.bigint() - start) / 1_000;
      // The first round warms up.
      if (round > 0) (times[name] ??= []).push(elapsedUs / CALLS);
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [
      name,
      list.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Infinity,
    ]),
  );
}

function add(
  report: Report,
  name: 'session' | 'token',
  times: Readonly<Record<string, number>>,
): void {
  const ours = times[name] ?? Infinity;
  const others = Object.entries(times).filter(([other]) => !['session', 'token'].includes(other));
  const cached = times['fast-jwt with its cache'] ?? Infinity;
  report.add({
    what: `a ${name} seen before: signature, expiry, revocation, user`,
    ours: us(ours),
    others: others.map(([other, time]) => `${other} ${us(time)} (signature and expiry only)`),
    ratio: `${(cached / ours).toFixed(1)} times as fast as fast-jwt with its cache`,
    target: `${TARGET_US} us`,
    reached: ours <= TARGET_US,
  });
}

function us(time: number | undefined): string {
  return `${(time ?? Infinity).toFixed(2)} us`;
}

function manyOf<T>(make: (index: number) => T): T[] {
  return Array.from({ length: TOKENS }, (_, i) => make(i));
}
