import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { POINTER_EDGE_TYPES } from './pointers.ts';

interface WordnetSchema {
  readonly nodes: {
    type: string;
    key: string;
    fields: Record<string, FieldType>;
    label: string;
  }[];
  readonly edges: { type: string; inverse?: string; fields: Record<string, FieldType> }[];
}

const SENSE_FIELDS: Record<string, FieldType> = {
  SenseNumber: 'Int',
  TagCount: 'Int',
  SenseKey: 'String',
};

/** See `Relation`: the two lists belong together, pair by pair. */
const POINTER_FIELDS: Record<string, FieldType> = { SourceWords: 'Int[]', TargetWords: 'Int[]' };

/**
 * The graph's schema (open-shapes, section 4). WordNet lists most pointers in both directions,
 * Hypernym here and Hyponym there, so pointer edges declare no inverse: the server would create
 * what the data already holds.
 */
export const wordnetSchema: WordnetSchema = {
  nodes: [
    { type: 'Word', key: 'Lemma', fields: { Lemma: 'String' }, label: 'Lemma' },
    {
      type: 'Synset',
      key: 'SynsetId',
      fields: {
        SynsetId: 'String',
        Name: 'String',
        Pos: 'String',
        Lemmas: 'String[]',
        Definition: 'String',
        Examples: 'String[]',
        Gloss: 'String',
        LexFile: 'String',
      },
      label: 'Name',
    },
  ],
  edges: [
    { type: 'HasSense', fields: SENSE_FIELDS },
    ...POINTER_EDGE_TYPES.map((type) => ({ type, fields: POINTER_FIELDS })),
  ],
};
