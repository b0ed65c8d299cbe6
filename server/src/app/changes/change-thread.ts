import type { Followers, SingleFollowerKind } from '#log/followers.ts';
import type { AskedChanges, ChangeFeed, FoundChanges } from '#tasks/triggers/trigger.ts';
import type { AskedDeliveries, DeliveryFeed, FoundDeliveries } from '#webhooks/webhook.ts';
import { Thread } from '../threads/thread.ts';

/** Options of the thread that reads the log for triggers and webhooks; it runs no user code. */
export interface ChangePlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** The memory of `Followers`, which tells how far the state is. */
  readonly followers: SharedArrayBuffer;
}

/** The calls that this thread answers. */
export interface ChangeCalls {
  /** For triggers. */
  events(asked: AskedChanges): FoundChanges;
  /** For webhooks. */
  deliveries(asked: AskedDeliveries): FoundDeliveries;
  /** The oldest sequence of the log. */
  first(): number;
  /** Nothing more will be asked for: the thread ends. */
  end(): void;
}

/** Reads the log for triggers and webhooks in a thread, which starts with the first that asks. */
export class ChangeThread implements AsyncDisposable {
  readonly triggers: ChangeFeed;
  readonly webhooks: DeliveryFeed;
  readonly #place: ChangePlace;
  #thread: Thread<ChangeCalls, object> | undefined;

  constructor(place: Omit<ChangePlace, 'followers'>, followers: Followers) {
    this.#place = { ...place, followers: followers.buffer };
    this.triggers = Object.assign(following(followers, 'triggers'), {
      next: (asked, signal) => this.#started().ask('events', asked, { signal }),
    } satisfies Partial<ChangeFeed>);
    this.webhooks = Object.assign(following(followers, 'webhooks'), {
      next: (asked, signal) => this.#started().ask('deliveries', asked, { signal }),
      first: () => this.#started().ask('first', undefined),
    } satisfies Partial<DeliveryFeed>);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread;
    thread?.tell('end');
    await thread?.exited;
  }

  #started(): Thread<ChangeCalls, object> {
    return (this.#thread ??= this.#start());
  }

  #start(): Thread<ChangeCalls, object> {
    const thread: Thread<ChangeCalls, object> = new Thread<ChangeCalls, object>({
      name: 'the thread that reads the log for triggers and webhooks',
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

function following(
  followers: Followers,
  kind: SingleFollowerKind,
): Pick<ChangeFeed, 'sequence' | 'needs'> {
  const slot = followers.of(kind);
  return {
    get sequence() {
      return followers.applied.get();
    },
    needs: (after) => {
      if (after !== undefined) slot.reached(after);
      slot.needs(after);
    },
  };
}
