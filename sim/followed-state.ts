import { assert, must } from '../server/src/base/assert.ts';
import type { FollowedState } from '../server/src/app/replication/replica-run.ts';
import { Problem } from '../server/src/base/problem.ts';
import { digestAt, type LogRecord } from '../server/src/log/commit-log.ts';
import type { Disk } from './disk.ts';
import { DiskLog, mediumAfter, TRIM_INTERVAL_MS } from './disk-log.ts';
import type { Faults } from './planted-faults.ts';
import type { SimulatedProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';
import { withCommits } from './workspace-state.ts';
import type { StateVersion } from './workspace-state.ts';

export interface FollowingOptions {
  readonly disk: Disk;
  readonly process: SimulatedProcess;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
}

/** Log and state of a replica on a simulated disk: what `openFollowing` opens on a real one. */
export class SimulatedFollowedState implements FollowedState {
  readonly #options: FollowingOptions;
  readonly #log: DiskLog;
  readonly #trimming: Disposable;

  private constructor(options: FollowingOptions, log: DiskLog) {
    this.#options = options;
    this.#log = log;
    this.#trimming = options.process.every(TRIM_INTERVAL_MS, () => {
      const { flushed } = must(options.disk.state, 'the state of a replica');
      void log.trim(flushed.sequence);
    });
  }

  static async open(options: FollowingOptions): Promise<SimulatedFollowedState> {
    const { disk, process, scheduler } = options;
    const { live } = must(disk.state, 'the state of a replica');
    await process.wait(disk.syncMs(), 'opens its state');
    disk.log ??= mediumAfter(live.epoch, live.sequence);
    const log = new DiskLog({ disk, process, clock: scheduler, medium: disk.log });
    await replay(disk, log);
    return new SimulatedFollowedState(options, log);
  }

  get epoch(): string {
    return this.#live.epoch;
  }

  get sequence(): number {
    return this.#live.sequence;
  }

  lastDigest(): Promise<string | undefined> {
    return digestAt(this.#log, this.sequence);
  }

  /** As `StateFollower.apply`. */
  async apply(records: readonly LogRecord[]): Promise<number> {
    const { process, scheduler, faults } = this.#options;
    const added = records.filter(({ last }) => last > this.sequence);
    if (added.length === 0) return this.sequence;
    if (faults.skipsRecords) added.splice(0, added.length > 1 ? 1 : 0);
    else assert(added[0]!.first === this.sequence + 1, 'a record follows what is applied');
    const log = this.#log;
    const logged = added
      .filter(({ last }) => last > log.lastSequence)
      .map(({ first, last, time, payload }) => log.append(last - first + 1, payload, time));
    await Promise.all(logged);
    await process.wait(scheduler.now() % 2, 'writes its state');
    const version = withCommits(
      this.#live,
      added.map(({ payload }) => payload),
      added.at(-1)!.last,
    );
    if (faults.appliesHalves) {
      this.#write(halfOf(this.#live, version));
      await process.wait(1, 'writes the rest of its state');
    }
    const before = this.#live;
    this.#write(version);
    if (faults.goesBack) {
      await process.wait(1, 'serves the next state');
      this.#write(before);
      await process.wait(1, 'serves the former state again');
      this.#write(version);
    }
    return version.sequence;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#trimming[Symbol.dispose]();
    await this.#log[Symbol.asyncDispose]();
  }

  get #live(): StateVersion {
    return must(this.#options.disk.state, 'the state of a replica').live;
  }

  #write(version: StateVersion): void {
    if (!this.#options.process.isAlive) return;
    must(this.#options.disk.state, 'the state of a replica').write(version);
  }
}

/**
 * As `replayLog`: brings the state up to the end of its own log, and tells each state on the way.
 */
export async function replay(
  disk: Disk,
  log: DiskLog,
  onVersion: (version: StateVersion) => void = () => {},
): Promise<void> {
  const files = must(disk.state, 'a state');
  const { epoch, sequence } = files.live;
  if (epoch !== log.epoch || sequence > log.lastSequence) {
    throw new Problem('state_log_mismatch', `state ${epoch} at ${sequence}, log ${log.epoch}`);
  }
  if (sequence + 1 < Math.min(log.firstSequence, log.lastSequence + 1)) {
    throw new Problem('log_trimmed', `the state ends before the log begins`);
  }
  if (sequence === log.lastSequence) return;
  let version = files.live;
  for await (const { last, payload } of log.read(sequence + 1)) {
    version = withCommits(version, [payload], last);
    onVersion(version);
  }
  files.write(version);
}

/** What a reader would see if a commit were not one write. */
function halfOf(before: StateVersion, after: StateVersion): StateVersion {
  const changed = [...after.entries].filter(([key, value]) => before.entries.get(key) !== value);
  const half = changed.slice(0, Math.ceil(changed.length / 2));
  return { ...before, entries: new Map([...before.entries, ...half]) };
}
