import { Button } from '../../../ui/button.tsx';
import { Chip } from '../../../ui/chip.tsx';
import {
  chosenOf,
  type FilterValue,
  type SearchAddress,
  withFilter,
  withRange,
} from './search-address.ts';
import { rangeText } from './time-bars.ts';

interface FilterChipsProps {
  readonly address: SearchAddress;
  readonly onChange: (address: SearchAddress) => void;
}

/** What limits the hits; each can be taken away. */
export function FilterChips({ address, onChange }: FilterChipsProps) {
  const { type, filters = {}, from, to } = address;
  const hasRange = from !== undefined || to !== undefined;
  const fields = [...(type ? ['Type'] : []), ...Object.keys(filters)];
  const chosen = fields.flatMap((field) =>
    chosenOf(address, field).map((value) => ({ field, value })),
  );
  if (chosen.length === 0 && !hasRange) return null;
  const without = (field: string, value: FilterValue) =>
    withFilter(
      address,
      field,
      chosenOf(address, field).filter((one) => one !== value),
    );
  return (
    <ul aria-label="Chosen filters" className="flex flex-wrap items-center gap-2">
      {chosen.map(({ field, value }) => (
        <li key={`${field}\n${value}`} className="max-w-full">
          <Chip
            text={`${field}: ${textOf(value)}`}
            onRemove={() => onChange(without(field, value))}
          />
        </li>
      ))}
      {hasRange && (
        <li className="max-w-full">
          <Chip text={rangeText(from, to)} onRemove={() => onChange(withRange(address, {}))} />
        </li>
      )}
      {chosen.length + Number(hasRange) > 1 && (
        <li>
          <Button
            kind="quiet"
            size="small"
            onClick={() => {
              const { type: _type, filters: _filters, ...rest } = address;
              onChange(withRange(rest, {}));
            }}
          >
            Remove all filters
          </Button>
        </li>
      )}
    </ul>
  );
}

function textOf(value: FilterValue): string {
  if (typeof value === 'string') return value;
  return value ? 'Yes' : 'No';
}
