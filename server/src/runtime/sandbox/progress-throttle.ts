import { ENDPOINT_PROGRESS_EVERY_MS } from '#base/sandbox-limits.ts';

interface Said {
  at: number;
  /** What came since, the newest only. */
  newest: string | undefined;
}

/** How far calls are leaves a worker ten times a second at most; what is newer takes the place of what waits. */
export class ProgressThrottle {
  readonly #send: (call: number, payload: string) => void;
  readonly #said = new Map<number, Said>();
  #isTimed = false;

  constructor(send: (call: number, payload: string) => void) {
    this.#send = send;
  }

  take(call: number, payload: string): void {
    const now = performance.now();
    const said = this.#said.get(call);
    if (said === undefined || now - said.at >= ENDPOINT_PROGRESS_EVERY_MS) {
      this.#said.set(call, { at: now, newest: undefined });
      this.#send(call, payload);
    } else {
      said.newest = payload;
      if (this.#isTimed) return;
      this.#isTimed = true;
      setTimeout(() => this.#sendWaiting(), ENDPOINT_PROGRESS_EVERY_MS);
    }
  }

  /** Says the last of a call that is over. */
  end(call: number): void {
    const newest = this.#said.get(call)?.newest;
    this.#said.delete(call);
    if (newest !== undefined) this.#send(call, newest);
  }

  #sendWaiting(): void {
    this.#isTimed = false;
    const now = performance.now();
    for (const [call, said] of this.#said) {
      if (said.newest === undefined) continue;
      this.#send(call, said.newest);
      said.at = now;
      said.newest = undefined;
    }
  }
}
