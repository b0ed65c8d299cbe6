import { SEARCH_FACET_VALUES_MAX, SEARCH_FACETS_MAX } from '#base/search-limits.ts';
import type { QueryContext } from '#graph/query/query-context.ts';
import { FacetCounts, type MatchCollector, TypeCounts } from '../text/match-collectors.ts';
import type { TextSegment } from '../text/segment.ts';
import { invalid } from '../request/members.ts';
import type {
  FacetRequest,
  FieldFacet,
  RelatedFacet,
  TimeFacet,
  TimeUnit,
} from '../request/read-request.ts';
import { goesBy } from '../settings/named-now.ts';
import type { SearchScope } from './scope.ts';
import type { PlannedType } from '../settings/index-plan.ts';
import { TIME_MAX_MS, TIME_MIN_MS } from '#graph/time.ts';

/** What the facets have counted, by their names. */
export function countsOf(
  facets: readonly Facet[],
): Readonly<Record<string, readonly FacetCount[]>> {
  const counted = facets.map((facet) => [facet, facet.counts()] as const);
  return Object.fromEntries(
    counted
      .filter(([facet, counts]) => facet.isLeftOutWhenEmpty !== true || counts.length > 0)
      .map(([{ name }, counts]) => [name, counts]),
  );
}

/**
 * Throws `invalid_request` for a field that is no facet, `invalid_query` for an unknown edge type.
 */
export function openFacets(
  requests: readonly FacetRequest[],
  scope: SearchScope,
  context: QueryContext,
): Facet[] {
  const names = new Set(requests.map(({ name }) => name));
  return requests.flatMap((request, i) => {
    const path = `request.facets[${i}]`;
    if (request.kind === 'time') return new TimeHistogram(request);
    if (request.kind === 'related') return new RelatedCounts(request, context, path);
    if (request.field === 'Type') return typeFacet(request, scope);
    if (request.field !== ANY_FIELD) return fieldFacet(request, scope, path);
    return readableFacets(scope)
      .filter((field) => !names.has(field))
      .slice(0, SEARCH_FACETS_MAX)
      .map((field) => ({
        ...fieldFacet({ ...request, name: field, field }, scope, path),
        isLeftOutWhenEmpty: true,
      }));
  });
}

/** In place of a field: every facet that the searcher may read. */
const ANY_FIELD = '*';

function readableFacets(scope: SearchScope): string[] {
  const names = [...scope.types.values()].flatMap(({ name: type, facets }) =>
    facets.filter(({ name }) => scope.canRead(type, name)).map(({ name }) => name),
  );
  return [...new Set(names)].toSorted();
}

function typeFacet({ name, take }: FieldFacet, scope: SearchScope): Facet {
  const collector = new TypeCounts();
  const nameOf = (id: number): string => scope.types.get(id)?.name ?? '';
  return {
    name,
    collector,
    counts: () =>
      mostFrequent(
        [...collector.counts()].map(([id, count]) => [nameOf(id), count] as const),
        take,
      ),
  };
}

function fieldFacet({ name, field, take }: FieldFacet, scope: SearchScope, path: string): Facet {
  const types = [...scope.types.values()];
  const found = types.flatMap((type) =>
    type.facets.filter((one) => goesBy(type, one.name, [field])),
  );
  const column = (found.find((one) => one.name === field) ?? found[0])?.column;
  if (column === undefined) {
    if (scope.conceals) return { name, collector: NOTHING, counts: () => [] };
    const hint = `Set facet: true for it in the search settings.`;
    throw invalid(path, `"${field}" is not a facet of what is searched`, hint);
  }
  const counts = new FacetCounts(column);
  // What was renamed is in the column of its former name until it is indexed again.
  const mayRead = (type: PlannedType): boolean =>
    scope.canRead(type.name, field) &&
    type.facets
      .filter((one) => one.column === column || one.origin === field)
      .every((one) => scope.canRead(type.name, one.name));
  const readable = new Set(types.filter(mayRead).map(({ id }) => id));
  const isAll = readable.size === types.length;
  return {
    name,
    collector: isAll ? counts : new OfTypes(readable, counts),
    counts: () => mostFrequent([...counts.counts()], take),
  };
}

const NOTHING: MatchCollector = { startSegment: () => {}, collect: () => {} };

/** Passes on only matches of types that show the field to the searcher. */
class OfTypes implements MatchCollector {
  readonly #types: ReadonlySet<number>;
  readonly #inner: MatchCollector;
  #segment: TextSegment | undefined;

  constructor(types: ReadonlySet<number>, inner: MatchCollector) {
    this.#types = types;
    this.#inner = inner;
  }

  startSegment(segment: TextSegment): void {
    this.#segment = segment;
    this.#inner.startSegment(segment);
  }

  collect(documents: Uint32Array): void {
    const table = this.#segment?.documents;
    if (table === undefined) return;
    this.#inner.collect(
      documents.filter((document) => this.#types.has(table.typeIds[table.types[document]!]!)),
    );
  }
}

