import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InputFile } from './input-file.ts';
import { jsonldSource } from './jsonld-source.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jsonld-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(text: string) {
  const path = join(folder, 'some.jsonld');
  writeFileSync(path, text);
  const output = { write: () => undefined };
  const { signal } = new AbortController();
  const stdin = Readable.from([]);
  const terminal = { stdin, stdout: output, stderr: output, env: {}, signal };
  const source = jsonldSource(new InputFile(path, terminal), 'Resource');
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
const FAR = 'http://127.0.0.1:9/context';
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

  it.each(ELSEWHERE)('is refused with a context that is elsewhere, %s', async (_where, text) => {
    await expect(read(text)).rejects.toThrow('is not fetched');
  });

  it('is not held in memory beyond a bound', async () => {
    const long = `{"@id":"http://x/a","http://x/p":"${'x'.repeat(65 * 1024 * 1024)}"}`;
    await expect(read(long)).rejects.toThrow('make N-Quads of it');
  });
});
