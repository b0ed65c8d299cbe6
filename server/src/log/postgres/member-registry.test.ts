import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import { filled, settings } from '../testing/log-engine.ts';
import { LEASE_MS } from './lease.ts';
import { MemberRegistry, type MemberState } from './member-registry.ts';
import {
  addressOf,
  openDatabase,
  openLog,
  takeLease,
  Workspaces,
} from './testing/postgres-workspaces.ts';

describe.skipIf(requirePostgres())('the members in PostgreSQL', () => {
  let server: PostgresServer;
  let workspace: string;
  let registry: MemberRegistry;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    workspace = workspaces.next();
    await using _made = await openDatabase(server.url, workspace);
    registry = new MemberRegistry(addressOf(server.url), workspace);
    return () => registry[Symbol.asyncDispose]();
  });

  const shown = ({ keyProof: _keyProof, ...state }: MemberState) => state;
  const member = (some: Partial<MemberState> = {}): MemberState => ({
    name: 'one',
    run: 'first run',
    address: 'http://one.example',
    serverAddress: 'http://10.0.0.1',
    role: 'follower',
    appliedSequence: 0,
    version: '26.9.1',
    keyProof: 'proof',
    ...some,
  });

  it('shows every member as it was last seen, and the lease', async () => {
    const alone = await registry.join(member());
    expect(alone.lease).toEqual({ term: 0, holder: '' });
    expect(alone).toMatchObject({ isLeaseExpired: true, leaseLeftMs: 0, isSynchronous: false });
    await registry.join(member({ name: 'a', run: 'x', role: 'primary', appliedSequence: 7 }));
    await using database = await openDatabase(server.url, workspace);
    await using _lease = await takeLease(database, 'x');
    const seen = await registry.renew(member({ appliedSequence: 5 }));
    expect(seen?.lease).toEqual({ term: 1, holder: 'x' });
    expect(seen?.isLeaseExpired).toBe(false);
    expect(seen?.leaseLeftMs).toBeGreaterThan(0);
    expect(seen?.leaseLeftMs).toBeLessThanOrEqual(LEASE_MS);
    expect(seen?.members).toEqual([
      {
        ...shown(member({ name: 'a', run: 'x', role: 'primary', appliedSequence: 7 })),
        silentMs: expect.any(Number),
      },
      { ...shown(member({ appliedSequence: 5 })), silentMs: expect.any(Number) },
    ]);
  });

  it('refuses a member with another key, and takes the key of one that is alone', async () => {
    await registry.join(member());
    const other = member({ name: 'two', keyProof: 'of another key' });
    await expect(registry.join(other)).rejects.toMatchObject({
      code: 'replication_not_authenticated',
    });
    await registry.join(member({ name: 'two' }));
    await registry.leave(member());
    await registry.join(member({ name: 'two', keyProof: 'of another key' }));
  });

  it('adds what the tables of the first clusters lack', async () => {
    await server.query(`alter table "trellis_${workspace}".member drop column key_proof`);
    await using _opened = await openDatabase(server.url, workspace);
    await registry.join(member());
  });

  it('keeps the newest hundred of who became the primary, and each once', async () => {
    for (let term = 1; term <= 103; term++) {
      await registry.noteTakeover({ term, member: `m${term}` });
    }
    await registry.noteTakeover({ term: 103, member: 'another' });
    const takeovers = await registry.takeovers();
    expect(takeovers.map(({ term }) => term)).toEqual(
      Array.from({ length: 100 }, (_, index) => 103 - index),
    );
    expect(takeovers[0]).toEqual({ term: 103, member: 'm103', at: expect.any(Date) });
  });

  const seenLater = (interval: string): Promise<void> =>
    server.query(
      `update "trellis_${workspace}".member set seen_at = seen_at + interval '${interval}'`,
    );

  it('leaves a name to the run that joined last, once the one before is silent', async () => {
    await registry.join(member());
    await registry.join(member({ run: 'second run' }));
    expect(await registry.renew(member())).toBeUndefined();
    // The clock of PostgreSQL may go back.
    await seenLater('1 hour');
    await registry.join(member({ run: 'third run' }));
    await seenLater('-1 hour');
    await registry.join(member({ run: 'fourth run' }));
    await registry.leave(member());
    expect((await registry.renew(member({ run: 'fourth run' })))?.members).toHaveLength(1);
    await registry.leave(member({ run: 'fourth run' }));
  });

  it('refuses a name whose run goes on', async () => {
    await registry.join(member());
    // As if it were renewed: no pause of this machine makes it look silent.
    await seenLater('1 hour');
    await using other = new MemberRegistry(addressOf(server.url), workspace);
    const joining = other.join(member({ run: 'second run' })).catch((error: unknown) => error);
    const outcomes: unknown[] = [];
    void joining.then((outcome) => outcomes.push(outcome));
    while (outcomes.length === 0) await seenLater('1 second');
    expect(outcomes).toMatchObject([{ code: 'member_name_taken' }]);
    expect((await registry.renew(member()))?.members).toHaveLength(1);
  });

  it('joins again when PostgreSQL has lost its row', async () => {
    await registry.join(member());
    await registry.leave(member());
    expect((await registry.renew(member()))?.members).toHaveLength(1);
  });

  it('tells how far all are that were seen in the last ten minutes', async () => {
    await registry.join(member({ name: 'one', appliedSequence: 9 }));
    expect(await registry.appliedByAll()).toBe(9);
    await registry.join(member({ name: 'slow', run: 'y', appliedSequence: 4 }));
    expect(await registry.appliedByAll()).toBe(4);
    await server.query(
      `update "trellis_${workspace}".member set seen_at = now() - interval '11 minutes'
        where name = 'slow'`,
    );
    expect(await registry.appliedByAll()).toBe(9);
  });

  it('forgets who was silent for a week', async () => {
    await registry.join(member({ name: 'gone' }));
    await server.query(
      `update "trellis_${workspace}".member set seen_at = seen_at - interval '8 days'`,
    );
    const { members } = await registry.join(member());
    expect(members.map(({ name }) => name)).toEqual(['one']);
  });

  it('reports the log', async () => {
    const empty = await registry.report();
    expect(empty).toMatchObject({ firstSequence: 1, lastSequence: 0 });
    const log = await openLog(server.url, workspace, settings());
    await log.append(3, filled(100_000));
    await log[Symbol.asyncDispose]();
    const report = await registry.report();
    expect(report).toMatchObject({ firstSequence: 1, lastSequence: 3 });
    expect(report.bytes).toBeGreaterThan(empty.bytes);
  });
});
