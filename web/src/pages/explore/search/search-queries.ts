import type { TrellisError } from '@trellis/client/trellis-error.ts';
import type { FacetCount, FacetRequest, SearchAnswer } from '@trellis/client/system-search.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { requestOf, SEARCH_TAKE, type SearchAddress, withFilter } from './search-address.ts';
import { timeBarsOf, type TimeBar, type TimeUnit, unitsFor } from './time-bars.ts';

const FACET_VALUES_MAX = 50;
/** No field is called so. */
const TIME_NAMES: Readonly<Record<TimeUnit, string>> = {
  hour: 'time:hour',
  day: 'time:day',
  month: 'time:month',
  year: 'time:year',
};
const NAMES_OF_TIMES: ReadonlySet<string> = new Set(Object.values(TIME_NAMES));
const FACETS = ['Type', '*'].map((field) => ({ field, take: FACET_VALUES_MAX }));

/** One page of hits, each with the reasons why it was found. */
export function hitsQuery(address: SearchAddress) {
  const { skip = 0, sort = 'relevance' } = address;
  return queryOptions({
    queryKey: ['search', 'hits', address],
    queryFn: ({ signal }): Promise<SearchAnswer> =>
      client.system.search(
        { ...requestOf(address), sort, skip, take: SEARCH_TAKE, explain: true },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
}

export interface FacetCounts {
  readonly field: string;
  readonly counts: readonly FacetCount[];
}

export interface SearchFacets {
  /** That of the types first. */
  readonly facets: readonly FacetCounts[];
  readonly bars: readonly TimeBar[];
}

/**
 * What is counted over all hits. Of a field with chosen values, all of its values are: so that
 * another one can be chosen beside.
 */
export function facetsQuery(address: SearchAddress) {
  const { skip: _skip, sort: _sort, ...found } = address;
  return queryOptions({
    queryKey: ['search', 'facets', found],
    queryFn: ({ signal }) => readFacets(found, signal),
    placeholderData: keepPreviousData,
  });
}

async function readFacets(found: SearchAddress, signal: AbortSignal): Promise<SearchFacets> {
  const chosen = [...(found.type ? ['Type'] : []), ...Object.keys(found.filters ?? {})];
  const count = (address: SearchAddress, facets: readonly FacetRequest[]) =>
    client.system.search({ ...requestOf(address), take: 0, facets }, { signal });
  const times = unitsFor(found.from, found.to).map((time) => ({ time, name: TIME_NAMES[time] }));
  const [all, ...others] = await Promise.all([
    count(found, [...FACETS, ...times]),
    ...chosen.map((field) => count(withFilter(found, field, []), FACETS)),
  ]);
  const counted = { ...all.facets };
  for (const [i, field] of chosen.entries()) {
    const counts = others[i]?.facets[field];
    if (counts !== undefined) counted[field] = counts;
  }
  return { facets: fieldsOf(counted), bars: barsOf(counted) };
}

function fieldsOf(counted: SearchAnswer['facets']): readonly FacetCounts[] {
  return Object.entries(counted)
    .filter(([field, counts]) => !NAMES_OF_TIMES.has(field) && counts.length > 0)
    .toSorted(([a], [b]) => Number(b === 'Type') - Number(a === 'Type'))
    .map(([field, counts]) => ({ field, counts }));
}

function barsOf(counted: SearchAnswer['facets']): readonly TimeBar[] {
  const units = Object.entries(TIME_NAMES).flatMap(([unit, name]) => {
    const counts = counted[name];
    return counts === undefined ? [] : [[unit, counts] as const];
  });
  return timeBarsOf(Object.fromEntries(units));
}

/** All that the viewer can find: the types with their counts, and what came last. */
export const everythingQuery = queryOptions({
  queryKey: ['search', 'everything'],
  queryFn: ({ signal }) =>
    client.system.search(
      { sort: 'recent', take: 6, facets: [{ field: 'Type', take: FACET_VALUES_MAX }] },
      { signal },
    ),
});

/** By what anything can be found: words, and vectors where a field has some. */
export const searchModesQuery = queryOptions({
  queryKey: ['search', 'modes'],
  queryFn: ({ signal }) => client.system.searchModes({ signal }),
  staleTime: 5 * 60_000,
});

/** The words that the last word of a text may become. */
export function suggestionsQuery(text: string, type: readonly string[] | undefined) {
  return queryOptions({
    queryKey: ['search', 'suggestions', text, type],
    queryFn: ({ signal }) =>
      client.system.suggest(
        { query: text, ...(type !== undefined && { types: type }) },
        { signal },
      ),
  });
}

/** Whether a search was refused because of this member of its request. */
export function isAboutMember({ details }: TrellisError, member: string): boolean {
  const fields: unknown = details?.['fields'];
  const path = `request.${member}`;
  return Array.isArray(fields) && fields.some((field: unknown) => Object(field).path === path);
}
