import type { Followers, SingleFollowerKind } from '#log/followers.ts';
import type { AskedChanges, ChangeFeed, FoundChanges } from '#tasks/triggers/trigger.ts';
import type { AskedDeliveries, DeliveryFeed, FoundDeliveries } from '#webhooks/webhook.ts';
import type {
  LookedBack,
  WatchedReads,
  WatchFeed,
  WatchListener,
} from '#runtime/watches/watch-feed.ts';
import { Thread } from '../threads/thread.ts';

/**
 * Options of the thread that reads the log for triggers, webhooks and watches; it runs no user
 * code.
 */
export interface ChangePlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** The memory of `Followers`, which tells how far the state is. */
  readonly followers: SharedArrayBuffer;
}

/** The calls that this thread answers. */
export interface ChangeCalls {
  /** For triggers and documents. */
  events(asked: AskedChanges): FoundChanges;
  /** For webhooks. */
  deliveries(asked: AskedDeliveries): FoundDeliveries;
  /** For watched endpoints: see `WatchFeed`. */
  watch(asked: WatchedReads): void;
  unwatch(question: number): void;
  changed(asked: LookedBack): boolean;
  /** The oldest sequence of the log. */
  first(): number;
  /** Nothing more will be asked for: the thread ends. */
  end(): void;
}

/** What this thread tells by itself. */
export interface ToldChanges {
  woken(questions: readonly number[]): void;
  lost(): void;
}

/**
 * Reads the log for triggers, webhooks and watches in a thread, which starts with the first that
 * asks.
 */
export class ChangeThread implements AsyncDisposable {
  readonly triggers: ChangeFeed;
  readonly webhooks: DeliveryFeed;
  /** For documents on which something rests. */
  readonly documents: ChangeFeed;
  readonly watches: WatchFeed;
  #isClosed = false;
  #watching: WatchListener | undefined;
  readonly #place: ChangePlace;
  #thread: Thread<ChangeCalls, ToldChanges> | undefined;

  constructor(place: Omit<ChangePlace, 'followers'>, followers: Followers) {
    this.#place = { ...place, followers: followers.buffer };
    const events = {
      next: (asked, signal) => this.#started().ask('events', asked, { signal }),
    } satisfies Partial<ChangeFeed>;
    this.triggers = Object.assign(following(followers, 'triggers'), events);
    this.documents = Object.assign(following(followers, 'documents'), events);
    this.webhooks = Object.assign(following(followers, 'webhooks'), {
      next: (asked, signal) => this.#started().ask('deliveries', asked, { signal }),
      first: () => this.#started().ask('first', undefined),
    } satisfies Partial<DeliveryFeed>);
    this.watches = {
      get sequence() {
        return followers.applied.get();
      },
      watch: (asked) => this.#started().tell('watch', asked),
      // Without a thread nothing is watched.
      unwatch: (question) => this.#thread?.tell('unwatch', question),
      hasChanged: (asked) => this.#started().ask('changed', asked),
      listen: (listener) => (this.#watching = listener),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    thread?.tell('end');
    await thread?.exited;
  }

  #started(): Thread<ChangeCalls, ToldChanges> {
    return (this.#thread ??= this.#start());
  }

  #start(): Thread<ChangeCalls, ToldChanges> {
    const thread: Thread<ChangeCalls, ToldChanges> = new Thread<ChangeCalls, ToldChanges>({
      name: 'the thread that reads the log for triggers, webhooks and watches',
      file: new URL('./change-worker.ts', import.meta.url),
      data: this.#place,
      handlers: {
        woken: (questions) => this.#watching?.woken(questions),
        lost: () => this.#watching?.lost(),
      },
      // Whoever waits hears of it; the next one who asks starts another.
      onEnd: () => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        if (!this.#isClosed) this.#watching?.lost();
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
