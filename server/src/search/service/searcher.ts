import { setImmediate } from 'node:timers';
import { Problem } from '#base/problem.ts';
import {
  type FindByText,
  type FindSimilar,
  type FoundNode,
  QueryContext,
  type WantedText,
} from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { SearchSnapshot } from '../indexing/search-snapshot.ts';
import { type SegmentReaders, UnreadableSegmentError } from '../text/segment-readers.ts';
import {
  findSimilar,
  type NodeVector,
  similarTo,
  vectorsOfNode,
  type WantedSimilar,
} from '../similarity/find-similar.ts';
import { SynonymSource } from '../synonyms/synonym-records.ts';
import { OpenedSnapshot } from './opened-snapshot.ts';
import { PreparedSearch, type SearchSources } from './prepared-search.ts';
import { findByVectors, modelsFor } from './vector-run.ts';
import { type SimilarWord, similarWords, suggest, type Suggestion } from './suggest.ts';
import { Analyzers } from '../analysis/language-analyzer.ts';
import { SEARCH_START_HITS_MAX } from '#base/search-limits.ts';
import { invalid } from '../request/members.ts';
import { goesBy } from '../settings/named-now.ts';
import { readSearchRequest } from '../request/read-request.ts';
import { countsOf, type Facet, type FacetCount } from './facets.ts';
import type { RankedHit } from './fusion.ts';
import { presentHit, type SearchHit } from './present-hit.ts';
import { TextRun } from './text-run.ts';

export interface SearcherOptions extends Pick<SearchSources, 'reader' | 'now'> {
  readonly reader: StateReader;
  /** Reads segments that are not in memory. Without it, all of them must be. */
  readonly segments?: SegmentReaders;
  /** Collects the garbage of its thread: see `ReleasedMemory`. Without it, V8 decides when. */
  readonly collect?: () => void;
}

/** Searches in the thread that it is made in, over the memory that all threads share. */
export class Searcher {
  readonly #options: SearcherOptions;
  readonly #synonyms: SynonymSource;
  readonly #analyzers = new Analyzers();
  #opened: OpenedSnapshot | undefined;
  #collected = 0;

  constructor(options: SearcherOptions) {
    this.#options = options;
    this.#synonyms = new SynonymSource(options.reader);
  }

