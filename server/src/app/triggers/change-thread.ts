import type { Followers, FollowerSlot } from '#log/followers.ts';
import type { AskedChanges, ChangeFeed, FoundChanges } from '#tasks/triggers/trigger.ts';
import { Thread } from '../threads/thread.ts';

/** Options of the thread that reads the log for triggers, which runs no user code. */
export interface ChangePlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** The memory of `Followers`, which tells how far the state is. */
  readonly followers: SharedArrayBuffer;
}

/** The calls that this thread answers. */
export interface ChangeCalls {
  next(asked: AskedChanges): FoundChanges;
  /** Nothing more will be asked for: the thread ends. */
  end(): void;
}

/** Reads the log for triggers in a thread, which starts with the first that asks. */
export class ChangeThread implements ChangeFeed, AsyncDisposable {
  readonly #place: ChangePlace;
  readonly #followers: Followers;
  readonly #slot: FollowerSlot;
  #thread: Thread<ChangeCalls, object> | undefined;

  constructor(place: Omit<ChangePlace, 'followers'>, followers: Followers) {
    this.#place = { ...place, followers: followers.buffer };
    this.#followers = followers;
    this.#slot = followers.of('triggers');
  }

  get sequence(): number {
    return this.#followers.applied.get();
  }

  next(asked: AskedChanges, signal: AbortSignal): Promise<FoundChanges> {
    return (this.#thread ??= this.#start()).ask('next', asked, { signal });
  }

  needs(after: number | undefined): void {
    if (after !== undefined) this.#slot.reached(after);
    this.#slot.needs(after);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread;
    thread?.tell('end');
    await thread?.exited;
  }

  #start(): Thread<ChangeCalls, object> {
    const thread: Thread<ChangeCalls, object> = new Thread<ChangeCalls, object>({
      name: 'the thread that reads the log for triggers',
      file: new URL('./change-worker.ts', import.meta.url),
      data: this.#place,
      handlers: {},
      // Whoever waits hears of it; the next one who asks starts another.
      onEnd: () => {
        if (this.#thread === thread) this.#thread = undefined;
      },
    });
    return thread;
  }
}
