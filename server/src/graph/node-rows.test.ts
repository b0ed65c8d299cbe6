import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { DOWNLOAD_COLUMNS } from '@trellis/contract/shapes/node.ts';
import { NodeRows } from './node-rows.ts';
import { edgeValues } from './testing/edge-values.ts';
import { openTestGraph, type TestGraph } from './testing/test-graph.ts';

const SCALAR_FIELDS = SCALAR_TYPES.map((scalar) => [`A${scalar}`, scalar] as const);
const LIST_FIELDS = SCALAR_TYPES.map((scalar) => [`L${scalar}`, `${scalar}[]`] as const);
const FIELDS = Object.fromEntries([...SCALAR_FIELDS, ...LIST_FIELDS]);
const COLUMNS = ['Id', ...Object.keys(FIELDS), 'Name', 'Missing'];
const NUMBERS = new Set(['Int', 'Long', 'Float', 'Double', 'Decimal']);
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const LINK = 'https://x.example/a,"b"/#/node/';

let graph: TestGraph;
beforeAll(async () => {
  graph = await openTestGraph();
  await graph.addSchema({ nodes: [{ type: 'T', key: 'Name', fields: FIELDS }], edges: [] });
});
afterAll(() => graph[Symbol.asyncDispose]());

const hostileText = fc.string({
  unit: fc.constantFrom(
    'a',
    ',',
    '"',
    '\r',
    '\n',
    "'",
    '\\',
    '\0',
    '\u2028',
    'é',
    '=',
    '＝',
    '-',
    '\u{1f600}',
  ),
});
const key = fc.oneof(hostileText, fc.string({ unit: 'grapheme' })).filter((text) => text !== '');
const fieldValues = fc.record(
  Object.fromEntries([
    ...SCALAR_TYPES.map((scalar) => [`A${scalar}`, valueOf(scalar)]),
    ...SCALAR_TYPES.map((scalar) => [`L${scalar}`, fc.array(valueOf(scalar), { maxLength: 3 })]),
  ]),
  { requiredKeys: [] },
);

function valueOf(scalar: (typeof SCALAR_TYPES)[number]): fc.Arbitrary<unknown> {
  return scalar === 'String' ? fc.oneof(hostileText, edgeValues.String) : edgeValues[scalar];
}

function rowsOf(form: 'csv' | 'jsonl', id: number, reads?: (field: string) => boolean): string {
  const rows = new NodeRows({ form, linkPrefix: LINK, fields: COLUMNS });
  expect(graph.reader.writeRow(id, rows, 7, reads)).toBe(true);
  return Buffer.from(rows.take()).toString();
}

/** What spreadsheets are to show of a value. */
function cellOf(value: unknown, type: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' && type !== 'Json' ? value : JSON.stringify(value);
  return !NUMBERS.has(type) && FORMULA.test(text) ? `'${text}` : text;
}

async function written(name: string, fields: Record<string, unknown>): Promise<number> {
  await graph.write({ op: 'addOrUpdate', type: 'T', key: name, fields });
  graph.reader.refresh();
  return graph.idOf('T', name);
}

describe('the row of a node', () => {
  it('says what the node says, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(key, fieldValues, async (name, fields) => {
        const id = await written(name.toWellFormed(), fields);
        const node = graph.reader.node(id) ?? expect.fail('the node is there');
        const head = { Link: LINK + node.UID, UID: node.UID, Type: 'T', EdgeCount: 7 };
        const { Timestamp } = node;
        const shown = Object.fromEntries(
          COLUMNS.filter((field) => node[field] !== undefined).map((field) => [field, node[field]]),
        );
        expect(rowsOf('jsonl', id)).toBe(`${JSON.stringify({ ...head, Timestamp, ...shown })}\n`);
        const [headings, row] = parse(rowsOf('csv', id), { record_delimiter: '\r\n' });
        expect(headings).toEqual([...DOWNLOAD_COLUMNS, ...COLUMNS]);
        expect(row).toEqual([
          ...Object.values(head).map(String),
          Timestamp,
          ...COLUMNS.map((field) => cellOf(node[field], FIELDS[field] ?? 'String')),
        ]);
      }),
    );
  });

  it('has nothing of what may not be read', async () => {
    const id = await written('seen', { AString: 'secret', AInt: 5 });
    const reads = (field: string): boolean => field !== 'AString' && field !== 'Id';
    const line = JSON.parse(rowsOf('jsonl', id, reads));
    expect(line).toMatchObject({ AInt: 5, Name: 'seen' });
    expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['AString']));
    expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['Id']));
    expect(rowsOf('csv', id, reads)).not.toContain('secret');
  });

  it('reads a field as what it was widened to', async () => {
    const id = await written('wide', { AInt: -5, AFloat: 9.99 });
    const wider = { AInt: 'Decimal', AFloat: 'Double[]' } as const;
    await graph.addSchema({ nodes: [{ type: 'T', key: 'Name', fields: wider }], edges: [] });
    graph.reader.refresh();
    expect(JSON.parse(rowsOf('jsonl', id))).toMatchObject({
      AInt: '-5',
      AFloat: [Math.fround(9.99)],
    });
    const [, row] = parse(rowsOf('csv', id), { record_delimiter: '\r\n' });
    expect(row?.[DOWNLOAD_COLUMNS.length + COLUMNS.indexOf('AInt')]).toBe('-5');
  });

  it('is not there without the node', () => {
    const rows = new NodeRows({ form: 'jsonl', linkPrefix: '', fields: [] });
    expect(graph.reader.writeRow(graph.reader.nextId + 1, rows, 0)).toBe(false);
    expect(rows.isEmpty).toBe(true);
  });
});