/** The neighbors of hits over some edges, one edge after the other, that the searcher may see. */
class RelatedCounts implements Facet, MatchCollector {
  readonly name: string;
  readonly collector = this;
  readonly #request: RelatedFacet;
  readonly #context: QueryContext;
  readonly #edges: readonly number[];
  readonly #counts = new Map<number, number>();
  #segment: TextSegment | undefined;

  constructor(request: RelatedFacet, context: QueryContext, path: string) {
    this.name = request.name;
    this.#request = request;
    this.#context = context;
    this.#edges = request.edges.map((edge) => context.edgeType(edge, `${path}.related`).id);
  }

  startSegment(segment: TextSegment): void {
    this.#segment = segment;
  }

  collect(documents: Uint32Array): void {
    for (const document of documents) {
      const node = this.#segment?.documents.nodes[document];
      if (node === undefined) continue;
      for (const id of this.#related(node)) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    }
  }

  counts(): readonly FacetCount[] {
    const { reader } = this.#context;
    return [...this.#counts]
      .toSorted(([a, m], [b, n]) => n - m || a - b)
      .slice(0, this.#request.take)
      .flatMap(([id, count]) => {
        const value = reader.uid(id);
        return value === undefined ? [] : [{ value, label: this.#labelOf(id), count }];
      });
  }

  #related(node: number): ReadonlySet<number> {
    const { direction } = this.#request;
    let ids: ReadonlySet<number> = new Set([node]);
    for (const edge of this.#edges) {
      const next = new Set<number>();
      for (const id of ids) {
        const neighbors = this.#context.neighbors(id, direction, edge);
        for (let i = 0; i < neighbors.length; i++) next.add(neighbors.at(i));
      }
      ids = next;
    }
    return ids;
  }

  #labelOf(id: number): string | undefined {
    const { reader } = this.#context;
    const record = reader.record(id);
    if (record === undefined) return undefined;
    const { label, key } = reader.nodeTypeOf(record);
    for (const name of [label, key, 'Id']) {
      const value = name === undefined ? undefined : this.#context.read(id, name);
      if (typeof value === 'string') return value;
    }
    return undefined;
  }
}

function mostFrequent(
  counts: readonly (readonly [string, number])[],
  take: number,
): readonly FacetCount[] {
  return counts
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, take)
    .map(([value, count]) => ({ value, count }));
}

/** Counts all hits of a search in one way. */
export interface Facet {
  readonly name: string;
  readonly collector: MatchCollector;
  /** True when it was not asked for by name: an empty facet would reveal its name. */
  readonly isLeftOutWhenEmpty?: boolean;
  counts(): readonly FacetCount[];
}

/** The same shape as that of `@trellis/endpoint`. */
export interface FacetCount {
  readonly value: string;
  readonly label?: string | undefined;
  readonly count: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601). */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Counts hits by the year, month, week, day or hour of their timestamps, in UTC. */
class TimeHistogram implements Facet, MatchCollector {
  readonly name: string;
  readonly collector = this;
  readonly #request: TimeFacet;
  readonly #counts = new Map<number, number>();
  #timestampsMs: Float64Array = new Float64Array();

  constructor(request: TimeFacet) {
    this.name = request.name;
    this.#request = request;
  }

  startSegment({ documents }: TextSegment): void {
    this.#timestampsMs = documents.timestampsMs;
  }

  collect(documents: Uint32Array): void {
    const { unit, fromMs = TIME_MIN_MS, toMs = TIME_MAX_MS } = this.#request;
    for (const document of documents) {
      const ms = this.#timestampsMs[document]!;
      if (ms < fromMs || ms > toMs) continue;
      const start = startOf(ms, unit);
      this.#counts.set(start, (this.#counts.get(start) ?? 0) + 1);
    }
  }

  /** In order of time; if too many, the newest. */
  counts(): readonly FacetCount[] {
    return [...this.#counts]
      .toSorted(([a], [b]) => a - b)
      .slice(-SEARCH_FACET_VALUES_MAX)
      .map(([ms, count]) => ({ value: new Date(ms).toISOString(), count }));
  }
}

/** Milliseconds since the Unix epoch at which the unit of time begins. */
function startOf(ms: number, unit: TimeUnit): number {
  switch (unit) {
    case 'hour':
      return Math.floor(ms / HOUR_MS) * HOUR_MS;
    case 'day':
      return Math.floor(ms / DAY_MS) * DAY_MS;
    case 'week':
      return Math.floor((ms - FIRST_MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + FIRST_MONDAY_MS;
    case 'month': {
      const date = new Date(ms);
      return startOfMonth(date.getUTCFullYear(), date.getUTCMonth());
    }
    case 'year':
      return startOfMonth(new Date(ms).getUTCFullYear(), 0);
  }
}

/** Date.UTC takes the years 0 to 99 for those of 1900. */
function startOfMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime();
}
