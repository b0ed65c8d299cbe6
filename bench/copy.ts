import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplicaStore } from '../server/src/app/replication/replica-store.ts';
import { assert } from '../server/src/base/assert.ts';
import { connectReplica, type SnapshotCopy } from '../server/src/replication/replica-channel.ts';
import { connectionTo } from '../server/src/replication/testing/cluster.ts';
import type { CopySource } from './copy-source.ts';
import { timed } from './measure.ts';
import type { Report } from './report.ts';

const ROUNDS = 10;
const TARGET = 0.6;
const FILE_BYTES = 4 * 1024 * 1024;

/**
 * What a joining replica waits for: the files of a snapshot come over from another process, against
 * a bare socket.
 */
export async function benchCopy(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  const child = fork(new URL('./copy-source.ts', import.meta.url), [join(folder, 'primary')], {
    execPath: process.execPath,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  try {
    const [source]: CopySource[] = await once(child, 'message');
    assert(source !== undefined, 'the source tells where it listens');
    const best = await compare(source, folder);
    const bytesAgain = await bytesAfterChange(source, child, folder);
    const ratio = best.plain / best.ours;
    const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    const speed = (seconds: number): string => `${(best.bytes / seconds / 1e6).toFixed(0)} MB/s`;
    report.add({
      what: `a copy of ${mib(best.bytes)} of pieces from files into files: encrypted and authenticated`,
      ours: speed(best.ours),
      others: [
        `bare TCP ${speed(best.plain)}`,
        `before it the snapshot is made at ${speed(best.manifest)}`,
        `after the change of one entry a replica copies ${mib(bytesAgain)}`,
      ],
      ratio: ratio.toFixed(2),
      target: String(TARGET),
      reached: ratio >= TARGET,
    });
  } finally {
    child.kill();
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

interface Times {
  readonly bytes: number;
  /** Seconds: the making of the snapshot, the copy of its pieces, and that by a bare socket. */
  readonly manifest: number;
  readonly ours: number;
  readonly plain: number;
}

/** The best of interleaved rounds: what disturbs a round only makes it longer. */
async function compare({ primaryPort, plainPort }: CopySource, folder: string): Promise<Times> {
  using channel = await connectReplica(connectionTo(primaryPort));
  const opened = await timed(() => channel.openSnapshot());
  await using copy = opened.value;
  let ours = Infinity;
  let plain = Infinity;
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const ofPlain = await timed(() => copyPlain(plainPort, join(folder, `plain-${round}`)));
    const store = new ReplicaStore({
      storage: join(folder, `ours-${round}`),
      masterKey: undefined,
    });
    await store.piecesOf(copy.manifest);
    const ofOurs = await timed(() => copyMissing(copy, store, new Set()));
    assert(ofOurs.value === ofPlain.value, 'both copies are whole');
    bytes = ofOurs.value;
    ours = Math.min(ours, ofOurs.seconds);
    plain = Math.min(plain, ofPlain.seconds);
    for (const name of [`plain-${round}`, `ours-${round}`]) {
      await rm(join(folder, name), { recursive: true });
    }
  }
  return { bytes, ours, plain, manifest: opened.seconds };
}

/** The bytes that come over. */
async function copyMissing(
  copy: SnapshotCopy,
  store: ReplicaStore,
  here: ReadonlySet<string>,
): Promise<number> {
  const digests = copy.manifest.databases.flatMap(({ pieces }) =>
    pieces.map(({ digest }) => digest),
  );
  let bytes = 0;
  await copy.fetchPieces(
    digests.filter((digest) => !here.has(digest)),
    (digest, parts) => store.write(digest, parts),
    ({ bytesDone }) => (bytes = bytesDone),
  );
  return bytes;
}

/**
 * What a replica with a store of before the change copies: its other pieces it takes from there.
 */
async function bytesAfterChange(
  { primaryPort }: CopySource,
  child: ChildProcess,
  folder: string,
): Promise<number> {
  const store = new ReplicaStore({ storage: join(folder, 'replica'), masterKey: undefined });
  using channel = await connectReplica(connectionTo(primaryPort));
  {
    await using copy = await channel.openSnapshot();
    await copyMissing(copy, store, await store.piecesOf(copy.manifest));
    await store.replaceBy(copy.manifest);
  }
  child.send('change');
  await once(child, 'message');
  await using copy = await channel.openSnapshot();
  return await copyMissing(copy, store, await store.piecesOf(copy.manifest));
}

async function copyPlain(port: number, folder: string): Promise<number> {
  await mkdir(folder);
  let parts: Buffer[] = [];
  let held = 0;
  let bytes = 0;
  let files = 0;
  const writeHeld = async (): Promise<void> => {
    await using file = await open(join(folder, String(files++)), 'w');
    await file.writev(parts);
    parts = [];
    held = 0;
  };
  for await (const part of connect(port, '127.0.0.1')) {
    const chunk: Buffer = part;
    parts.push(chunk);
    held += chunk.length;
    bytes += chunk.length;
    if (held >= FILE_BYTES) await writeHeld();
  }
  if (held > 0) await writeHeld();
  return bytes;
}
