import type { SearchAnswer } from '@trellis/client/system-search.ts';
import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useState } from 'react';
import { Card } from '../../../ui/card.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AlsoFound } from './also-found.tsx';
import { FacetPanel } from './facet-panel.tsx';
import { FilterChips } from './filter-chips.tsx';
import { HitCard } from './hit-card.tsx';
import { HitExplanationPanel } from './hit-explanation.tsx';
import { SEARCH_TAKE, type SearchAddress, withRange } from './search-address.ts';
import { SearchFailure } from './search-failure.tsx';
import { FilterDrawer } from './filter-drawer.tsx';
import { SearchOrder, SearchSummary } from './search-order.tsx';
import { facetsQuery, hitsQuery, type SearchFacets } from './search-queries.ts';
import { TimeHistogram } from './time-histogram.tsx';
import { TimeRange } from './time-range.tsx';

interface SearchResultsProps {
  readonly address: SearchAddress;
  readonly onChange: (address: SearchAddress) => void;
}

interface ShownResultsProps extends SearchResultsProps {
  /** Something else takes the room at the right. */
  readonly isNarrow: boolean;
}

/** What is found, beside what it can be limited by. */
export function SearchResults({ address, onChange, isNarrow }: ShownResultsProps) {
  const hits = useQuery(hitsQuery(address));
  const facets = useQuery(facetsQuery(address));
  if (hits.isError) {
    const { mode: _, ...forWords } = address;
    const isForWords = address.mode === undefined || address.mode === 'text';
    return (
      <div className="flex flex-col gap-4">
        <FilterChips address={address} onChange={onChange} />
        <SearchFailure
          error={hits.error}
          onRetry={hits.refetch}
          onSearchForWords={isForWords ? undefined : () => onChange(forWords)}
        />
      </div>
    );
  }
  const filters = (
    <Filters facets={facets.data} error={facets.error} address={address} onChange={onChange} />
  );
  const bars = facets.data?.bars ?? [];
  return (
    <div
      className={classNames(
        'grid grid-cols-1 items-start gap-6',
        !isNarrow && 'lg:grid-cols-[14rem_minmax(0,1fr)]',
      )}
    >
      {!isNarrow && (
        <aside aria-label="Filters" className="max-lg:hidden">
          {filters}
        </aside>
      )}
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <SearchSummary answer={hits.isPlaceholderData ? undefined : hits.data} />
          <div className="flex flex-wrap items-end gap-2">
            <div className={classNames(!isNarrow && 'lg:hidden')}>
              <FilterDrawer address={address}>{filters}</FilterDrawer>
            </div>
            <SearchOrder address={address} onChange={onChange} />
          </div>
        </div>
        <FilterChips address={address} onChange={onChange} />
        {bars.length > 0 && (
          <TimeHistogram bars={bars} onChoose={(range) => onChange(withRange(address, range))} />
        )}
        <Hits
          answer={hits.data}
          isStale={hits.isPlaceholderData}
          address={address}
          onChange={onChange}
        />
      </div>
    </div>
  );
}

interface FiltersProps extends SearchResultsProps {
  readonly facets: SearchFacets | undefined;
  readonly error: Error | null;
}

function Filters({ facets, error, address, onChange }: FiltersProps) {
  if (facets === undefined) {
    return error === null ? (
      <Skeleton rows={6} />
    ) : (
      <ErrorPanel title="The filters could not be read" error={error} />
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <FacetPanel facets={facets.facets} address={address} onChange={onChange} />
      <TimeRange address={address} onChange={onChange} />
    </div>
  );
}

interface HitsProps extends SearchResultsProps {
  readonly answer: SearchAnswer | undefined;
  /** Those of the search before are still shown. */
  readonly isStale: boolean;
}

function Hits({ answer, isStale, address, onChange }: HitsProps) {
  const [explained, setExplained] = useState<string>();
  if (answer === undefined) return <Skeleton rows={8} />;
  const { hits, total } = answer;
  if (hits.length === 0) return <NothingFound address={address} />;
  const { skip = 0, mode = 'text' } = address;
  return (
    <div aria-busy={isStale || undefined} className="flex flex-col gap-4">
      <AlsoFound query={address.q ?? ''} hits={hits} />
      <h2 className="sr-only">Results</h2>
      <ol aria-label="Results" className="flex flex-col gap-3">
        {hits.map((hit) => (
          <li key={hit.node.UID}>
            <HitCard
              hit={hit}
              showsFrom={mode !== 'text'}
              onExplain={() => setExplained(hit.node.UID)}
            />
          </li>
        ))}
      </ol>
      <Pager
        skip={skip}
        take={SEARCH_TAKE}
        shown={hits.length}
        total={total}
        onSkip={(to) => {
          const { skip: _, ...rest } = address;
          onChange(to === 0 ? rest : { ...rest, skip: to });
        }}
      />
      <HitExplanationPanel
        hit={hits.find(({ node }) => node.UID === explained)}
        onClose={() => setExplained(undefined)}
      />
    </div>
  );
}

function NothingFound({
  address: { q, type, filters, from, to, skip },
}: {
  readonly address: SearchAddress;
}) {
  const isFiltered = [type, filters, from, to].some((one) => one !== undefined);
  if (skip !== undefined) {
    return (
      <Card>
        <EmptyState icon={SearchX} title="There are no more results">
          Go back to the first page.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card>
      <EmptyState icon={SearchX} title="Nothing was found">
        <ul className="list-disc pl-5 text-left">
          {isFiltered && <li>Remove some of the filters.</li>}
          {q !== undefined && (
            <>
              <li>Try fewer words, or others that mean the same.</li>
              <li>Begin a word and end it with a star: {exampleOf(q)}</li>
            </>
          )}
          <li>Nodes that you may not see are not found.</li>
        </ul>
      </EmptyState>
    </Card>
  );
}

/** The beginning of the first word. */
function exampleOf(query: string): string {
  const word = /[\p{L}\p{N}]+/u.exec(query)?.[0] ?? 'harbour';
  return `${[...word].slice(0, 4).join('')}*`;
}
