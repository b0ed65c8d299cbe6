import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { schemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { CommitRequest } from '../../server/src/graph/operations.ts';
import { installedDictFolder, readDictionary } from './dictionary.ts';
import { splitGloss, wordnetOperations, type WordnetOperation } from './operations.ts';
import { pointerEdgeType } from './pointers.ts';
import { wordnetSchema } from './schema.ts';

type NodeOperation = Extract<WordnetOperation, { op: 'addOrUpdate' }>;
type LinkOperation = Extract<WordnetOperation, { op: 'link' }>;

const wordnet = wordnetOperations(installedDictFolder());
const nodes = new Map<string, NodeOperation>();
const edges = new Map<string, LinkOperation>();
const edgesOfType = new Map<string, number>();
const outgoing = new Map<string, LinkOperation[]>();
const linkedTooEarly: LinkOperation[] = [];

beforeAll(() => {
  for (const operation of wordnet) {
    if (operation.op === 'addOrUpdate') nodes.set(nodeId(operation), operation);
    else {
      const from = nodeId(operation.from);
      const to = nodeId(operation.to);
      if (!nodes.has(from) || !nodes.has(to)) linkedTooEarly.push(operation);
      edges.set(`${from} ${operation.edge} ${to}`, operation);
      edgesOfType.set(operation.edge, (edgesOfType.get(operation.edge) ?? 0) + 1);
      const links = outgoing.get(from) ?? [];
      links.push(operation);
      outgoing.set(from, links);
    }
  }
});

function nodeId(reference: { readonly type: string; readonly key: string }): string {
  return `${reference.type} ${reference.key}`;
}

/** Keys of the nodes that one node's edges of one type lead to, in order. */
function follow(type: string, key: string, edge: string): string[] {
  const links = outgoing.get(`${type} ${key}`) ?? [];
  return links.filter((link) => link.edge === edge).map((link) => link.to.key);
}

describe('totals', () => {
  it('are those of WordNet 3.1', () => {
    expect(wordnet.totals).toEqual({
      synsets: 117_791,
      words: 148_897,
      senses: 207_272,
      relations: 365_119,
      pointers: 378_203,
      operations: 839_079,
    });
  });

  it('are exactly what the iteration gives, without repeating a node or an edge', () => {
    const { synsets, words, senses, relations } = wordnet.totals;
    expect(nodes.size).toBe(synsets + words);
    expect(edges.size).toBe(senses + relations);
    expect(edgesOfType.get('HasSense')).toBe(senses);
  });

  it('count every pointer: once in a semantic edge, pair by pair in a lexical one', () => {
    let pointers = 0;
    let uneven = 0;
    for (const { edge, fields } of edges.values()) {
      if (edge === 'HasSense') continue;
      const sources = (fields?.['SourceWords'] ?? [0]) as readonly number[];
      const targets = (fields?.['TargetWords'] ?? [0]) as readonly number[];
      if (targets.length !== sources.length) uneven++;
      pointers += sources.length;
    }
    expect(pointers).toBe(wordnet.totals.pointers);
    expect(uneven).toBe(0);
  });

  it('hold per part of speech and per edge type', () => {
    const byPos = new Map<unknown, number>();
    for (const { fields } of nodes.values()) {
      if (fields['Pos'] !== undefined)
        byPos.set(fields['Pos'], (byPos.get(fields['Pos']) ?? 0) + 1);
    }
    expect(Object.fromEntries(byPos)).toEqual({
      noun: 82_192,
      verb: 13_789,
      adjective: 7_468,
      'adjective satellite': 10_717,
      adverb: 3_625,
    });
    expect(Object.fromEntries(edgesOfType)).toMatchObject({
      Hypernym: 89_172,
      Hyponym: 89_172,
      InstanceHypernym: 8_589,
      InstanceHyponym: 8_589,
      MemberHolonym: 12_288,
      MemberMeronym: 12_288,
      SimilarTo: 21_434,
      Entailment: 408,
      Cause: 221,
    });
  });
});

describe('graph', () => {
  it('never links a node that does not stand before', () => {
    expect(linkedTooEarly).toEqual([]);
  });

  it('is made of what the service and the writer take', () => {
    expectTypeOf<WordnetOperation>().toExtend<GraphOperation>();
    expectTypeOf<WordnetOperation>().toExtend<CommitRequest['operations'][number]>();
    expectTypeOf(wordnetSchema).toExtend<NonNullable<CommitRequest['schema']>>();
    expect(schemaDocument.parse(wordnetSchema)).toEqual(wordnetSchema);
  });

  it('uses only types and fields that the schema declares', () => {
    const declared = new Map<string, ReadonlySet<string>>();
    for (const { type, fields } of [...wordnetSchema.nodes, ...wordnetSchema.edges]) {
      declared.set(type, new Set(Object.keys(fields)));
    }
    const undeclared = new Set<string>();
    const check = (type: string, fields: object | undefined) => {
      for (const field of Object.keys(fields ?? {})) {
        if (declared.get(type)?.has(field) !== true) undeclared.add(`${type}.${field}`);
      }
    };
    for (const { type, fields } of nodes.values()) check(type, fields);
    for (const { edge, fields } of edges.values()) check(edge, fields);
    expect([...undeclared]).toEqual([]);
  });

  it('stores every pointer type that comes in pairs in both directions', () => {
    const pairs = { Hypernym: 'Hyponym', PartHolonym: 'PartMeronym', Antonym: 'Antonym' };
    const missing: string[] = [];
    for (const { from, edge, to } of edges.values()) {
      const back = pairs[edge as keyof typeof pairs];
      if (back !== undefined && !edges.has(`${nodeId(to)} ${back} ${nodeId(from)}`)) {
        missing.push(`${from.key} ${edge} ${to.key}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

describe('well-known entries', () => {
  it('dog is a word with eight senses, the animal first', () => {
    const senses = (outgoing.get('Word dog') ?? []).filter((link) => link.edge === 'HasSense');
    expect(senses).toHaveLength(8);
    expect(senses.find((link) => link.to.key === 'n02086723')?.fields).toEqual({
      SenseNumber: 1,
      TagCount: 42,
      SenseKey: 'dog%1:05:00::',
    });
    expect(nodes.get('Synset n02086723')?.fields).toMatchObject({
      Name: 'dog',
      Pos: 'noun',
      Lemmas: ['dog', 'domestic dog', 'Canis familiaris'],
      Examples: ['the dog barked all night'],
      LexFile: 'noun.animal',
    });
  });

  it('the hypernyms of dog reach entity', () => {
    const names: unknown[] = [];
    let key: string | undefined = 'n02086723';
    while (key !== undefined) {
      names.push(nodes.get(`Synset ${key}`)?.fields['Name']);
      key = follow('Synset', key, 'Hypernym')[0];
    }
    expect(names.slice(0, 3)).toEqual(['dog', 'canine', 'carnivore']);
    expect(names.at(-1)).toBe('entity');
  });

  it('words are as people write them, without markers', () => {
    expect(nodes.has('Word domestic dog')).toBe(true);
    expect(nodes.has('Word New York')).toBe(true);
    expect(nodes.has('Word Canis familiaris')).toBe(true);
    const odd = [...nodes.values()].filter(({ type, key }) => type === 'Word' && /[_()]/.test(key));
    expect(odd).toEqual([]);
  });

  it('a lexical pointer keeps the word numbers of both ends', () => {
    // breathe, take a breath, respire: two of its words are derivationally related to words of one
    // noun synset.
    const edge = edges.get('Synset v00001740 DerivationallyRelated Synset n00832852');
    expect(edge?.fields).toEqual({ SourceWords: [3, 1], TargetWords: [3, 1] });
    expect(edges.get('Synset n02086723 Hypernym Synset n02085998')?.fields).toBeUndefined();
  });

  it('an instance is not a hyponym', () => {
    const [einstein] = follow('Word', 'Albert Einstein', 'HasSense');
    expect(follow('Synset', einstein ?? '', 'InstanceHypernym')).not.toEqual([]);
    expect(follow('Synset', einstein ?? '', 'Hypernym')).toEqual([]);
  });
});

describe('splitGloss', () => {
  it.each([
    ['a thing', 'a thing', []],
    ['a thing; "one"; "two"', 'a thing', ['one', 'two']],
    ['a gradual change: "they fade"', 'a gradual change', ['they fade']],
    ['a demand in the phrase "the call of duty"', 'a demand in the phrase "the call of duty"', []],
    ['slyly; "Mean revenge"- John Donne', 'slyly', ['Mean revenge']],
  ])('%s', (gloss, definition, examples) => {
    expect(splitGloss(gloss)).toEqual({ definition, examples });
  });
});

describe('broken files', () => {
  it('name the file and the line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wordnet-'));
    try {
      for (const name of ['data.verb', 'data.adj', 'data.adv', 'index.sense']) {
        copyFileSync(join(installedDictFolder(), name), join(folder, name));
      }
      writeFileSync(join(folder, 'data.noun'), '  1 licence\n00001740 03 n 01 entity 0 000\n');
      expect(() => readDictionary(folder)).toThrow(/data\.noun:2: no gloss/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuse a pointer symbol that nobody knows', () => {
    expect(pointerEdgeType('\\', 'a')).toBe('Pertainym');
    expect(pointerEdgeType('\\', 'r')).toBe('DerivedFromAdjective');
    expect(() => pointerEdgeType('?', 'n')).toThrow('unknown pointer symbol "?"');
  });
});
