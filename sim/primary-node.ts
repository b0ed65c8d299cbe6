import { must } from '../server/src/base/assert.ts';
import { startReplicationServer } from '../server/src/replication/replication-server.ts';
import type { ReplicationServer } from '../server/src/replication/replication-server.ts';
import type { HeldState } from '../server/src/replication/verification.ts';
import type { FollowedLog } from '../server/src/replication/primary-follow.ts';
import { Followers } from '../server/src/log/followers.ts';
import type { History } from '../server/src/store/history.ts';
import type { SnapshotLease } from '../server/src/store/snapshot-reader.ts';
import { addressOf } from './addresses.ts';
import { StateFiles } from './disk.ts';
import { DiskLog, mediumAfter, TRIM_INTERVAL_MS } from './disk-log.ts';
import { replay } from './followed-state.ts';
import type { Host } from './host.ts';
import type { Faults } from './planted-faults.ts';
import type { SimulatedProcess } from './process.ts';
import { COUNTERS, emptyState, encodeCommit, piecesOf, withCommits } from './workspace-state.ts';
import type { Operation, StateVersion } from './workspace-state.ts';

export const SECRET = new Uint8Array(32).fill(7);
export const VERSION = '1.0.0';

/**
 * A primary from the start of its process to its end: writer, log, state, and the server for its
 * replicas.
 */
export class PrimaryNode {
  readonly process: SimulatedProcess;
  readonly #host: Host;
  readonly #log: DiskLog;
  readonly #onApplied = new Set<(sequence: number) => void>();
  #server: ReplicationServer | undefined;
  /** The value of the counters in the newest commit that is on its way. */
  #built: number;
  readonly #followers = new Followers();

  private constructor(host: Host, process: SimulatedProcess, log: DiskLog) {
    this.process = process;
    this.#host = host;
    this.#log = log;
    this.#built = counterOf(this.state);
  }

  /** Starts a primary, from an empty folder too. Rejects when its process is killed meanwhile. */
  static async start(host: Host, process: SimulatedProcess): Promise<PrimaryNode> {
    const { disk, world } = host;
    if (disk.log === undefined && disk.state === undefined) {
      const epoch = world.newEpoch();
      disk.log = mediumAfter(epoch, 0);
      disk.state = new StateFiles(world.scheduler, emptyState(epoch));
      world.history.record(disk.state.live);
    }
    await process.wait(disk.syncMs(), 'starts as a primary');
    const log = new DiskLog({
      disk,
      process,
      clock: world.scheduler,
      medium: must(disk.log, 'the log of a primary'),
      isSyncSkipped: world.faults.acknowledgesUnsynced ?? false,
    });
    await replay(disk, log, (version) => world.history.record(version));
    const node = new PrimaryNode(host, process, log);
    await node.#serve();
    return node;
  }

  get state(): StateVersion {
    return must(this.#host.disk.state, 'the state of a primary').live;
  }

  get server(): ReplicationServer {
    return must(this.#server, 'the server of a primary');
  }

  get firstSequence(): number {
    return this.#log.firstSequence;
  }

  /** Resolves when it is acknowledged; rejects when the disk is full or the process is killed. */
  async commit(others: readonly Operation[]): Promise<void> {
    const { disk, world } = this.#host;
    const value = String(++this.#built);
    const payload = encodeCommit([...COUNTERS.map((key) => [key, value] as const), ...others]);
    let last: number;
    try {
      last = await this.#log.append(COUNTERS.length + others.length, payload);
    } catch (error) {
      // Whatever was built on it is rejected with it.
      this.#built = counterOf(this.state);
      throw error;
    }
    if (!this.process.isAlive) return;
    const version = withCommits(this.state, [payload], last);
    must(disk.state, 'the state of a primary').write(version);
    world.history.record(version);
    world.history.acknowledge(version);
    for (const listener of this.#onApplied) listener(last);
  }

  /** As the registration over HTTP. */
  register(replicaUID: string, history: History | undefined): void {
    const { epoch = '', sequence = 0 } = history ?? {};
    const mayResume = epoch === this.#log.epoch && sequence >= this.#log.firstSequence - 1;
    this.#host.world.checkers.onRegistered(replicaUID, mayResume);
    this.server.register({
      replicaUID,
      publicUrl: 'https://replica.example',
      internalUrl: 'http://replica.internal',
      appliedSequence: epoch === this.#log.epoch ? sequence : 0,
    });
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.#log[Symbol.asyncDispose]();
    this.process.kill();
  }

  async #serve(): Promise<void> {
    const { world, name } = this.#host;
    const { process } = this;
    const clockRate = clockRateOf(world.faults);
    const startedAt = world.scheduler.now();
    this.#server = await startReplicationServer({
      host: addressOf(world.name, process, name),
      port: 42_999,
      secret: SECRET,
      version: VERSION,
      log: this.#followed(),
      followers: this.#followers,
      openSnapshot: () => this.#openSnapshot(),
      holdState: async () => this.#holdState(),
      pause: (ms) => process.wait(ms, 'pauses'),
      clock: { now: () => startedAt + (world.scheduler.now() - startedAt) * clockRate },
      timers: process,
      onEvent: (event) => {
        if (process.isAlive) world.checkers.onEvent(event);
      },
    });
    process.every(TRIM_INTERVAL_MS, () => this.#trim());
  }

  #trim(): void {
    const { disk, world } = this.#host;
    const { flushed } = must(disk.state, 'the state of a primary');
    const needed =
      world.faults.trimsWithoutReplicas === true ? Infinity : this.#followers.lowestNeeded();
    void this.#log.trim(Math.min(flushed.sequence, needed ?? Infinity));
    world.checkers.onTrimmed(this);
  }

  /** As the other thread sees it: no further than what is applied. */
  #followed(): FollowedLog {
    const log = this.#log;
    const state = (): StateVersion => this.state;
    return {
      epoch: log.epoch,
      get firstSequence() {
        return log.firstSequence;
      },
      get lastSequence() {
        return state().sequence;
      },
      read: (from) => log.read(from),
      onDurable: (listener) => {
        this.#onApplied.add(listener);
        return () => void this.#onApplied.delete(listener);
      },
    };
  }

  #holdState(): HeldState {
    const { manifest } = piecesOf(this.state);
    return {
      sequence: manifest.sequence,
      readManifest: () => Promise.resolve(manifest),
      [Symbol.dispose]: () => {},
    };
  }

  async #openSnapshot(): Promise<SnapshotLease> {
    const { disk } = this.#host;
    const { manifest, pieces } = piecesOf(this.state);
    await this.process.wait(disk.syncMs(), 'lists its pieces');
    return {
      manifest,
      read: async (digest) => {
        await this.process.wait(disk.syncMs(), 'reads a piece');
        return must(pieces.get(digest), `piece ${digest}`);
      },
      [Symbol.dispose]: () => {},
    };
  }
}

/** How fast the clock of a primary runs. */
function clockRateOf({ dropsEarly, neverDrops }: Faults): number {
  if (neverDrops === true) return 0;
  return dropsEarly === true ? 20 : 1;
}

function counterOf({ entries }: StateVersion): number {
  return Number(entries.get(COUNTERS[0]) ?? 0);
}
