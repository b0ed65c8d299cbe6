import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { explainHit } from './explain-hit.ts';
import type { IndexView } from './index-view.ts';
import type { IndexedDocument } from './segment-builder.ts';
import { mergeSegments } from './merge-segments.ts';
import { exhaustiveSearch } from './testing/exhaustive-search.ts';
import { TextIndex } from './text-index.ts';
import type { QueryGroup, TextQuery } from './text-query.ts';
import { searchText } from './text-search.ts';

/**
 * Enough for many blocks of the frequent terms, and for more combinations of frequencies than have
 * a code.
 */
const DOCUMENTS = 2_500;
const WORDS = Array.from({ length: 60 }, (_, rank) => `w${rank}`);

const collection = makeCollection();
const view = indexOf(collection);
const database = databaseOf(collection);
afterAll(() => database.close());

/** Words as frequent as in a language: the n-th about 1/n as often as the first. */
function makeCollection(): IndexedDocument[] {
  let seed = 20_261;
  const random = (): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const word = (): string => WORDS[Math.floor(WORDS.length ** random()) - 1]!;
  return Array.from({ length: DOCUMENTS }, (_, node) => ({
    node,
    type: node % 5,
    timestampMs: node,
    language: '--',
    fields: [4, 1, 1, 2].map((boost, field) => ({
      field,
      boost,
      tokens: Array.from({ length: 1 + Math.floor(random() * 22) }, (__, position) => {
        const term = word();
        return { term, surface: term, start: 0, end: 0, position };
      }),
    })),
    facets: [],
  }));
}

/**
 * A large segment, made by merging, and smaller ones beside it; a tenth of the documents was
 * written twice.
 */
function indexOf(documents: readonly IndexedDocument[]): IndexView {
  const index = new TextIndex({
    waitingDocumentsMax: 700,
    waitingTokensMax: 1_000_000,
    segmentDocumentsMax: 100_000,
    segmentBytesMax: Infinity,
  });
  documents.forEach((document, node) => {
    if (node % 10 === 0) {
      index.add({ ...document, fields: documents[(node * 7) % DOCUMENTS]!.fields });
    }
  });
  index.refresh();
  for (const document of documents.slice(0, 1_800)) index.add(document);
  const parts = index.refresh();
  index.applyMerge({ parts: parts.share().parts }, mergeSegments(parts.parts));
  for (const document of documents.slice(1_800)) index.add(document);
  return index.refresh();
}

function databaseOf(documents: readonly IndexedDocument[]): DatabaseSync {
  const opened = new DatabaseSync(':memory:');
  opened.exec('create virtual table found using fts5(f0, f1, f2, f3, tokenize="ascii")');
  const insert = opened.prepare('insert into found(rowid, f0, f1, f2, f3) values (?, ?, ?, ?, ?)');
  for (const { node, fields } of documents) {
    insert.run(node + 1, ...fields.map(({ tokens }) => tokens.map(({ term }) => term).join(' ')));
  }
  return opened;
}

const term = fc.constantFrom(...WORDS, ...WORDS.slice(0, 5), 'unknown');
const terms = fc.array(term, { minLength: 1, maxLength: 4 });

function groups(occurrence: QueryGroup['occurrence'], words: readonly string[]): QueryGroup[] {
  return words.map((word) => ({
    occurrence,
    alternatives: [{ kind: 'term', term: word, weight: 1 }],
  }));
}

function phrase(words: readonly string[]): QueryGroup {
  return {
    occurrence: 'must',
    alternatives: [
      {
        kind: 'phrase',
        words: words.map((word, offset) => ({ offset, terms: [word] })),
        weight: 1,
      },
    ],
  };
}

function matches(query: TextQuery): number[] {
  const { hits, total } = searchText(view, query, { limit: DOCUMENTS, isCounted: true });
  expect(total).toBe(hits.length);
  return hits.map(({ node }) => node).toSorted((a, b) => a - b);
}

function sqliteMatches(query: string): number[] {
  const rows = database.prepare('select rowid from found where found match ? order by rowid');
  return rows.all(query).map(({ rowid }) => Number(rowid) - 1);
}

describe('a collection of many blocks', () => {
  it('has the matches that SQLite FTS5 has', () => {
    fc.assert(
      fc.property(terms, terms, term, fc.nat(3), (some, others, excluded, field) => {
        const not = groups('not', [excluded]);
        expect(matches({ groups: [...groups('must', some), ...not] })).toEqual(
          sqliteMatches(`(${some.join(' AND ')}) NOT ${excluded}`),
        );
        expect(matches({ groups: [...groups('should', others), ...not] })).toEqual(
          sqliteMatches(`(${others.join(' OR ')}) NOT ${excluded}`),
        );
        const inField = groups('must', some).map((group) => ({ ...group, fields: [field] }));
        expect(matches({ groups: inField })).toEqual(
          sqliteMatches(`f${field} : (${some.join(' AND ')})`),
        );
        expect(matches({ groups: [phrase(some)] })).toEqual(sqliteMatches(`"${some.join(' ')}"`));
      }),
      { numRuns: 150 },
    );
  });

  it('gives the best ones first, with the scores of looking at every document', () => {
    const queries = fc.oneof(
      terms.map((words) => groups('must', words)),
      terms.map((words) => groups('should', words)),
      fc.tuple(terms, terms).map(([a, b]) => [...groups('must', a), ...groups('should', b)]),
      terms.map((words) => [phrase(words)]),
    );
    fc.assert(
      fc.property(queries, fc.constantFrom(1, 10, 50), (asked, limit) => {
        const query = { groups: asked };
        const expected = exhaustiveSearch(collection, query);
        const { hits } = searchText(view, query, { limit });
        expect(hits.length).toBe(Math.min(limit, expected.length));
        hits.forEach((hit, rank) => {
          expect(hit.score).toBeCloseTo(expected[rank]!.score, 9);
          expect(explainHit(view, hit, query).score).toBeCloseTo(hit.score, 9);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('has more combinations of frequencies than codes, so that some are written out', () => {
    for (const { segment } of view.parts) expect(segment.frequencies.counts.length).toBe(255);
  });
});
