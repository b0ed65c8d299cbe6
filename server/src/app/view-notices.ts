import type { LiveView, WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { VIEW_NOTICE_INTERVAL_MS } from '#base/limits.ts';
import type { CommitLooks } from './commit-looks.ts';

/** `owner` is the UID of the user who is told, too. */
type Tell = (view: LiveView, owner: string | undefined) => void;

interface Told {
  hasChanged: boolean;
  readonly timer: NodeJS.Timeout;
}

/**
 * Tells clients what is to be read again: at once, and then every VIEW_NOTICE_INTERVAL_MS while it
 * goes on changing.
 */
export class ViewNotices implements Disposable {
  /** By the view and who owns what has changed in it. */
  readonly #waiting = new Map<string, Told>();
  #tell: Tell = () => undefined;

  /** Until then there is nobody to tell. */
  tellBy(tell: Tell): void {
    this.#tell = tell;
  }

  changed(view: LiveView, owner?: string): void {
    const name = owner === undefined ? view : `${view} ${owner}`;
    const told = this.#waiting.get(name);
    if (told !== undefined) {
      told.hasChanged = true;
      return;
    }
    this.#tell(view, owner);
    const timer = setTimeout(() => {
      const { hasChanged } = this.#waiting.get(name) ?? {};
      this.#waiting.delete(name);
      if (hasChanged === true) this.changed(view, owner);
    }, VIEW_NOTICE_INTERVAL_MS).unref();
    this.#waiting.set(name, { hasChanged: false, timer });
  }

  [Symbol.dispose](): void {
    this.#tell = () => undefined;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }
}

/**
 * Until disposed of, tells the pages of this server of each change of its schema, such as an index
 * that is ready. Each server tells of its own state: what its pages read is there by then. While no
 * page is connected it does not look; the first commit after that tells what has changed meanwhile.
 */
export function tellOfSchema(looks: CommitLooks, http: Pages): Disposable {
  const views = new ViewNotices();
  views.tellBy((view) => http.broadcast({ type: 'VIEW_CHANGED', view }));
  let known = looks.reader.schema();
  const look = looks.add({
    isWanted: http.hasListeners,
    look: () => {
      const newest = looks.reader.schema();
      if (newest === known) return;
      known = newest;
      views.changed('schema');
    },
  });
  return {
    [Symbol.dispose]: () => {
      look[Symbol.dispose]();
      views[Symbol.dispose]();
    },
  };
}

interface Pages {
  readonly hasListeners: () => boolean;
  broadcast(message: WebSocketMessage): void;
}
