import { headOf } from './log-record.ts';
import type { Direction } from './file-lines.ts';

/** One source of lines, with a look at the next one. */
class LineSource {
  readonly #blocks: AsyncIterator<string[]>;
  #block: string[] = [];
  #at = 0;
  /** Of the next line; one that has no time has that of the line before. */
  time = '';

  constructor(blocks: AsyncIterable<string[]>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  /** False when there is no next line. */
  async look(): Promise<boolean> {
    while (this.#at === this.#block.length) {
      const { done, value } = await this.#blocks.next();
      if (done === true) return false;
      this.#block = value;
      this.#at = 0;
    }
    this.time = headOf(this.#block[this.#at]!)?.at ?? this.time;
    return true;
  }

  /** Whether the next line can be had without waiting; then `time` is its time. */
  get isReady(): boolean {
    if (this.#at === this.#block.length) return false;
    this.time = headOf(this.#block[this.#at]!)?.at ?? this.time;
    return true;
  }

  take(): string {
    return this.#block[this.#at++]!;
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** The lines of several files by their time, in blocks. */
export async function* mergedLines(
  files: readonly AsyncIterable<string[]>[],
  direction: Direction,
): AsyncGenerator<string[]> {
  const [only] = files;
  if (files.length === 1 && only !== undefined) {
    yield* only;
    return;
  }
  const sources = files.map((blocks) => new LineSource(blocks));
  try {
    const open = new Set<LineSource>();
    for (const source of sources) if (await source.look()) open.add(source);
    while (open.size > 0) {
      const lines: string[] = [];
      let next = nextOf(open, direction);
      for (;;) {
        lines.push(next.take());
        if (!next.isReady) break;
        next = nextOf(open, direction);
      }
      yield lines;
      if (!(await next.look())) open.delete(next);
    }
  } finally {
    for (const source of sources) await source.close();
  }
}

function nextOf(open: Iterable<LineSource>, direction: Direction): LineSource {
  const [first, ...others] = open;
  return others.reduce((best, source) => {
    const isBefore = direction === 'forward' ? source.time < best.time : source.time > best.time;
    return isBefore ? source : best;
  }, first!);
}
