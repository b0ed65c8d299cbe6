import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { SCHEMA_TYPES_MAX } from '@trellis/contract/limits.ts';
import { RDF } from '@trellis/contract/rdf-terms.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveHeapBytes } from '../../../test/support/live-heap.ts';
import { scale } from '../../../test/support/scale.ts';
import { ExportedQuads } from './exported-quads.ts';
import { InputFile } from './input-file.ts';
import { nquadsSource } from './nquads-source.ts';
import { OtherQuads } from './other-quads.ts';
import { parseQuad, type Term } from './quads.ts';
import { ToldSchema } from './told-schema.ts';

const FILE_BYTES = scale({ sample: 48, soak: 256 }) * 1024 * 1024;
/** A good part of it is what buffers take until they are swept. */
const HEAP_BYTES_MAX = 24 * 1024 * 1024;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nquads-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function sourceOf(text: string) {
  const path = join(folder, 'some.nq');
  writeFileSync(path, text);
  return sourceAt(path);
}

function sourceAt(path: string) {
  const output = { write: () => undefined };
  const { signal } = new AbortController();
  const stdin = Readable.from([]);
  const terminal = { stdin, stdout: output, stderr: output, env: {}, signal };
  return nquadsSource(new InputFile(path, terminal), 'Resource');
}

async function read(text: string) {
  const source = sourceOf(text);
  const items = (await Array.fromAsync(source.items())).flat();
  return {
    schema: source.takeSchema(),
    operations: items.flatMap((item) => (item.problem === undefined ? [item.operation] : [])),
    problems: items.flatMap((item) =>
      item.problem === undefined ? [] : [`${source.locate(item.place)}: ${item.problem}`],
    ),
  };
}

