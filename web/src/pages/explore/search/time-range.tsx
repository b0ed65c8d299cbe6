import { TextField } from '../../../ui/field.tsx';
import { type SearchAddress, withRange } from './search-address.ts';

interface TimeRangeProps {
  readonly address: SearchAddress;
  readonly onChange: (address: SearchAddress) => void;
}

/** The first and the last day, in UTC. */
export function TimeRange({ address, onChange }: TimeRangeProps) {
  const { from, to } = address;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Time</legend>
      <div className="grid grid-cols-2 gap-2 lg:grid-cols-1">
        <DayField
          label="From"
          value={from}
          onChange={(day) => onChange(withRange(address, { from: day, to }))}
        />
        <DayField
          label="To"
          value={to}
          onChange={(day) => onChange(withRange(address, { from, to: day }))}
        />
      </div>
    </fieldset>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

/** Takes effect when it is left, or by Enter: years are typed digit by digit. */
function DayField({ label, value, onChange }: DayFieldProps) {
  const day = value?.slice(0, 10) ?? '';
  const commit = (typed: string) => {
    if (typed !== day) onChange(typed === '' ? undefined : typed);
  };
  return (
    <TextField
      key={day}
      label={label}
      type="date"
      defaultValue={day}
      onBlur={(event) => commit(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && commit(event.currentTarget.value)}
    />
  );
}
