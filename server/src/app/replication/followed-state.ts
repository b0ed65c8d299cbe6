import { keepPacking } from '#graph/rows/keep-packing.ts';
import { systemClock } from '#base/clock.ts';
import type { Followers } from '#log/followers.ts';
import { type CommitLog, digestAt, type LogRecord } from '#log/commit-log.ts';
import { readHistory } from '#store/history.ts';
import type { State } from '#store/commit-pipeline.ts';
import { openStateFollower } from '#store/state-follower.ts';
import type { AppliedChunk } from '../telemetry/traced-commits.ts';
import { keepTrimming, openStoreLog } from '../writer/store-log.ts';
import type { FollowedState } from './replica-run.ts';

export interface FollowingOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
}

/** What a replica has open, from which a member goes on as the primary. */
export interface Following extends FollowedState {
  /** In the folder. */
  readonly log: CommitLog;
  /** See `StateFollower`. The log of the folder stays this one's, to be closed after the state. */
  lead(log: CommitLog): Promise<State>;
}

/** Opens the store of a replica; after a copy its log begins where the snapshot ends. */
export async function openFollowing(
  options: FollowingOptions & { readonly followers: Followers },
  onNote: (text: string) => void,
): Promise<Following> {
  const { storage, lowMemory, followers } = options;
  const masterKey = options.masterKey ?? undefined;
  const { epoch, sequence } = await readHistory({ storage, masterKey, clock: systemClock });
  await using opened = new AsyncDisposableStack();
  const log = opened.use(
    await openStoreLog({
      storage,
      masterKey: options.masterKey,
      lowMemory,
      beginning: { epoch, after: sequence },
    }),
  );
  const follower = opened.use(
    await openStateFollower({
      storage,
      log,
      masterKey,
      clock: systemClock,
      applied: followers.applied,
    }),
  );
  const kept = opened.use(new AsyncDisposableStack());
  kept.use(keepPacking(follower.local, onNote));
  kept.use(keepTrimming({ storage, lowMemory, log, state: follower, followers }, onNote));
  const resources = opened.move();
  return {
    log,
    epoch: log.epoch,
    get sequence() {
      return follower.sequence;
    },
    lastDigest: () => digestAt(log, follower.sequence),
    apply: (records) => follower.apply(records),
    lead: async (common) => {
      await kept.disposeAsync();
      return follower.lead(common);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface Pause {
  /** Where to go on to; undefined when it goes on without having been told. */
  readonly target: PromiseWithResolvers<number | undefined>;
  readonly reached: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
}

/** The state of a replica, whose applying can be stopped at one commit, to look at it there. */
export class PausableState implements FollowedState {
  readonly #state: FollowedState;
  readonly #onApplied: ((chunk: AppliedChunk) => void) | undefined;
  #pause: Pause | undefined;
  #applying: Promise<unknown> = Promise.resolve();

  /** `onApplied` is told of each application and how long it took. */
  constructor(state: FollowedState, onApplied?: (chunk: AppliedChunk) => void) {
    this.#state = state;
    this.#onApplied = onApplied;
  }

  get epoch(): string {
    return this.#state.epoch;
  }

  get sequence(): number {
    return this.#state.sequence;
  }

  lastDigest(): Promise<string | undefined> {
    return this.#state.lastDigest();
  }

  /** While it is paused, it waits, and applies up to where the pause wants to look. */
  async apply(records: readonly LogRecord[]): Promise<number> {
    let rest = records;
    while (this.#pause !== undefined && rest.length > 0) {
      const { target, reached, ended } = this.#pause;
      const sequence = await target.promise;
      if (sequence === undefined) continue;
      const within = rest.filter(({ last }) => last <= sequence);
      rest = rest.slice(within.length);
      if (within.length > 0) await this.#applyNow(within);
      if (rest.length === 0 && this.sequence < sequence) break;
      reached.resolve();
      await ended.promise;
    }
    return rest.length === 0 ? this.sequence : this.#applyNow(rest);
  }

  /** Stops applying, and tells where. One pause at a time; `resume` ends it. */
  async pause(): Promise<number> {
    this.#pause = {
      target: Promise.withResolvers(),
      reached: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    };
    await this.#applying;
    return this.sequence;
  }

  /**
   * Goes on to exactly `sequence`, the end of a commit at or after where it is, and stays there
   * until `resume`.
   */
  async advanceTo(sequence: number): Promise<void> {
    const pause = this.#pause;
    if (pause === undefined) return;
    pause.target.resolve(sequence);
    if (this.sequence >= sequence) pause.reached.resolve();
    await Promise.race([pause.reached.promise, pause.ended.promise]);
  }

  resume(): void {
    const pause = this.#pause;
    this.#pause = undefined;
    pause?.target.resolve(undefined);
    pause?.ended.resolve();
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    this.resume();
    return this.#state[Symbol.asyncDispose]();
  }

  #applyNow(records: readonly LogRecord[]): Promise<number> {
    const applied =
      this.#onApplied === undefined ? this.#state.apply(records) : this.#time(records);
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  async #time(records: readonly LogRecord[]): Promise<number> {
    const now = (): number => performance.timeOrigin + performance.now();
    const from = this.sequence + 1;
    const startedAt = now();
    const sequence = await this.#state.apply(records);
    this.#onApplied?.({ from, sequence, startedAt, endedAt: now() });
    return sequence;
  }
}
