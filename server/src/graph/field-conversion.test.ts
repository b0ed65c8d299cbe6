import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertValue, losesValue } from './field-conversion.ts';
import { tagOf } from './field-types.ts';
import { ByteWriter } from './bytes.ts';
import { encodeField } from './field-encoder.ts';
import { edgeValues, scalarType } from './testing/edge-values.ts';

const LOST = undefined;

describe.each([
  // from, to, the value, what it becomes, whether that is lossy
  ['Int', 'String', 5, '5', false],
  ['Double', 'Int', 5, 5, false],
  ['Double', 'Int', 5.5, LOST, true],
  ['Double', 'Float', 0.1, 0.1, false],
  ['Double', 'Float', 16_777_217, 16_777_216, true],
  ['Double', 'Float', 1e300, LOST, true],
  ['Long', 'Double', '9007199254740993', 9_007_199_254_740_992, true],
  ['Decimal', 'Int', '5.00', 5, false],
  ['Decimal', 'Long', '5.50', LOST, true],
  ['Long', 'Int', 3_000_000_000, LOST, true],
  ['String', 'Int', '12', 12, false],
  ['String', 'Int', '+12', 12, true],
  ['String', 'Int', '12 apples', LOST, true],
  ['String', 'Int', '', LOST, true],
  ['String', 'Int', '0x10', LOST, true],
  ['String', 'Double', '1e3', 1000, true],
  ['String', 'Decimal', '012.50', '12.50', true],
  ['String', 'Long', '9007199254740993', '9007199254740993', false],
  ['String', 'Bool', 'true', true, false],
  ['String', 'Bool', 'yes', LOST, true],
  ['Int', 'Bool', 1, true, false],
  ['Int', 'Bool', 2, LOST, true],
  ['Bool', 'Int', true, 1, false],
  ['Bool', 'Time', true, LOST, true],
  ['String', 'Time', '2026-01-02', '2026-01-02T00:00:00.000Z', true],
  ['String', 'Time', '2026', LOST, true],
  ['Long', 'Time', 1000, '1970-01-01T00:00:01.000Z', false],
  ['Time', 'Long', '1970-01-01T00:00:01.000Z', 1000, false],
  ['Time', 'String', '1970-01-01T00:00:01.000Z', '1970-01-01T00:00:01.000Z', false],
  ['GeoPoint', 'String', { lat: 1, lon: 2 }, '{"lat":1,"lon":2}', false],
  ['String', 'GeoPoint', '{"lat":1,"lon":2}', { lat: 1, lon: 2 }, false],
  ['String', 'GeoPoint', '{"lat":100,"lon":2}', LOST, true],
  ['Json', 'String', 'plain', 'plain', false],
  ['Json', 'Int', { a: 1 }, LOST, true],
  ['Json', 'String[]', ['a', 'b'], ['a', 'b'], false],
  ['Int', 'Json', 5, 5, false],
  ['Int[]', 'Json', [1, 2], [1, 2], false],
  ['Int', 'String[]', 5, ['5'], false],
  ['Int[]', 'String', [5], '5', false],
  ['Int[]', 'Int', [5, 6], LOST, true],
  ['Int[]', 'Int', [], LOST, true],
  ['String[]', 'Int[]', ['1', 'x'], LOST, true],
] as const)('%s to %s', (from, to, value, expected, lossy) => {
  it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(value)}`, () => {
    const [a, b] = [tagOf(from)!, tagOf(to)!];
    expect([convertValue(value, a, b), losesValue(value, a, b)]).toEqual([expected, lossy]);
  });
});

it('a converted value is one that could have been written', () => {
  fc.assert(
    fc.property(
      scalarType.chain((from) => fc.tuple(fc.constant(from), edgeValues[from])),
      scalarType,
      ([from, value], to) => {
        const converted = convertValue(value, tagOf(from)!, tagOf(to)!);
        if (converted === undefined) return;
        expect(encodeField(new ByteWriter(), tagOf(to)!, converted)).toBeUndefined();
      },
    ),
    { numRuns: 500 },
  );
});
