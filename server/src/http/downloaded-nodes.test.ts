import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellOf, csvLines, fileNames } from './downloaded-nodes.ts';

describe('a cell', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ['\n=1', "'\n=1"],
    ['＝1', "'＝1"],
    ["'=1", "'=1"],
    ['a=1', 'a=1'],
    ['', ''],
  ])('of the text %j is %j', (text, cell) => {
    expect(cellOf(text)).toBe(cell);
  });

  it.each([
    [-2.5, -2.5],
    [['a', '=b'], '["a","=b"]'],
    [{ lat: 1, lon: -2 }, '{"lat":1,"lon":-2}'],
    [true, 'true'],
    [false, 'false'],
    [null, ''],
    [undefined, ''],
  ])('of %j is %j', (value, cell) => {
    expect(cellOf(value)).toBe(cell);
  });
});

it('lines read back as what was written, whatever is in them', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', "'", ' ', 'é', '=') });
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1 }),
    );
  fc.assert(
    fc.property(table, (rows) => {
      const lines = csvLines(rows.map((row) => row.map((cell) => cellOf(cell))));
      const expected = rows.map((row) => row.map((cell) => String(cellOf(cell))));
      expect(parse(lines, { record_delimiter: '\r\n' })).toEqual(expected);
    }),
  );
});

it('names the files of a package apart, on every system', () => {
  expect(fileNames(['Book', 'Author', 'BOOK', 'book', 'Con', '_User'])).toEqual([
    'Book.csv',
    'Author.csv',
    'BOOK-2.csv',
    'book-3.csv',
    'Con_.csv',
    '_User.csv',
  ]);
});
