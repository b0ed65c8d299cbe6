import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';

/** Texts that each format must write in a way of its own. */
export const HARD_TEXTS = [
  '',
  ' leading and trailing ',
  'a\tb\nc\r\nd\re',
  '"quotes", \'apostrophes\', \\backslashes\\ and `ticks`',
  '<b>&amp;</b> ]]> <!-- --> &#0; %41',
  'null \u0000 bell \u0007 escape \u001b delete \u007f next \u0085 line \u2028 end \ufffe \uffff',
  'Grüße, 世界, 👩‍👩‍👧, a\u0301',
  '@id http://example.org/?a=1&b=2#c {} <> | ^',
] as const;

const EDGE_FIELDS = Object.fromEntries(SCALAR_TYPES.map((type) => [`E${type}`, type]));

/** Every type of field, alone and in a list; an index; edges with fields, and with inverses. */
export const VARIED_SCHEMA: SchemaDocument = {
  nodes: [
    {
      type: 'Thing',
      key: 'Name',
      label: 'FString',
      fields: Object.fromEntries(
        SCALAR_TYPES.flatMap((type) => [
          [`F${type}`, type],
          [`L${type}`, `${type}[]` as const],
        ]),
      ),
      indexes: [{ field: 'FInt' }, { fields: ['FString', 'FTime'] }],
    },
    { type: 'Event', timestamp: 'At', fields: { At: 'Time', FString: 'Int', Note: 'String' } },
    { type: 'Bare', fields: {} },
  ],
  edges: [
    { type: 'Knows', fields: EDGE_FIELDS },
    { type: 'PartOf', inverse: 'Has', fields: { Share: 'Double' } },
    { type: 'Has', inverse: 'PartOf', fields: { Share: 'Double' } },
  ],
};

const UIDS = ['FtPZzkEFmnhSn4xgREbTxB', 'X9XMSPzNHQV2ZL8uVWH54Y'] as const;

/** A value of each type, by turns the usual, the largest and the oddest. */
const VALUES: Readonly<Record<(typeof SCALAR_TYPES)[number], readonly unknown[]>> = {
  String: HARD_TEXTS,
  Int: [0, -1, 2_147_483_647, -2_147_483_648],
  Long: [7, '9223372036854775807', '-9223372036854775808', 9_007_199_254_740_991],
  Float: [0.5, 9.99, -3.4e38, 1e-45],
  Double: [0.1, 1.797_693_134_862_315_7e308, 5e-324, -1e21, 123_456_789.125],
  Decimal: ['12.5', '-0.000000000000000000001', '123456789012345678901234567890'],
  Bool: [true, false],
  Time: ['2026-01-02T03:04:05.678Z', '1969-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z'],
  UID: UIDS,
  GeoPoint: [
    { lat: 52.52, lon: 13.405 },
    { lat: -90, lon: 180 },
    { lat: 0, lon: -0.000_000_1 },
  ],
  Json: [
    { a: [1, null, { 'b "c"': '\u0000' }], 'd e': '\ud800 alone' },
    [],
    'text',
    12.5,
    false,
    { '@id': 'x', '@value': 1, '@list': [] },
  ],
  Bytes: ['', 'AAECAwT/', 'dHJlbGxpcw=='],
};

function fieldsOf(turn: number, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    SCALAR_TYPES.map((type) => [`${prefix}${type}`, VALUES[type][turn % VALUES[type].length]]),
  );
}

function listsOf(turn: number): Record<string, unknown> {
  return Object.fromEntries(
    SCALAR_TYPES.map((type) => [`L${type}`, VALUES[type].slice(0, turn % 3 === 0 ? 0 : turn)]),
  );
}

/** Keys with everything that a key may have; one has none of the fields. */
const KEYS = [
  'plain',
  'two words',
  'a/b:c#d?e=%20',
  '<"&\'>',
  'Grüße 世界 👩‍👩‍👧',
  'tab\tbreak\nnull\u0000',
  ' ',
  '-',
  '.',
];

export function variedOperations(): GraphOperation[] {
  const things = KEYS.map((key, i): GraphOperation => ({
    op: 'addOrUpdate',
    type: 'Thing',
    key,
    timestamp: `2025-0${i + 1}-01T00:00:00.00${i}Z`,
    fields: i === 0 ? {} : { ...fieldsOf(i, 'F'), ...listsOf(i) },
    ...(i % 2 === 0 ? { aliases: [`alias ${i}`, '<other> "name"\n'] } : {}),
  }));
  const others: GraphOperation[] = [
    ...UIDS.map((uid, i): GraphOperation => ({
      op: 'addOrUpdate',
      type: 'Event',
      uid,
      fields: { At: `2024-05-0${i + 1}T10:00:00.000Z`, FString: i, Note: HARD_TEXTS[5] },
    })),
    { op: 'addOrUpdate', type: 'Event', key: 'timed', timestamp: '2020-01-01T00:00:00.000Z' },
    { op: 'addOrUpdate', type: 'Bare', uid: 'Rx1x3dEVDWbGC7WnVhVj3d', timestamp: 0 },
  ];
  const reference = (key = ''): { type: string; key: string } => ({ type: 'Thing', key });
  const links = KEYS.map((key, i): GraphOperation => ({
    op: 'link',
    from: reference(key),
    edge: 'Knows',
    to: reference(KEYS[(i + 1) % KEYS.length]),
    timestamp: `2025-0${i + 1}-02T00:00:00.000Z`,
    ...(i === 0 ? {} : { fields: fieldsOf(i, 'E') }),
  }));
  return [
    ...things,
    ...others,
    ...links,
    { op: 'link', from: reference('plain'), edge: 'Knows', to: reference('plain'), timestamp: 0 },
    {
      op: 'link',
      from: { uid: UIDS[0] },
      edge: 'PartOf',
      to: reference('two words'),
      timestamp: 1_000,
      fields: { Share: 0.25 },
    },
    { op: 'link', from: { uid: UIDS[1] }, edge: 'PartOf', to: { uid: UIDS[0] }, timestamp: 2_000 },
    { op: 'link', from: { uid: UIDS[1] }, edge: 'Knows', to: { uid: UIDS[0] }, timestamp: 3_000 },
  ];
}
