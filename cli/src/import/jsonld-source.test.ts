import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import fc from 'fast-check';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scale, seed } from '../../../test/support/scale.ts';
import { InputFile } from './input-file.ts';
import { JSONLD_DEPTH_MAX, streamingDocuments } from './jsonld-documents.ts';
import { jsonldSource, quadOf, statementsIn } from './jsonld-source.ts';
import type { Quad } from './quads.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jsonld-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string | Buffer): InputFile {
  const path = join(folder, 'some.jsonld');
  writeFileSync(path, text);
  const output = { write: () => undefined };
  const { signal } = new AbortController();
  const stdin = Readable.from([]);
  return new InputFile(path, { stdin, stdout: output, stderr: output, env: {}, signal });
}

async function read(text: string | Buffer) {
  const source = jsonldSource(fileOf(text), 'Resource');
  const items = (await Array.fromAsync(source.items())).flat();
  return {
    schema: source.takeSchema(),
    operations: items.flatMap((item) => (item.problem === undefined ? [item.operation] : [])),
    problems: items.flatMap((item) =>
      item.problem === undefined ? [] : [`${source.locate(item.place)}: ${item.problem}`],
    ),
  };
}

const node = (key: string) => ({ type: 'Resource', key });

/** What a processor that fetches contexts would ask for. */
const FAR = 'FAR';
const ELSEWHERE = [
  ['alone', `{"@context":"${FAR}","a":1}`],
  ['in a list', `{"@context":[{"a":"http://x/a"},"${FAR}"],"a":1}`],
  ['in a node', `{"@context":{"a":"http://x/a"},"a":{"@context":"${FAR}","b":1}}`],
  ['of a term', `{"@context":{"a":{"@id":"http://x/a","@context":"${FAR}"}},"a":{"b":1}}`],
  ['imported', `{"@context":{"@version":1.1,"@import":"${FAR}"},"a":1}`],
] as const;

