import { endOfHash, hashOf, nextHash } from './word-cache.ts';

/** What a character does to the words around it. */
const SEPARATOR = 0;
/** A letter or digit of a script that writes words apart. */
export const LETTER = 1;
/** Belongs to the character before it. */
export const MARK = 2;
/** Han, Hiragana, Katakana, Hangul: analyzed in pairs. */
export const IDEOGRAPH = 3;
/** Thai, Lao, Khmer, Burmese, with their marks: cut by dictionaries. */
export const UNSPACED = 4;
/**
 * Invisible: zero-width and bidirectional controls, soft hyphen, elongation; the Catalan middle
 * dot.
 */
export const IGNORED = 5;
const APOSTROPHE = 6;
/** The first half of a character outside the basic plane. */
const HIGH_SURROGATE = 7;

const CODE_UNITS = 0x1_00_00;
const UNITS_AT_ONCE = 4_096;

/** In this order: a later one overrides an earlier one. */
const BASIC_PLANE: readonly (readonly [RegExp, number])[] = [
  [/[\p{L}\p{N}]+/gu, LETTER],
  [/[[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー]&&[\p{L}\p{N}]]+/gv, IDEOGRAPH],
  [/\p{M}+/gu, MARK],
  // Voicing signs of half width, and the vowels and finals of decomposed Hangul.
  [/[\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7fb]+/gu, MARK],
  [/[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]+/gu, UNSPACED],
  [/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u0640·]+/gu, IGNORED],
  [/['\u2018\u2019\u02bc\uff07\u05f3\u05f4]/gu, APOSTROPHE],
];

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
const ASTRAL_IDEOGRAPH = /[[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]&&[\p{L}\p{N}]]/v;
const ASTRAL_MARK = /\p{M}/u;
const ASTRAL_IGNORED = /\p{Default_Ignorable_Code_Point}/u;

/** The class of every character: a table for the basic plane, the patterns for the rest. */
export class CharacterClasses {
  /** By UTF-16 code unit. */
  readonly table: Uint8Array = classTable();

  /** The class of the character whose first code unit is at `index`; SEPARATOR past the end. */
  at(text: string, index: number): number {
    const found = this.table[text.charCodeAt(index)] ?? SEPARATOR;
    return found === HIGH_SURROGATE ? astralClass(text, index) : found;
  }
}

function classTable(): Uint8Array {
  const table = new Uint8Array(CODE_UNITS);
  const units = everyCodeUnit();
  for (const [pattern, name] of BASIC_PLANE) {
    for (const match of units.matchAll(pattern)) {
      table.fill(name, match.index, match.index + match[0].length);
    }
  }
  return table.fill(HIGH_SURROGATE, 0xd8_00, 0xdc_00).fill(SEPARATOR, 0xdc_00, 0xe0_00);
}

/** All code units in order, made in chunks: one call per unit took most of the table's time. */
function everyCodeUnit(): string {
  const units = Uint16Array.from({ length: CODE_UNITS }, (_, unit) => unit);
  let text = '';
  for (let begin = 0; begin < CODE_UNITS; begin += UNITS_AT_ONCE) {
    text += String.fromCharCode(...units.subarray(begin, begin + UNITS_AT_ONCE));
  }
  return text;
}

function astralClass(text: string, index: number): number {
  const code = text.codePointAt(index) ?? 0;
  if (code < CODE_UNITS) return SEPARATOR;
  const character = String.fromCodePoint(code);
  if (ASTRAL_IGNORED.test(character)) return IGNORED;
  if (ASTRAL_MARK.test(character)) return MARK;
  if (ASTRAL_IDEOGRAPH.test(character)) return IDEOGRAPH;
  return WORD_CHARACTER.test(character) ? LETTER : SEPARATOR;
}

/** How many code units the character at `index` takes. */
export function unitsAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) < CODE_UNITS ? 1 : 2;
}

/** The kind of a run: LETTER is a word; IDEOGRAPH and UNSPACED still have to be cut into words. */
export type RunKind = typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED;

export const PLUS = 0x2b;
export const HASH = 0x23;

/** Finds the runs of a text in linear time. */
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
      // A mark without a letter before it: folding decides whether it is a word.
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
    // Nearly all words end here. Past the end there is no unit to look up, and to try would slow
    // down the whole loop.
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

  /** The end of a run that may continue with other kinds. */
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

  /** Takes the suffix of `c++` and `c#`, after a single Latin letter. */
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
