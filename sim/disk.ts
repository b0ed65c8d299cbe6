import type { Clock } from '../server/src/base/clock.ts';
import type { MemoryMedium } from '../server/src/log/memory-log.ts';
import type { Random } from './random.ts';
import type { StateVersion } from './workspace-state.ts';

interface Flush {
  readonly version: StateVersion;
  readonly at: number;
}

const FLUSH_MAX_MS = 300;

/** The state's files: what was written to them is on the device some time later. */
export class StateFiles {
  /** As the processes of the machine see it. */
  #live: StateVersion;
  readonly #clock: Clock;
  /** Those under way, the oldest first, after the newest one that is done. */
  #flushes: Flush[];

  constructor(clock: Clock, version: StateVersion) {
    this.#clock = clock;
    this.#live = version;
    this.#flushes = [{ version, at: clock.now() }];
  }

  get live(): StateVersion {
    return this.#live;
  }

  /** As it is after a loss of power. */
  get flushed(): StateVersion {
    const now = this.#clock.now();
    const underWay = this.#flushes.findIndex(({ at }) => at > now);
    const done = underWay < 0 ? this.#flushes.length - 1 : underWay - 1;
    this.#flushes = this.#flushes.slice(done);
    return this.#flushes[0]!.version;
  }

  write(version: StateVersion): void {
    const lastAt = this.#flushes.at(-1)!.at;
    const at = Math.max(lastAt, this.#clock.now() + (version.sequence % FLUSH_MAX_MS));
    this.#flushes.push({ version, at });
    this.#live = version;
  }

  /** Everything that was written is on the device now. */
  flush(): void {
    this.#flushes = [{ version: this.#live, at: this.#clock.now() }];
  }

  loseUnflushed(): void {
    this.#live = this.flushed;
    this.flush();
  }
}

/** The storage folder of one server: it outlives the processes. */
export class Disk {
  /** Nothing can be written. */
  isFull = false;
  syncMinMs = 0;
  syncMaxMs = 2;
  /** Kept pieces of an unfinished copy, by digest. */
  readonly pieces = new Map<string, Uint8Array>();
  /** Why the primary would not go on with the state. */
  refusal: string | undefined;
  state: StateFiles | undefined;
  log: MemoryMedium | undefined;
  /** The folder of a replica, until it is promoted. */
  isOfReplica = false;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** How long the next sync takes, in milliseconds. */
  syncMs(): number {
    return this.#random.between(this.syncMinMs, this.syncMaxMs);
  }

  /**
   * How many of the commits that are being written are found after a crash: writing goes in order.
   */
  survivors(count: number): number {
    return this.#random.between(0, count);
  }

  /** As the file system says it. */
  checkRoom(): void {
    if (!this.isFull) return;
    const error = new Error('ENOSPC: no space left on device, write');
    throw Object.assign(error, { code: 'ENOSPC' });
  }

  loseUnflushed(): void {
    this.state?.loseUnflushed();
  }

  heal(): void {
    this.isFull = false;
    this.syncMinMs = 0;
    this.syncMaxMs = 2;
  }
}
