import type { SearchAnswer } from '@trellis/client/system-search.ts';
import { useQuery } from '@tanstack/react-query';
import { SelectField } from '../../../ui/field.tsx';
import { formatCount, formatMs } from '../../../ui/format.ts';
import type { SearchAddress, SearchMode, SearchSort } from './search-address.ts';
import { searchModesQuery } from './search-queries.ts';

interface SearchOrderProps {
  readonly address: SearchAddress;
  readonly onChange: (address: SearchAddress) => void;
}

const SORTS: readonly { readonly value: SearchSort; readonly label: string }[] = [
  { value: 'relevance', label: 'Best first' },
  { value: 'recent', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
];
const MODES: readonly { readonly value: SearchMode; readonly label: string }[] = [
  { value: 'text', label: 'Words' },
  { value: 'vector', label: 'Meaning' },
  { value: 'hybrid', label: 'Words and meaning' },
];

/** In what order hits come, and where there are vectors, by what they are found. */
export function SearchOrder({ address, onChange }: SearchOrderProps) {
  const { sort = 'relevance', mode = 'text', skip: _, ...rest } = address;
  const isByWords = address.q !== undefined;
  // Without words everything is as good: the newest come first.
  const order = isByWords || sort !== 'relevance' ? sort : 'recent';
  const modes = useQuery({ ...searchModesQuery, enabled: isByWords }).data;
  const hasVectors = modes?.includes('vector') === true;
  const change = (next: { readonly sort: SearchSort; readonly mode: SearchMode }) =>
    onChange({
      ...rest,
      ...(next.sort !== 'relevance' && { sort: next.sort }),
      ...(next.mode !== 'text' && { mode: next.mode }),
    });
  return (
    <>
      {isByWords && (hasVectors || mode !== 'text') && (
        <SelectField
          label="Find by"
          isLabelHidden
          value={mode}
          options={MODES}
          onChange={(event) => change({ sort, mode: event.target.value as SearchMode })}
        />
      )}
      <SelectField
        label="Order"
        isLabelHidden
        value={order}
        options={isByWords ? SORTS : SORTS.filter(({ value }) => value !== 'relevance')}
        onChange={(event) => change({ sort: event.target.value as SearchSort, mode })}
      />
    </>
  );
}

export function SearchSummary({ answer }: { readonly answer: SearchAnswer | undefined }) {
  return (
    <p role="status" className="py-1.5 text-muted">
      {answer === undefined
        ? 'Searching…'
        : `${formatCount(answer.total)} ${answer.total === 1 ? 'result' : 'results'} in ${formatMs(answer.tookMs)}`}
    </p>
  );
}
