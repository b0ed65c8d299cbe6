import { REPLICA_DROP_MS, REPLICATION_NOTICES_WAITING_MAX } from '#base/replication-limits.ts';
import { describe, expect, it } from 'vitest';
import type { ReplicaChannel, TailOptions } from './replica-channel.ts';
import {
  ManualTimers,
  MemorySnapshot,
  patternBytes,
  REPLICA_UID,
  startPrimary,
  type TestPrimary,
} from './testing/cluster.ts';
import { settled, until } from './testing/settling.ts';
import { TcpProxy } from './testing/tcp-proxy.ts';

function tailing(
  primary: TestPrimary,
  channel: ReplicaChannel,
  options: Partial<TailOptions> = {},
) {
  const timers = new ManualTimers();
  const ending = new AbortController();
  const applied: number[] = [];
  const ended = channel
    .tail({
      epoch: primary.log.epoch,
      from: 1,
      apply: async (chunk) => {
        applied.push(...chunk.map(({ last }) => last));
        return chunk.at(-1)!.last;
      },
      timers,
      signal: ending.signal,
      ...options,
    })
    .catch((error: unknown) => error);
  return { timers, ending, applied, ended };
}

function statusOf({ server }: TestPrimary) {
  return server.replicas()[0]!;
}

describe('tailing', () => {
  it('applies what is appended and reports it, so that the primary knows the lag', async () => {
    await using primary = await startPrimary();
    const { log, server, followers } = primary;
    await log.append(3, Buffer.from('first'));
    using channel = await primary.connect();
    const { timers, applied } = tailing(primary, channel);
    await until(() => statusOf(primary).reportedAt !== undefined && applied.length === 1);
    expect(statusOf(primary)).toMatchObject({ appliedSequence: 0, lagVersions: 3 });
    expect(followers.lowestNeeded()).toBe(0);
    timers.fire();
    await until(() => statusOf(primary).appliedSequence === 3);
    expect(statusOf(primary)).toMatchObject({ lagVersions: 0 });
    expect(followers.lowestNeeded()).toBe(3);
    await log.append(4, Buffer.from('second'));
    await until(() => applied.length === 2);
    timers.fire();
    await until(() => statusOf(primary).appliedSequence === 7);
    expect(server.lag().currentLag).toBe(0);
  });

  it('keeps a replica registered that receives nothing, and drops one that stops to report', async () => {
    await using primary = await startPrimary();
    const { clock, server, events } = primary;
    using channel = await primary.connect();
    const { timers, ending, ended } = tailing(primary, channel);
    await until(() => statusOf(primary).reportedAt !== undefined);
    for (let seconds = 0; seconds < 1_200; seconds += 30) {
      clock.time += 30_000;
      for (let tick = 0; tick < 120; tick++) timers.fire();
      await until(() => statusOf(primary).reportedAt === clock.now());
      primary.timers.fire();
    }
    ending.abort(new Error('the replica stops'));
    expect(await ended).toMatchObject({ message: 'the replica stops' });
    clock.time += REPLICA_DROP_MS - 1;
    primary.timers.fire();
    expect(server.replicas()).toHaveLength(1);
    clock.time += 1;
    primary.timers.fire();
    expect(server.replicas()).toHaveLength(0);
    expect(events.at(-1)).toMatchObject({ kind: 'dropped', replica: { replicaUID: REPLICA_UID } });
  });

  it('ends for a replica that was dropped although its connection is open', async () => {
    await using primary = await startPrimary();
    using channel = await primary.connect();
    const { ended } = tailing(primary, channel);
    await until(() => statusOf(primary).reportedAt !== undefined);
    primary.clock.time += REPLICA_DROP_MS;
    primary.timers.fire();
    expect(await ended).toMatchObject({ code: 'replica_not_registered' });
    const following = channel.follow({ epoch: primary.log.epoch, from: 1 }).next();
    await expect(following).rejects.toMatchObject({ code: 'replication_unavailable' });
  });

  it('ends when applying fails, when the connection is cut, and when the primary closes', async () => {
    const primary = await startPrimary();
    await using proxy = await TcpProxy.before(primary.server.port);
    await primary.log.append(1, Buffer.from('a commit'));
    {
      using channel = await primary.connect(proxy.port);
      const full = new Error('the disk is full');
      const { ended, timers } = tailing(primary, channel, { apply: () => Promise.reject(full) });
      expect(await ended).toBe(full);
      expect(timers.running.size).toBe(0);
    }
    {
      using channel = await primary.connect(proxy.port);
      const { ended, applied, timers } = tailing(primary, channel);
      await until(() => applied.length === 1);
      proxy.cut();
      expect(await ended).toMatchObject({ code: 'replication_unavailable' });
      expect(timers.running.size).toBe(0);
    }
    using channel = await primary.connect(proxy.port);
    const { ended, applied } = tailing(primary, channel);
    await until(() => applied.length === 1);
    await primary[Symbol.asyncDispose]();
    expect(await ended).toMatchObject({ code: 'replication_unavailable' });
  });

  it('ends the calls of a former connection when the replica connects anew', async () => {
    await using primary = await startPrimary();
    using former = await primary.connect();
    const { ended } = tailing(primary, former);
    await until(() => statusOf(primary).reportedAt !== undefined);
    using channel = await primary.connect();
    expect(await ended).toMatchObject({ code: 'replication_unavailable' });
    const { applied } = tailing(primary, channel);
    await primary.log.append(1, Buffer.from('a commit'));
    await until(() => applied.length === 1);
  });
});

