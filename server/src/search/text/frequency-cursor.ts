import { ESCAPE } from './frequency-table.ts';
import { afterVariables, variableAt } from './postings-block.ts';
import { PostingsCursor } from './postings-cursor.ts';

/** Reads how often the term is in which fields of the documents that it goes through. */
export class FrequencyCursor extends PostingsCursor {
  /** Number and frequency of each field of this posting, in ascending order, seen or not. */
  forEachField(visit: (field: number, frequency: number) => void): void {
    this.forEachFieldAt(this.index, visit);
  }

  /** Which posting of which block it stands at: what reads along with it goes by that. */
  get place(): { readonly block: number; readonly index: number } {
    return { block: this.block, index: this.index };
  }

  /** Occurrences, seen or not, in the postings `[from, to)` of the block; `to` is at most where the cursor stands. */
  occurrencesBetween(from: number, to: number): number {
    const { starts, frequencies } = this.segment.frequencies;
    const { bytes } = this.window;
    let escape = this.codesAt + this.size;
    let count = 0;
    for (let index = 0; index < to; index++) {
      const code = bytes[this.codesAt + index]!;
      if (code === ESCAPE) {
        const fieldCount = variableAt(bytes, escape);
        escape = afterVariables(bytes, escape, 1);
        for (let i = 0; i < fieldCount; i++) {
          const frequencyAt = afterVariables(bytes, escape, 1);
          if (index >= from) count += variableAt(bytes, frequencyAt);
          escape = afterVariables(bytes, frequencyAt, 1);
        }
      } else if (index >= from) {
        for (let i = starts[code]!; i < starts[code + 1]!; i++) count += frequencies[i]!;
      }
    }
    return count;
  }

  /** Visits the fields of one posting of this block. */
  protected forEachFieldAt(index: number, visit: (field: number, frequency: number) => void): void {
    const { bytes } = this.window;
    const code = bytes[this.codesAt + index]!;
    if (code !== ESCAPE) {
      const { starts, fields, frequencies } = this.segment.frequencies;
      for (let i = starts[code]!; i < starts[code + 1]!; i++) visit(fields[i]!, frequencies[i]!);
      return;
    }
    let at = this.#escapeAt(index);
    let left = variableAt(bytes, at);
    for (at = afterVariables(bytes, at, 1); left > 0; left--) {
      const field = variableAt(bytes, at);
      at = afterVariables(bytes, at, 1);
      visit(field, variableAt(bytes, at));
      at = afterVariables(bytes, at, 1);
    }
  }

  /** Where in the window the frequencies of a posting, whose code is `ESCAPE`, are written out. */
  #escapeAt(index: number): number {
    const { bytes } = this.window;
    let at = this.codesAt + this.size;
    for (let i = 0; i < index; i++) {
      if (bytes[this.codesAt + i] !== ESCAPE) continue;
      const fieldCount = variableAt(bytes, at);
      at = afterVariables(bytes, at, 1 + fieldCount * 2);
    }
    return at;
  }
}
