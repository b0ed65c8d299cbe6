import type { ByteWriter } from './bytes.ts';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;

/** First characters with which a spreadsheet reads a formula, and blanks that it skips. */
const FORMULA: ReadonlySet<number> = new Set(Buffer.from('=+-@\t\r\n'));
/** The last bytes of the wide forms of `=`, `+`, `-` and `@`, which begin with EF BC. */
const WIDE_FORMULA: ReadonlySet<number> = new Set([0x9d, 0x8b, 0x8d, 0xa0]);

/**
 * Makes a cell of CSV (RFC 4180) of the text that was written from `begin` on. With `isGuarded`, a
 * text that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function endCsvCell(out: ByteWriter, begin: number, isGuarded: boolean): void {
  const end = out.length;
  let quotes = 0;
  let isQuoted = false;
  for (let i = begin; i < end; i++) {
    const byte = out.bytes[i]!;
    if (byte > COMMA) continue;
    if (byte === QUOTE) quotes++;
    isQuoted ||= byte === QUOTE || byte === COMMA || byte === RETURN || byte === LINE_FEED;
  }
  const isFormula = isGuarded && beginsFormula(out.bytes, begin, end);
  if (!isQuoted && !isFormula) return;
  const length = end + quotes + Number(isFormula) + (isQuoted ? 2 : 0);
  out.reserve(length - end);
  const { bytes } = out;
  let at = length;
  if (isQuoted) bytes[--at] = QUOTE;
  for (let i = end - 1; i >= begin; i--) {
    const byte = bytes[i]!;
    bytes[--at] = byte;
    if (byte === QUOTE) bytes[--at] = QUOTE;
  }
  if (isFormula) bytes[--at] = APOSTROPHE;
  if (isQuoted) bytes[begin] = QUOTE;
  out.length = length;
}

function beginsFormula(bytes: Uint8Array, begin: number, end: number): boolean {
  if (begin === end) return false;
  const first = bytes[begin]!;
  if (first !== 0xef) return FORMULA.has(first);
  return end - begin > 2 && bytes[begin + 1] === 0xbc && WIDE_FORMULA.has(bytes[begin + 2]!);
}

/** Ends a text of JSON, of which the quote at `begin` and the bytes after it were written. */
export function endJsonText(out: ByteWriter, begin: number): void {
  const { bytes, length } = out;
  for (let i = begin + 1; i < length; i++) {
    const byte = bytes[i]!;
    if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) continue;
    const text = bytes.toString('utf8', begin + 1, length);
    out.length = begin;
    out.utf8(JSON.stringify(text));
    return;
  }
  out.u8(QUOTE);
}
