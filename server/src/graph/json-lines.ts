import { isUtf8 } from 'node:buffer';

/**
 * The bytes that a parsed JSON value takes besides its characters. An empty list or object counts
 * as two values.
 */
const VALUE_BYTES = 32;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** How large JSON becomes when it is parsed. Text that is not JSON gets a weight too. */
interface JsonWeight {
  /**
   * The number of lists, objects and their members, counted by commas and brackets. So a list
   * inside a list counts twice.
   */
  readonly values: number;
  /** The estimated size after parsing, in bytes. */
  readonly parsedBytes: number;
}

/** Estimates from the characters alone: the two bytes `[]` take thirty when they are parsed. */
export function jsonWeight(text: Uint8Array): JsonWeight {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === COMMA || letter === OPEN_LIST || letter === OPEN_OBJECT) values++;
    else if (letter === QUOTE) at = endOfString(text, at + 1);
  }
  return { values, parsedBytes: 2 * text.length + VALUE_BYTES * values };
}

/** The place of the quote that ends a string; the length of the text when there is none. */
function endOfString(text: Uint8Array, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === BACKSLASH) at++;
    else if (text[at] === QUOTE) return at;
  }
  return text.length;
}

/** Lines of JSON that can be parsed together, and their weight. */
interface LineWeight extends JsonWeight {
  readonly lines: number;
  /** Without the line breaks. */
  readonly bytes: number;
}

/**
 * Parses many lines as one list, which takes less than to parse each: V8 begins once, and makes
 * each object in the form of the one before.
 */
export class LineList {
  #text = Buffer.alloc(0);

  /**
   * Weighs whole lines, each with its line break. Undefined when they may be something else than
   * one value in each line: then they are not to be parsed together.
   */
  weigh(lines: Buffer): LineWeight | undefined {
    if (!isUtf8(lines)) return undefined;
    if (this.#text.length < lines.length + 1) this.#text = Buffer.allocUnsafeSlow(lines.length * 2);
    const text = this.#text;
    text[0] = OPEN_LIST;
    text.set(lines, 1);
    let count = 0;
    let values = 0;
    let depth = 0;
    for (let at = 0; at < lines.length; at++) {
      const letter = lines[at]!;
      if (letter === QUOTE) {
        at = endOfString(lines, at + 1);
      } else if (letter === COMMA) {
        if (depth === 0) return undefined;
        values++;
      } else if (letter === OPEN_OBJECT || letter === OPEN_LIST) {
        depth++;
        values++;
      } else if (letter === CLOSE_OBJECT || letter === CLOSE_LIST) {
        depth--;
        if (depth < 0) return undefined;
      } else if (letter === NEWLINE) {
        if (depth !== 0) return undefined;
        count++;
        text[at + 1] = COMMA;
      }
    }
    text[lines.length] = CLOSE_LIST;
    values += count;
    const bytes = lines.length - count;
    return { lines: count, bytes, values, parsedBytes: 2 * bytes + VALUE_BYTES * values };
  }

  /** The values of the lines that were weighed last; undefined when one of them is not JSON. */
  parse({ lines, bytes }: LineWeight): readonly unknown[] | undefined {
    try {
      const list: unknown = JSON.parse(this.#text.toString('utf8', 0, bytes + lines + 1));
      return Array.isArray(list) && list.length === lines ? list : undefined;
    } catch {
      return undefined;
    }
  }
}