  /** Replaces the snapshot, and releases the one before. */
  receive(snapshot: SearchSnapshot): void {
    const { segments } = this.#options;
    const parts = { analyzers: this.#analyzers, ...(segments && { openPages: segments.open }) };
    try {
      this.#opened = OpenedSnapshot.open(snapshot, parts, this.#opened);
    } catch (error) {
      // This thread was busy for long: a snapshot without the segment will arrive.
      if (error instanceof UnreadableSegmentError) return;
      throw error;
    }
    const inFiles = snapshot.view.parts.filter(({ isInFile }) => isInFile);
    segments?.keepOnly(new Set(inFiles.map(({ id }) => id)));
    this.#collectLater(snapshot.released);
  }

  #collectLater(released: number): void {
    const { collect } = this.#options;
    if (collect === undefined || released === this.#collected) return;
    this.#collected = released;
    // Later, when nothing here refers to the former snapshot any more.
    setImmediate(collect);
  }

  /** Loads all languages, for a thread that cannot load modules later. */
  loadLanguages(): void {
    this.#analyzers.loadAll();
  }

  /** See `search`. Throws `index_opening` before there is an index. */
  search(request: unknown, visibility: Visibility | undefined): SearchAnswer {
    return search(this.#sourcesFor(visibility), request, visibility);
  }

  /** See `suggest`. Throws `index_opening` before there is an index. */
  suggest(request: unknown, visibility: Visibility | undefined): readonly Suggestion[] {
    return suggest(this.#sourcesFor(visibility), request, visibility);
  }

  /** See `similarWords`. None before there is an index. */
  similarWords(
    wanted: { readonly word: string; readonly language: string; readonly tolerance: number },
    visibility: Visibility | undefined,
  ): readonly SimilarWord[] {
    if (this.#opened === undefined) return [];
    return similarWords(this.#sourcesFor(visibility), wanted, visibility);
  }

  /** For `startSearch` of a query: see `findByText`. */
  readonly findByText: FindByText = (wanted, visibility) =>
    findByText(this.#sourcesFor(visibility), wanted, visibility);

  /** For similar nodes of a query: see `findSimilar`. */
  readonly findSimilar: FindSimilar = (wanted, visibility) =>
    findSimilar(this.#sources(), wanted, visibility);

  /** See `modelsFor` of vector-run.ts. Throws `index_opening` before there is an index. */
  modelsFor(request: unknown): readonly string[] {
    return modelsFor(this.#sources(), request);
  }

  /** See `similarTo` of find-similar.ts. Throws `index_opening` before there is an index. */
  similarTo(wanted: WantedSimilar, visibility: Visibility | undefined): readonly FoundNode[] {
    return similarTo(this.#sources(), wanted, visibility);
  }

  /** See `vectorsOfNode`. Throws `index_opening` before there is an index. */
  vectorsOfNode(id: number, visibility: Visibility | undefined): readonly NodeVector[] {
    return vectorsOfNode(this.#sources(), id, visibility);
  }

  /** The sources of a search, with the index as somebody sees it. */
  #sourcesFor(visibility: Visibility | undefined): SearchSources {
    const sources = this.#sources();
    return { ...sources, snapshot: sources.snapshot.seenBy(visibility, sources.now()) };
  }

  #sources(): SearchSources {
    const snapshot = this.#opened;
    if (snapshot === undefined) {
      throw new Problem('index_opening', 'The search index is not open yet.');
    }
    const { synonymsOf } = this.#synonyms;
    const { registry } = this.#options.reader;
    return { ...this.#options, synonymsOf, snapshot: snapshot.namedBy(registry) };
  }
}

/** The same shape as that of `@trellis/endpoint`. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  readonly tookMs: number;
}

/**
 * Searches as somebody, or as the system (open-shapes, section 6). What the searcher may not see is
 * left out before ranking and counting. Throws `invalid_request`, and `invalid_query` for names not
 * in the schema.
 */
function search(
  sources: SearchSources,
  value: unknown,
  visibility: Visibility | undefined,
): SearchAnswer {
  const startedAt = sources.now();
  const prepared = new PreparedSearch(sources, readSearchRequest(value), visibility);
  const isOfText = prepared.request.mode === 'text';
  const { hits, total, facets } = isOfText ? findByWords(prepared) : findByVectors(prepared);
  return {
    hits: hits.flatMap((hit) => presentHit(prepared, hit)),
    total,
    facets: countsOf(facets),
    tookMs: Math.max(0, sources.now() - startedAt),
  };
}

function findByWords(prepared: PreparedSearch): {
  readonly hits: readonly RankedHit[];
  readonly total: number;
  readonly facets: readonly Facet[];
} {
  const { hits, total, facets } = new TextRun(prepared, prepared.request).find();
  return {
    hits: hits.map((words) => ({ hit: words.hit, score: words.hit.score, words })),
    total,
    facets,
  };
}

/**
 * The nodes with these words in the field that somebody may see; best first, as many as a query can
 * take.
 */
function findByText(
  sources: SearchSources,
  { type, field, text }: WantedText,
  visibility: Visibility | undefined,
): readonly FoundNode[] {
  const context = new QueryContext(sources.reader, visibility, undefined);
  const { id } = context.registry.nodeType(type) ?? {};
  const planned = sources.snapshot.types.find((one) => one.id === id);
  if (planned?.texts.some(({ name }) => goesBy(planned, name, [field])) !== true) {
    if (context.conceals(type)) return [];
    const hint = 'Set text for it in the search settings.';
    throw invalid('startSearch', `the field "${field}" of "${type}" is not searched`, hint);
  }
  const request = readSearchRequest({ query: text, types: [type], fields: [field] });
  const prepared = new PreparedSearch(sources, request, visibility);
  // No words find nothing: `startAt` is for all nodes of a type.
  if (!prepared.hasQuery) return [];
  const { hits } = new TextRun(prepared, { skip: 0, take: SEARCH_START_HITS_MAX }).find();
  return hits.map(({ hit: { node, score } }) => ({ id: node, score }));
}
