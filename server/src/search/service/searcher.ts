import { setImmediate } from 'node:timers';
import { Problem } from '#base/problem.ts';
import type { FindByText, FindSimilar, FoundNode } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { SearchSnapshot } from '../indexing/search-snapshot.ts';
import { UnreadableSegmentError, type SegmentReaders } from '../text/segment-readers.ts';
import { findSimilar } from '../similarity/find-similar.ts';
import { SynonymSource } from '../synonyms/synonym-source.ts';
import { OpenedSnapshot } from './opened-snapshot.ts';
import type { SearchSources } from './prepared-search.ts';
import { modelsFor } from './query-vectors.ts';
import { findByText, search, type SearchAnswer } from './search.ts';
import { similarTo, vectorsOfNode, type NodeVector, type WantedSimilar } from './similar-nodes.ts';
import { similarWords, type SimilarWord } from './similar-words.ts';
import { suggest, type Suggestion } from './suggest.ts';
import { Analyzers } from '../analysis/language-analyzer.ts';

export interface SearcherOptions extends Pick<SearchSources, 'reader' | 'now'> {
  readonly reader: StateReader;
  /** Reads segments that are not in memory. Without it, all of them must be. */
  readonly segments?: SegmentReaders;
  /** Collects the garbage of its thread: see `ReleasedMemory`. Without it, that is left to chance. */
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

  /** What can be found from now on. It lets go of what was found before. */
  receive(snapshot: SearchSnapshot): void {
    const { segments } = this.#options;
    const parts = { analyzers: this.#analyzers, ...(segments && { openPages: segments.open }) };
    try {
      this.#opened = OpenedSnapshot.open(snapshot, parts, this.#opened);
    } catch (error) {
      // A thread that was busy for long: the snapshot that does without the segment is on its way.
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
    // Not before nothing leads to the former snapshot from here.
    setImmediate(collect);
  }

  /** Loads what it may need for texts of any language, in a thread that cannot load anything later. */
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

  /** See `modelsFor` of query-vectors.ts. Throws `index_opening` before there is an index. */
  modelsFor(request: unknown): readonly string[] {
    return modelsFor(this.#sources(), request);
  }

  /** See `similarTo` of similar-nodes.ts. Throws `index_opening` before there is an index. */
  similarTo(wanted: WantedSimilar, visibility: Visibility | undefined): readonly FoundNode[] {
    return similarTo(this.#sources(), wanted, visibility);
  }

  /** See `vectorsOfNode`. Throws `index_opening` before there is an index. */
  vectorsOfNode(id: number, visibility: Visibility | undefined): readonly NodeVector[] {
    return vectorsOfNode(this.#sources(), id, visibility);
  }

  /** With the index as somebody sees it. */
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
    return { ...this.#options, synonymsOf, snapshot };
  }
}