describe('JSON-LD of others', () => {
  it('becomes nodes of one type, fields and edges, wherever its context stands', async () => {
    const { schema, operations, problems } = await read(
      JSON.stringify({
        '@id': 'ex:ann',
        name: { en: 'Ann' },
        age: 41,
        tag: ['a', 'b'],
        knows: { '@id': 'ex:bob', age: 40 },
        '@context': {
          ex: 'http://x/',
          age: 'ex:age',
          tag: { '@id': 'ex:tag', '@container': '@set' },
          name: { '@id': 'ex:name', '@container': '@language' },
          knows: { '@id': 'ex:knows', '@type': '@id' },
        },
      }),
    );
    expect(problems).toEqual([]);
    expect(schema?.edges).toEqual([{ type: 'knows' }]);
    expect(schema?.nodes).toMatchObject([
      { type: 'Resource', key: 'Iri', fields: { name_en: 'String', age: 'Long', tag: 'String[]' } },
    ]);
    const [ann, bob] = [node('http://x/ann'), node('http://x/bob')];
    expect(operations).toContainEqual({ op: 'link', from: ann, edge: 'knows', to: bob });
    expect(operations).toContainEqual(
      expect.objectContaining({ op: 'addOrUpdate', ...ann, fields: expect.any(Object) }),
    );
  });

  it.each([
    ['JSON that breaks off', '{"@id":"http://x/a","http://x/p":"1"', 'some.jsonld'],
    ['what is no JSON', 'hello', 'some.jsonld'],
  ])('that is wrong is told of: %s', async (_what, text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  it('has its numbers as they are written', async () => {
    const { operations } = await read(
      '{"@id":"http://x/a","http://x/n":[1.0,12345678901234567890,1e2]}',
    );
    expect(operations).toMatchObject([{ fields: { n: ['1', '12345678901234567890', '100'] } }]);
  });

  it.each([
    ['lists', '['.repeat(200_000)],
    ['lists that end', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['objects', `${'{"http://x/p":'.repeat(JSONLD_DEPTH_MAX)}{}${'}'.repeat(JSONLD_DEPTH_MAX)}`],
    ['what is no UTF-8', Buffer.from('"\xff"', 'latin1')],
  ])('that is hostile is refused: %s', async (_what, text) => {
    await expect(read(text)).rejects.toThrow(/not valid|more than 64 deep/);
  });

  it.each(ELSEWHERE)('is refused with a context that is elsewhere, %s', async (_where, text) => {
    let connections = 0;
    await using far = createServer(() => connections++).listen(0, '127.0.0.1');
    await once(far, 'listening');
    const { port } = far.address() as AddressInfo;
    const asked = read(text.replace(FAR, `http://127.0.0.1:${port}/context`));
    await expect(asked).rejects.toThrow('is not fetched');
    expect(connections).toBe(0);
  });

  it('tells how much of it was parsed, though it is read as a whole first', async () => {
    const nodes = Array.from(
      { length: 20_000 },
      (_, i) => `{"@id":"http://x/${i}","http://x/p":"x"}`,
    );
    const source = jsonldSource(fileOf(`[${nodes.join()}]`), 'Resource');
    const shares: number[] = [];
    for await (const _ of source.items()) {
      const { done, total } = source.progress();
      shares.push(done / (total ?? 0));
    }
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeLessThan(0.2);
    expect(shares[Math.floor(shares.length / 2)]).toBeGreaterThan(0.3);
    expect(shares[Math.floor(shares.length / 2)]).toBeLessThan(0.8);
    expect(shares.at(-1)).toBe(1);
  });

  it('is not held in memory beyond a bound', async () => {
    const long = `{"@id":"http://x/a","http://x/p":"${'x'.repeat(65 * 1024 * 1024)}"}`;
    await expect(read(long)).rejects.toThrow('make N-Quads of it');
  });
});

describe('an export', () => {
  const lines = (count: number) => [
    '[',
    '{"@id":"urn:trellis:graph"},',
    ...Array.from({ length: count }, (_, i) => `{"@id":"urn:trellis:node:T:${i}","urn:x":"x"},`),
    '{"@id":"urn:trellis:node:T:last","urn:x":"x"}',
    ']',
  ];

  it('is never in memory as a whole', async () => {
    const text = lines(100_000).join('\n');
    const sizes: number[] = [];
    for await (const { text: part } of streamingDocuments(fileOf(text))) sizes.push(part.length);
    expect(Math.max(...sizes)).toBeLessThan(text.length / 10);
    expect(sizes.reduce((all, size) => all + size)).toBeGreaterThan(text.length * 0.9);
  });

  it.each([
    ['breaks off', (all: string[]) => all.slice(0, -1), 'the export breaks off'],
    ['goes on', (all: string[]) => [...all, '{}'], 'line 6: an export has one object'],
    ['has lines of others', (all: string[]) => all.with(2, '{"@id":'), 'line 3: an export has one'],
    ['has a wrong line', (all: string[]) => all.with(2, '{"@id"}'), 'Unexpected RIGHT_BRACE'],
  ])('that %s is refused', async (_what, change, reason) => {
    await expect(read(change(lines(1)).join('\n'))).rejects.toThrow(reason);
  });
});

describe('many items', () => {
  const context = '"@context":{"ex":"http://x/","type":"@type","name":"ex:name"}';
  const itemsOf = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `{"name":"Item ${i}","@id":"ex:${i}","type":"ex:Item"}`,
    );
  it.each([
    // If each were looked at for each other one, minutes would not do.
    ['in the graph of a context', 30_000, (all: string) => `{${context},"@graph":[${all}]}`],
    ['before it', 6_000, (all: string) => `{"@graph":[${all}],${context}}`],
    ['in a list', 6_000, (all: string) => `[${all.replaceAll('{', `{${context},`)}]`],
    ['of one node', 6_000, (all: string) => `{${context},"@id":"ex:all","ex:has":[${all}]}`],
  ])('are read one after the other, %s', async (_where, count, documentOf) => {
    const names: string[] = [];
    for await (const { predicate, object } of statementsIn(
      fileOf(documentOf(itemsOf(count).join())),
    )) {
      if (predicate.value === 'http://x/name') names.push(object.value);
    }
    expect(names).toHaveLength(count);
    expect([names[0], names.at(-1)]).toEqual(['Item 0', `Item ${count - 1}`]);
  });
});

/** Every term but `p` has something to it; keywords have other names, and names of names. */
const CONTEXT = `"@context":{"@version":1.1,"@vocab":"http://v/","ex":"http://x/","type":"@type",
"kind":"type","id":"@id","knows":{"@id":"ex:knows","@type":"@id"},
"tags":{"@id":"ex:tags","@container":"@set"},"order":{"@id":"ex:order","@container":"@list"},
"title":{"@id":"ex:title","@container":"@language"},"data":{"@id":"ex:data","@type":"@json"},
"back":{"@reverse":"ex:back"},"byId":{"@id":"ex:byId","@container":"@id"},
"inner":{"@id":"ex:inner","@context":{"p":"http://inner/p","is":"@id"}},
"Scoped":{"@id":"ex:Scoped","@context":{"p":"http://scoped/p"}}}`;

/** Objects as text, so that their keys stand in any order. */
const anyNode = fc.letrec<{ node: string; member: readonly [string, string] }>((tie) => {
  const quoted = (...texts: readonly string[]) =>
    fc.constantFrom(...texts.map((text) => JSON.stringify(text)));
  const one = tie('node');
  const list = fc.array(one, { maxLength: 3 }).map((nodes) => `[${nodes.join()}]`);
  const member = (keys: readonly string[], value: fc.Arbitrary<string>) =>
    fc.tuple(fc.constantFrom(...keys), value);
  return {
    member: fc.oneof(
      { depthSize: 'small' },
      member(['@id', 'id', 'is'], quoted('ex:a', 'ex:b', '_:c')),
      member(['@type', 'type', 'kind'], quoted('ex:T', 'Scoped', 'Other')),
      member(['p', 'q', '2024'], fc.oneof(quoted('x', 'y'), fc.constantFrom('1', '2.5', 'true'))),
      member(['title'], fc.constantFrom('{"en":"Dog","de":"Hund"}')),
      member(['data'], fc.constantFrom('{"type":1,"@id":[2],"a":null}')),
      member(['@context'], fc.constantFrom('{"p":"http://own/p"}', '{"ex":"http://own/"}')),
      member(['back'], list),
      member(['knows'], fc.oneof(quoted('ex:a', 'ex:b'), one)),
      member(['tags', 'order', 'many'], list),
      member(['inner', 'one'], one),
      member(['byId'], fc.constantFrom('{"ex:k":{"q":"x"}}', '{"ex:k":{"kind":"ex:T","p":1}}')),
    ),
    node: fc
      .uniqueArray(tie('member'), {
        maxLength: 5,
        selector: ([key]) => key.replace(/^(?:@id|is)$/, 'id').replace(/^(?:@type|kind)$/, 'type'),
      })
      // The library takes two nodes without anything for one.
      .map((members) => [...members, ['z', '1']].map(([key, value]) => `"${key}":${value}`))
      .map((members) => `{${members.join()}}`),
  };
}).node;

/** The same for statements that differ only in the names of blank nodes, for all that is likely. */
function shapeOf(quads: readonly Quad[]): string[] {
  let names = new Map<string, string>();
  const textOf = ({ subject, predicate, object, graph }: Quad, self?: string): string =>
    [subject, predicate, object, graph]
      .map((term) => {
        if (term?.kind !== 'blank') return JSON.stringify(term);
        return term.value === self ? 'SELF' : `blank ${names.get(term.value)}`;
      })
      .join(' ');
  const blanks = quads
    .flatMap(({ subject, object, graph }) => [subject, object, graph])
    .flatMap((term) => (term?.kind === 'blank' ? [term.value] : []));
  for (let i = 0; i < 4; i++) {
    names = new Map(
      [...new Set(blanks)].map((blank) => {
        const own = quads.map((quad) => textOf(quad, blank)).filter((text) => /SELF/.test(text));
        const name = createHash('sha256').update(own.toSorted().join('\n')).digest('hex');
        return [blank, name];
      }),
    );
  }
  return quads.map((quad) => textOf(quad)).toSorted();
}

/** As the library reads it that expects keys in any order. */
async function readByLibrary(text: string): Promise<Quad[]> {
  const parser = new JsonLdParser();
  pipeline(Readable.from([text], { objectMode: false }), parser, () => {});
  return (await Array.fromAsync(parser)).map(quadOf);
}

it('says what the library says of it that takes more and more time', async () => {
  const shape = (quads: Promise<Quad[]>) => quads.then(shapeOf, () => 'refused');
  let statements = 0;
  const run = fc.asyncProperty(
    fc.array(anyNode, { maxLength: 4 }),
    fc.nat(2),
    async (nodes, how) => {
      const list = `[${nodes.join()}]`;
      // Of more than ten types it does not remember which it has said.
      if ((list.match(/"(?:@type|type|kind)":/g)?.length ?? 0) > 8) return;
      const text = [
        `{${CONTEXT},"@graph":${list}}`,
        `{"@graph":${list},"id":"ex:graph","p":1,${CONTEXT}}`,
        `[{"many":${list},${CONTEXT},"type":"Scoped","p":"x"}]`,
      ][how] as string;
      const expected = await shape(readByLibrary(text));
      // So it refuses some contexts that stand within what they are for.
      if (expected === 'refused') return;
      expect(await shape(Array.fromAsync(statementsIn(fileOf(text)))), text).toEqual(expected);
      statements += expected.length;
    },
  );
  await fc.assert(run, { seed: seed(), numRuns: scale({ sample: 300, soak: 2_000 }) });
  expect(statements).toBeGreaterThan(300);
});
