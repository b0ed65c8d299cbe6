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
    expect(cellOf(text, 'String')).toBe(cell);
  });

  it('of a number is the number, however it is written', () => {
    expect(cellOf(-2.5)).toBe(-2.5);
    expect(cellOf('-12.50', 'Decimal')).toBe('-12.50');
    expect(cellOf('-9223372036854775808', 'Long')).toBe('-9223372036854775808');
    expect(csvLines([[-2.5, cellOf('-12.50', 'Decimal')]])).toBe('-2.5,-12.50\r\n');
  });

  it.each([
    [['a', '=b'], 'String[]', '["a","=b"]'],
    [{ lat: 1, lon: -2 }, 'GeoPoint', '{"lat":1,"lon":-2}'],
    ['text', 'Json', '"text"'],
    [-5, 'Json', -5],
    [true, 'Bool', 'true'],
    [false, undefined, 'false'],
    [null, 'Json', ''],
    [undefined, 'String', ''],
    ['+w==', 'Bytes', "'+w=="],
  ])('of %j as %s is %j', (value, type, cell) => {
    expect(cellOf(value, type)).toBe(cell);
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
