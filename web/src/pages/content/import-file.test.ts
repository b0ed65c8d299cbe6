import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FileRow,
  formatOf,
  type ImportRow,
  previewRows,
  readRows,
  ROW_CHARACTERS_MAX,
} from './import-file.ts';

/** A file that is read in pieces of so many bytes. */
function fileOf(text: string, pieceBytes: number): File {
  const bytes = new TextEncoder().encode(text);
  const file = new File([bytes], 'file.csv');
  const stream = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          controller.enqueue(bytes.slice(at, at + pieceBytes));
        }
        controller.close();
      },
    });
  return Object.assign(file, { stream });
}

async function rowsOf(text: string, format: 'csv' | 'jsonl', pieceBytes = 7): Promise<ImportRow[]> {
  const rows = await readRowsOf(text, format, pieceBytes);
  return rows.map(({ row }) => row);
}

async function readRowsOf(text: string, format: 'csv' | 'jsonl', pieceBytes = 7) {
  const rows: FileRow[] = [];
  for await (const batch of readRows(fileOf(text, pieceBytes), format, 3)) rows.push(...batch.rows);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at + 1));
  return rows;
}

const cell = fc.string({
  unit: fc.constantFrom('a', 'ü', '"', ',', '\n', ' ', '0', '語'),
  maxLength: 6,
});

describe('the rows of a file', () => {
  it('are those of the CSV, wherever it is cut into pieces', async () => {
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (cells, pieceBytes) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = ['key,value', ...cells.map((row) => row.map(quoted).join(','))].join('\r\n');
        const expected = cells.map(([key, value]) => ({ key, value }));
        expect(await rowsOf(text, 'csv', pieceBytes)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['a quote that nobody closes', 'a,b\n1,"', 'x,\n'],
    ['a line without an end', 'a,b\n', 'x,'],
    ['a heading without an end', '"', 'x'],
  ])('end with %s once it is longer than a row may be', async (_what, first, part) => {
    const piece = new TextEncoder().encode(part.repeat(100_000));
    let pieces = 0;
    const stream = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
        pull(controller) {
          pieces++;
          controller.enqueue(piece);
        },
      });
    const file = Object.assign(new File([], 'file.csv'), { stream });
    await expect(readRows(file, 'csv', 10).next()).rejects.toThrow('is a quote not closed?');
    expect(pieces * piece.length).toBeLessThan(3 * ROW_CHARACTERS_MAX);
  });

  it.each([
    ['Latin-1', Uint8Array.from([0x61, 0x0a, 0xf6, 0x0a])],
    ['cut within a character', Uint8Array.from([0x61, 0x0a, 0xc3])],
    ['UTF-16', Uint8Array.from([0x61, 0, 0x0a, 0])],
  ])('are refused as no text: %s', async (_what, bytes) => {
    const file = new File([bytes], 'file.csv');
    await expect(previewRows(file, 'csv', 3)).rejects.toThrow('not text in UTF-8');
  });

  it('are found with whatever stands between the cells, without empty lines', async () => {
    expect(await rowsOf('\uFEFFkey;name\n1;a,b\n\n2;c,d\n', 'csv', 500)).toEqual([
      { key: '1', name: 'a,b' },
      { key: '2', name: 'c,d' },
    ]);
  });

  it('are objects, one a line', async () => {
    expect(await rowsOf('{"a":1}\n\n{"a":"ü","b":[1]}', 'jsonl')).toEqual([
      { a: 1 },
      { a: 'ü', b: [1] },
    ]);
  });

  it.each([
    ['csv', 'a,a\n1,2', 'Two columns are called “a”'],
    ['csv', 'a,\n1,2', 'Column 2 has no name in the first row'],
  ] as const)('of a bad file are refused (%s)', async (format, text, message) => {
    await expect(rowsOf(text, format, 500)).rejects.toThrow(message);
  });

  it.each([
    [
      'csv',
      'a,b\n1,2,3\n4,5',
      { a: '1', b: '2', 'Column 3': '3' },
      'Row 1 has 3 values, and there are 2 columns',
    ],
    ['jsonl', '[1]\n{"a":1}', { Line: '[1]' }, 'Row 1 is not a JSON object'],
    ['jsonl', '{"a":\n{"a":1}', { Line: '{"a":' }, 'Row 1 is not JSON'],
  ] as const)('that are wrong come with what is wrong (%s)', async (format, text, row, fault) => {
    const [first, second] = await readRowsOf(text, format, 500);
    expect(first).toEqual({ number: 1, row, fault });
    expect(second).toMatchObject({
      number: 2,
      row: expect.objectContaining({ a: expect.anything() }),
    });
    expect(second?.fault).toBeUndefined();
  });

  it('are read as far as a preview needs them', async () => {
    const text = ['key', ...Array.from({ length: 100 }, (_, at) => `k${at}`), '"open'].join('\n');
    expect(await previewRows(fileOf(text, 16), 'csv', 2)).toEqual([
      { number: 1, row: { key: 'k0' } },
      { number: 2, row: { key: 'k1' } },
    ]);
  });

  it('are taken for what the name of the file says', () => {
    expect(['a.csv', 'b.NDJSON', 'c.jsonl', 'd'].map(formatOf)).toEqual([
      'csv',
      'jsonl',
      'jsonl',
      'csv',
    ]);
  });
});
