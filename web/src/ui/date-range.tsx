import { TextField } from './field.tsx';

/** Days of the browser's time zone, such as "2026-11-29". */
export interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface DateRangeProps extends Days {
  readonly onChange: (change: Days) => void;
}

/** Two days that bound a list. */
export function DateRange({ from, to, onChange }: DateRangeProps) {
  return (
    <>
      <TextField
        label="From"
        type="date"
        value={from ?? ''}
        onChange={(event) => onChange({ from: event.target.value || undefined })}
      />
      <TextField
        label="Before"
        type="date"
        value={to ?? ''}
        onChange={(event) => onChange({ to: event.target.value || undefined })}
      />
    </>
  );
}

/** The beginnings of the days, as moments; what is no day bounds nothing. */
export function momentsOf({ from, to }: Days): { from?: string; to?: string } {
  const [first, last] = [momentOf(from), momentOf(to)];
  return {
    ...(first !== undefined && { from: first }),
    ...(last !== undefined && { to: last }),
  };
}

function momentOf(day: string | undefined): string | undefined {
  const moment = day === undefined ? NaN : Date.parse(`${day}T00:00`);
  return Number.isNaN(moment) ? undefined : new Date(moment).toISOString();
}
