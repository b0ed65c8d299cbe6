import type { LiveView, WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { VIEW_NOTICE_INTERVAL_MS } from '#base/limits.ts';

type ViewChanged = Extract<WebSocketMessage, { readonly type: 'VIEW_CHANGED' }>;

/**
 * Tells clients what is to be read again: at once, and then every VIEW_NOTICE_INTERVAL_MS while it
 * goes on changing.
 */
export class ViewNotices implements Disposable {
  readonly #waiting = new Map<LiveView, { hasChanged: boolean; readonly timer: NodeJS.Timeout }>();
  #tell: (message: ViewChanged) => void = () => undefined;

  /** Until then there is nobody to tell. */
  tellBy(tell: (message: ViewChanged) => void): void {
    this.#tell = tell;
  }

  changed(view: LiveView): void {
    const told = this.#waiting.get(view);
    if (told !== undefined) {
      told.hasChanged = true;
      return;
    }
    this.#tell({ type: 'VIEW_CHANGED', view });
    const timer = setTimeout(() => {
      const { hasChanged } = this.#waiting.get(view) ?? {};
      this.#waiting.delete(view);
      if (hasChanged === true) this.changed(view);
    }, VIEW_NOTICE_INTERVAL_MS).unref();
    this.#waiting.set(view, { hasChanged: false, timer });
  }

  [Symbol.dispose](): void {
    this.#tell = () => undefined;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }
}
