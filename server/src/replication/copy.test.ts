import { Problem } from '#base/problem.ts';
import {
  REPLICATION_PIECES_PER_CALL_MAX,
  REPLICATION_SNAPSHOT_IDLE_MS,
} from '#base/replication-limits.ts';
import type { SnapshotLease } from '#store/snapshot-reader.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../test/support/scale.ts';
import type { ReplicaChannel } from './replica-channel.ts';
import { MemorySnapshot, patternBytes, startPrimary } from './testing/cluster.ts';
import { settled, until } from './testing/settling.ts';
import { TcpProxy } from './testing/tcp-proxy.ts';

const EPOCH = '0'.repeat(32);
const MIB = 1024 * 1024;

function snapshotOf(count: number, bytes: number): MemorySnapshot {
  const pieces = Array.from({ length: count }, (_, i) => patternBytes(`piece ${i}`, bytes + i));
  return new MemorySnapshot(EPOCH, 7, pieces);
}

/** The pieces by digest, in the order in which they came. */
async function fetchAll(
  channel: ReplicaChannel,
  onPiece: (digest: string, bytes: Uint8Array) => void = () => {},
): Promise<Map<string, Uint8Array>> {
  await using copy = await channel.openSnapshot();
  const digests = copy.manifest.databases.flatMap(({ pieces }) =>
    pieces.map(({ digest }) => digest),
  );
  const got = new Map<string, Uint8Array>();
  await copy.fetchPieces(digests, async (digest, parts) => {
    // The parts are gone afterwards.
    const bytes = Buffer.concat(parts);
    onPiece(digest, bytes);
    got.set(digest, bytes);
  });
  return got;
}

function expectPieces(got: ReadonlyMap<string, Uint8Array>, snapshot: MemorySnapshot): void {
  expect([...got.keys()]).toEqual(snapshot.digests);
  for (const [digest, bytes] of got) {
    expect(Buffer.compare(bytes, snapshot.pieces.get(digest)!)).toBe(0);
  }
}

describe('a copy', () => {
  it('brings pieces of any size, each once, in the order asked for', async () => {
    const sizes = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 500_000, max: 1_100_000 })),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        const pieces = list.map((bytes, i) => patternBytes(`piece ${i}`, bytes));
        const snapshot = new MemorySnapshot(EPOCH, 7, pieces);
        await using primary = await startPrimary({ openSnapshot: snapshot.open });
        using channel = await primary.connect();
        await using copy = await channel.openSnapshot();
        expect(copy.manifest).toEqual(snapshot.manifest);
        const wanted = snapshot.digests.toReversed();
        const got: string[] = [];
        const progress: number[] = [];
        await copy.fetchPieces(
          [...wanted, ...wanted],
          async (digest, parts) => {
            expect(Buffer.compare(Buffer.concat(parts), snapshot.pieces.get(digest)!)).toBe(0);
            got.push(digest);
          },
          ({ bytesDone, bytesTotal }) => progress.push(bytesTotal - bytesDone),
        );
        expect(got).toEqual(wanted);
        expect(snapshot.read).toEqual(wanted);
        expect(progress.at(-1)).toBe(0);
        expect(progress).toEqual(progress.toSorted((a, b) => b - a));
      }),
      { seed: seed(), numRuns: scale({ sample: 10, soak: 200 }) },
    );
  });

  it('takes more pieces than one call may ask for', async () => {
    const snapshot = snapshotOf(REPLICATION_PIECES_PER_CALL_MAX + 1, 1);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    using channel = await primary.connect();
    expectPieces(await fetchAll(channel), snapshot);
    const started = primary.events.flatMap((event) =>
      event.kind === 'copy_started' ? [event.pieces] : [],
    );
    expect(started).toEqual([REPLICATION_PIECES_PER_CALL_MAX, 1]);
  });

  it('asks for nothing when nothing is missing', async () => {
    const snapshot = snapshotOf(2, 10);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    using channel = await primary.connect();
    await using copy = await channel.openSnapshot();
    await copy.fetchPieces([], () => Promise.reject(new Error('no piece was asked for')));
    expect(snapshot.read).toEqual([]);
  });

  it('waits for the replica: the primary reads little ahead of what is done', async () => {
    const snapshot = snapshotOf(30, MIB);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    using channel = await primary.connect();
    await using copy = await channel.openSnapshot();
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const fetching = copy.fetchPieces(snapshot.digests, async () => {
      reached.resolve();
      await goOn.promise;
    });
    await reached.promise;
    expect(await settled(() => snapshot.read.length)).toBeLessThan(25);
    goOn.resolve();
    await fetching;
    expect(snapshot.read).toHaveLength(30);
  });

  it('ends with what the writing of a piece throws, and can go on from there', async () => {
    const snapshot = snapshotOf(5, MIB);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    using channel = await primary.connect();
    await using copy = await channel.openSnapshot();
    const done: string[] = [];
    const failing = copy.fetchPieces(snapshot.digests, async (digest) => {
      if (done.length === 2) throw new Problem('storage_full', 'the disk is full');
      done.push(digest);
    });
    await expect(failing).rejects.toMatchObject({ code: 'storage_full' });
    const left = snapshot.digests.filter((digest) => !done.includes(digest));
    await copy.fetchPieces(left, async (digest) => void done.push(digest));
    expect(done).toEqual(snapshot.digests);
  });
});

