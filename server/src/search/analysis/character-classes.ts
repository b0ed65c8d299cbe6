/** What a character does to the words around it. */
export const SEPARATOR = 0;
/** A letter or digit of a script that writes words apart. */
export const LETTER = 1;
/** Belongs to the character before it. */
export const MARK = 2;
/** Han, Hiragana, Katakana, Hangul: analysed in pairs. */
export const IDEOGRAPH = 3;
/** Thai, Lao, Khmer, Burmese, with their marks: cut by dictionaries. */
export const UNSPACED = 4;
/** Not seen: zero-width and bidirectional controls, soft hyphen, elongation, the middle dot of Catalan. */
export const IGNORED = 5;
export const APOSTROPHE = 6;
/** The first half of a character outside the basic plane. */
export const HIGH_SURROGATE = 7;

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

/** In their order, in pieces that a call takes as arguments: a piece for each unit took most of the time that the table takes. */
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
