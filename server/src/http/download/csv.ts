import { stringify } from 'csv-stringify/sync';

export type Cell = string | number;

const NUMBER_TYPES: ReadonlySet<string> = new Set(['Int', 'Long', 'Float', 'Double', 'Decimal']);
/**
 * A first character that makes a spreadsheet read a formula: also in its wide form, and blanks
 * that a spreadsheet skips.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A value of a field as a cell: lists and objects as JSON, no value as an empty cell. A text that a
 * spreadsheet would take for a formula begins with an apostrophe, which marks it as text; numbers
 * stay numbers. `type` is that of the stored field, for types that look the same in JSON.
 */
export function cellOf(value: unknown, type?: string): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' && type !== 'Json' ? value : JSON.stringify(value);
  const isNumber = type !== undefined && NUMBER_TYPES.has(type);
  return !isNumber && FORMULA.test(text) ? `'${text}` : text;
}

/** Rows as lines of RFC 4180, in UTF-8 without a byte order mark. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  // With one column an empty cell is quoted: an empty line would be no row.
  const isNarrow = rows[0]?.length === 1;
  return stringify([...rows], { record_delimiter: '\r\n', quoted_empty: isNarrow });
}
