import { releaseMemory } from '#base/release-memory.ts';

/**
 * Keeps the memory of written pieces for other pieces: to get new memory from the system, page by
 * page, takes longer than to fill it. Disposing of this returns all its memory to the system, and
 * later `give` does so at once. Otherwise V8 would count this memory and collect garbage more
 * often.
 */
export class SpareMemory implements Disposable {
  readonly #spare: ArrayBuffer[] = [];
  #isDisposed = false;

  take(): ArrayBuffer | undefined {
    return this.#spare.pop();
  }

  give(memory: ArrayBuffer): void {
    if (this.#isDisposed) releaseMemory(new Uint8Array(memory));
    else this.#spare.push(memory);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const memory of this.#spare.splice(0)) this.give(memory);
  }
}
