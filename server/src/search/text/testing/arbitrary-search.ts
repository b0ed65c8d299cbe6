import * as fc from 'fast-check';
import type { IndexedDocument } from '../segment-builder.ts';
import type { Alternative, QueryGroup, TextQuery } from '../text-query.ts';

/**
 * Frequent ones first; `fc.nat` prefers none, so that some words come in many documents by being
 * there twice.
 */
const WORDS = [
  'the',
  'the',
  'the',
  'of',
  'of',
  'graph',
  'graph',
  'node',
  'edge',
  'query',
  'weights',
];
const BOOSTS = [1, 4, 0.5, 2];
export const FIELDS = BOOSTS.length;
export const NODES = 40;
export const TYPES = 3;
export const COLORS = ['red', 'green', 'blue'];

const word = fc.constantFrom(...WORDS);

/** Tokens whose terms are their surfaces but for a plural; now and then with a gap between. */
const tokens = fc
  .array(fc.tuple(word, fc.integer({ min: 1, max: 5 })), { maxLength: 14 })
  .map((parts) => {
    let position = -1;
    return parts.map(([surface, gap]) => {
      position += gap === 5 ? 3 : 1;
      const term = surface === 'weights' ? 'weight' : surface;
      return { term, surface, start: 0, end: 0, position };
    });
  });

/** Some begin with another; `é` and the last letter sort in other orders as UTF-8 and UTF-16. */
const name = fc
  .array(fc.constantFrom('a', 'ab', 'b', 'é', '\uff21', '𝒳'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(' '));
const names = fc.uniqueArray(fc.oneof(name, name, fc.constant('a '.repeat(150))), { maxLength: 3 });

export const documents: fc.Arbitrary<IndexedDocument> = fc
  .record({
    node: fc.nat(NODES - 1),
    type: fc.nat(TYPES - 1),
    timestampMs: fc.nat(20),
    language: fc.constantFrom('en', 'de', '--'),
    texts: fc.array(fc.option(tokens, { nil: undefined }), { maxLength: FIELDS }),
    names: fc.array(names, { maxLength: 2 }),
    colors: fc.array(fc.constantFrom(...COLORS), { maxLength: 3 }),
  })
  .map(({ texts, names: ofFields, colors, ...rest }) => ({
    ...rest,
    names: ofFields.map((some, at) => ({ field: at + FIELDS - 1, names: some })),
    fields: texts.flatMap((text, field) =>
      text === undefined ? [] : [{ field, boost: BOOSTS[field]!, tokens: text }],
    ),
    facets: colors.length > 0 ? [{ column: 7, values: colors }] : [],
  }));

const term = fc.constantFrom('the', 'of', 'graph', 'node', 'edge', 'query', 'weight', 'unknown');
const weight = fc.constantFrom(1, 0.8, 0.5);

const alternative: fc.Arbitrary<Alternative> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('term' as const), term, weight }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('phrase' as const),
      words: fc
        .array(
          fc.tuple(fc.array(term, { minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 2 })),
          {
            minLength: 1,
            maxLength: 3,
          },
        )
        .map((parts) => {
          let offset = 0;
          return parts.map(([terms, gap], index) => {
            if (index > 0) offset += gap;
            return { offset, terms };
          });
        }),
      weight,
    }),
  },
);

const askedName = fc.record({ name, match: fc.constantFrom('whole', 'words', 'letters') });

const group: fc.Arbitrary<QueryGroup> = fc
  .record({
    occurrence: fc.constantFrom('must', 'must', 'should', 'should', 'should', 'not'),
    alternatives: fc.array(alternative, { minLength: 1, maxLength: 3 }),
    names: fc.array(askedName, { maxLength: 2 }),
    isOfNamesOnly: fc.boolean(),
    fields: fc.option(fc.uniqueArray(fc.nat(FIELDS - 1), { minLength: 1 }), {
      nil: undefined,
      freq: 3,
    }),
  })
  .map(({ fields, isOfNamesOnly, names: asked, alternatives: words, occurrence }) => ({
    occurrence,
    alternatives: isOfNamesOnly && asked.length > 0 ? [] : words,
    ...(asked.length > 0 && { names: asked }),
    ...(fields && { fields }),
  }));

export const queries: fc.Arbitrary<TextQuery> = fc.record({
  groups: fc.array(group, { maxLength: 4 }),
});

export type Change =
  | { readonly kind: 'add'; readonly document: IndexedDocument }
  | { readonly kind: 'remove'; readonly node: number }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'merge'; readonly isRaced: boolean };

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: documents.map((document): Change => ({ kind: 'add', document })),
    },
    {
      weight: 2,
      arbitrary: fc.nat(NODES - 1).map((node): Change => ({ kind: 'remove', node })),
    },
    { weight: 2, arbitrary: fc.constant<Change>({ kind: 'refresh' }) },
    {
      weight: 1,
      arbitrary: fc.boolean().map((isRaced): Change => ({ kind: 'merge', isRaced })),
    },
  ),
  { maxLength: 60, size: 'max' },
);