describe('a line', () => {
  it('has IRIs, blank nodes and literals, with escapes', () => {
    const line = String.raw`_:a.b <http://x/\u00e9> "a\"\\\n\U0001F600"@en-GB <http://g> . # said`;
    expect(parseQuad(line)).toEqual({
      subject: { kind: 'blank', value: 'a.b' },
      predicate: { kind: 'iri', value: 'http://x/é' },
      object: { kind: 'literal', value: 'a"\\\n😀', language: 'en-GB' },
      graph: { kind: 'iri', value: 'http://g' },
    });
    expect(parseQuad('<a><b>"1"^^<c>.')?.object).toEqual({
      kind: 'literal',
      value: '1',
      datatype: 'c',
    });
    expect([parseQuad(''), parseQuad('  # nothing')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['"a" <b> <c> .', 'the subject is a literal'],
    ['<a> _:b <c> .', 'the predicate is no IRI'],
    ['<a> <b> .', 'the object is missing, or not written as N-Quads have it'],
    ['<a> <b> <c>', 'the graph, or the dot at the end is missing'],
    ['<a> <b> <c> "g" .', 'the name of the graph is a literal'],
    ['<a> <b> <c> <g>', 'the dot at the end is missing'],
    ['<a> <b> <c> . <d> <e> <f> .', 'something stands after the dot'],
    ['<a> <b> "c .', 'a literal does not end'],
    ['<a <b> <c> .', 'an IRI has a character'],
    [String.raw`<a> <b> "\x" .`, 'stands for no character'],
    [String.raw`<a> <b> "\U00110000" .`, 'stands for no character'],
    [String.raw`<a> <b> "\u12" .`, 'stands for no character'],
    [String.raw`<a\n> <b> <c> .`, 'stands for no character'],
    ['<a> <b> "1"^^xsd:int .', 'the type of a literal is no IRI'],
    ['@prefix a: <b> .', 'the subject is missing'],
  ])('that is wrong is told of: %s', (line, reason) => {
    expect(() => parseQuad(line)).toThrow(reason);
  });

  it('is read in time in proportion to it', () => {
    const long = 'x\\\\'.repeat(2_000_000);
    expect(parseQuad(`<a> <b> "${long}" .`)?.object.value).toHaveLength(4_000_000);
    expect(() => parseQuad(`<a> <b> "${long}`)).toThrow('does not end');
    expect(() => parseQuad(`_:${'.'.repeat(1_000_000)} <b> <c> .`)).toThrow('the subject');
  });
});

describe('statements of others', () => {
  it('become nodes of one type with fields of the types that they have, and edges', async () => {
    const xsd = 'http://www.w3.org/2001/XMLSchema#';
    const { schema, operations, problems } = await read(`
<http://x/ann> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x/Person> .
<http://x/ann> <http://x/age> "41"^^<${xsd}integer> .
<http://x/ann> <http://x/name> "Ann" .
<http://x/ann> <http://other/name> "Annie" .
<http://x/ann> <http://x/name> "Anne"@fr .
<http://x/ann> <http://x/tag> "a" <http://x/graph> .
<http://x/ann> <http://x/tag> "b" .
<http://x/ann> <http://x/since> "2020-01-02T03:04:05Z"^^<${xsd}dateTime> .
<http://x/bob> <http://x/age> "old"^^<${xsd}integer> .
<http://x/bob> <http://x/knows> _:b0 .
`);
    expect(problems).toEqual([]);
    expect(schema).toEqual({
      nodes: [
        {
          type: 'Resource',
          key: 'Iri',
          fields: {
            age: 'String',
            name: 'String',
            name_2: 'String',
            name_fr: 'String',
            tag: 'String[]',
            since: 'Time',
          },
        },
      ],
      edges: [{ type: 'type' }, { type: 'knows' }],
    });
    const node = (key: string) => ({ type: 'Resource', key });
    expect(operations).toEqual([
      { op: 'tryAdd', ...node('http://x/ann') },
      { op: 'tryAdd', ...node('http://x/Person') },
      { op: 'link', from: node('http://x/ann'), edge: 'type', to: node('http://x/Person') },
      {
        op: 'addOrUpdate',
        ...node('http://x/ann'),
        fields: {
          age: '41',
          name: 'Ann',
          name_2: 'Annie',
          name_fr: 'Anne',
          tag: ['a', 'b'],
          since: '2020-01-02T03:04:05Z',
        },
      },
      { op: 'tryAdd', ...node('http://x/bob') },
      { op: 'tryAdd', ...node('_:b0') },
      { op: 'link', from: node('http://x/bob'), edge: 'knows', to: node('_:b0') },
      { op: 'addOrUpdate', ...node('http://x/bob'), fields: { age: 'old' } },
    ]);
  });

  it('that are wrong are told of with their line, and what to do', async () => {
    const { problems } = await read('<http://x/a> <http://x/p> "a" .\n<http://x/a> what .\n');
    expect(problems).toEqual([
      'some.nq:2: the object is missing, or not written as N-Quads have it'.replace(
        'object',
        'predicate',
      ),
    ]);
  });
});

describe('a hostile file', () => {
  const iri = (value: string): Term => ({ kind: 'iri', value });
  const literal: Term = { kind: 'literal', value: '' };
  const MANY = 3_000_000;

  it('of more kinds of edges than a schema has is given up', () => {
    const quads = new OtherQuads('Resource');
    const survey = (i: number): void => {
      quads.survey({ subject: iri('a'), predicate: iri(`http://${i}/p`), object: iri('b') });
    };
    for (let i = 0; i < SCHEMA_TYPES_MAX; i++) survey(i);
    expect(() => survey(SCHEMA_TYPES_MAX)).toThrow('more than 10000 predicates with nodes');
    expect(new Set(quads.schema().edges.map(({ type }) => type)).size).toBe(SCHEMA_TYPES_MAX);
  });

  it('that says nothing of one node again and again is given up', () => {
    const quads = new OtherQuads('Resource');
    const quad = { subject: iri('a'), predicate: iri('p'), object: literal };
    quads.survey(quad);
    const add = (): void => {
      for (let i = 0; i < MANY; i++) quads.add(quad);
    };
    expect(add).toThrow('too much is said of one node');
  });

  it('that gives a node of an export aliases without end is given up', () => {
    const quads = new ExportedQuads(new ToldSchema());
    const quad = {
      subject: iri(`${RDF.nodes}Note:a`),
      predicate: iri(RDF.alias),
      object: literal,
    };
    const add = (): void => {
      for (let i = 0; i < MANY; i++) quads.add(quad);
    };
    expect(add).toThrow('too much is said of one node');
  });

  it('of many statements is never in memory', async () => {
    const path = join(folder, 'many.nq');
    const file = openSync(path, 'w');
    const text = 'x'.repeat(100);
    let nodes = 0;
    for (let bytes = 0; bytes < FILE_BYTES;) {
      const part = Array.from({ length: 10_000 }, () => {
        const subject = `<http://x/${nodes++}>`;
        return `${subject} <http://x/text> "${text}" .\n${subject} <http://x/to> <http://x/0> .\n`;
      });
      bytes += writeSync(file, part.join(''));
    }
    closeSync(file);
    const source = sourceAt(path);
    const before = liveHeapBytes();
    let operations = 0;
    let groups = 0;
    for await (const items of source.items()) {
      operations += items.length;
      if (++groups % 40 === 0) expect(liveHeapBytes() - before).toBeLessThan(HEAP_BYTES_MAX);
    }
    expect(groups).toBeGreaterThan(40);
    // Two nodes and an edge of each statement of the second kind, and a node with its text.
    expect(operations).toBe(4 * nodes);
    expect(source.progress().done).toBe(source.progress().total);
  });
});

describe('an export that somebody has changed', () => {
  const HEAD = `<urn:trellis:graph> <urn:trellis:schema> ${JSON.stringify(
    JSON.stringify({ nodes: [{ type: 'Note', key: 'K', fields: { N: 'Int' } }], edges: [] }),
  )} .\n`;
  it.each([
    ['<urn:trellis:node:Note:a> <http://x/p> "1" .', 'is not a field of an export'],
    ['<http://x/a> <urn:trellis:field:N> "1" .', 'is not a node of an export'],
    ['<urn:trellis:node:Note:a> <urn:trellis:field:N> "one" .', '"one" is not of the type Int'],
    ['<urn:trellis:node:Note:%zz> <urn:trellis:field:N> "1" .', 'no key that is encoded'],
    ['<urn:trellis:node:Note:a> <urn:trellis:field:__proto__> "1" .', 'no field has this name'],
    ['<urn:trellis:graph> <urn:trellis:schema> "{}" .', 'no schema: nodes'],
    ['<urn:trellis:graph> <urn:trellis:schema> "{" .', 'JSON'],
  ])('is told of: %s', async (line, reason) => {
    const text = `${HEAD}${line}\n<urn:trellis:node:Note:z> <urn:trellis:field:N> "1" .\n`;
    await expect(
      read(text).then(({ problems }) => {
        if (problems.length > 0) throw new Error(problems.join());
      }),
    ).rejects.toThrow(reason);
  });
});
