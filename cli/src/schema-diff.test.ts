import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { describe, expect, it } from 'vitest';
import { diffSchemas, differenceText } from './schema-diff.ts';

const present: SchemaDocument = {
  nodes: [{ type: 'Word', key: 'Lemma', fields: { Count: 'Int', Old: 'String' } }],
  edges: [{ type: 'HasSense', inverse: 'SenseOf' }, { type: 'Antonym' }],
};

const wanted: SchemaDocument = {
  nodes: [
    { type: 'Word', key: 'Lemma', label: 'Lemma', fields: { Count: 'Long' } },
    { type: 'Synset', fields: { Gloss: 'String' } },
  ],
  edges: [
    { type: 'HasSense', inverse: 'Means', fields: { Number: 'Int' } },
    { type: 'Antonym', fields: {} },
  ],
};

describe('the difference of two schemas', () => {
  it('names what would be added, what would be changed, and what is missing', () => {
    expect(diffSchemas(present, wanted).map(differenceText)).toEqual([
      '~ edge HasSense inverse: SenseOf -> Means',
      '+ edge HasSense.Number: Int',
      '+ node Synset',
      '+ node Synset.Gloss: String',
      '+ node Word label: Lemma',
      '~ node Word.Count: Int -> Long',
      '- node Word.Old: String',
    ]);
  });

  it('is nothing between equal ones, in whatever order they are written', () => {
    const reversed = { nodes: wanted.nodes.toReversed(), edges: wanted.edges.toReversed() };
    expect(diffSchemas(wanted, reversed)).toEqual([]);
  });
});
