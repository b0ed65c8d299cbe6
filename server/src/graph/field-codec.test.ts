import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX } from '#base/limits.ts';
import { formatUid } from '#base/uid.ts';
import { ByteWriter } from './bytes.ts';
import { compareDecimals, normalizeDecimal } from './decimal.ts';
import { decodeField } from './field-decoder.ts';
import { encodeField } from './field-encoder.ts';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { LIST, TAG, tagOf, widens } from './field-types.ts';
import type { ScalarType } from './field-types.ts';
import { shortestFloat } from './shortest-float.ts';
import { TIME_MAX_MS, TIME_MIN_MS } from './time.ts';

function roundTrip(tag: number, value: unknown, declared = tag): unknown {
  const out = new ByteWriter(1);
  // Other bytes come first, as in a record.
  out.utf8('before');
  const start = out.length;
  expect(encodeField(out, tag, value)).toBeUndefined();
  return decodeField(out.bytes, start, out.length, tag, declared);
}

function faultOf(tag: number, value: unknown): { path: string } | undefined {
  return encodeField(new ByteWriter(), tag, value);
}

const digits = fc.stringMatching(/^[1-9][0-9]{0,30}$/);

/** Values in their normal form: one that is written and read is the same as before. */
const normalValues: Record<ScalarType, fc.Arbitrary<unknown>> = {
  String: fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  Int: fc.integer(),
  Long: fc.oneof(
    fc.maxSafeInteger(),
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((wide) => (Number.isSafeInteger(Number(wide)) ? Number(wide) : wide.toString())),
  ),
  Float: fc.float({ noNaN: true, noDefaultInfinity: true }).map(shortestFloat),
  Double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((d) => (d === 0 ? 0 : d)),
  Decimal: fc.oneof(
    digits,
    digits.map((text) => `-${text}`),
    fc.tuple(digits, fc.stringMatching(/^[0-9]{1,20}$/)).map(([a, b]) => `${a}.${b}`),
  ),
  Bool: fc.boolean(),
  Time: fc.integer({ min: TIME_MIN_MS, max: TIME_MAX_MS }).map((ms) => new Date(ms).toISOString()),
  UID: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(formatUid),
  GeoPoint: fc.record(
    {
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lon: fc.double({ min: -180, max: 180, noNaN: true }),
    },
    { noNullPrototype: true },
  ),
  Json: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  Bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
};

function shownAs(value: unknown, from: ScalarType, to: ScalarType): unknown {
  if (from === 'Float' && to === 'Double') return Math.fround(Number(value));
  return to === 'Decimal' && from !== 'Decimal' ? String(value) : value;
}