describe('notices', () => {
  it('reach every replica that listens, in order, and none that does not', async () => {
    await using primary = await startPrimary();
    using channel = await primary.connect();
    primary.server.notify({ kind: 'before', payload: null });
    const notices = channel.notices();
    const first = notices.next();
    // Whoever listens learns it by the first notice that comes; the ones before it are lost.
    const posting = setInterval(() => primary.server.notify({ kind: 'wanted', payload: 1 }), 1);
    const { value } = await first;
    clearInterval(posting);
    expect(value).toEqual({ kind: 'wanted', payload: 1 });
    const payload = { add: true, index: 'text', deep: [1, { a: 'ä' }] };
    primary.server.notify({ kind: 'LoadNewIndexOnReplica', payload });
    let notice = await notices.next();
    while (notice.value.kind === 'wanted') notice = await notices.next();
    expect(notice.value).toEqual({ kind: 'LoadNewIndexOnReplica', payload });
  });

  it('end for a replica that does not take them, and take no more memory than so many', async () => {
    await using primary = await startPrimary();
    await using proxy = await TcpProxy.before(primary.server.port);
    using channel = await primary.connect(proxy.port);
    const notices = channel.notices();
    const first = notices.next();
    const posting = setInterval(() => primary.server.notify({ kind: 'first', payload: 1 }), 1);
    await first;
    clearInterval(posting);
    proxy.hold();
    const payload = 'x'.repeat(20_000);
    for (let i = 0; i < 3 * REPLICATION_NOTICES_WAITING_MAX; i++) {
      primary.server.notify({ kind: 'flood', payload });
    }
    proxy.release();
    await expect(
      (async () => {
        for await (const { kind } of notices) expect(kind).toMatch(/first|flood/);
      })(),
    ).rejects.toMatchObject({ code: 'replication_unavailable' });
  });
});

describe('closing', () => {
  it('the primary ends every call, gives the snapshot back and leaves no timer', async () => {
    const snapshot = new MemorySnapshot('0'.repeat(32), 7, [patternBytes('piece', 3_000_000)]);
    const primary = await startPrimary({ openSnapshot: snapshot.open });
    using channel = await primary.connect();
    const copy = await channel.openSnapshot();
    const held = Promise.withResolvers<void>();
    const fetching = copy
      .fetchPieces(snapshot.digests, () => held.promise)
      .catch((error: unknown) => error);
    const following = channel.follow({ epoch: primary.log.epoch, from: 1 }).next();
    const noticing = channel.notices().next();
    const { ended } = tailing(primary, channel);
    await until(() => statusOf(primary).reportedAt !== undefined && snapshot.read.length === 1);
    const outcomes = Promise.allSettled([following, noticing]);
    await primary[Symbol.asyncDispose]();
    expect(snapshot.leases).toBe(0);
    expect(primary.timers.running.size).toBe(0);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ reason: { code: 'replication_unavailable' } });
    }
    expect(await ended).toMatchObject({ code: 'replication_unavailable' });
    held.resolve();
    // The only piece was there already, so either end is right.
    expect([undefined, 'replication_unavailable']).toContain(
      Reflect.get(Object(await fetching), 'code'),
    );
    await copy[Symbol.asyncDispose]();
  });

  it('the replica ends every call on both sides', async () => {
    const snapshot = new MemorySnapshot('0'.repeat(32), 7, [patternBytes('piece', 10)]);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    const channel = await primary.connect();
    const copy = await channel.openSnapshot();
    const following = channel.follow({ epoch: primary.log.epoch, from: 1 }).next();
    const noticing = channel.notices().next();
    const { ended } = tailing(primary, channel);
    await until(() => statusOf(primary).reportedAt !== undefined);
    const outcomes = Promise.allSettled([following, noticing]);
    channel[Symbol.dispose]();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ reason: { code: 'replication_unavailable' } });
    }
    expect(await ended).toMatchObject({ code: 'replication_unavailable' });
    await copy[Symbol.asyncDispose]();
    await until(() => snapshot.leases === 0);
    // A call that the replica ends has not failed.
    await settled(() => primary.events.length);
    expect(primary.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
    await expect(channel.openSnapshot()).rejects.toMatchObject({ code: 'replication_unavailable' });
  });

  it('tells when its port is taken', async () => {
    await using primary = await startPrimary();
    const { port } = primary.server;
    await expect(startPrimary({ port })).rejects.toMatchObject({ code: 'replication_unavailable' });
  });
});