describe('a copy over a bad network', () => {
  it('that is cut anywhere fails as unavailable, gives the snapshot back, and goes on with what is missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: MIB }), async (cutAfterBytes) => {
        const snapshot = snapshotOf(4, MIB / 4);
        await using primary = await startPrimary({ openSnapshot: snapshot.open });
        await using proxy = await TcpProxy.before(primary.server.port);
        proxy.faults.cutAfterBytes = cutAfterBytes;
        const kept = new Set<string>();
        await expect(
          (async () => {
            using channel = await primary.connect(proxy.port);
            await fetchAll(channel, (digest) => kept.add(digest));
          })(),
        ).rejects.toMatchObject({ code: 'replication_unavailable' });
        await until(() => snapshot.leases === 0);
        using channel = await primary.connect(proxy.port);
        await using copy = await channel.openSnapshot();
        const missing = snapshot.digests.filter((digest) => !kept.has(digest));
        await copy.fetchPieces(missing, async (digest) => void kept.add(digest));
        expect(kept.size).toBe(4);
      }),
      { seed: seed(), numRuns: scale({ sample: 10, soak: 500 }) },
    );
  });

  it('never takes bytes that were turned on their way for a piece', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: MIB / 2 + 3_000 }),
        fc.boolean(),
        async (at, isSliced) => {
          const snapshot = snapshotOf(2, MIB / 4);
          await using primary = await startPrimary({ openSnapshot: snapshot.open });
          await using proxy = await TcpProxy.before(primary.server.port);
          proxy.faults.flipAtByte = at;
          if (isSliced) proxy.faults.sliceBytes = 40_000;
          const got = new Map<string, Uint8Array>();
          const spoiled = (async () => {
            using channel = await primary.connect(proxy.port);
            await fetchAll(channel, (digest, bytes) => got.set(digest, bytes));
          })();
          // HTTP/2 does not use every bit, so a copy may also succeed; what it gives is right all
          // the same.
          await spoiled.catch((error: unknown) => expect(error).toBeInstanceOf(Problem));
          for (const [digest, bytes] of got) {
            expect(Buffer.compare(bytes, snapshot.pieces.get(digest)!)).toBe(0);
          }
        },
      ),
      { seed: seed(), numRuns: scale({ sample: 20, soak: 2_000 }) },
    );
  });

  it('tells of turned bytes within a piece as corrupt', async () => {
    const snapshot = snapshotOf(1, MIB);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    await using proxy = await TcpProxy.before(primary.server.port);
    proxy.faults.flipAtByte = MIB / 2;
    using channel = await primary.connect(proxy.port);
    await expect(fetchAll(channel)).rejects.toMatchObject({ code: 'replication_corrupt' });
  });
});

