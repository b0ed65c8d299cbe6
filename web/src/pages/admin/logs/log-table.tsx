import { Link } from '@tanstack/react-router';
import type { LogRecord } from '@trellis/contract/shapes/log.ts';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatMoment, timeZoneName } from '../../../ui/format-moment.ts';
import type { LogAddress } from './log-address.ts';
import {
  type LinkedColumn,
  linkedValue,
  type LogColumn,
  type LogColumnName,
} from './log-columns.tsx';
import { ORIGIN_WORDS, toneOf } from './log-levels.ts';

export type Narrow = (change: Pick<LogAddress, LinkedColumn>) => void;

interface LogTableProps {
  readonly records: readonly LogRecord[];
  readonly columns: readonly LogColumn[];
  readonly onNarrow: Narrow;
}

/** Records, newest first; each opens. Where the screen is narrow, one below the other. */
export function LogTable({ records, columns, onNarrow }: LogTableProps) {
  const layout = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div className="overflow-x-auto" role="group" aria-label="Records" tabIndex={0}>
      <div role="table" aria-label="Records of the log" className="md:min-w-2xl">
        <div role="rowgroup" className="max-md:sr-only">
          <div
            role="row"
            className={classNames(GRID, 'border-b text-[13px] text-muted')}
            style={layout}
          >
            {columns.map(({ name, title }) => (
              <span key={name} role="columnheader" className="py-2 font-medium">
                {name === 'time' ? `${title} (${timeZoneName()})` : title}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="divide-y">
          {keyed(records).map(({ key, record }) => (
            <RecordRow key={key} {...{ record, columns, layout, onNarrow }} />
          ))}
        </div>
      </div>
    </div>
  );
}

const GRID = 'gap-x-3 px-4 md:grid';

/** Two records may say the same at the same moment: the older ones keep their keys. */
function keyed(records: readonly LogRecord[]) {
  const times = new Map<string, number>();
  return records
    .toReversed()
    .map((record) => {
      const time = times.get(record.at) ?? 0;
      times.set(record.at, time + 1);
      return { key: `${record.at} ${time}`, record };
    })
    .toReversed();
}

interface RecordRowProps {
  readonly record: LogRecord;
  readonly columns: readonly LogColumn[];
  readonly layout: { readonly gridTemplateColumns: string };
  readonly onNarrow: Narrow;
}

function RecordRow({ record, columns, layout, onNarrow }: RecordRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { at, level, origin, message } = record;
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  const cells: Readonly<Record<LogColumnName, ReactNode>> = {
    time: (
      <time dateTime={at} title={`${at.slice(0, 23).replace('T', ' ')} UTC`} className="text-muted">
        {formatMoment(at)}
      </time>
    ),
    level: <Badge tone={toneOf(level)}>{level}</Badge>,
    origin: <span className="text-muted">{ORIGIN_WORDS[origin]}</span>,
    endpoint: <LinkedCell {...{ record, onNarrow }} column="endpoint" />,
    job: <LinkedCell {...{ record, onNarrow }} column="job" />,
    request: <LinkedCell {...{ record, onNarrow }} column="request" />,
    message: (
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-start gap-1 rounded-control text-left"
      >
        <Arrow className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden />
        <bdi className="min-w-0 break-words">{message === '' ? 'No message' : message}</bdi>
      </button>
    ),
  };
  return (
    <>
      <div
        role="row"
        className={classNames(
          GRID,
          'items-start py-1.5 text-[13px] hover:bg-sunken/60 max-md:flex max-md:flex-wrap',
        )}
        style={layout}
      >
        {columns.map(({ name }) => (
          <div
            key={name}
            role="cell"
            className={classNames(
              'min-w-0 empty:max-md:hidden',
              name === 'time' && 'whitespace-nowrap tabular-nums',
              name === 'message' && 'max-md:w-full',
            )}
          >
            {cells[name]}
          </div>
        ))}
      </div>
      {isOpen && (
        <div role="row" id={id}>
          <div role="cell" aria-colspan={columns.length} className="px-4 pt-1 pb-3">
            <RecordDetails {...{ record, onNarrow }} />
          </div>
        </div>
      )}
    </>
  );
}

interface LinkedCellProps {
  readonly record: LogRecord;
  readonly column: LinkedColumn;
  readonly onNarrow: Narrow;
}

const SHORT_CHARACTERS = 8;

/** A value that narrows the table to the records that share it. */
function LinkedCell({ record, column, onNarrow }: LinkedCellProps) {
  const value = linkedValue(record, column);
  if (value === undefined) return null;
  const isId = column !== 'endpoint';
  return (
    <button
      type="button"
      title={value}
      aria-label={`Only ${column} ${value}`}
      onClick={() => onNarrow({ [column]: value })}
      className={classNames(
        'max-w-full truncate rounded-control text-left underline decoration-dotted underline-offset-2',
        isId && 'font-mono text-xs',
      )}
    >
      {isId ? value.slice(0, SHORT_CHARACTERS) : value}
    </button>
  );
}

function RecordDetails({ record, onNarrow }: Omit<LinkedCellProps, 'column'>) {
  const [endpoint, job, request] = (['endpoint', 'job', 'request'] as const).map((column) =>
    linkedValue(record, column),
  );
  const { at, level, origin, message, fields } = record;
  // Lines within a text, such as of a stack, are lines here too: it is for reading.
  const text = JSON.stringify(fields, undefined, 2).replaceAll(String.raw`\n`, '\n');
  return (
    <div className="flex flex-col gap-2 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="text-muted">{at.slice(0, 23).replace('T', ' ')} UTC</span>
        {endpoint !== undefined && (
          <>
            <LinkedDetail
              text={`All of endpoint ${endpoint}`}
              onOpen={() => onNarrow({ endpoint })}
            />
            <Link
              to="/endpoints/edit/$"
              params={{ _splat: endpoint }}
              search={{ tab: 'calls' }}
              className="underline"
            >
              Open the endpoint
            </Link>
          </>
        )}
        {job !== undefined && (
          <>
            <LinkedDetail text="All of this job" onOpen={() => onNarrow({ job })} />
            <Link to="/admin/jobs" search={{ job }} className="underline">
              Open the job
            </Link>
          </>
        )}
        {request !== undefined && (
          <LinkedDetail text="All of this request" onOpen={() => onNarrow({ request })} />
        )}
        <CopyButton
          text={JSON.stringify({ at, level, origin, message, ...fields })}
          label="Copy the record"
        />
      </div>
      <pre className="overflow-x-auto rounded-control bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  );
}

function LinkedDetail({ text, onOpen }: { readonly text: string; readonly onOpen: () => void }) {
  return (
    <button type="button" className="rounded-control text-left underline" onClick={onOpen}>
      {text}
    </button>
  );
}
