import { CalendarRange } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { timeZoneName } from '../../../ui/format-moment.ts';
import { formatDateTime } from '../../../ui/format.ts';
import { Popover } from '../../../ui/popover.tsx';
import {
  isOwnRange,
  localInput,
  type LogAddress,
  RANGE_DEFAULT,
  RANGES,
  rangeOf,
} from './log-address.ts';

const OWN = 'own';

interface LogRangeProps {
  readonly address: LogAddress;
  readonly onChange: (change: Pick<LogAddress, 'range' | 'from' | 'to'>) => void;
}

/** The time that is looked at: until now, or from one moment to another. */
export function LogRange({ address, onChange }: LogRangeProps) {
  const { from, to } = address;
  const isOwn = isOwnRange(address);
  const known = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }));
  const own = { value: OWN, label: `${timeWords(from, 'the first')} to ${timeWords(to, 'now')}` };
  const current = Object.entries(RANGES).find(([, range]) => range === rangeOf(address))?.[0];
  return (
    <>
      <SelectField
        label="Time"
        isLabelHidden
        className="max-w-full"
        value={isOwn ? OWN : (current ?? RANGE_DEFAULT)}
        options={isOwn ? [own, ...known] : known}
        onChange={({ target }) => {
          if (target.value !== OWN)
            onChange({ range: target.value, from: undefined, to: undefined });
        }}
      />
      <Popover
        title={`From one time to another (${timeZoneName()})`}
        trigger={<Button icon={CalendarRange}>From, to</Button>}
      >
        <OwnRange key={`${from} ${to}`} {...{ address, onChange }} />
      </Popover>
    </>
  );
}

function timeWords(iso: string | undefined, otherwise: string): string {
  return iso === undefined ? otherwise : formatDateTime(iso);
}

function OwnRange({ address, onChange }: LogRangeProps) {
  const [from, setFrom] = useState(localInput(address.from));
  const [to, setTo] = useState(localInput(address.to));
  const [error, setError] = useState<string>();
  const choose = () => {
    if (from === '' && to === '') return setError('Enter one of the two.');
    if (from !== '' && to !== '' && Date.parse(from) >= Date.parse(to)) {
      return setError('The end must be later than the begin.');
    }
    setError(undefined);
    onChange({ range: undefined, from: isoOf(from), to: isoOf(to) });
  };
  return (
    <form
      className="flex flex-col gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        choose();
      }}
    >
      <TextField
        label="From"
        type="datetime-local"
        step={1}
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      />
      <TextField
        label="To"
        type="datetime-local"
        step={1}
        value={to}
        error={error}
        onChange={({ target }) => setTo(target.value)}
      />
      <Button type="submit" kind="primary">
        Show this time
      </Button>
    </form>
  );
}

function isoOf(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}
