import { endOfHash, hashOf, nextHash } from './word-cache.ts';
import {
  APOSTROPHE,
  type CharacterClasses,
  HIGH_SURROGATE,
  IDEOGRAPH,
  IGNORED,
  LETTER,
  MARK,
  SEPARATOR,
  UNSPACED,
  unitsAt,
} from './character-classes.ts';

/** A run of one kind of characters: LETTER is a word, IDEOGRAPH and UNSPACED are to be cut into words. */
export type RunKind = typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED;

export const PLUS = 0x2b;
export const HASH = 0x23;

/** Finds the runs of a text from its begin to its end, looking at each character a bounded number of times. */
export class Scanner {
  readonly #text: string;
  readonly #classes: CharacterClasses;
  readonly #table: Uint8Array;
  readonly #joinsApostrophes: boolean;
  /** The run that `next` found; UTF-16 offsets, the end excluded. */
  kind: RunKind = LETTER;
  start = 0;
  end = 0;
  /** See `hashOf`. */
  hash = 0;

  constructor(text: string, classes: CharacterClasses, joinsApostrophes: boolean) {
    this.#text = text;
    this.#classes = classes;
    this.#table = classes.table;
    this.#joinsApostrophes = joinsApostrophes;
  }

  /** Whether there is a further run. */
  next(): boolean {
    const text = this.#text;
    const table = this.#table;
    for (let index = this.end; index < text.length; index += 1) {
      let found = table[text.charCodeAt(index)];
      if (found === HIGH_SURROGATE) found = this.#classes.at(text, index);
      if (found === SEPARATOR || found === IGNORED || found === APOSTROPHE) continue;
      this.start = index;
      // A mark that follows nothing is a word of its own script, or nothing: folding decides.
      this.kind = found === IDEOGRAPH || found === UNSPACED ? found : LETTER;
      this.end = this.#endOfRun(index);
      if (this.kind === LETTER) this.#takeSuffix();
      return true;
    }
    this.end = text.length;
    return false;
  }

  #endOfRun(start: number): number {
    const text = this.#text;
    const table = this.#table;
    const kind = this.kind;
    const { length } = text;
    let index = start;
    let hash = 0;
    // Nearly all words end here. Past the end there is no unit to look up, and to try would slow down the whole loop.
    while (index < length) {
      const unit = text.charCodeAt(index);
      if (table[unit] !== kind) break;
      hash = nextHash(hash, unit);
      index += 1;
    }
    const end = this.#endFrom(index);
    this.hash = end === index ? endOfHash(hash) : hashOf(text, start, end);
    return end;
  }

  /** Where a run ends that goes on with others than its own kind, or not at all. */
  #endFrom(start: number): number {
    const text = this.#text;
    const kind = this.kind;
    let index = start;
    let end = index;
    while (index < text.length) {
      const found = this.#classes.at(text, index);
      if (found === kind || found === MARK) {
        index += unitsAt(text, index);
        end = index;
      } else if (found === IGNORED || (found === APOSTROPHE && this.#isInside(index))) {
        index += unitsAt(text, index);
      } else {
        return end;
      }
    }
    return end;
  }

  /** Whether an apostrophe is part of the word around it. */
  #isInside(index: number): boolean {
    return (
      this.#joinsApostrophes &&
      this.kind === LETTER &&
      this.#classes.at(this.#text, index + 1) === LETTER
    );
  }

  /** `c++`, `c#`: one Latin letter with what is part of its name. */
  #takeSuffix(): void {
    const { start, end } = this;
    const text = this.#text;
    if (end - start !== 1 || !isLatin(text.charCodeAt(start))) return;
    const first = text.charCodeAt(end);
    if (first !== HASH && first !== PLUS) return;
    if (first === PLUS && text.charCodeAt(end + 1) !== PLUS) return;
    const after = end + (first === PLUS ? 2 : 1);
    const next = text.charCodeAt(after);
    if (next === PLUS || next === HASH || isLatin(next)) return;
    this.end = after;
  }
}

function isLatin(unit: number): boolean {
  return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
}
