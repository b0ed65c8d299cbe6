import { must } from '#base/assert.ts';

/** Messages to a thread that have no answer yet. */
export class ThreadRequests<Request extends object> {
  readonly #send: (message: Request & { readonly id: number }) => void;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: Error | undefined;

  constructor(send: (message: Request & { readonly id: number }) => void) {
    this.#send = send;
  }

  /** Resolves with what the thread answers, which is of the type that it gives to this kind of request. */
  ask<T>(request: Request, onProgress?: Waiting['onProgress']): Promise<T> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject, onProgress });
      this.#send({ ...request, id });
    });
  }

  progress(id: number, done: number, total: number): void {
    this.#waiting.get(id)?.onProgress?.(done, total);
  }

  done(id: number, value: unknown): void {
    this.#take(id).resolve(value);
  }

  failed(id: number, error: Error): void {
    this.#take(id).reject(error);
  }

  /** The thread answers nothing any more: all that waits, and all that is asked later, is rejected with this. */
  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take(id: number): Waiting {
    const waiting = must(this.#waiting.get(id), `request ${id} to a thread`);
    this.#waiting.delete(id);
    return waiting;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}
