import { Problem } from '#base/problem.ts';
import type { FindByText } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { Analyzers } from '../analysis/analyzer.ts';
import type { SearchSnapshot } from '../indexing/search-snapshot.ts';
import { SynonymSource } from '../synonyms/synonym-source.ts';
import { OpenedSnapshot } from './opened-snapshot.ts';
import { findByText, search, type SearchAnswer, type SearchSources } from './search.ts';
import { similarWords, type SimilarWord } from './similar-words.ts';
import { suggest, type Suggestion } from './suggest.ts';

export interface SearcherOptions extends Pick<SearchSources, 'reader' | 'now'> {
  readonly reader: StateReader;
}

/** Searches in the thread that it is made in, over the memory that all threads share. */
export class Searcher {
  readonly #options: SearcherOptions;
  readonly #synonyms: SynonymSource;
  readonly #analyzers = new Analyzers();
  #received: SearchSnapshot | undefined;
  #opened: OpenedSnapshot | undefined;

  constructor(options: SearcherOptions) {
    this.#options = options;
    this.#synonyms = new SynonymSource(options.reader);
  }

  /** What can be found from now on. It is opened when somebody searches. */
  receive(snapshot: SearchSnapshot): void {
    this.#received = snapshot;
  }

  /** Loads what it may need for texts of any language, in a thread that cannot load anything later. */
  loadLanguages(): void {
    this.#analyzers.loadAll();
  }

  /** See `search`. Throws `not_ready` before there is an index. */
  search(request: unknown, visibility: Visibility | undefined): SearchAnswer {
    return search(this.#sources(), request, visibility);
  }

  /** See `suggest`. Throws `not_ready` before there is an index. */
  suggest(request: unknown, visibility: Visibility | undefined): readonly Suggestion[] {
    return suggest(this.#sources(), request, visibility);
  }

  /** See `similarWords`. None before there is an index. */
  similarWords(
    wanted: { readonly word: string; readonly language: string; readonly tolerance: number },
    visibility: Visibility | undefined,
  ): readonly SimilarWord[] {
    const sources = this.#open();
    return sources === undefined ? [] : similarWords(sources, wanted, visibility);
  }

  /** For `startSearch` of a query: see `findByText`. */
  readonly findByText: FindByText = (wanted, visibility) =>
    findByText(this.#sources(), wanted, visibility);

  #sources(): SearchSources {
    const sources = this.#open();
    if (sources !== undefined) return sources;
    throw new Problem('not_ready', 'The search index is not there yet.');
  }

  #open(): SearchSources | undefined {
    if (this.#received !== undefined) {
      this.#opened = new OpenedSnapshot(this.#received, this.#analyzers, this.#opened);
      this.#received = undefined;
    }
    const snapshot = this.#opened;
    if (snapshot === undefined) return undefined;
    const { synonymsOf } = this.#synonyms;
    return { ...this.#options, synonymsOf, snapshot };
  }
}