describe('the snapshot that a primary holds', () => {
  it('is given back when the copy is disposed of, and the same piece cannot be had any more', async () => {
    const snapshot = snapshotOf(2, 10);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    using channel = await primary.connect();
    const copy = await channel.openSnapshot();
    expect(snapshot.leases).toBe(1);
    await copy[Symbol.asyncDispose]();
    await until(() => snapshot.leases === 0);
    const late = copy.fetchPieces(snapshot.digests, () => Promise.reject(new Error('no lease')));
    await expect(late).rejects.toMatchObject({ code: 'replication_unavailable' });
  });

  it('is given back when the replica goes away in the middle of a read', async () => {
    const snapshot = snapshotOf(2, 10);
    const isReading = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const openSnapshot = async (): Promise<SnapshotLease> => {
      const lease = await snapshot.open();
      const read = async (digest: string): Promise<Uint8Array> => {
        isReading.resolve();
        await goOn.promise;
        return lease.read(digest);
      };
      return { manifest: lease.manifest, read, [Symbol.dispose]: () => lease[Symbol.dispose]() };
    };
    await using primary = await startPrimary({ openSnapshot });
    const channel = await primary.connect();
    const fetching = fetchAll(channel);
    await isReading.promise;
    channel[Symbol.dispose]();
    await expect(fetching).rejects.toMatchObject({ code: 'replication_unavailable' });
    expect(snapshot.leases).toBe(1);
    goOn.resolve();
    await until(() => snapshot.leases === 0);
  });

  it('is given back when nothing of it was taken for too long; its replica stays registered', async () => {
    const snapshot = snapshotOf(2, 10);
    await using primary = await startPrimary({ openSnapshot: snapshot.open });
    const { clock, timers, server } = primary;
    using channel = await primary.connect();
    await using copy = await channel.openSnapshot();
    clock.time += REPLICATION_SNAPSHOT_IDLE_MS - 1;
    timers.fire();
    expect(snapshot.leases).toBe(1);
    await copy.fetchPieces(snapshot.digests, () => Promise.resolve());
    clock.time += REPLICATION_SNAPSHOT_IDLE_MS - 1;
    timers.fire();
    expect(snapshot.leases).toBe(1);
    clock.time += 1;
    timers.fire();
    expect(snapshot.leases).toBe(0);
    // Loading a large graph takes its time.
    for (let i = 0; i < 100; i++) {
      clock.time += REPLICATION_SNAPSHOT_IDLE_MS;
      timers.fire();
    }
    expect(server.replicas()).toHaveLength(1);
    expect(primary.followers.lowestNeeded()).toBe(0);
  });

  it('that cannot be opened is told as unavailable, and why is told to the primary alone', async () => {
    const error = new Problem('storage_failed', 'the disk of the primary is gone');
    await using primary = await startPrimary({ openSnapshot: () => Promise.reject(error) });
    using channel = await primary.connect();
    await expect(channel.openSnapshot()).rejects.toMatchObject({
      code: 'replication_unavailable',
      message: expect.not.stringContaining('disk'),
    });
    expect(primary.events.at(-1)).toMatchObject({ kind: 'failed', method: 'GetManifest', error });
  });

  it('for which the primary has no room ends the copy, and the folder is told to the primary alone', async () => {
    const error = new Problem('storage_full', 'the volume of a folder of the primary is full');
    await using primary = await startPrimary({ openSnapshot: () => Promise.reject(error) });
    using channel = await primary.connect();
    await expect(channel.openSnapshot()).rejects.toMatchObject({
      code: 'storage_full',
      message: 'the primary has no room for a snapshot',
    });
    expect(primary.events.at(-1)).toMatchObject({ kind: 'failed', method: 'GetManifest', error });
  });

  it('with a piece of another size is not believed', async () => {
    const snapshot = snapshotOf(2, 10);
    const openSnapshot = async (): Promise<SnapshotLease> => {
      const lease = await snapshot.open();
      const read = (digest: string): Promise<Uint8Array> =>
        lease.read(snapshot.digests.find((other) => other !== digest) ?? digest);
      return { manifest: lease.manifest, read, [Symbol.dispose]: () => lease[Symbol.dispose]() };
    };
    await using primary = await startPrimary({ openSnapshot });
    using channel = await primary.connect();
    await expect(fetchAll(channel)).rejects.toMatchObject({ code: 'replication_corrupt' });
  });
});
