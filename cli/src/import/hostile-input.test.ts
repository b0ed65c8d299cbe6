import { Readable } from 'node:stream';
import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { describe, expect, it } from 'vitest';
import { CSV_ROW_CHARACTERS_MAX } from './csv-rows.ts';
import { csvSource } from './csv-source.ts';
import type { ImportSource } from './import-source.ts';
import { InputFile } from './input-file.ts';
import { jsonlSource, ndjsonSource } from './jsonl-source.ts';
import { RecordMapping } from './record-mapping.ts';

const known = { nodes: [], edges: [] };
const mapping = new RecordMapping({ type: 'Person', key: 'Email', listSeparator: ';' });

function input(chunks: Iterable<Buffer>): InputFile {
  const output = { write: () => undefined };
  const { signal } = new AbortController();
  const stdin = Readable.from(chunks);
  return new InputFile('-', { stdin, stdout: output, stderr: output, env: {}, signal });
}

function csv(chunks: Iterable<Buffer>, delimiter = ','): ImportSource {
  return csvSource(input(chunks), mapping, { known, createSchema: true, delimiter });
}

async function readAll(source: ImportSource): Promise<void> {
  for await (const _items of source.items());
}

/** A text whose last line never ends. */
function* endless(first: string, part: string): Generator<Buffer, void, undefined> {
  yield Buffer.from(first);
  for (;;) yield Buffer.from(part.repeat(100_000));
}

describe('what never ends is given up', () => {
  const ways: [string, string, (chunks: Iterable<Buffer>) => ImportSource, number][] = [
    ['a quoted cell', 'Email,Name\na@x,"', csv, CSV_ROW_CHARACTERS_MAX],
    ['a row', 'Email,Name\na@x,', csv, CSV_ROW_CHARACTERS_MAX],
    ['an operation', '{}\n{"op":"', (chunks) => ndjsonSource(input(chunks)), NDJSON_LINE_BYTES_MAX],
    [
      'an object',
      '{}\n{"Email":"',
      (chunks) => jsonlSource(input(chunks), mapping, { known, createSchema: true }),
      NDJSON_LINE_BYTES_MAX,
    ],
  ];

  it.each(ways)('%s, with its line, after what it may have', async (_what, first, open, most) => {
    const part = 'xy';
    const source = open(endless(first, part));
    await expect(readAll(source)).rejects.toThrow(/^standard input:2: a (row|line) of more than/);
    // A stream reads some chunks ahead.
    expect(source.progress().done).toBeLessThan(2 * most);
  });
});

describe('what is no text in UTF-8 is refused with its line', () => {
  it.each([
    ['Latin-1', Buffer.from('Email,Name\na@x,J\xF6rg\n', 'latin1'), /:\d: not valid UTF-8/],
    ['cut within a character', Buffer.from('Email\n\xc3', 'latin1'), /:2: not valid UTF-8/],
    ['UTF-16', Buffer.from('\uFEFFEmail,Name\n', 'utf16le'), /:1: not valid UTF-8/],
    ['UTF-16 without a mark', Buffer.from('Email\n', 'utf16le'), /:1: a character 0/],
    ['a NUL', Buffer.from('Email,Name\na@x,A\nb@x,\0\n'), /:3: a character 0/],
  ])('%s', async (_what, content, message) => {
    await expect(readAll(csv([content]))).rejects.toThrow(message);
  });
});

it.each(['', '"', '\n'])('%j is no delimiter', (delimiter) => {
  expect(() => csv([], delimiter)).toThrow('--delimiter');
});

it('shows some of the headings when there are others than there should be', async () => {
  const headings = Buffer.from(Array.from({ length: 9_000 }, (_, i) => `Column ${i}`).join(','));
  const refused: unknown = await readAll(csv([headings])).catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: 'standard input has no column "Email"' });
  expect(JSON.stringify(refused).length).toBeLessThan(5_000);
});