describe('field codec', () => {
  it.each(SCALAR_TYPES)('gives back every %s, and every list of them', (scalar) => {
    const tag = TAG[scalar];
    fc.assert(
      fc.property(normalValues[scalar], fc.array(normalValues[scalar]), (value, list) => {
        expect(roundTrip(tag, value)).toEqual(value);
        expect(roundTrip(tag | LIST, list)).toEqual(list);
      }),
    );
  });

  it.each(SCALAR_TYPES)('reads a %s that was widened since', (scalar) => {
    const from = TAG[scalar];
    fc.assert(
      fc.property(normalValues[scalar], fc.array(normalValues[scalar]), (value, list) => {
        for (const wider of SCALAR_TYPES.filter((to) => widens(from, TAG[to]))) {
          const shown = (item: unknown) => shownAs(item, scalar, wider);
          expect(roundTrip(from, value, TAG[wider])).toEqual(shown(value));
          expect(roundTrip(from, value, TAG[wider] | LIST)).toEqual([shown(value)]);
          expect(roundTrip(from | LIST, list, TAG[wider] | LIST)).toEqual(list.map(shown));
        }
      }),
    );
  });

  it.each([
    ['Time', 0, '1970-01-01T00:00:00.000Z'],
    ['Time', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['Time', '2024-05-06T07:08', '2024-05-06T07:08:00.000Z'],
    ['Time', '2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123Z'],
    ['Time', '2024-05-06T07:08:09+02:00', '2024-05-06T05:08:09.000Z'],
    ['Time', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['Decimal', '007.50', '7.50'],
    ['Decimal', '-0', '0'],
    ['Decimal', 1e21, '1000000000000000000000'],
    ['Decimal', -2.5e-7, '-0.00000025'],
    ['Long', '0042', 42],
    ['Long', '9007199254740993', '9007199254740993'],
    ['Double', -0, 0],
    ['Float', 9.99, 9.99],
    ['Float', Math.fround(9.99), 9.99],
    ['String', 'a\ud800b', 'a\ufffdb'],
  ] as const)('normalises the %s %j', (type, value, normal) => {
    expect(roundTrip(TAG[type], value)).toBe(normal);
  });

  it.each([
    ['String', 1],
    ['String', null],
    ['Int', 2 ** 31],
    ['Int', -(2 ** 31) - 1],
    ['Int', 1.5],
    ['Int', '1'],
    ['Int', Number.NaN],
    ['Long', 2 ** 53],
    ['Long', '9223372036854775808'],
    ['Long', '1e3'],
    ['Float', Infinity],
    ['Float', 1e39],
    ['Double', Number.NaN],
    ['Double', '1'],
    ['Decimal', '1e3'],
    ['Decimal', ''],
    ['Decimal', '1.'],
    ['Decimal', '9'.repeat(101)],
    ['Bool', 1],
    ['Bool', 'true'],
    ['Time', '2023-02-29'],
    ['Time', '2024-13-01'],
    ['Time', '2024-01-01T24:00'],
    ['Time', 'yesterday'],
    ['Time', 1.5],
    ['Time', '0000-01-01T00:00:00+01:00'],
    ['UID', 'x'],
    ['UID', '0'.repeat(22)],
    ['GeoPoint', { lat: 91, lon: 0 }],
    ['GeoPoint', { lat: 1 }],
    ['GeoPoint', { lat: 1, lon: 2, z: 3 }],
    ['GeoPoint', { lat: Number.NaN, lon: 0 }],
    ['Json', { a: Number.NaN }],
    ['Json', [undefined]],
    ['Json', { d: new Date(0) }],
    ['Bytes', 'abc'],
    ['Bytes', '%%%%'],
    ['Bytes', [1]],
  ] as const)('refuses as %s: %j', (type, value) => {
    expect(faultOf(TAG[type], value)).toMatchObject({ path: '' });
    expect(faultOf(TAG[type] | LIST, [value])).toMatchObject({ path: '[0]' });
  });

  it('says which item of a list does not fit, and that a list is expected', () => {
    expect(faultOf(TAG.Int | LIST, [1, 2, 'x'])).toMatchObject({ path: '[2]' });
    expect(faultOf(TAG.Int | LIST, 1)).toMatchObject({ path: '', expected: 'a list of Int' });
    expect(faultOf(TAG.Int, [1])).toMatchObject({ path: '' });
  });

  it('bounds the depth of JSON', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(faultOf(TAG.Json, nested(JSON_DEPTH_MAX - 1))).toBeUndefined();
    expect(faultOf(TAG.Json, nested(JSON_DEPTH_MAX))).toBeUndefined();
    expect(faultOf(TAG.Json, nested(JSON_DEPTH_MAX + 1))).toBeDefined();
  });

  it('knows the types of lists and no others', () => {
    expect(tagOf('Int[]')).toBe(TAG.Int | LIST);
    for (const unknown of ['int', 'Int[][]', '', 'toString', 1, undefined]) {
      expect(tagOf(unknown)).toBeUndefined();
    }
  });
});

describe('decimals', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(12))
    .map(([unscaled, scale]) => ({ unscaled, scale }));
  const spell = ({ unscaled, scale }: { unscaled: bigint; scale: number }): string => {
    const text = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
    const point = text.length - scale;
    const fraction = scale === 0 ? '' : `.${text.slice(point)}`;
    return `${unscaled < 0n ? '-' : ''}${text.slice(0, point)}${fraction}`;
  };

  it('compare as exact numbers', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const scaledA = a.unscaled * 10n ** BigInt(12 - a.scale);
        const scaledB = b.unscaled * 10n ** BigInt(12 - b.scale);
        const order = compareDecimals(normalizeDecimal(spell(a))!, normalizeDecimal(spell(b))!);
        expect(Math.sign(order)).toBe(scaledA === scaledB ? 0 : scaledA < scaledB ? -1 : 1);
      }),
    );
  });

  it('take a JSON number by its shortest spelling', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(Number(normalizeDecimal(number, Infinity))).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});
