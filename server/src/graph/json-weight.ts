/** What a value of JSON takes beside its letters once it is parsed; a list or object without members, which counts twice, twice that. */
const VALUE_BYTES = 32;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/** How large JSON gets when it is parsed; what is not JSON has some weight, too. */
export interface JsonWeight {
  /** Lists, objects, and their members, as far as commas and brackets tell: a list among others counts twice. */
  readonly values: number;
  /** An estimate. */
  readonly parsedBytes: number;
}

/** Looks at the letters only: two bytes of `[]` take thirty when they are parsed. */
export function jsonWeight(text: Uint8Array): JsonWeight {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === COMMA || letter === OPEN_LIST || letter === OPEN_OBJECT) values++;
    else if (letter === QUOTE) at = endOfString(text, at + 1);
  }
  return { values, parsedBytes: 2 * text.length + VALUE_BYTES * values };
}

/** Where the quote stands that ends a string; behind the text when there is none. */
function endOfString(text: Uint8Array, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === BACKSLASH) at++;
    else if (text[at] === QUOTE) return at;
  }
  return text.length;
}
