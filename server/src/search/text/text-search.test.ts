import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainHit } from './explain-hit.ts';
import { IndexView } from './index-view.ts';
import type { IndexedDocument } from './segment-builder.ts';
import { FacetCounts, TypeCounts } from './match-collectors.ts';
import { mergeSegments } from './merge-segments.ts';
import { NodeSet } from './document-filter.ts';
import { TextSegment } from './segment.ts';
import {
  COLORS,
  type Change,
  FIELDS,
  NODES,
  TYPES,
  changes,
  documents,
  queries,
} from './testing/arbitrary-search.ts';
import { contentOf } from './testing/content-of.ts';
import { type ExhaustiveHit, exhaustiveSearch } from './testing/exhaustive-search.ts';
import { TextIndex } from './text-index.ts';
import { type TextHit, type TextSearchOptions, searchText } from './text-search.ts';
import { VisibleFields } from './visible-fields.ts';

const LIMITS = {
  waitingDocumentsMax: 25,
  waitingTokensMax: 1_000,
  segmentDocumentsMax: 1_000,
  segmentBytesMax: Infinity,
};

/** An index and, beside it, the documents that ought to be in it. */
class Pair {
  readonly index = new TextIndex(LIMITS);
  readonly expected = new Map<number, IndexedDocument>();

  apply(change: Change): void {
    switch (change.kind) {
      case 'add':
        this.index.add(change.document);
        this.expected.set(change.document.node, change.document);
        return;
      case 'remove':
        this.#remove(change.node);
        return;
      case 'refresh':
        this.index.refresh();
        return;
      case 'merge':
        this.#merge(change.isRaced);
    }
  }

  get documents(): IndexedDocument[] {
    return [...this.expected.values()];
  }

  #remove(node: number): void {
    this.index.remove(node);
    this.expected.delete(node);
  }

  /**
   * Merges all there is; or what the policy says, and deletes something while the merge is under
   * way.
   */
  #merge(isRaced: boolean): void {
    const view = this.index.refresh();
    const task = (isRaced ? this.index.planMerge() : undefined) ?? view.share();
    if (task.parts.length === 0) return;
    const ids = new Set(task.parts.map(({ id }) => id));
    const memory = mergeSegments(view.parts.filter(({ id }) => ids.has(id)));
    const [first] = this.expected.keys();
    if (isRaced && first !== undefined) this.#remove(first);
    this.index.applyMerge(task, memory);
  }
}

function expectSame(found: readonly TextHit[], expected: readonly ExhaustiveHit[]): void {
  const byNode = new Map(expected.map((hit) => [hit.document.node, hit]));
  found.forEach(({ node, score, type, timestampMs, language }, rank) => {
    const { document, score: expectedScore } = byNode.get(node)!;
    expect(score).toBeCloseTo(expectedScore, 9);
    expect(score).toBeCloseTo(expected[rank]!.score, 9);
    expect(document).toMatchObject({ type, timestampMs, language });
  });
}

const scenarios = fc.record({
  changes,
  queries: fc.array(queries, { minLength: 1, maxLength: 5 }),
  limit: fc.constantFrom(1, 3, 100),
});

