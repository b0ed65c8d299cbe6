import { useEffect, useRef } from 'react';

/**
 * What a page is to begin with once it is there: such as its dialog, or one of its fields. The
 * command palette asks for it, and the page takes it.
 */
class RequestedAction {
  readonly #listeners = new Set<() => void>();
  #wanted: string | undefined;

  request(action: string): void {
    this.#wanted = action;
    for (const listener of this.#listeners) listener();
  }

  /** What nobody takes is forgotten with the next request. */
  take(action: string): boolean {
    if (this.#wanted !== action) return false;
    this.#wanted = undefined;
    return true;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const requestedAction = new RequestedAction();

/** Runs when the action was asked for, or is while the page is there. */
export function useRequestedAction(action: string, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    // The heading of the page takes the focus first.
    const look = () =>
      queueMicrotask(() => {
        if (requestedAction.take(action)) latest.current();
      });
    look();
    return requestedAction.subscribe(look);
  }, [action]);
}
