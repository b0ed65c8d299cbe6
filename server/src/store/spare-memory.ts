/**
 * Memory of pieces that are written, for other pieces: the system gives new memory page by page, which takes longer than to fill it. It is
 * given back when this is disposed: what lies outside the heap of V8 has it collect garbage the more often.
 */
export class SpareMemory implements Disposable {
  readonly #spare: ArrayBuffer[] = [];

  take(): ArrayBuffer | undefined {
    return this.#spare.pop();
  }

  give(memory: ArrayBuffer): void {
    this.#spare.push(memory);
  }

  [Symbol.dispose](): void {
    for (const memory of this.#spare.splice(0)) memory.transfer(0);
  }
}
