import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import type { WriterOperation } from './operations.ts';
import { contentOf } from './testing/graph-content.ts';
import { CAT, DOG, openGraphOfWords, uidOf, word } from './testing/graph-of-words.ts';
import { problemOf } from './testing/test-graph.ts';
import type { TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openGraphOfWords();
});

afterAll(() => graph[Symbol.asyncDispose]());

describe('a commit', () => {
  const bad: [string, unknown, Record<string, unknown>][] = [
    ['no object', null, { path: '' }],
    ['a list', [], { path: '' }],
    ['an unknown operation', { op: 'explode' }, { path: 'op' }],
    ['an inherited name', { op: 'toString' }, { path: 'op' }],
    ['an unknown member', { op: 'delete', ...DOG, force: true }, { path: 'force' }],
    ['a number as key', { op: 'addOrUpdate', type: 'Word', key: 1 }, { path: 'key' }],
    ['fields in a list', { op: 'addOrUpdate', ...DOG, fields: [] }, { path: 'fields' }],
    ['a version that is none', { op: 'update', ...DOG, ifVersion: 1.5 }, { path: 'ifVersion' }],
    ['aliases that are no texts', { op: 'update', ...DOG, aliases: [1] }, { path: 'aliases' }],
    ['no edge', { op: 'link', from: DOG, to: CAT }, { path: 'edge' }],
    [
      'half a reference',
      { op: 'link', from: { type: 'Word' }, edge: 'Means', to: CAT },
      { path: 'from' },
    ],
    [
      'two references in one',
      { op: 'link', from: DOG, edge: 'Means', to: { ...CAT, uid: uidOf('Word', 'cat') } },
      { path: 'to' },
    ],
    ['no type', { op: 'addOrUpdate', key: 'x' }, { path: 'type' }],
    ['an unknown type', { op: 'addOrUpdate', type: 'Wrod', key: 'x' }, { path: 'type' }],
    ['an unknown field', word('x', { Rnak: 1 }), { path: 'fields.Rnak' }],
    [
      'a prototype as field',
      JSON.parse('{"op":"update","type":"Word","key":"dog","fields":{"__proto__":1}}'),
      { path: 'fields.__proto__' },
    ],
    ['a value that does not fit', word('x', { Rank: 'high' }), { path: 'fields.Rank' }],
    ['an item that does not fit', word('x', { Tags: ['a', 1] }), { path: 'fields.Tags[1]' }],
    ['two keys', word('x', { Lemma: 'y' }), { path: 'fields.Lemma' }],
    ['no key where there was one', word('dog', { Lemma: null }), { path: 'fields.Lemma' }],
    ['an empty key', word(''), { path: 'key' }],
    ['a key with half a character', word('\ud800'), { path: 'key' }],
    ['a bad time', { ...word('x'), timestamp: 'soon' }, { path: 'timestamp' }],
    ['an update without a node', { op: 'update', type: 'Word', key: 'x' }, { path: 'key' }],
    ['an update without a name', { op: 'update', type: 'Word' }, { path: 'key' }],
    ['a delete without a name', { op: 'delete', type: 'Word' }, { path: 'key' }],
    ['a UID that is none', { op: 'update', uid: 'dog' }, { path: 'uid' }],
    [
      'a UID of no node',
      { op: 'addOrUpdate', type: 'Word', uid: uidOf('Word', 'x') },
      { path: 'uid' },
    ],
    [
      'another type than the node has',
      { op: 'update', type: 'Note', uid: uidOf('Word', 'dog') },
      { path: 'type' },
    ],
    [
      'another key than the node has',
      { op: 'update', key: 'cat', uid: uidOf('Word', 'dog') },
      { path: 'key' },
    ],
    [
      'a link from nowhere',
      { op: 'link', from: { type: 'Word', key: 'x' }, edge: 'Means', to: DOG },
      { path: 'from' },
    ],
    [
      'a link to nowhere',
      { op: 'link', from: DOG, edge: 'Means', to: { type: 'Word', key: '\ud800' } },
      { path: 'to' },
    ],
    ['an unknown edge type', { op: 'link', from: DOG, edge: 'Menas', to: CAT }, { path: 'edge' }],
    [
      'an unknown inverse',
      { op: 'unlink', from: DOG, edge: 'Cites', to: CAT, inverse: 'X' },
      { path: 'inverse' },
    ],
    [
      'an unknown edge field',
      { op: 'link', from: DOG, edge: 'Means', to: CAT, fields: { W: 1 } },
      { path: 'fields.W' },
    ],
    [
      'an edge field that does not fit',
      { op: 'link', from: DOG, edge: 'Means', to: CAT, fields: { Weight: 'x' } },
      { path: 'fields.Weight' },
    ],
    [
      'an unknown type to keep',
      { op: 'unlinkExcept', from: DOG, edge: 'Means', keep: [CAT, { type: 'X', key: 'y' }] },
      { path: 'keep[1]' },
    ],
    [
      'a built-in type',
      { op: 'addOrUpdate', type: '_User', key: 'me', fields: { IsAdmin: true } },
      { path: 'type' },
    ],
    ['a built-in edge', { op: 'link', from: DOG, edge: '_AdminOf', to: CAT }, { path: 'edge' }],
    [
      'a built-in inverse',
      { op: 'link', from: DOG, edge: 'Means', to: CAT, inverse: '_Owns' },
      { path: 'inverse' },
    ],
  ];

  it.each(bad)('is refused as a whole because of %s', async (_, operation, details) => {
    const before = contentOf(graph.reader, graph.snapshot);
    const operations = [
      word('new'),
      { op: 'delete', type: 'Word', key: 'ant' },
      operation,
    ] as WriterOperation[];
    const problem = await problemOf(() => graph.writer.commit({ operations }));
    expect(problem).toMatchObject({ code: 'invalid_operation', details: { index: 2, ...details } });
    graph.reader.refresh();
    expect(contentOf(graph.reader, graph.snapshot)).toEqual(before);
    // What was cached while the commit was built is dropped too.
    await graph.write({ op: 'link', from: DOG, edge: 'Means', to: CAT });
    const toNew = {
      op: 'link',
      from: DOG,
      edge: 'Means',
      to: { type: 'Word', key: 'new' },
    } as const;
    expect(await problemOf(() => graph.write(toNew))).toMatchObject({ details: { path: 'to' } });
  });

  it('repeats only the beginning of what is very long', async () => {
    const long = 'x'.repeat(100_000);
    for (const operation of [
      { op: 'link', from: { type: 'Word', key: long }, edge: 'Means', to: CAT },
      { op: 'addOrUpdate', type: long, key: 'x' },
      word('x', { [long]: 1 }),
      { op: 'delete', [long]: 1 },
    ]) {
      const operations = [operation] as WriterOperation[];
      const error = await graph.writer.commit({ operations }).catch((refusal: unknown) => refusal);
      expect(error).toBeInstanceOf(Problem);
      const { message, details } = error as Problem;
      expect(message.length + JSON.stringify(details).length).toBeLessThan(2_000);
    }
  });
});
