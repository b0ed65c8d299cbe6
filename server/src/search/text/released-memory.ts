import type { SharedView } from './index-view.ts';

/**
 * Counts memory that views let go of. V8 counts none that threads share, and it is free only when all of them have collected
 * their garbage, which a thread with little to do never begins by itself: so that they have to be told when.
 */
export class ReleasedMemory {
  readonly #bytesMax: number;
  #held = new Map<string, number>();
  #bytes = 0;
  #round = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** A view takes the place of the one before. Answers another number when garbage should be collected. */
  replace({ parts }: SharedView): number {
    const held = new Map(
      parts.map(({ id, isInFile, memory }) => [`${id} ${isInFile}`, memory.byteLength]),
    );
    for (const [key, bytes] of this.#held) if (!held.has(key)) this.#bytes += bytes;
    this.#held = held;
    if (this.#bytes > this.#bytesMax) {
      this.#bytes = 0;
      this.#round++;
    }
    return this.#round;
  }
}
