import { FILE_CHUNK_BYTES_MAX } from '#base/file-limits.ts';

/** Cuts what arrives into pieces of the same size, and keeps each as soon as it is full. */
export class PieceBuffer {
  readonly #keep: (index: number, bytes: Buffer) => Promise<unknown>;
  #index: number;
  #waiting: Uint8Array[];
  #waitingBytes: number;
  /** Whether there is anything that was not kept. */
  #isNew = false;

  /** It goes on after `index` whole pieces and `begun`, the part of the next one that is there already. */
  constructor(
    keep: (index: number, bytes: Buffer) => Promise<unknown>,
    index = 0,
    begun: Uint8Array = new Uint8Array(0),
  ) {
    this.#keep = keep;
    this.#index = index;
    this.#waiting = [begun];
    this.#waitingBytes = begun.length;
  }

  /** Of which any part was kept. */
  get pieces(): number {
    return this.#index;
  }

  /** Resolves when more may come: at most a piece is held in memory. Rejects as keeping does. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + FILE_CHUNK_BYTES_MAX - this.#waitingBytes);
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
      this.#isNew = true;
      at += part.length;
      if (this.#waitingBytes === FILE_CHUNK_BYTES_MAX) await this.flush();
    }
  }

  /** Keeps the last piece, which need not be full. Nothing follows when it is not. */
  async flush(): Promise<void> {
    if (!this.#isNew) return;
    const bytes = Buffer.concat(this.#waiting, this.#waitingBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isNew = false;
    await this.#keep(this.#index++, bytes);
  }
}
