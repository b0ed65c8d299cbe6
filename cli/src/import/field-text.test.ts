import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldText, parseFieldType } from './field-text.ts';

const parse = (type: string, text: string) => {
  const fieldType = parseFieldType(type);
  if (fieldType === undefined) throw new Error(`no such type: ${type}`);
  return parseFieldText(fieldType, text, ';');
};

describe('a cell of text', () => {
  it.each([
    ['String', ' as it is ', ' as it is '],
    ['Int', ' 42 ', 42],
    ['Int', '-2147483648', -2_147_483_648],
    ['Long', '9007199254740991', 9_007_199_254_740_991],
    ['Long', '9223372036854775807', '9223372036854775807'],
    ['Double', '-1.5e3', -1500],
    ['Float', '.5', 0.5],
    ['Decimal', '+12345678901234567890.10', '12345678901234567890.10'],
    ['Bool', 'Yes', true],
    ['Bool', '0', false],
    ['Time', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['Time', '2024-02-29 13:05', '2024-02-29T13:05:00.000Z'],
    ['Time', '2024-02-29T13:05:06.7+02:00', '2024-02-29T11:05:06.700Z'],
    ['UID', 'BxyPG9n8k8B5DiSDyAHN3U', 'BxyPG9n8k8B5DiSDyAHN3U'],
    ['GeoPoint', '52.52, 13.405', { lat: 52.52, lon: 13.405 }],
    ['Json', '{"a":[1]}', { a: [1] }],
    ['Bytes', 'AAEC', 'AAEC'],
    ['String[]', 'a; b;c', ['a', 'b', 'c']],
    ['Int[]', '1;2', [1, 2]],
  ])('%s from "%s"', (type, text, value) => {
    expect(parse(type, text)).toEqual(value);
  });

  it.each([
    ['Int', '1.5'],
    ['Int', '2147483648'],
    ['Int', '0x10'],
    ['Long', '1e3'],
    ['Double', 'NaN'],
    ['Double', '1e999'],
    ['Decimal', '1e3'],
    ['Bool', 'maybe'],
    ['Time', '29.02.2024'],
    ['Time', '2024-02-30T25:00'],
    ['UID', 'too short'],
    ['GeoPoint', '91,0'],
    ['GeoPoint', '1,2,3'],
    ['Json', '{a:1}'],
    ['Int[]', '1;x'],
  ])('%s not from "%s"', (type, text) => {
    expect(() => parse(type, text)).toThrow(/is not of the type/);
  });

  it('gives back any number and any time that was printed', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') });
    fc.assert(
      fc.property(double, fc.maxSafeInteger(), time, (number, integer, date) => {
        expect(parse('Double', String(number))).toBe(Number(String(number)));
        expect(parse('Long', String(integer))).toBe(integer);
        expect(parse('Time', date.toISOString())).toBe(date.toISOString());
      }),
    );
  });
});
