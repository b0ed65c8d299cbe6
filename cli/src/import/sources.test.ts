import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../testing/command-line.ts';
import { csvSource } from './csv-source.ts';
import type { ImportSource } from './import-source.ts';
import { InputFile } from './input-file.ts';
import { jsonlSource, ndjsonSource } from './jsonl-source.ts';
import { type MappingOptions, RecordMapping } from './record-mapping.ts';

function input(content: string | Buffer, name = 'data'): InputFile {
  const path = join(scratchFolder(), name);
  writeFileSync(path, content);
  return new InputFile(path, terminalWith(Readable.from([])));
}

function terminalWith(stdin: Readable) {
  const output = { write: () => undefined };
  const { signal } = new AbortController();
  return { stdin, stdout: output, stderr: output, env: {}, signal };
}

/** Operations, and problems as `place: problem`. */
async function read(source: ImportSource): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const items of source.items()) {
    for (const item of items) {
      const place = source.locate(item.place);
      found.push(item.problem === undefined ? item.operation : `${place}: ${item.problem}`);
    }
  }
  return found;
}

const options = { type: 'Person', key: 'Email', listSeparator: ';' };
const nothing = { nodes: [], edges: [] };

function csv(content: string | Buffer, more: Partial<MappingOptions> = {}, known = nothing) {
  const mapping = new RecordMapping({ ...options, ...more });
  return csvSource(input(content), mapping, { known, createSchema: true, delimiter: ',' });
}

function jsonl(content: string, more: Partial<MappingOptions> = {}, known = nothing) {
  const mapping = new RecordMapping({ ...options, ...more });
  return jsonlSource(input(content), mapping, { known, createSchema: true });
}

describe('NDJSON', () => {
  const lines = ['{"op":"delete","uid":"a"}', '{"op":"tryAdd","type":"T","key":"ä"}'];

  it('gives the lines as they are', async () => {
    const source = ndjsonSource(input(`\uFEFF${lines[0]}\r\n\n${lines[1]}`));
    expect(await read(source)).toEqual(lines.map((line) => JSON.parse(line)));
    expect(source.progress()).toEqual({ done: 68, total: 68 });
  });

  it('names the line and what is wrong with it, and reads on', async () => {
    const source = ndjsonSource(
      input('{"op":"delete"}\n\n{"op"\n{"op":"erase"}\n{"op":"link","from":1,"edge":"e","to":2}\n'),
    );
    const found = await read(source);
    expect(found).toHaveLength(4);
    expect(found[1]).toMatch(/^data:3: not valid JSON/);
    expect(found[2]).toMatch(/^data:4: op: /);
    expect(found[3]).toMatch(/^data:5: from: /);
  });

  it('is the same gzipped, and from standard input', async () => {
    const gzipped = ndjsonSource(input(gzipSync(lines.join('\n'))));
    expect(await read(gzipped)).toHaveLength(2);
    const bytes = Buffer.from(lines.join('\n'));
    const piped = Readable.from([
      bytes.subarray(0, 60),
      bytes.subarray(60, 62),
      bytes.subarray(62),
    ]);
    const stdin = ndjsonSource(new InputFile('-', terminalWith(piped)));
    expect(await read(stdin)).toEqual(lines.map((line) => JSON.parse(line)));
    expect(stdin).toMatchObject({ name: 'standard input', identity: undefined });
    expect(stdin.progress().total).toBeUndefined();
  });

  it('tells what cannot be read', async () => {
    const cut = gzipSync(lines.join('\n')).subarray(0, 30);
    await expect(read(ndjsonSource(input(cut)))).rejects.toThrow('data cannot be decompressed');
    const latin1 = Buffer.from('{"op":"delete","uid":"a"}\n{"op":"delete","uid":"\xE4"}', 'latin1');
    await expect(read(ndjsonSource(input(latin1)))).rejects.toThrow(/data:\d+: not valid UTF-8/);
    expect(() => new InputFile('/no/such/file', terminalWith(Readable.from([])))).toThrow('ENOENT');
  });

  it('counts lines however the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('{"op":"delete","uid":"ü"}', '', 'x'), { maxLength: 20 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        async (content, lineEnd, size) => {
          const bytes = Buffer.from(content.join(lineEnd));
          const chunks: Buffer[] = [];
          for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
          const source = ndjsonSource(new InputFile('-', terminalWith(Readable.from(chunks))));
          const places: number[] = [];
          for await (const items of source.items()) places.push(...items.map(({ place }) => place));
          const expected = content.flatMap((line, i) => (line === '' ? [] : [i + 1]));
          expect(places).toEqual(expected);
        },
      ),
    );
  });

  it('is known by its content', () => {
    const [a, b] = [input('1'), input('2')];
    expect(a.identity).not.toBe(b.identity);
  });
});

