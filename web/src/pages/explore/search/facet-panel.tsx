import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { formatCount } from '../../../ui/format.ts';
import { chosenOf, type FilterValue, type SearchAddress, withFilter } from './search-address.ts';
import type { FacetCounts } from './search-queries.ts';

const SHOWN_AT_FIRST = 8;
const FLAGS = new Set(['true', 'false']);

interface FacetPanelProps {
  readonly facets: readonly FacetCounts[];
  readonly address: SearchAddress;
  readonly onChange: (address: SearchAddress) => void;
}

/** The values of the fields by which hits are counted, to choose some. */
export function FacetPanel({ facets, address, onChange }: FacetPanelProps) {
  return (
    <div className="flex flex-col gap-5">
      {facets.map((facet) => (
        <Facet
          key={facet.field}
          facet={facet}
          chosen={chosenOf(address, facet.field)}
          onChoose={(values) => onChange(withFilter(address, facet.field, values))}
        />
      ))}
    </div>
  );
}

interface FacetProps {
  readonly facet: FacetCounts;
  readonly chosen: readonly FilterValue[];
  readonly onChoose: (values: readonly FilterValue[]) => void;
}

function Facet({ facet: { field, counts }, chosen, onChoose }: FacetProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? counts : counts.slice(0, SHOWN_AT_FIRST);
  // Counts are of texts; a field of yes and no is compared as such.
  const isFlag = counts.every(({ value }) => FLAGS.has(value));
  const toggle = (value: FilterValue) =>
    onChoose(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium wrap-anywhere">{field}</legend>
      <ul>
        {shown.map(({ value, count }) => {
          const filter = isFlag ? value === 'true' : value;
          return (
            <li key={value}>
              <FacetValue
                text={isFlag ? (filter === true ? 'Yes' : 'No') : value}
                count={count}
                isChosen={chosen.includes(filter)}
                onToggle={() => toggle(filter)}
              />
            </li>
          );
        })}
      </ul>
      {counts.length > SHOWN_AT_FIRST && (
        <Button
          kind="quiet"
          size="small"
          aria-expanded={isWhole}
          className="-ml-2.5"
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `Show ${counts.length - SHOWN_AT_FIRST} more`}
          <span className="sr-only">of {field}</span>
        </Button>
      )}
    </fieldset>
  );
}

interface FacetValueProps {
  readonly text: string;
  readonly count: number;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function FacetValue({ text, count, isChosen, onToggle }: FacetValueProps) {
  return (
    <label className="-mx-1.5 flex items-start gap-2 rounded-control px-1.5 py-1 hover:bg-sunken">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={onToggle}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <bdi className="min-w-0 flex-1 wrap-anywhere">{text === '' ? 'Empty' : text}</bdi>
      <span className="text-[13px] text-muted tabular-nums">{formatCount(count)}</span>
    </label>
  );
}
