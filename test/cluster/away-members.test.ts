import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { Members } from './members.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { expectCaughtUp, prepareWorkload, readItems, Workload, writeBallast } from './workload.ts';

/** The log keeps a megabyte beyond what members need. */
const SMALL_LOG = { MSK_LOW_MEMORY: 'true' };
const MORE_THAN_KEPT_BYTES = 4_000_000;
const SLOW_BYTES_PER_SECOND = 400_000;
const ROUND = 20;

describe.skipIf(requirePostgres())('a member that was away, or is slow', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres({ tcp: true });
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  it('copies again when it was away for a week, and the log goes on without it', async () => {
    const env = { MSK_WORKSPACE: 'away', ...SMALL_LOG };
    await using members = await Members.create(postgres.url, env);
    const one = await members.start('one');
    await one.process.ready;
    const token = await prepareWorkload(one.http);
    const two = await members.start('two');
    await two.process.ready;
    await two.process.stop();
    await postgres.query(
      `update "trellis_away".member set seen_at = seen_at - interval '7 days' where name = 'two'`,
    );
    const sequence = await writeBallast(one.http, token, MORE_THAN_KEPT_BYTES);
    // What it would have to go on from is gone.
    const overview = () => one.http.send({ path: '/api/graph/members', token });
    await expect
      .poll(async () => Number(valueAt((await overview()).json, 'log', 'firstSequence')))
      .toBeGreaterThan(sequence / 2);
    two.launch();
    const { mark } = two.process;
    await two.process.waitForLine(/this member copies the whole graph/, mark);
    await two.process.ready;
    await using workload = new Workload(one.http, token, { pauseMs: 10 });
    await workload.written(ROUND);
    await expectCaughtUp(two, workload, token);
    expect(await readItems(two.http, token)).toEqual(await readItems(one.http, token));
    // It may lead again.
    await one.process.kill();
    expect(await members.primaryBut(one)).toBe(two);
  });

  it('delays nobody when it is slow, says how far behind it is, and catches up', async () => {
    await using link = await TcpProxy.listen({ host: '127.0.0.1', port: postgres.port });
    const tcp = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;
    await using members = await Members.create(tcp(postgres.port), { MSK_WORKSPACE: 'slow' });
    const one = await members.start('one');
    await one.process.ready;
    const token = await prepareWorkload(one.http);
    const slow = await members.start('slow', { MSK_LOG: tcp(link.port) });
    await slow.process.ready;
    link.impair({ bytesPerSecond: SLOW_BYTES_PER_SECOND });
    const sequence = await writeBallast(one.http, token, 10 * SLOW_BYTES_PER_SECOND);
    const { json } = await one.http.send({ path: '/api/graph/members', token });
    const applied = (member: unknown): number => Number(valueAt(member, 'appliedSequence'));
    const behind = Object(json).members.find(
      (member: unknown) => valueAt(member, 'name') === 'slow',
    );
    expect(applied(behind)).toBeLessThan(sequence);
    // It answers as of its own sequence, and says so.
    const read = await slow.http.send({ path: '/api/schema', token });
    expect(read.status).toBe(200);
    expect(Number(read.headers.get('x-msk-sequence'))).toBeLessThan(sequence);
    await using workload = new Workload(one.http, token, { pauseMs: 10 });
    await workload.written(ROUND);
    link.mend();
    await expectCaughtUp(slow, workload, token);
    expect(slow.process.isRunning).toBe(true);
  });

  it('knows its own workspace alone, of two in one database', async () => {
    const start = async (workspace: string) => {
      const members = await Members.create(postgres.url, { MSK_WORKSPACE: workspace });
      const one = await members.start('one');
      await one.process.ready;
      const two = await members.start('two');
      await two.process.ready;
      return { members, one, two };
    };
    const left = await start('left');
    await using _left = left.members;
    const right = await start('right');
    await using _right = right.members;
    const tokens = {
      left: await prepareWorkload(left.one.http),
      right: await prepareWorkload(right.one.http),
    };
    await writeBallast(left.one.http, tokens.left, 10_000, 'left');
    await using workload = new Workload(right.one.http, tokens.right, { label: 'right' });
    await workload.written(ROUND);
    // A takeover in one is none in the other.
    await left.one.process.kill();
    expect(await left.members.primaryBut(left.one)).toBe(left.two);
    expect(await right.one.isPrimary()).toBe(true);
    await workload.written(ROUND);
    await expectCaughtUp(right.two, workload, tokens.right);
    const items = [
      await readItems(left.two.http, tokens.left),
      await readItems(right.two.http, tokens.right),
    ];
    for (const [own, other] of [items, items.toReversed()]) {
      expect(own!.size).toBeGreaterThan(1);
      expect([...own!].filter((item) => other!.has(item))).toEqual(['first']);
    }
  });
});
