import { ChevronDown, ChevronsUpDown, ChevronUp } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { CONTROL_CLASSES } from '../../ui/field.tsx';
import { classNames } from '../../ui/class-names.ts';
import { isNumeric } from './cell-text.ts';
import { type DataAddress, sortOf, withFilter, withNextSort } from './data-address.ts';
import { filterMeaning } from './filter-text.ts';

interface ColumnHeadProps {
  readonly field: string;
  readonly type: string;
  readonly address: DataAddress;
  readonly onAddress: (address: DataAddress) => void;
}

const WITHOUT_ORDER = /\[\]$|^(?:Json|Bytes|GeoPoint)$/;
const PAUSE_MS = 350;

/** The title of a column, which sorts by it, and what the rows are filtered by. */
export function ColumnHead({ field, type, address, onAddress }: ColumnHeadProps) {
  const sort = sortOf(address);
  const direction = sort?.field === field ? sort.direction : undefined;
  const Icon =
    direction === undefined ? ChevronsUpDown : direction === 'asc' ? ChevronUp : ChevronDown;
  return (
    <div
      role="columnheader"
      aria-sort={
        direction === undefined ? 'none' : direction === 'asc' ? 'ascending' : 'descending'
      }
      className="flex min-w-0 flex-col gap-1 px-2 py-1.5"
    >
      {WITHOUT_ORDER.test(type) ? (
        <span className="truncate px-1 text-[13px] font-medium text-muted">{field}</span>
      ) : (
        <button
          type="button"
          onClick={() => onAddress(withNextSort(address, field))}
          title={`Sort by ${field}`}
          className={classNames(
            'flex min-w-0 items-center gap-1 rounded-control px-1 text-[13px] font-medium hover:text-ink',
            direction === undefined ? 'text-muted' : 'text-ink',
            isNumeric(type) && 'justify-end',
          )}
        >
          <span className="truncate">{field}</span>
          <Icon className="size-3.5 shrink-0" aria-hidden />
        </button>
      )}
      <FilterBox
        {...{ field, type }}
        text={address.filter?.[field] ?? ''}
        onText={(text) => onAddress(withFilter(address, field, text))}
      />
    </div>
  );
}

interface FilterBoxProps {
  readonly field: string;
  readonly type: string;
  /** What stands in the address. */
  readonly text: string;
  readonly onText: (text: string) => void;
}

function FilterBox({ field, type, text, onText }: FilterBoxProps) {
  const id = useId();
  const [typed, setTyped] = useState(text);
  const { error } = filterMeaning(field, type, typed);
  const latest = useRef({ onText, text, error });
  latest.current = { onText, text, error };
  useEffect(() => setTyped(text), [text]);
  const send = (wanted: string) => {
    const { current } = latest;
    if (current.error === undefined && wanted !== current.text) current.onText(wanted);
  };
  useEffect(() => {
    const timer = setTimeout(() => send(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <input
        type="search"
        dir="auto"
        aria-label={`Filter ${field}`}
        placeholder="Filter"
        title={error ?? hintOf(type)}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : id}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && send(typed.trim())}
        className={classNames(CONTROL_CLASSES, 'h-7 px-2 text-[13px]')}
      />
      {error !== undefined && (
        <p id={id} role="status" className="text-xs text-danger">
          {error}
        </p>
      )}
    </>
  );
}

function hintOf(type: string): string {
  const none = 'no value: =, any value: !=';
  const scalar = type.replace('[]', '');
  if (type.endsWith('[]')) return `An item of the list; ${none}`;
  if (isNumeric(scalar)) return `300, >300, 100..200; ${none}`;
  if (scalar === 'Time') return `2024, 2024-05, >2024-05-01; ${none}`;
  if (scalar === 'Bool') return `yes or no; ${none}`;
  return `Contains, with capitals as they are; begins: Dune*, equals: =Dune; ${none}`;
}
