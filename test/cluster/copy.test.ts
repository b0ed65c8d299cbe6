import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireRoot } from '../support/requires.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import type { Link } from './link.ts';
import { EXIT_REPLICA_FAILED, type ServerProcess } from './server-process.ts';
import { prepareWorkload, readItems, writeBallast } from './workload.ts';

const PIECE = /^[0-9a-f]{64}$/;
const MEGABYTE = 1024 * 1024;
/** Some pieces of about four megabytes. */
const BALLAST_BYTES = 24 * MEGABYTE;

let cluster: Cluster;
let primary: ClusterNode;
let link: Link;
let token: string;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  link = await cluster.link(primary);
  await primary.startPrimary();
  token = await prepareWorkload(primary.http);
  await writeBallast(primary.http, token, BALLAST_BYTES);
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** The pieces of an unfinished copy that will be kept. */
function keptPieces({ storage }: ClusterNode): number {
  const folder = join(storage, 'pieces');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).filter((name) => PIECE.test(name)).length;
}

async function copied(started: ServerProcess): Promise<{ missing: number; all: number }> {
  const [, missing, all] = await started.waitForLine(/copying (\d+) of (\d+) pieces/);
  return { missing: Number(missing), all: Number(all) };
}

/** Starts a replica and stops the bytes on their way to it when it has some pieces, and not all. */
async function launchHalfCopied(replica: ClusterNode): Promise<ServerProcess> {
  const held = link.channel.holdAfter(BALLAST_BYTES / 2);
  const started = replica.launchReplica(link);
  await Promise.race([held, started.exited]);
  await expect.poll(() => keptPieces(replica)).toBeGreaterThan(0);
  expect(started.isRunning).toBe(true);
  return started;
}

async function expectResumedCopy(replica: ClusterNode): Promise<void> {
  const kept = keptPieces(replica);
  const started = replica.launchReplica(link);
  const { missing, all } = await copied(started);
  expect(kept).toBeGreaterThan(0);
  expect(missing).toBe(all - kept);
  await started.ready;
  expect(await readItems(replica.http, token)).toEqual(await readItems(primary.http, token));
  await started.stop();
}

test('a network that is cut in the middle of the copy ends it, and what came is not copied again', async () => {
  const replica = await cluster.node('cut');
  const started = await launchHalfCopied(replica);
  link.cut();
  expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  expect(started.log).toContain('"code":"replication_unavailable"');
  link.mend();
  await expectResumedCopy(replica);
});

/**
 * Waits until the index is saved. A primary that is killed before would index again after its
 * start, as a job that leaves a record in the state.
 */
async function untilIndexIsSaved(): Promise<void> {
  const manifest = join(primary.storage, 'search', 'manifest.json');
  await expect.poll(() => existsSync(manifest)).toBe(true);
}

test('so does a primary that is restarted in the middle of the copy', async () => {
  await untilIndexIsSaved();
  const replica = await cluster.node('primary-restarted');
  const started = await launchHalfCopied(replica);
  await primary.process.kill();
  expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  link.mend();
  await primary.startPrimary();
  await expectResumedCopy(replica);
});

test('a replica that is killed in the middle of the copy goes on from there', async () => {
  const replica = await cluster.node('killed');
  await (await launchHalfCopied(replica)).kill();
  link.mend();
  await expectResumedCopy(replica);
});

test('bits that change on the way end the copy, and none of them is kept', async () => {
  const replica = await cluster.node('flipped');
  const started = await launchHalfCopied(replica);
  link.channel.flipBits(3);
  link.mend();
  expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  expect(started.log).toMatch(/"code":"replication_(corrupt|unavailable)"/);
  await expectResumedCopy(replica);
});

test('a piece that was damaged on the disk is found, and it alone is copied again', async () => {
  const replica = await cluster.node('damaged');
  await (await launchHalfCopied(replica)).kill();
  link.mend();
  const folder = join(replica.storage, 'pieces');
  const piece = readdirSync(folder).find((name) => PIECE.test(name)) ?? '';
  writeFileSync(join(folder, piece), new Uint8Array(statSync(join(folder, piece)).size));
  const started = replica.launchReplica(link);
  expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  const again = replica.launchReplica(link);
  const { missing, all } = await copied(again);
  expect(all).toBeGreaterThan(1);
  expect(missing).toBe(1);
  await again.ready;
  expect(await readItems(replica.http, token)).toEqual(await readItems(primary.http, token));
  await again.stop();
});

test.skipIf(requireRoot())('a disk that is full in the middle of the copy ends it', async () => {
  const replica = await cluster.node('small-disk');
  using disk = mountSmallDisk(replica.storage, BALLAST_BYTES / 2);
  const started = replica.launchReplica(link);
  expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  expect(started.log).toContain('"code":"storage_full"');
  disk.resize(8 * BALLAST_BYTES);
  await expectResumedCopy(replica);
});

test.skipIf(requireRoot())(
  'a disk that is full while the replica follows ends it, and with room it goes on',
  async () => {
    const replica = await cluster.node('full-disk');
    // With room for what the primary writes meanwhile, and for applying it, once the filler is
    // gone.
    using disk = mountSmallDisk(replica.storage, 10 * BALLAST_BYTES);
    const started = await replica.startReplica(link);
    disk.leave(8 * MEGABYTE);
    let label = 0;
    while (started.isRunning && label < 10) {
      await writeBallast(primary.http, token, 4 * MEGABYTE, `more-${label++}`);
    }
    expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
    expect(started.log).toContain('"code":"storage_full"');
    disk.clear();
    await replica.startReplica(link);
    expect(replica.process.count(/copying \d+ of/)).toBe(0);
    const items = await readItems(primary.http, token);
    expect(await readItems(replica.http, token)).toEqual(items);
    await replica.process.stop();
  },
);

interface SmallDisk extends Disposable {
  resize(bytes: number): void;
  /** Takes the room there is but for so much. */
  leave(bytes: number): void;
  /** Gives back what `leave` took. */
  clear(): void;
}

function mountSmallDisk(folder: string, bytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true });
  const mount = (options: string): void => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  };
  mount(`size=${bytes}`);
  const filler = join(folder, 'filler');
  return {
    resize: (size) => mount(`remount,size=${size}`),
    leave: (left) => {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, new Uint8Array(bavail * bsize - left));
    },
    clear: () => rmSync(filler),
    [Symbol.dispose]: () => execFileSync('umount', ['-l', folder]),
  };
}