describe('CSV', () => {
  it('makes a node of each row, by headings', async () => {
    const source = csv('\uFEFFEmail,First name,Age\na@x,"Ann ""A"", Dr.",42\nb@x,,\n', {
      types: 'Age:Int',
    });
    expect(await read(source)).toEqual([
      {
        op: 'addOrUpdate',
        type: 'Person',
        key: 'a@x',
        fields: { FirstName: 'Ann "A", Dr.', Age: 42 },
      },
      { op: 'addOrUpdate', type: 'Person', key: 'b@x', fields: { FirstName: null, Age: null } },
    ]);
    expect(source.takeSchema()).toEqual({
      nodes: [{ type: 'Person', key: 'Email', fields: { FirstName: 'String', Age: 'Int' } }],
      edges: [],
    });
    expect(source.takeSchema()).toBeUndefined();
  });

  it('links, to nodes that may not be there yet', async () => {
    const link = ['Boss:ReportsTo:Person', 'Tags:HasTag:Tag[]'];
    const source = csv('Email,Boss,Tags\na@x,b@x,red; blue\nb@x,,\n', { link });
    const a = { type: 'Person', key: 'a@x' };
    const targets = [
      ['ReportsTo', { type: 'Person', key: 'b@x' }],
      ['HasTag', { type: 'Tag', key: 'red' }],
      ['HasTag', { type: 'Tag', key: 'blue' }],
    ] as const;
    expect(await read(source)).toEqual([
      { op: 'addOrUpdate', ...a, fields: {} },
      ...targets.flatMap(([edge, to]) => [
        { op: 'tryAdd', ...to },
        { op: 'link', from: a, edge, to },
      ]),
      { op: 'addOrUpdate', type: 'Person', key: 'b@x', fields: {} },
    ]);
    expect(source.takeSchema()).toEqual({
      nodes: [
        { type: 'Person', key: 'Email', fields: {} },
        { type: 'Tag', fields: {} },
      ],
      edges: [{ type: 'ReportsTo' }, { type: 'HasTag' }],
    });
  });

  it('takes the types that the server has, and their key', async () => {
    const known = {
      nodes: [{ type: 'Person', fields: { Age: 'Int' as const, Born: 'Time' as const } }],
      edges: [],
    };
    const source = csv('Email,Age,Nick\na@x,42,Al\n', {}, known as never);
    expect(await read(source)).toMatchObject([{ fields: { Age: 42, Nick: 'Al' } }]);
    expect(source.takeSchema()?.nodes).toEqual([
      { type: 'Person', fields: { Age: 'Int', Born: 'Time', Nick: 'String' } },
    ]);
  });

  it('names the line of what is wrong, and reads on', async () => {
    const source = csv('Email,Age\na@x,x\n,1\nb@x\n"c\n@x",3\nd@x,4,5\n', { types: 'Age:Int' });
    expect(await read(source)).toEqual([
      'data:2: Age: "x" is not of the type Int',
      'data:3: Email: "" is no key',
      'data:4: 1 cells, but there are 2 columns',
      { op: 'addOrUpdate', type: 'Person', key: 'c\n@x', fields: { Age: 3 } },
      'data:7: 3 cells, but there are 2 columns',
    ]);
  });

  it.each([
    ['a column that is not there', 'Mail,Age\n', {}, 'has no column "Email"'],
    ['a link column that is not there', 'Email\n', { link: ['X:e:T'] }, 'has no column "X"'],
    ['a reserved name', 'Email,Type\n', {}, 'every node has its own Type'],
    ['Id beside another key', 'Email,Id\n', {}, 'every node shows its key as Id'],
    ['a name that is none', 'Email,-\n', {}, 'cannot be a field named ""'],
    ['two columns for one field', 'Email,a b,aB\n', {}, 'two columns for the field "aB"'],
  ])('refuses %s', async (_, content, more, message) => {
    await expect(read(csv(`${content}a@x,1,2\n`, more))).rejects.toThrow(message);
  });

  it.each([
    ['a column of that name', 'Id,Name\n7,Ann\n', { key: 'Id' }],
    ['a column renamed to it', 'Number,Name\n7,Ann\n', { key: 'Number', rename: 'Number:Id' }],
  ])('declares the key as Id, from %s', async (_, content, more) => {
    const source = csv(content, more);
    expect(await read(source)).toEqual([
      { op: 'addOrUpdate', type: 'Person', key: '7', fields: { Name: 'Ann' } },
    ]);
    expect(source.takeSchema()).toEqual({
      nodes: [{ type: 'Person', key: 'Id', fields: { Name: 'String' } }],
      edges: [],
    });
  });

  it('renames, and takes the time of nodes from a column', async () => {
    const source = csv('Email,Type,Seen\na@x,VIP,2024-01-02\n', {
      rename: 'Type:Kind',
      timestamp: 'Seen',
    });
    const timestamp = Date.UTC(2024, 0, 2);
    expect(await read(source)).toEqual([
      {
        op: 'addOrUpdate',
        type: 'Person',
        key: 'a@x',
        fields: { Kind: 'VIP' },
        timestamp: new Date(timestamp).toISOString(),
      },
    ]);
  });

  it('tells where quotation marks do not match', async () => {
    await expect(read(csv('Email,Age\na@x,"1"2\n'))).rejects.toThrow(
      /^data:2: there is something after the quote/,
    );
  });
});

