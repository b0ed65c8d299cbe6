import type { CallStatus, ClientEnd } from './connection.ts';
import { CallError, status } from './grpc-values.ts';

/** What is read ahead of the reader. */
const READ_AHEAD_MESSAGES = 4;

/** Messages as they arrive, read by one reader: what has arrived is read before the end is. */
export class ResponseStream<T> implements ClientEnd, AsyncIterable<T> {
  readonly #deserialize: (bytes: Buffer) => T;
  readonly #onCancel: () => void;
  readonly #onRoom: () => void;
  readonly #messages: T[] = [];
  #ended: CallStatus | undefined;
  #waiter: PromiseWithResolvers<void> | undefined;

  constructor(deserialize: (bytes: Buffer) => T, onCancel: () => void, onRoom: () => void) {
    this.#deserialize = deserialize;
    this.#onCancel = onCancel;
    this.#onRoom = onRoom;
  }

  /** Ignores listeners for errors: the iteration throws them. */
  on(_event: 'error', _listener: () => void): this {
    return this;
  }

  cancel(): void {
    this.#onCancel();
    this.onEnded({ code: status.CANCELLED, details: 'Cancelled on client' });
  }

  isTaking(): boolean {
    return this.#messages.length < READ_AHEAD_MESSAGES;
  }

  onMessage(bytes: Uint8Array): void {
    if (this.#ended !== undefined) return;
    try {
      this.#messages.push(this.#deserialize(Buffer.from(bytes)));
      this.#wake();
    } catch (error) {
      this.#onCancel();
      this.onEnded({ code: status.INTERNAL, details: String(error) });
    }
  }

  onEnded(ended: CallStatus): void {
    this.#ended ??= ended;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) {
        this.#onRoom();
        yield message;
      } else if (this.#ended === undefined) {
        this.#waiter = Promise.withResolvers();
        await this.#waiter.promise;
      } else if (this.#ended.code === status.OK) {
        return;
      } else {
        throw new CallError(this.#ended);
      }
    }
  }

  #wake(): void {
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }
}
