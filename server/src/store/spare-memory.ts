import { releaseMemory } from '#base/release-memory.ts';

/**
 * Memory of pieces that are written, for other pieces: the system gives new memory page by page,
 * which takes longer than to fill it. From when this is disposed on, what it has and what it is
 * given goes back: what lies outside the heap of V8 has it collect garbage the more often.
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
