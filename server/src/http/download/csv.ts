import { stringify } from 'csv-stringify/sync';

export type Cell = string | number;

const NUMBER_TYPES: ReadonlySet<string> = new Set(['Int', 'Long', 'Float', 'Double', 'Decimal']);
/**
 * What spreadsheets take for the beginning of a formula, wide forms included, and blanks that they
 * skip before one.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A value of a field as a cell: lists and the like as JSON, nothing as no text. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it, by which a spreadsheet knows a
 * text; numbers stay numbers. `type` is that of a stored field, for what JSON does not tell apart.
 */
export function cellOf(value: unknown, type?: string): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' && type !== 'Json' ? value : JSON.stringify(value);
  const isNumber = type !== undefined && NUMBER_TYPES.has(type);
  return !isNumber && FORMULA.test(text) ? `'${text}` : text;
}

/** Whole lines as in RFC 4180; the file is UTF-8 without a byte order mark. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  // In a table of one column an empty line would be no row.
  const isNarrow = rows[0]?.length === 1;
  return stringify([...rows], { record_delimiter: '\r\n', quoted_empty: isNarrow });
}
