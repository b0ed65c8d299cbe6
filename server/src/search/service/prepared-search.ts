import { QueryContext } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { SearchRequest } from '../request/search-request.ts';
import type { SearchFilter } from '../text/document-filter.ts';
import { NodeSet } from '../text/node-set.ts';
import type { WordSources } from '../text/query-text/expand-word.ts';
import { conditionsOf, type Conditions } from './conditions.ts';
import { openFacets } from './facets.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';
import { SearchScope } from './scope.ts';
import type { Facet } from './time-histogram.ts';

export interface SearchSources {
  readonly reader: StateReader;
  readonly snapshot: OpenedSnapshot;
  readonly synonymsOf: NonNullable<WordSources['synonymsOf']>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** A checked request, with what it is looked for in as its searcher. Throws as `search` does. */
export class PreparedSearch {
  readonly sources: SearchSources;
  readonly request: SearchRequest;
  readonly context: QueryContext;
  readonly scope: SearchScope;
  readonly conditions: Conditions;
  /** All that must hold besides the words. */
  readonly filter: SearchFilter;
  /** What a score is multiplied by. */
  readonly decay: ((timestampMs: number) => number) | undefined;

  constructor(sources: SearchSources, request: SearchRequest, visibility: Visibility | undefined) {
    this.sources = sources;
    this.request = request;
    this.context = new QueryContext(sources.reader, visibility, undefined);
    this.scope = new SearchScope(sources.snapshot, this.context, request);
    this.conditions = conditionsOf(this.context, request);
    const { allowed, test } = this.conditions;
    this.filter = {
      ...(request.types === undefined ? {} : { types: new Set(this.scope.types.keys()) }),
      ...(allowed === undefined ? {} : { allowed: new NodeSet(allowed) }),
      ...(test === undefined ? {} : { test }),
    };
    this.decay = decayOf(request, sources);
  }

  /** Whether there are words to look for, or signs at least. */
  get hasQuery(): boolean {
    return this.request.query.trim() !== '';
  }

  /** Anew each time: they count what they are shown. */
  openFacets(): readonly Facet[] {
    return openFacets(this.request.facets, this.sources.snapshot, this.scope, this.context);
  }
}

function decayOf(
  { halfLifeMs }: SearchRequest,
  sources: SearchSources,
): ((timestampMs: number) => number) | undefined {
  if (halfLifeMs === undefined) return undefined;
  const now = sources.now();
  // Above 0 however old it is: a score of nothing would be no score.
  return (ms) => Math.max(2 ** (-Math.max(0, now - ms) / halfLifeMs), Number.MIN_VALUE);
}
