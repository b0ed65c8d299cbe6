const QUOTES = new Set('"“”„‟＂');
const OPENING_BRACKETS = new Set('(（');
const CLOSING_BRACKETS = new Set(')）');
const SPACE = /\s/;

/**
 * The quotes and brackets of a query's text that have their counterpart, the place of each that opens
 * with the place of the one that closes it. The others separate words and say nothing, and so do brackets deeper than
 * `depthMax`.
 */
export class QueryMarks {
  readonly #closing = new Map<number, number>();

  constructor(text: string, depthMax: number) {
    let quote: number | undefined;
    for (let i = 0; i < text.length; i++) {
      if (!QUOTES.has(text[i]!)) continue;
      if (quote !== undefined) this.#closing.set(quote, i);
      quote = quote === undefined ? i : undefined;
    }
    const open: number[] = [];
    for (let i = 0; i < text.length; i++) {
      const unit = text[i]!;
      if (QUOTES.has(unit)) i = this.#closing.get(i) ?? i;
      else if (OPENING_BRACKETS.has(unit)) open.push(i);
      else if (CLOSING_BRACKETS.has(unit)) {
        const start = open.pop();
        if (start !== undefined) this.#closing.set(start, i);
      }
    }
    this.#dropDeep(text, depthMax);
  }

  /** Where the phrase or bracket that opens here is closed. */
  closingOf(at: number): number | undefined {
    return this.#closing.get(at);
  }

  #dropDeep(text: string, depthMax: number): void {
    const ends: number[] = [];
    const brackets = [...this.#closing].filter(([start]) => OPENING_BRACKETS.has(text[start]!));
    for (const [start, end] of brackets.toSorted(([a], [b]) => a - b)) {
      while (ends.length > 0 && ends.at(-1)! < start) ends.pop();
      if (ends.length === depthMax) this.#closing.delete(start);
      else ends.push(end);
    }
  }
}

export function isQuote(unit: string | undefined): boolean {
  return unit !== undefined && QUOTES.has(unit);
}

/** What ends a word. */
export function isBoundary(unit: string | undefined): boolean {
  return (
    unit === undefined ||
    SPACE.test(unit) ||
    QUOTES.has(unit) ||
    OPENING_BRACKETS.has(unit) ||
    CLOSING_BRACKETS.has(unit)
  );
}
