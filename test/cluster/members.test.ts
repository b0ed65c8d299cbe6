import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { field, valueAt } from '../support/http-client.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { freePort } from './free-port.ts';
import { InvariantChecker } from './invariant-checker.ts';
import { type MemberNode, Members, RoamingClient } from './members.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { expectCaughtUp, prepareWorkload, Workload } from './workload.ts';

const ROUND = 20;
/** For Node: the clock of the process is a day ahead, in all its threads. */
const CLOCK_AHEAD = `--import data:text/javascript,${encodeURIComponent(`
  const Now = Date;
  globalThis.Date = class Date extends Now {
    constructor(...given) {
      super(...(given.length === 0 ? [Date.now()] : given));
    }
    static now() {
      return Now.now() + 86_400_000;
    }
  };
`)}`;

describe.skipIf(requirePostgres())('members that share a log in PostgreSQL', () => {
  let postgres: PostgresServer;
  /** Of all members, and the part of it that is `one`'s alone. */
  let proxy: TcpProxy;
  let link: TcpProxy;
  let members: Members;
  let one: MemberNode;
  let two: MemberNode;
  let token: string;
  let workload: Workload;
  let checkers: readonly InvariantChecker[];
  let rounds = 0;

  beforeAll(async () => {
    postgres = await startPostgres({ tcp: true });
    proxy = await TcpProxy.listen({ host: '127.0.0.1', port: postgres.port });
    link = await TcpProxy.listen({ host: '127.0.0.1', port: proxy.port });
    const through = ({ port }: TcpProxy) => `postgres://postgres@127.0.0.1:${port}/postgres`;
    members = await Members.create(through(proxy));
    one = await members.start('one', { MSK_LOG: through(link) });
    await one.process.ready;
    token = await prepareWorkload(one.http);
    two = await members.start('two');
    await two.process.ready;
  });
  afterAll(async () => {
    await members[Symbol.asyncDispose]();
    await link[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    const label = `round-${++rounds}`;
    workload = new Workload(new RoamingClient([one, two]), token, { label, pauseMs: 10 });
    checkers = [one, two].map(({ http }) => new InvariantChecker(http, token));
  });
  afterEach(async () => {
    await workload.stop();
    for (const checker of checkers) await checker.stop();
  });

  /** No acknowledged commit is missing anywhere, and no sequence was given out twice. */
  async function expectNothingLost(): Promise<void> {
    await workload.written(ROUND);
    for (const member of [one, two]) await expectCaughtUp(member, workload, token);
    const sequences = workload.acknowledged.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    expect(new Set(sequences).size).toBe(sequences.length);
  }

  it('has one primary, which the others name and send changes to', async () => {
    expect([await one.isPrimary(), await two.isPrimary()]).toEqual([true, false]);
    const path = '/api/endpoints/create?dry=1';
    const sent = await two.http.send({ path, body: {}, token });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, one.address + path]);
    await workload.written(ROUND);
    const reached = workload.sequence;
    const { status, json } = await two.http.send({ path: '/api/graph/members', token });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      term: 1,
      primary: 'one',
      members: [
        { name: 'one', address: one.address, role: 'primary' },
        { name: 'two', address: two.address, role: 'follower' },
      ],
      log: { engine: 'postgres', firstSequence: 1, synchronous: false },
    });
    expect(valueAt(json, 'log', 'lastSequence')).toBeGreaterThanOrEqual(reached);
    await expectNothingLost();
  });

  it('is refused the folder of another one, whose state it does not touch', async () => {
    await workload.written(ROUND);
    for (const { storage } of [one, two]) {
      const third = await members.start('three', { MSK_GRAPH_STORAGE: storage });
      expect((await third.process.waitForExit()).code).not.toBe(0);
      expect(third.logs).toContain('storage_in_use');
    }
    await expectNothingLost();
  });

  it('goes on with another one when the primary is killed, which follows when it is back', async () => {
    await workload.written(ROUND);
    await one.process.kill();
    expect(await members.primaryBut(one)).toBe(two);
    await workload.written(ROUND);
    one.launch();
    expect(await one.process.ready).toMatchObject({ role: 'replica' });
    await expectNothingLost();
    expect(await one.isPrimary()).toBe(false);
  });

  it('goes on with another one when the primary steps down, or stands still beyond its lease', async () => {
    await workload.written(ROUND);
    const path = '/api/graph/members/step-down';
    const asked = await two.http.send({ method: 'POST', path, token });
    expect(asked.status).toBe(204);
    expect(await members.primaryBut(two)).toBe(one);
    await workload.written(ROUND);
    one.process.freeze();
    expect(await members.primaryBut(one)).toBe(two);
    await workload.written(ROUND);
    const mark = one.process.mark;
    one.process.thaw();
    await one.process.waitForLine(/another member has the lease/, mark);
    await one.process.waitForLine(/ready as the follower/, mark);
    await expectNothingLost();
    const { json } = await one.http.send({ path: '/api/graph/members', token });
    expect(field(json, 'primary')).toBe('two');
  });

  it('goes on with another one when the link of the primary carries nothing, and is not closed', async () => {
    await two.http.send({ method: 'POST', path: '/api/graph/members/step-down', token });
    expect(await members.primaryBut(two)).toBe(one);
    await workload.written(ROUND);
    const { mark } = one.process;
    link.hold();
    expect(await members.primaryBut(one)).toBe(two);
    await workload.written(ROUND);
    link.mend();
    await one.process.waitForLine(/ready as the follower/, mark);
    // What is open stays dead, and what is opened from now on works.
    link.abandon();
    await expectNothingLost();
  });

  it('follows a primary that it does not reach, since PostgreSQL has what that appends', async () => {
    await workload.written(ROUND);
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const unreached = { MSK_SERVER_ADDRESS: nobody };
    const joined = await members.start('lonely', unreached);
    await joined.process.ready;
    await joined.process.stop();
    // It leads, too, whatever its clock says: only that of PostgreSQL counts.
    const { storage } = joined;
    const wrong = { ...unreached, MSK_GRAPH_STORAGE: storage, NODE_OPTIONS: CLOCK_AHEAD };
    await using lonely = await members.start('lonely', wrong);
    await lonely.process.ready;
    // The session of the others is over there.
    const { status } = await lonely.http.send({ path: '/api/schema', token });
    expect(status).toBe(401);
    const later = await lonely.http.signIn();
    for (const { process } of [one, two]) await process.kill();
    expect(await members.primaryBut(one, two)).toBe(lonely);
    for (const member of [one, two]) member.launch();
    for (const { process } of [one, two]) await process.ready;
    const label = 'lonely';
    await using there = new Workload(lonely.http, later, { label, pauseMs: 10 });
    await there.written(ROUND);
    for (const member of [one, two]) {
      await expectCaughtUp(member, there, token);
      const { json } = await member.http.send({ path: '/health', token });
      expect(JSON.stringify(json)).toContain('primary_not_connected');
    }
    await lonely.process.kill();
    await expectNothingLost();
  });

  it('does not let one lead that has another key, while all others are gone', async () => {
    await workload.written(ROUND);
    for (const { process } of [one, two]) await process.kill();
    const other = await members.start('other', { MSK_JWT_KEY: 'of another workspace '.repeat(2) });
    expect((await other.process.waitForExit()).code).not.toBe(0);
    expect(other.logs).toContain('replication_not_authenticated');
    for (const member of [one, two]) member.launch();
    for (const { process } of [one, two]) await process.ready;
    await expectNothingLost();
  });

  it('reads on and refuses changes while PostgreSQL is away, and goes on when it is back', async () => {
    await workload.written(ROUND);
    const before = workload.acknowledged.length;
    proxy.cut();
    const path = '/api/ingest';
    const body = { operations: [{ op: 'addOrUpdate', type: 'Item', key: 'away', fields: {} }] };
    // What is under way when PostgreSQL goes is answered once it is back.
    const refused = async (): Promise<Response> => {
      for (;;) {
        for (const { address } of [one, two]) {
          const signal = AbortSignal.timeout(1_000);
          const headers = {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
          };
          const sent = fetch(address + path, {
            method: 'POST',
            headers,
            body: JSON.stringify(body),
            redirect: 'manual',
            signal,
          });
          const answer = await sent.catch(() => undefined);
          if (answer?.status === 503) return answer;
        }
      }
    };
    const answer = await refused();
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ error: { code: 'no_primary' } });
    for (const { http } of [one, two]) {
      expect((await http.send({ path: '/api/schema', token })).status).toBe(200);
      const members503 = await http.send({ path: '/api/graph/members', token });
      expect(valueAt(members503.json, 'error', 'code')).toBe('log_unreachable');
    }
    expect(workload.acknowledged.length - before).toBeLessThan(ROUND);
    proxy.mend();
    await expectNothingLost();
    const refusals = (one.logs + two.logs).split('\n').filter((line) => /"no_primary"/.test(line));
    expect(refusals).not.toEqual([]);
    for (const line of refusals) expect(line).not.toContain('"stack"');
  });
});