describe('searchText against looking at every document', () => {
  it('finds the same documents with the same scores, and says why', () => {
    fc.assert(
      fc.property(scenarios, ({ changes: all, queries: asked, limit }) => {
        const pair = new Pair();
        for (const change of all) pair.apply(change);
        const view = pair.index.refresh();
        expect(view.documentCount).toBe(pair.expected.size);
        for (const query of asked) {
          const expected = exhaustiveSearch(pair.documents, query);
          const { hits } = searchText(view, query, { limit });
          expect(hits.length).toBe(Math.min(limit, expected.length));
          expectSame(hits, expected);
          for (const hit of hits) {
            const { score, contributions } = explainHit(view, hit, query);
            expect(score).toBeCloseTo(hit.score, 9);
            for (const { contribution } of contributions) expect(contribution).toBeGreaterThan(0);
          }
          const counted = searchText(view, query, { limit, isCounted: true });
          expect(counted).toEqual({ hits, total: expected.length });
        }
      }),
      { numRuns: 400 },
    );
  });

  it('keeps to filters, visible fields and order, and counts all matches', () => {
    const options = fc.record({
      types: fc.option(fc.uniqueArray(fc.nat(TYPES - 1)), { nil: undefined }),
      allowed: fc.option(fc.uniqueArray(fc.nat(NODES + 5)), { nil: undefined }),
      denied: fc.option(fc.uniqueArray(fc.nat(NODES + 5)), { nil: undefined }),
      time: fc.option(fc.record({ fromMs: fc.nat(20), toMs: fc.nat(20) }), { nil: undefined }),
      colors: fc.option(fc.uniqueArray(fc.constantFrom(...COLORS, 'none')), { nil: undefined }),
      hidden: fc.array(fc.tuple(fc.nat(TYPES - 1), fc.nat(FIELDS - 1))),
      isDecayed: fc.boolean(),
    });
    fc.assert(
      fc.property(scenarios, options, ({ changes: all, queries: asked, limit }, chosen) => {
        const pair = new Pair();
        for (const change of all) pair.apply(change);
        const view = pair.index.refresh();
        const isVisible = (type: number, field: number): boolean =>
          !chosen.hidden.some(([t, f]) => t === type && f === field);
        const decay = chosen.isDecayed ? (ms: number): number => 1 / (1 + ms) : undefined;
        const search: TextSearchOptions = {
          limit,
          filter: {
            ...(chosen.types && { types: new Set(chosen.types) }),
            ...(chosen.allowed && { allowed: nodeSet(chosen.allowed) }),
            ...(chosen.denied && { denied: nodeSet(chosen.denied) }),
            ...(chosen.time && { time: chosen.time }),
            ...(chosen.colors && { facets: [{ column: 7, values: chosen.colors }] }),
          },
          visibleFields: new VisibleFields(isVisible),
          ...(decay && { decay }),
        };
        const accepts = ({ node, type, timestampMs, facets }: IndexedDocument): boolean =>
          chosen.types?.includes(type) !== false &&
          chosen.allowed?.includes(node) !== false &&
          chosen.denied?.includes(node) !== true &&
          (!chosen.time || (timestampMs >= chosen.time.fromMs && timestampMs < chosen.time.toMs)) &&
          (!chosen.colors ||
            facets.some(({ values }) => values.some((v) => chosen.colors!.includes(v))));
        for (const query of asked) {
          const expected = exhaustiveSearch(pair.documents, query, {
            isVisible,
            accepts,
            ...(decay && { decay }),
          });
          const { hits } = searchText(view, query, search);
          expect(hits.length).toBe(Math.min(limit, expected.length));
          expectSame(hits, expected);
          for (const hit of hits) {
            expect(explainHit(view, hit, query, search).score).toBeCloseTo(hit.score, 9);
          }
          expectCounts(view, query, search, expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function expectCounts(
  view: IndexView,
  query: Parameters<typeof searchText>[1],
  search: TextSearchOptions,
  expected: readonly ExhaustiveHit[],
): void {
  for (const order of ['relevance', 'newest', 'oldest'] as const) {
    const types = new TypeCounts();
    const colors = new FacetCounts(7);
    const collectors = [types, colors];
    const { hits, total } = searchText(view, query, {
      ...search,
      order,
      isCounted: true,
      collectors,
    });
    expect(total).toBe(expected.length);
    const all = expected.map(({ document }) => document);
    expect(types.counts()).toEqual(countBy(all.map(({ type }) => type)));
    const values = all.flatMap(({ facets }) =>
      facets.flatMap((facet) => [...new Set(facet.values)]),
    );
    expect(colors.counts()).toEqual(countBy(values));
    if (order === 'relevance') continue;
    const sign = order === 'newest' ? -1 : 1;
    const sorted = all.toSorted(
      (a, b) => sign * (a.timestampMs - b.timestampMs) || a.node - b.node,
    );
    expect(hits.map(({ node }) => node)).toEqual(
      sorted.slice(0, search.limit).map(({ node }) => node),
    );
  }
}

function countBy<Key>(keys: readonly Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function nodeSet(nodes: readonly number[]): NodeSet {
  return new NodeSet(Float64Array.from(nodes).toSorted());
}

describe('views and segments', () => {
  it('a view stays as it was while the index changes', () => {
    fc.assert(
      fc.property(changes, changes, queries, (before, after, query) => {
        const pair = new Pair();
        for (const change of before) pair.apply(change);
        const view = pair.index.refresh();
        const options = { limit: 100, isCounted: true };
        const first = searchText(view, query, options);
        for (const change of after) pair.apply(change);
        const later = pair.index.refresh();
        searchText(later, query, options);
        expect(searchText(view, query, options)).toEqual(first);
        const opened = IndexView.open(structuredClone(view.share()));
        expect(searchText(opened, query, options)).toEqual(first);
      }),
      { numRuns: 100 },
    );
  });

  it('a merged segment answers as one built at once does', () => {
    fc.assert(
      fc.property(changes, fc.array(queries, { maxLength: 5 }), (all, asked) => {
        const pair = new Pair();
        for (const change of all) pair.apply(change);
        pair.apply({ kind: 'merge', isRaced: false });
        const merged = pair.index.refresh();
        const rebuilt = new TextIndex({ ...LIMITS, waitingDocumentsMax: 1_000 });
        for (const part of merged.parts) {
          for (const node of part.segment.documents.nodes) rebuilt.add(pair.expected.get(node)!);
        }
        const view = rebuilt.refresh();
        for (const query of asked) {
          const options = { limit: 100, isCounted: true };
          expect(searchText(merged, query, options)).toEqual(searchText(view, query, options));
        }
        for (const [index, { segment }] of merged.parts.entries()) {
          expect(contentOf(segment)).toEqual(contentOf(view.parts[index]!.segment));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('reads postings from a file as from memory', () => {
    fc.assert(
      fc.property(fc.array(documents, { maxLength: 40, size: 'max' }), queries, (all, query) => {
        const index = new TextIndex({ ...LIMITS, waitingDocumentsMax: 1_000 });
        for (const document of all) index.add(document);
        const view = index.refresh();
        const inFile = new IndexView(
          view.parts.map((part) => {
            const bytes = new Uint8Array(part.memory);
            const segment = new TextSegment(part.memory, {
              pageBytes: 20,
              page: (number) => bytes.slice(number * 20, number * 20 + 20),
            });
            return { ...part, segment };
          }),
        );
        const options = { limit: 10, isCounted: true };
        expect(searchText(inFile, query, options)).toEqual(searchText(view, query, options));
      }),
      { numRuns: 100 },
    );
  });
});
