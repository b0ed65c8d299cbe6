import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Timers } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Followers } from '#log/followers.ts';
import { createMemoryLog, createMemoryMedium } from '#log/memory-log.ts';
import { type Manifest, sealManifest } from '#store/manifest.ts';
import { pieceDigest } from '#store/piece.ts';
import type { SnapshotLease } from '#store/snapshot-reader.ts';
import { connectReplica, type ReplicaChannel } from '../replica-channel.ts';
import type { ReplicationEvent } from '../replica-registry.ts';
import { deriveReplicationSecret } from '../session-keys.ts';
import {
  type ReplicationServer,
  type ReplicationServerOptions,
  startReplicationServer,
} from '../replication-server.ts';

export const SECRET = deriveReplicationSecret(Buffer.from('a key of which both sides know'));
export const REPLICA_UID = '01JD0000000000000000000001';

/** Time that stands still until a test moves it. */
export class ManualClock {
  time = 1_700_000_000_000;
  now(): number {
    return this.time;
  }
}

/** Timers that a test fires. */
export class ManualTimers implements Timers {
  readonly running = new Set<{ readonly intervalMs: number; readonly run: () => void }>();

  every(intervalMs: number, run: () => void): Disposable {
    const timer = { intervalMs, run };
    this.running.add(timer);
    return { [Symbol.dispose]: () => this.running.delete(timer) };
  }

  fire(): void {
    for (const { run } of this.running) run();
  }
}

/** A primary over a log in memory, listening on a free port of this machine. */
export interface TestPrimary extends AsyncDisposable {
  readonly server: ReplicationServer;
  readonly followers: Followers;
  readonly log: CommitLog;
  readonly clock: ManualClock;
  readonly timers: ManualTimers;
  readonly events: ReplicationEvent[];
  /** Connects the registered replica, through `port` if that is given. */
  connect(port?: number): Promise<ReplicaChannel>;
}

export interface TestPrimaryOptions extends Partial<ReplicationServerOptions> {
  readonly commitLog?: CommitLog;
}

export function memoryLog(clock: ManualClock, epoch?: string): CommitLog {
  const archive = { ttlMs: 0, bytesMax: 0 };
  const medium = createMemoryMedium(epoch);
  return createMemoryLog({ clock, archive, medium, segmentBytesMax: 1 });
}

export async function startPrimary(options: TestPrimaryOptions = {}): Promise<TestPrimary> {
  const clock = new ManualClock();
  const timers = new ManualTimers();
  const events: ReplicationEvent[] = [];
  const log = options.commitLog ?? memoryLog(clock);
  const followers = new Followers();
  const server = await startReplicationServer({
    host: '127.0.0.1',
    port: 0,
    secret: SECRET,
    version: '26.11.0',
    log,
    followers,
    openSnapshot: (): Promise<SnapshotLease> => new MemorySnapshot(log.epoch, 0, []).open(),
    holdState: () => Promise.reject(new Error('this primary has no state to compare')),
    pause: (ms) => sleep(ms, undefined, { ref: false }),
    clock,
    timers,
    onEvent: (event) => events.push(event),
    ...options,
  });
  register(server, REPLICA_UID);
  return {
    server,
    followers,
    log,
    clock,
    timers,
    events,
    connect: (port = server.port) => connectReplica(connectionTo(port)),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

export function register(server: ReplicationServer, replicaUID: string, appliedSequence = 0) {
  const publicUrl = 'https://replica.example';
  const internalUrl = 'http://replica.internal:8080';
  return server.register({ replicaUID, publicUrl, internalUrl, appliedSequence });
}

export function connectionTo(port: number, replicaUID = REPLICA_UID, secret = SECRET) {
  const hello = { name: 'replica', version: '26.11.1' };
  return { host: '127.0.0.1', port, secret, replicaUID, hello };
}

/** Pieces in memory, and how many leases of them are held. */
export class MemorySnapshot {
  readonly manifest: Manifest;
  readonly pieces: ReadonlyMap<string, Uint8Array>;
  leases = 0;
  /** Digests in the order in which they were read. */
  readonly read: string[] = [];

  constructor(epoch: string, sequence: number, pieces: readonly Uint8Array[]) {
    this.pieces = new Map(pieces.map((bytes) => [pieceDigest(bytes), bytes]));
    const list = [...this.pieces].map(([digest, { length: bytes }]) => {
      return { digest, bytes, entries: 1, firstKey: digest };
    });
    this.manifest = sealManifest(epoch, sequence, [{ number: 1, pieces: list }]);
  }

  get digests(): string[] {
    return [...this.pieces.keys()];
  }

  readonly open = async (): Promise<SnapshotLease> => {
    this.leases++;
    let isHeld = true;
    return {
      manifest: this.manifest,
      read: async (digest) => {
        if (!isHeld) throw new Problem('piece_not_found', 'read after the lease was given back');
        this.read.push(digest);
        // Whoever reads a piece may release its memory.
        return Uint8Array.from(must(this.pieces.get(digest), digest));
      },
      [Symbol.dispose]: () => {
        isHeld = false;
        this.leases--;
      },
    };
  };
}

/** Bytes that tell their seed and their place (modulo a prime), the same every time. */
export function patternBytes(seed: string, length: number): Buffer {
  return Buffer.alloc(length, createHash('shake256', { outputLength: 509 }).update(seed).digest());
}
