import { SEARCH_INDEXING_CACHED_WORDS_MAX } from '../../server/src/base/search-limits.ts';
import type { Analyzer, Token } from '../../server/src/search/analysis/analyzer.ts';
import { performMerge } from '../../server/src/search/text/merge-segments.ts';
import { TEXT_INDEX_LIMITS, TextIndex } from '../../server/src/search/text/text-index.ts';
import type { IndexedDocument } from '../../server/src/search/text/segment-builder.ts';
import type { IndexView } from '../../server/src/search/text/index-view.ts';
import { TextSegment } from '../../server/src/search/text/segment.ts';
import type { TextQuery } from '../../server/src/search/text/text-query.ts';
import { type BenchDocument, type Corpus, timeOver } from './corpus.ts';
import { Analyzers } from '../../server/src/search/analysis/language-analyzer.ts';

const NAMES = 0;
const GLOSS = 1;
/** What a name counts for, ours and the peers'. */
export const NAMES_BOOST = 2;
export const POS_COLUMN = 0;
export const LEX_FILE_COLUMN = 1;

export interface BuiltIndex {
  readonly view: IndexView;
  readonly buildSeconds: number;
  readonly mergeSeconds: number;
  /** Written by merges: of a document as often as it was merged. */
  readonly mergedPostings: number;
  readonly bytes: number;
}

export function englishAnalyzer(): Analyzer {
  return new Analyzers(SEARCH_INDEXING_CACHED_WORDS_MAX).for('en');
}

/**
 * Analyses and indexes all documents with the limits of the server; then merges as an idle one
 * does, in this thread.
 */
export function buildOurs(corpus: Corpus, analyzer: Analyzer): BuiltIndex {
  const index = new TextIndex(TEXT_INDEX_LIMITS);
  const buildSeconds = timeOver(corpus, (document, node) =>
    index.add(indexed(document, node, analyzer)),
  );
  index.refresh();
  const merging = mergeAll(index);
  const view = index.refresh();
  const bytes = view.parts.reduce((sum, { memory }) => sum + memory.byteLength, 0);
  return { view, buildSeconds, bytes, ...merging };
}

function mergeAll(index: TextIndex): { mergeSeconds: number; mergedPostings: number } {
  let mergeSeconds = 0;
  let mergedPostings = 0;
  for (let task = index.planMerge(true); task !== undefined; task = index.planMerge(true)) {
    const started = performance.now();
    const memory = performMerge(task);
    mergeSeconds += (performance.now() - started) / 1_000;
    for (const count of new TextSegment(memory).termDocumentCounts) mergedPostings += count;
    index.applyMerge(task, memory);
  }
  return { mergeSeconds, mergedPostings };
}

function indexed(
  { names, gloss, pos, lexFile }: BenchDocument,
  node: number,
  analyzer: Analyzer,
): IndexedDocument {
  return {
    node,
    type: 1,
    timestampMs: node,
    language: analyzer.language,
    fields: [
      { field: NAMES, boost: NAMES_BOOST, tokens: tokensOf(analyzer, names) },
      { field: GLOSS, boost: 1, tokens: tokensOf(analyzer, gloss) },
    ],
    facets: [
      { column: POS_COLUMN, values: [pos] },
      { column: LEX_FILE_COLUMN, values: [lexFile] },
    ],
  };
}

function tokensOf(analyzer: Analyzer, text: string): Token[] {
  const tokens: Token[] = [];
  analyzer.analyzeDocument(text, (token) => tokens.push(token));
  return tokens;
}

export function allOf(words: readonly Token[]): TextQuery {
  return ofWords('must', words);
}

export function anyOf(words: readonly Token[]): TextQuery {
  return ofWords('should', words);
}

function ofWords(occurrence: 'must' | 'should', words: readonly Token[]): TextQuery {
  return {
    groups: words.map(({ term }) => ({
      occurrence,
      alternatives: [{ kind: 'term', term, weight: 1 }],
    })),
  };
}

export function phraseOf(words: readonly Token[]): TextQuery {
  const placed = words.map(({ term }, offset) => ({ offset, terms: [term] }));
  const alternatives = [{ kind: 'phrase', words: placed, weight: 1 } as const];
  return { groups: [{ occurrence: 'must', alternatives }] };
}
