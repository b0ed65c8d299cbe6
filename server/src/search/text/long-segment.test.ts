import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainHit } from './explain-hit.ts';
import { FacetCounts } from './match-collectors.ts';
import type { IndexedDocument } from './segment-builder.ts';
import { NodeSet } from './document-filter.ts';
import { exhaustiveSearch } from './testing/exhaustive-search.ts';
import { TextIndex } from './text-index.ts';
import type { Alternative, QueryGroup } from './text-query.ts';
import { searchText } from './text-search.ts';
import { VisibleFields } from './visible-fields.ts';

/** More than a window holds, and more than two bytes number; dense at first, then sparse. */
const DOCUMENTS = 70_000;
const DENSE_DOCUMENTS = 15_000;
const SPARSE_STEP = 60;
const WORDS = Array.from({ length: 40 }, (_, rank) => `w${rank}`);
const TYPES = 3;
/** A field of all types, one for each type, and one that is rare and so has no column. */
const SHARED_FIELD = 0;
const RARE_FIELD = 9;
const FIELDS = [SHARED_FIELD, 1, 2, 3, RARE_FIELD];

const removed = new Set<number>();
const collection = makeCollection();
const view = makeView();

function makeCollection(): IndexedDocument[] {
  let seed = 11;
  const random = (): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const text = (field: number) => ({
    field,
    boost: 1 + (field % 3),
    tokens: Array.from({ length: 1 + Math.floor(random() * 9) }, (_, position) => {
      const term = WORDS[Math.floor(WORDS.length ** random()) - 1]!;
      return { term, surface: term, start: 0, end: 0, position };
    }),
  });
  return Array.from({ length: DOCUMENTS }, (_, node) => {
    const type = Math.floor(random() * TYPES);
    const isText = node < DENSE_DOCUMENTS || node % SPARSE_STEP === 0;
    const fields = [SHARED_FIELD, 1 + type, ...(random() < 0.01 ? [RARE_FIELD] : [])];
    if (random() < 0.1) removed.add(node);
    return {
      node,
      type,
      timestampMs: Math.floor(random() * 50),
      language: '--',
      fields: isText ? fields.map(text) : [],
      facets: [{ column: 0, values: [`c${node % 7}`] }],
    };
  });
}

function makeView() {
  const index = new TextIndex({
    waitingDocumentsMax: 1_000_000,
    waitingTokensMax: 10_000_000,
    segmentDocumentsMax: 1_000_000,
    segmentBytesMax: Infinity,
  });
  for (const document of collection) index.add(document);
  index.refresh();
  for (const node of removed) index.remove(node);
  return index.refresh();
}

const living = collection.filter(({ node }) => !removed.has(node));

const term = fc.record({
  kind: fc.constant('term' as const),
  term: fc.constantFrom(...WORDS),
  weight: fc.constantFrom(1, 0.5),
});
const alternatives: fc.Arbitrary<Alternative[]> = fc.oneof(
  { weight: 6, arbitrary: term.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(term, { minLength: 2, maxLength: 3 }) },
);
const group: fc.Arbitrary<QueryGroup> = fc.record({
  occurrence: fc.constantFrom('must', 'should', 'should', 'should'),
  alternatives,
});

describe('a long segment', () => {
  it('is all in one, with columns of lengths for the frequent fields', () => {
    expect(view.parts.length).toBe(1);
    const { lengthColumns, count } = view.parts[0]!.segment.documents;
    expect(lengthColumns.length).toBe(count * (FIELDS.length - 1));
  });

  it('gives what looking at every document gives', () => {
    const options = fc.record({
      hidden: fc.array(fc.tuple(fc.nat(TYPES - 1), fc.constantFrom(...FIELDS))),
      isMasked: fc.boolean(),
      allowedStep: fc.constantFrom(undefined, undefined, 3, 101),
      types: fc.option(fc.uniqueArray(fc.nat(TYPES - 1), { minLength: 1 }), { nil: undefined }),
      isDecayed: fc.boolean(),
      limit: fc.constantFrom(1, 10, 200),
    });
    const not = group.map((one): QueryGroup => ({ ...one, occurrence: 'not' }));
    const asked = fc
      .tuple(fc.array(group, { minLength: 1, maxLength: 4 }), fc.array(not, { maxLength: 1 }))
      .map((parts) => parts.flat());
    fc.assert(
      fc.property(asked, options, (groups, chosen) => {
        const { allowedStep, types, hidden } = chosen;
        const isVisible = (type: number, field: number): boolean =>
          !chosen.isMasked || !hidden.some(([t, f]) => t === type && f === field);
        const decay = chosen.isDecayed ? (ms: number): number => 1 / (1 + ms / 10) : undefined;
        const isAllowed = (node: number): boolean => node % (allowedStep ?? 1) === 0;
        const nodes = Float64Array.from(living.map(({ node }) => node).filter(isAllowed));
        const expected = exhaustiveSearch(
          living,
          { groups },
          {
            isVisible,
            accepts: ({ node, type, fields }) =>
              fields.length > 0 && isAllowed(node) && types?.includes(type) !== false,
            ...(decay && { decay }),
          },
        );
        const search = {
          limit: chosen.limit,
          ...(chosen.isMasked && { visibleFields: new VisibleFields(isVisible) }),
          filter: {
            ...(allowedStep && { allowed: new NodeSet(nodes) }),
            ...(types && { types: new Set(types) }),
          },
          ...(decay && { decay }),
        };
        const { hits } = searchText(view, { groups }, search);
        expect(hits.length).toBe(Math.min(chosen.limit, expected.length));
        hits.forEach(({ score }, rank) => expect(score).toBeCloseTo(expected[rank]!.score, 9));
        const [first] = hits;
        if (first !== undefined) {
          const { score } = explainHit(view, first, { groups }, search);
          expect(score).toBeCloseTo(first.score, 9);
        }
        const facet = new FacetCounts(0);
        const counted = { ...search, isCounted: true, collectors: [facet] };
        expect(searchText(view, { groups }, counted)).toEqual({ hits, total: expected.length });
        const sum = [...facet.counts().values()].reduce((a, b) => a + b, 0);
        expect(sum).toBe(expected.length);
      }),
      { numRuns: 25 },
    );
  });
});
