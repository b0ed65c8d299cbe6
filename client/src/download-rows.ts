const LINE_BREAK = 0x0a;
const QUOTE = 0x22;

/**
 * Counts the rows of a download as its bytes come. The head of CSV is no row, and a line break
 * within quotes ends none. A zip has no rows that can be counted.
 */
export class RowCounter {
  readonly #format: 'csv' | 'jsonl' | 'zip';
  #lines = 0;
  #isQuoted = false;
  #bytes = 0;

  constructor(format: 'csv' | 'jsonl' | 'zip') {
    this.#format = format;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number | undefined {
    if (this.#format === 'zip') return undefined;
    return this.#format === 'csv' ? Math.max(0, this.#lines - 1) : this.#lines;
  }

  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#format === 'zip') return;
    const quotes = this.#format === 'csv';
    for (const byte of part) {
      if (quotes && byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_BREAK && !this.#isQuoted) this.#lines++;
    }
  }
}
