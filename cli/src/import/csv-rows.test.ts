import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CSV_CELLS_MAX, CSV_ROW_CHARACTERS_MAX, CsvFault, CsvRows } from './csv-rows.ts';

function cellsOf(parts: readonly string[], delimiter = ','): (readonly string[])[] {
  const reader = new CsvRows(delimiter);
  return [...parts.flatMap((part) => reader.push(part)), ...reader.end()].map(({ cells }) => cells);
}

function cut(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

function written(cell: string, isQuoted: boolean): string {
  if (!isQuoted && !/["\r\n,;|]/.test(cell)) return cell;
  return `"${cell.replaceAll('"', '""')}"`;
}

/**
 * The fault of a text that comes in parts for ever, and how many characters were read until then.
 */
function faultOf(first: string, part: string): { fault: unknown; characters: number } {
  const reader = new CsvRows(',');
  let characters = first.length;
  try {
    reader.push(first);
    for (;;) {
      characters += part.length;
      reader.push(part);
    }
  } catch (fault) {
    return { fault, characters };
  }
}

it('reads what another reader reads, however the text is cut and its lines end', () => {
  const cell = fc.tuple(
    fc.string({
      unit: fc.constantFrom('a', 'é', '"', ',', '||', '\n', '\r\n', ' ', ''),
      maxLength: 6,
    }),
    fc.boolean(),
  );
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  });
  const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
  const dialect = fc.record({
    lineEnd: lineEnds,
    delimiter: fc.constantFrom(',', ';', '||'),
    hasLastEnd: fc.boolean(),
    size: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(rows, dialect, (drawn, { lineEnd, delimiter, hasLastEnd, size }) => {
      const lines = drawn.map((row) =>
        row.map(([text, isQuoted]) => written(text, isQuoted)).join(delimiter),
      );
      const text = `Heading${lineEnd}${lines.join(lineEnd)}${hasLastEnd ? lineEnd : ''}`;
      const expected: string[][] = parse(text, {
        delimiter,
        record_delimiter: lineEnd,
        relax_column_count: true,
        skip_empty_lines: true,
      });
      expect(cellsOf(cut(text, size), delimiter)).toEqual(expected);
    }),
  );
});

it('tells on which lines a row stands', () => {
  const rows = new CsvRows(',').push('a,b\r\n\r\n"1\r\n2",3\r\n4,5\r\n');
  expect(rows.map(({ firstLine, line }) => [firstLine, line])).toEqual([
    [1, 1],
    [3, 4],
    [5, 5],
  ]);
});

describe('a text that is no CSV', () => {
  it.each([
    ['a\nb,"c" d\n', 2, 'after the quote'],
    ['a\n\nb"c\n', 3, 'a quote within a cell'],
    ['a\nb\n"c\nd\n', 3, 'not closed'],
  ])('%j is refused with its line', (text, line, message) => {
    for (const size of [1, 3, text.length]) {
      const read = () => cellsOf(cut(text, size));
      expect(read).toThrow(expect.objectContaining({ name: 'CsvFault', line }));
      expect(read).toThrow(message);
    }
  });

  it.each([
    ['a quote that nobody closes', 'a,b\n1,2\n3,"', 'x,\n'.repeat(100_000), 'not closed'],
    ['a line without an end', 'a,b\n1,2\n', 'x,'.repeat(100_000), 'no line break'],
    ['quotes without an end', 'a,b\n1,2\n"', '""'.repeat(100_000), 'not closed'],
  ])('%s is given up after the characters that a row may have', (_what, first, part, message) => {
    const { fault, characters } = faultOf(first, part);
    expect(fault).toBeInstanceOf(CsvFault);
    expect(fault).toMatchObject({ line: 3, message: expect.stringContaining(message) });
    expect(characters).toBeLessThanOrEqual(CSV_ROW_CHARACTERS_MAX + first.length + part.length);
  });

  it('may have a row as long as that', () => {
    const long = 'x'.repeat(CSV_ROW_CHARACTERS_MAX - 2);
    expect(cellsOf(['a\n"', long, '"', '\n'])).toEqual([['a'], [long]]);
  });

  it('has no more cells in a row than there may be', () => {
    const row = (cells: number) => ['a\n', ','.repeat(cells - 1), '\n'];
    expect(cellsOf(row(CSV_CELLS_MAX))[1]).toHaveLength(CSV_CELLS_MAX);
    const quoted = ['a\n', '"",'.repeat(CSV_CELLS_MAX), '\n'];
    for (const parts of [row(CSV_CELLS_MAX + 1), quoted]) {
      expect(() => cellsOf(parts)).toThrow(expect.objectContaining({ line: 2 }));
    }
  });
});
