import type { Analyzer, Analyzers } from '../analysis/analyzer.ts';
import type { SearchSnapshot } from '../indexing/search-snapshot.ts';
import { openVectors, type OpenedVectors } from './opened-vectors.ts';
import type { PlannedText, PlannedType } from '../settings/index-plan.ts';
import { AUTO_LANGUAGE } from '../settings/search-settings.ts';
import { IndexView, type ViewPart } from '../text/index-view.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import { isDeleted } from '../text/tombstones.ts';

const ANY_LANGUAGE = '--';

/** What can be found, opened in this thread. */
export class OpenedSnapshot {
  readonly view: IndexView;
  readonly types: readonly PlannedType[];
  /** One for each field that has vectors. */
  readonly vectors: readonly OpenedVectors[];
  readonly #byName: ReadonlyMap<string, PlannedType>;
  readonly #columns: ReadonlyMap<string, number>;
  readonly #analyzers: Analyzers;
  #languages: readonly string[] | undefined;

  /** What is known of the snapshot before goes on being known. Throws an `UnreadableSegmentError`. */
  constructor(
    snapshot: SearchSnapshot,
    { analyzers, openPages }: { readonly analyzers: Analyzers; readonly openPages?: OpenPages },
    previous?: OpenedSnapshot,
  ) {
    const { plan, view, vectors } = snapshot;
    this.#analyzers = analyzers;
    this.vectors = openVectors(vectors, plan.types, previous?.vectors);
    this.view = IndexView.open(view, previous?.view, openPages);
    this.types = [...plan.types.values()];
    this.#byName = new Map(this.types.map((type) => [type.name, type]));
    this.#columns = new Map(plan.numbers.columns.map((name, column) => [name, column]));
  }

  type(name: string): PlannedType | undefined {
    return this.#byName.get(name);
  }

  /** Of a facet, by the name of its field. */
  column(name: string): number | undefined {
    return this.#columns.get(name);
  }

  /** Of the languages that texts are in; of the one that is named, and of texts that are in none for sure. */
  analyzers(language: string | undefined): Analyzer[] {
    const languages = language === undefined ? this.languages : [language];
    const isUnsure = this.languages.includes(ANY_LANGUAGE) && !languages.includes(ANY_LANGUAGE);
    return [...languages, ...(isUnsure ? [ANY_LANGUAGE] : [])].map((one) =>
      this.#analyzers.for(one),
    );
  }

  /** That a text of a document was indexed with. */
  analyzerOf({ language }: PlannedText, ofDocument: string): Analyzer {
    return this.#analyzers.for(language === AUTO_LANGUAGE ? ofDocument : language);
  }

  /** At least one. */
  get languages(): readonly string[] {
    if (this.#languages !== undefined) return this.#languages;
    const found = new Set<string>();
    for (const part of this.view.parts)
      for (const language of languagesOf(part)) found.add(language);
    for (const { texts } of this.types) {
      for (const { language } of texts) if (language !== AUTO_LANGUAGE) found.add(language);
    }
    return (this.#languages = found.size === 0 ? [ANY_LANGUAGE] : [...found].toSorted());
  }
}

/** Of documents that are there: what was deleted must not change what a query finds. */
function languagesOf({ segment, tombstones }: ViewPart): ReadonlySet<string> {
  const { count, languages, languageNames } = segment.documents;
  if (tombstones.deletedCount === 0) return new Set(languageNames);
  const found = new Set<string>();
  for (let document = 0; document < count && found.size < languageNames.length; document++) {
    if (!isDeleted(tombstones, document)) found.add(languageNames[languages[document]!]!);
  }
  return found;
}
