import { REPLICATION_NOTICES_WAITING_MAX } from '#base/replication-limits.ts';
import { unavailable } from './channel-problem.ts';
import { encodeJson, type MessageSender, Wake } from './frame-stream.ts';
import type { Notice } from './message-shapes.ts';

interface Listener {
  readonly waiting: Notice[];
  readonly changed: Wake;
  isOverrun: boolean;
}

/**
 * Passes notices to the replicas that listen at that moment, in order. What a replica misses while
 * it is not connected it finds in the graph when it comes back, or among the notices that hold.
 */
export class NoticeBoard {
  readonly #listeners = new Set<Listener>();
  /** Those that hold, by their kind. */
  readonly #kept = new Map<string, Notice>();

  post(notice: Notice): void {
    for (const listener of this.#listeners) {
      if (listener.waiting.length < REPLICATION_NOTICES_WAITING_MAX) listener.waiting.push(notice);
      else listener.isOverrun = true;
      listener.changed.wake();
    }
  }

  /** Also to who listens later, until there is another one of its kind. */
  keep(notice: Notice): void {
    this.#kept.set(notice.kind, notice);
    this.post(notice);
  }

  /**
   * Sends until `signal` is aborted; throws `replication_unavailable` when the replica does not
   * take them.
   */
  async send(sender: MessageSender, signal: AbortSignal): Promise<void> {
    const listener: Listener = {
      waiting: [...this.#kept.values()],
      changed: new Wake(),
      isOverrun: false,
    };
    const { waiting, changed } = listener;
    this.#listeners.add(listener);
    try {
      for (;;) {
        for (const notice of waiting.splice(0)) await sender.send([encodeJson(notice)]);
        if (listener.isOverrun) throw unavailable('the replica does not take its notices');
        if (waiting.length === 0) await changed.wait(signal);
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }
}
