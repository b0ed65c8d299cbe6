import type { LogRecord } from '@trellis/contract/shapes/log.ts';
import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CheckboxField } from '../../../ui/field.tsx';
import { Popover } from '../../../ui/popover.tsx';

export const LOG_COLUMNS = [
  { name: 'time', title: 'Time', width: '12.5rem' },
  { name: 'level', title: 'Level', width: '4rem' },
  { name: 'origin', title: 'Source', width: '6rem' },
  { name: 'endpoint', title: 'Endpoint', width: 'minmax(6rem, 10rem)' },
  { name: 'job', title: 'Job', width: '6rem' },
  { name: 'request', title: 'Request', width: '6rem' },
  { name: 'message', title: 'Message', width: 'minmax(12rem, 1fr)' },
] as const;
export type LogColumn = (typeof LOG_COLUMNS)[number];
export type LogColumnName = LogColumn['name'];

/** Names of the fields of a record by which others like it are found. */
export const LINKED_FIELDS = { endpoint: 'endpoint', job: 'job', request: 'traceId' } as const;
export type LinkedColumn = keyof typeof LINKED_FIELDS;

export function linkedValue({ fields }: LogRecord, column: LinkedColumn): string | undefined {
  const value = fields[LINKED_FIELDS[column]];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const KEY = 'trellis.logs.columns';
const SHOWN_AT_FIRST: readonly LogColumnName[] = [
  'time',
  'level',
  'origin',
  'endpoint',
  'request',
  'message',
];

/** The columns of the table, as the viewer chose them in this browser. */
export function useLogColumns() {
  const [names, setNames] = useState(readKept);
  const choose = (next: readonly LogColumnName[]): void => {
    localStorage.setItem(KEY, JSON.stringify(next));
    setNames(next);
  };
  return { columns: LOG_COLUMNS.filter(({ name }) => names.includes(name)), choose };
}

function readKept(): readonly LogColumnName[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    const names = Array.isArray(kept) ? kept : [];
    const known = LOG_COLUMNS.map(({ name }) => name).filter((name) => names.includes(name));
    return known.length > 0 ? known : SHOWN_AT_FIRST;
  } catch {
    return SHOWN_AT_FIRST;
  }
}

interface ColumnsMenuProps {
  readonly columns: readonly LogColumn[];
  readonly onChoose: (names: readonly LogColumnName[]) => void;
}

export function LogColumnsMenu({ columns, onChoose }: ColumnsMenuProps) {
  const names = columns.map(({ name }) => name);
  return (
    <Popover trigger={<Button icon={Columns3}>Columns</Button>} title="Columns of the table">
      <div className="flex flex-col gap-1.5">
        {LOG_COLUMNS.map(({ name, title }) => (
          <CheckboxField
            key={name}
            label={title}
            checked={names.includes(name)}
            // A row needs something to be opened by.
            disabled={name === 'message'}
            onChange={({ target }) =>
              onChoose(target.checked ? [...names, name] : names.filter((one) => one !== name))
            }
          />
        ))}
      </div>
    </Popover>
  );
}
