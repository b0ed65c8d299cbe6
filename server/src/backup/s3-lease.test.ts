import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  BACKUP_LEASE_MS,
  BACKUP_LEASE_RENEWAL_MS,
  BACKUP_LEASE_SETTLING_MS,
  BACKUP_S3_TIMEOUT_MS,
} from '#base/backup-limits.ts';
import {
  S3_BUCKET,
  startS3Server,
  type S3Server,
  type S3Todo,
} from '../../../test/support/s3-server.ts';
import { S3Target } from './s3-target.ts';

const LEASE = 'lock/lease.json';
const IN_USE = { code: 'backup_target_in_use' };
const silent = (): void => undefined;

/**
 * A server that backs up to the store. Its clock and timers go when the test says so; that of the
 * store is the store's.
 */
class Writer {
  readonly target: S3Target;
  readonly pauses: number[] = [];
  #now = Date.now();
  #renew: (() => void) | undefined;

  constructor(server: S3Server, settled?: () => Promise<void>) {
    this.target = new S3Target({
      place: { bucket: S3_BUCKET, prefix: 'one', endpoint: server.url, region: 'us-east-1' },
      accessKey: 'S3RVER',
      secretKey: 'S3RVER',
      clock: { now: () => this.#now },
      timers: {
        every: (intervalMs, run) => {
          expect(intervalMs).toBe(BACKUP_LEASE_RENEWAL_MS);
          this.#renew = run;
          return { [Symbol.dispose]: () => (this.#renew = undefined) };
        },
      },
      newHolder: randomUUID,
      fetch,
      pause: async (ms) => {
        this.pauses.push(ms);
        await settled?.();
      },
    });
  }

  claim(note: (text: string) => void = silent) {
    return this.target.claim(note);
  }

  /**
   * Lets time pass for this server; what of it is asked of the store is done when this resolves.
   */
  async pass(ms: number, { renews }: { readonly renews: boolean }): Promise<void> {
    this.#now += ms;
    if (!renews) return;
    this.#renew?.();
    // Behind the renewal, which has begun: the store does one thing at a time to the object.
    await this.target.read(LEASE);
  }
}

/** Both clocks. */
async function pass(server: S3Server, writer: Writer, ms: number, renews: boolean): Promise<void> {
  server.aheadMs += ms;
  await writer.pass(ms, { renews });
}

it('a claim that is held keeps others out, until it is given back', async () => {
  await using server = await startS3Server('');
  const [one, other] = [new Writer(server), new Writer(server)];
  {
    await using _claim = await one.claim();
    await expect(other.claim()).rejects.toMatchObject({
      ...IN_USE,
      // The store's clock goes on between the two claims.
      hint: expect.stringMatching(/its claim ends in (300|2\d\d) s/),
    });
    await one.target.write('pieces/00/x', [Buffer.from('x')]);
  }
  expect(await one.target.read(LEASE)).toBeUndefined();
  await using _claim = await other.claim();
  await expect(one.claim()).rejects.toMatchObject(IN_USE);
});

it('a claim lasts as long as it is renewed, however long that is', async () => {
  await using server = await startS3Server('');
  const [one, other] = [new Writer(server), new Writer(server)];
  await using _claim = await one.claim();
  for (let i = 0; i < 10; i++) {
    await pass(server, one, BACKUP_LEASE_RENEWAL_MS, true);
    await expect(other.claim()).rejects.toMatchObject(IN_USE);
    await one.target.write('pieces/00/x', [Buffer.from('x')]);
  }
});

it('that of a server that was killed is taken over after its term, and not before', async () => {
  await using server = await startS3Server('');
  const [killed, next] = [new Writer(server), new Writer(server)];
  const dead = await killed.claim();
  // The times of objects are whole seconds.
  server.aheadMs += BACKUP_LEASE_MS - 2_000;
  await expect(next.claim()).rejects.toMatchObject(IN_USE);
  server.aheadMs += 3_000;
  {
    await using _claim = await next.claim();
    // One that was only asleep finds out before it writes.
    await killed.pass(BACKUP_LEASE_MS + 1_000, { renews: false });
    await expect(killed.target.write('x', [])).rejects.toMatchObject(IN_USE);
    await expect(killed.target.remove('x')).rejects.toMatchObject(IN_USE);
    await dead[Symbol.asyncDispose]();
    await expect(killed.claim()).rejects.toMatchObject(IN_USE);
    await next.target.write('x', []);
  }
  await using _again = await killed.claim();
  await killed.target.write('x', []);
});

it('who cannot renew stops while a request has time left to end, and whose claim was taken at once', async () => {
  await using server = await startS3Server('');
  const [one, other] = [new Writer(server), new Writer(server)];
  await using _claim = await one.claim();
  await one.pass(BACKUP_LEASE_MS - BACKUP_S3_TIMEOUT_MS - 1, { renews: false });
  await one.target.write('x', []);
  await one.pass(1, { renews: false });
  await expect(one.target.write('x', [])).rejects.toMatchObject(IN_USE);

  await using _other = await other.claim().catch(async () => {
    server.aheadMs += BACKUP_LEASE_MS + 1_000;
    return await other.claim();
  });
  // By its own clock there is time left: the store says otherwise.
  const third = new Writer(server);
  server.aheadMs += BACKUP_LEASE_MS + 1_000;
  await using _third = await third.claim();
  await other.target.write('x', []);
  await other.pass(BACKUP_LEASE_RENEWAL_MS, { renews: true });
  await expect
    .poll(() => other.target.write('x', []).catch((error) => error.code))
    .toBe(IN_USE.code);
  await third.target.write('x', []);
});

it.each([
  ['there is none', 0],
  ['the former has run out', BACKUP_LEASE_MS + 1_000],
])('of many at the same moment one wins, when %s', async (_case, agedMs) => {
  await using server = await startS3Server('');
  for (let round = 0; round < 10; round++) {
    if (agedMs > 0) {
      await new Writer(server).claim();
      server.aheadMs += agedMs;
    }
    const writers = Array.from({ length: 4 }, () => new Writer(server));
    const claims = await Promise.allSettled(writers.map((writer) => writer.claim()));
    const won = claims.filter((claim) => claim.status === 'fulfilled');
    const lost = claims.filter((claim) => claim.status === 'rejected');
    expect([won.length, lost.length]).toEqual([1, 3]);
    for (const { reason } of lost) expect(reason).toMatchObject(IN_USE);
    await using _claim = won[0]!.value;
  }
});

it('an answer that is lost loses no claim', async () => {
  await using server = await startS3Server('');
  const losing = { left: 0 };
  server.onRequest = ({ method, key }) =>
    method === 'PUT' && key.endsWith(LEASE) && losing.left-- > 0 ? 'lose-answer' : 'answer';
  const [one, other] = [new Writer(server), new Writer(server)];
  losing.left = 1;
  {
    await using _claim = await one.claim();
    for (let round = 0; round < 10; round++) {
      losing.left = 1;
      await pass(server, one, BACKUP_LEASE_RENEWAL_MS, true);
      // The timer does nothing while the renewal before is under way.
      const renewed = async (): Promise<number> => {
        await one.pass(0, { renews: true });
        return losing.left;
      };
      await expect.poll(renewed).toBeLessThanOrEqual(0);
      await one.target.write('x', []);
    }
    await expect(other.claim()).rejects.toMatchObject(IN_USE);
  }
  expect(await one.target.read(LEASE)).toBeUndefined();
});

it('another object in the place of the claim is one of somebody who was killed', async () => {
  await using server = await startS3Server('');
  const one = new Writer(server);
  await one.target.write(LEASE, [Buffer.from('not of ours')]);
  await expect(one.claim()).rejects.toMatchObject(IN_USE);
  server.aheadMs += BACKUP_LEASE_MS + 1_000;
  await using _claim = await one.claim();
});

it('a store without conditions is told of, keeps those out who come later, and of two at once one', async () => {
  await using server = await startS3Server('', { isConditional: false });
  const notes: string[] = [];
  const [one, other] = [new Writer(server), new Writer(server)];
  {
    await using _claim = await one.claim((text) => notes.push(text));
    expect(notes).toEqual([expect.stringContaining('cannot write on conditions')]);
    expect(one.pauses).toEqual([BACKUP_LEASE_SETTLING_MS]);
    await expect(other.claim()).rejects.toMatchObject(IN_USE);
    await pass(server, one, BACKUP_LEASE_MS / 2, true);
    await one.target.write('x', []);
  }
  expect(await one.target.read(LEASE)).toBeUndefined();
  // Both have written before either looks whose it is.
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const settled = (): Promise<void> => {
    if (++waiting === 2) both.resolve();
    return both.promise;
  };
  const reads = Promise.withResolvers<void>();
  let seen = 0;
  server.onRequest = async ({ method, key }): Promise<S3Todo> => {
    if (method !== 'GET' || !key.endsWith(LEASE) || seen >= 2) return 'answer';
    if (++seen === 2) reads.resolve();
    await reads.promise;
    return 'answer';
  };
  const claims = await Promise.allSettled(
    [new Writer(server, settled), new Writer(server, settled)].map((writer) => writer.claim()),
  );
  expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

it('a store that refuses conditions is asked without', async () => {
  await using server = await startS3Server('', { isConditional: false });
  server.onRequest = ({ isConditional }) => (isConditional ? 'not-implemented' : 'answer');
  const notes: string[] = [];
  const [one, other] = [new Writer(server), new Writer(server)];
  await using _claim = await one.claim((text) => notes.push(text));
  expect(notes).toHaveLength(1);
  await expect(other.claim()).rejects.toMatchObject(IN_USE);
});