describe('JSON lines', () => {
  it('makes a node of each object, its values as they are', async () => {
    const source = jsonl('{"Email":"a@x","Age":42,"Tags":["x"],"Boss":"b@x"}\n{"Email":7}\n', {
      link: ['Boss:ReportsTo:Person'],
    });
    expect(await read(source)).toEqual([
      { op: 'addOrUpdate', type: 'Person', key: 'a@x', fields: { Age: 42, Tags: ['x'] } },
      { op: 'tryAdd', type: 'Person', key: 'b@x' },
      {
        op: 'link',
        from: { type: 'Person', key: 'a@x' },
        edge: 'ReportsTo',
        to: { type: 'Person', key: 'b@x' },
      },
      { op: 'addOrUpdate', type: 'Person', key: '7', fields: {} },
    ]);
  });

  it('finds the types of fields from their values', async () => {
    const objects = [
      { Email: 'a', a: 1, b: 1, c: 2 ** 40, d: 'x', e: true, f: [1], g: { x: 1 }, h: null, i: [] },
      { Email: 'b', a: 2, b: 1.5, c: 1, d: 'y', e: false, f: [2.5], g: 1, h: null, i: [[1]] },
    ];
    const source = jsonl(objects.map((object) => JSON.stringify(object)).join('\n'));
    const [first] = await read(source);
    expect(Object.keys((first as { fields: object }).fields)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
    ]);
    expect(source.takeSchema()?.nodes[0]?.fields).toEqual({
      a: 'Int',
      b: 'Double',
      c: 'Long',
      d: 'String',
      e: 'Bool',
      f: 'Double[]',
      g: 'Json',
      i: 'Json',
    });
  });

  it('asks for more only when more is needed', async () => {
    const source = jsonl('{"Email":"a","x":1}\n');
    await read(source);
    expect(source.takeSchema()).toBeDefined();
    expect(source.takeSchema()).toBeUndefined();
  });

  it('names the line of what is wrong', async () => {
    expect(await read(jsonl('[1]\n{"Email":\n{"x":1}\n'))).toEqual([
      'data:1: not a JSON object',
      expect.stringMatching(/^data:2: not valid JSON/),
      'data:3: Email: missing is no key',
    ]);
  });
});

describe('options', () => {
  it.each([
    [{ link: ['Boss'] }, '--link "Boss" is not COLUMN:EDGE:TYPE'],
    [{ types: 'Age' }, '--types: "Age" is not COLUMN:VALUE'],
    [{ types: 'Age:Integer' }, '--types: "Integer" is not a field type'],
    [{ rename: 'a:b,c' }, '--rename: "c" is not COLUMN:VALUE'],
  ])('%j are refused', (more, message) => {
    expect(() => new RecordMapping({ ...options, ...more })).toThrow(message);
  });
});
