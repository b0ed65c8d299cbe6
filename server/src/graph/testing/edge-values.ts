import fc from 'fast-check';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { INDEX_TEXT_BYTES_MAX } from '#base/limits.ts';
import { formatUid, UID_BYTES } from '#base/uid.ts';
import type { ScalarType } from '../field-types.ts';

/** Lengths of texts that are equal up to about where a key cuts them off, and differ there. */
const STEM_LENGTHS = [-3, -2, -1, 0, 1].map((more) => INDEX_TEXT_BYTES_MAX + more);
const TAILS = [
  '',
  'a',
  'b',
  '\0',
  '\u0001',
  '\u0002',
  'é',
  '\u07ff',
  '\u0800',
  '\ue000',
  '😀',
  'a\0',
];
const LONG_TEXT = 'p'.repeat(64 * 1024);
const SHORT_TEXTS = ['', 'a', 'A', 'ab', 'a\0', 'a\u0001', 'a\u0001\0', '\0', '\u0001', '\u0002'];
const WIDE_TEXTS = [
  'é',
  '\ud7ff',
  '\ud800',
  '\udfff',
  '\ue000',
  '\uffff',
  '😀',
  '😁',
  '\ufffd',
  'a\ud83d',
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SHORT_TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom(...WIDE_TEXTS) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...STEM_LENGTHS), fc.constantFrom(...TAILS), fc.constantFrom(...TAILS))
      .map(([length, one, other]) => 'p'.repeat(length) + one + other),
  },
  { weight: 1, arbitrary: fc.constantFrom(...TAILS).map((tail) => LONG_TEXT + tail) },
);

const MILLIONS = '123456789012345678901234567890';
const DECIMALS = [
  '0',
  '-0',
  '0.00',
  '0.1',
  '0.10',
  0.1,
  0.3,
  0.30000000000000004,
  '0.30000000000000004',
  '0.1000000000000000055511151231257827',
  '0.1000000000000000055511151231257828',
  '0.0999999999999999999999999999999',
  '-0.1',
  '-0.1000000000000000055511151231257827',
  MILLIONS,
  `${MILLIONS}.5`,
  `-${MILLIONS}`,
  '123456789012345678901234567891',
  '1.5',
  '1.50',
  1.5,
  '9007199254740992',
  '9007199254740993',
  '9007199254740993.0',
  '9007199254740994',
  '5',
  '5.0',
  5,
  `0.${'0'.repeat(90)}1`,
  `-0.${'0'.repeat(90)}1`,
  '9'.repeat(100),
  `1${'0'.repeat(99)}`,
];

const LONGS = [
  -9_007_199_254_740_991,
  -1,
  -0,
  0,
  1,
  2,
  '2',
  9_007_199_254_740_991,
  '9007199254740992',
  '9007199254740993',
  '9007199254740994',
  '-9007199254740993',
  '-9007199254740992',
  '9223372036854775807',
  '9223372036854775806',
  '-9223372036854775808',
];
const DOUBLES = [
  -0,
  0,
  5e-324,
  -5e-324,
  0.1,
  0.3,
  0.30000000000000004,
  1.5,
  2,
  -2,
  1e21,
  1e-7,
  2 ** 53,
  2 ** 53 + 2,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
];
const TIMES = [
  -0,
  0,
  -1,
  1,
  2,
  '1970-01-01T00:00:00.001Z',
  '0000-01-01',
  '9999-12-31',
  '2024-05-06',
  '2024-05-06T01:00:00+01:00',
  '1969-12-31T23:59:59.999Z',
];
const LONG_JSON = 'x'.repeat(300);
const JSONS: readonly unknown[] = [
  0,
  -0,
  1,
  2,
  10,
  '',
  'x',
  '1',
  true,
  false,
  [],
  [1],
  [1, 2],
  {},
  { a: 1, b: 2 },
  { b: 2, a: 1 },
  { a: { c: 1, b: [2] } },
  { 10: 1, 2: 2 },
  [null],
  '\ud800',
  '\0',
  LONG_JSON,
  `${LONG_JSON}y`,
  { a: LONG_JSON },
  1e21,
  0.1,
];
const POINTS = [
  ...[90, -90, 89.9999].flatMap((lat) => [0, 120, -180].map((lon) => ({ lat, lon }))),
  ...[180, -180, 179.9999, -179.9999].flatMap((lon) => [0, 10, -89].map((lat) => ({ lat, lon }))),
  ...[0, -0, 1e-12, 0.5].map((lat) => ({ lat, lon: 0 })),
  { lat: -0, lon: -0 },
];

/** For each scalar, values at the limits of what a key can distinguish. */
export const edgeValues: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  String: text,
  Int: fc.constantFrom(-2_147_483_648, -1, -0, 0, 1, 2, 255, 256, 2_147_483_647),
  Long: fc.constantFrom<unknown>(...LONGS),
  Float: fc.constantFrom(-0, 0, 1e-50, -1e-50, 0.1, 0.5, 1.5, -1.5, 3.4e38, -3.4e38, 1e-45, 2),
  Double: fc.constantFrom(...DOUBLES),
  Decimal: fc.constantFrom<unknown>(...DECIMALS),
  Bool: fc.boolean(),
  Time: fc.constantFrom<unknown>(...TIMES),
  UID: fc
    .tuple(fc.constantFrom(0, 1, 127, 128, 255), fc.constantFrom(0, 1, 255))
    .map(([first, last]) => {
      const bytes = new Uint8Array(UID_BYTES);
      bytes[0] = first;
      bytes[UID_BYTES - 1] = last;
      return formatUid(bytes);
    }),
  GeoPoint: fc.constantFrom(...POINTS),
  Json: fc.constantFrom<unknown>(...JSONS),
  Bytes: fc
    .oneof(
      fc.constantFrom<number[]>([], [0], [0, 0], [255], [1, 2, 3]),
      fc.constantFrom(149, 150, 151).map((length) => Array.from({ length }, () => 7)),
      fc.constantFrom(1, 2).map((last) => [...Array.from({ length: 1_000 }, () => 7), last]),
    )
    .map((bytes) => Buffer.from(bytes).toString('base64')),
};

export const scalarType: fc.Arbitrary<ScalarType> = fc.constantFrom(...SCALAR_TYPES);
