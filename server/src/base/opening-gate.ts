import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** How many transactions are under way, and how many other processes open a state. */
const WRITING = 0;
const OPENING = 1;
const CELLS = 2;

/**
 * Keeps other processes from opening a state while a transaction of this process writes to it.
 *
 * Whoever opens an environment reads its newest meta page, and a moment later notes the number of
 * that transaction in memory that all processes share (`mdb_env_open2` in liblmdb's mdb.c). When a
 * transaction ends in between, the number goes back: readers do not see that transaction any more,
 * and the next one begins before it and overwrites what it has written. Threads of one process
 * share what is open, so they need no turn.
 */
export class OpeningGate {
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(CELLS * 4)) {
    this.#cells = new Int32Array(buffer);
  }

  /** Carries out a transaction once nobody opens a state. */
  async write(transaction: () => unknown): Promise<void> {
    while (!this.#beginsWriting()) {
      const opening = Atomics.load(this.#cells, OPENING);
      if (opening > 0) await changeOf(this.#cells, OPENING, opening);
    }
    try {
      await transaction();
    } finally {
      this.#end(WRITING);
    }
  }

  /**
   * Resolves once no transaction is under way. From then on none begins until what this gives is
   * disposed of.
   */
  async hold(): Promise<Disposable> {
    Atomics.add(this.#cells, OPENING, 1);
    for (;;) {
      const writing = Atomics.load(this.#cells, WRITING);
      if (writing === 0) break;
      await changeOf(this.#cells, WRITING, writing);
    }
    return { [Symbol.dispose]: () => this.#end(OPENING) };
  }

  #beginsWriting(): boolean {
    Atomics.add(this.#cells, WRITING, 1);
    if (Atomics.load(this.#cells, OPENING) === 0) return true;
    this.#end(WRITING);
    return false;
  }

  #end(cell: typeof WRITING | typeof OPENING): void {
    Atomics.sub(this.#cells, cell, 1);
    Atomics.notify(this.#cells, cell);
  }
}

/** Resolves when a cell has another value than this one. */
async function changeOf(
  cells: Int32Array<SharedArrayBuffer>,
  cell: number,
  value: number,
): Promise<void> {
  await Atomics.waitAsync(cells, cell, value).value;
}

const NAME = 'trellis: opening gate';

/** The gate of this process: a thread gets it from the one that starts it, which has to know it. */
export const openingGate = new OpeningGate(sharedBuffer());

function sharedBuffer(): SharedArrayBuffer {
  const given: unknown = getEnvironmentData(NAME);
  if (given instanceof SharedArrayBuffer) return given;
  const buffer = new SharedArrayBuffer(CELLS * 4);
  setEnvironmentData(NAME, buffer);
  return buffer;
}
