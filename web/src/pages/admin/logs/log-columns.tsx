import type { LogRecord } from '@trellis/contract/shapes/log.ts';
import { ColumnsMenu, useKeptColumns } from '../../../ui/column-choice.tsx';

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

const NAMES = LOG_COLUMNS.map(({ name }) => name);
const SHOWN_AT_FIRST: readonly LogColumnName[] = [
  'time',
  'level',
  'origin',
  'endpoint',
  'request',
  'message',
];

/** The columns of the table, and what to choose them with. */
export function useLogColumns() {
  const [names, choose] = useKeptColumns('logs', NAMES, SHOWN_AT_FIRST);
  const columns = LOG_COLUMNS.filter(({ name }) => names.includes(name));
  const menu = (
    <ColumnsMenu
      all={NAMES}
      columns={names}
      onChoose={choose}
      titleOf={(column) => LOG_COLUMNS.find(({ name }) => name === column)?.title ?? column}
      // A row needs something to be opened by.
      needed="message"
    />
  );
  return { columns, menu };
}
