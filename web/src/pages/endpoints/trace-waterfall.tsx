import type { CallTrace, TraceSpan, TraceSpanKind } from '@trellis/contract/shapes/call-trace.ts';
import { classNames } from '../../ui/class-names.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatBytes, formatCount, formatMs } from '../../ui/format.ts';

interface Row extends TraceSpan {
  readonly depth: number;
  /** Of the whole call, in ms. */
  readonly wholeMs: number;
}

const KINDS: Readonly<Record<TraceSpanKind, string>> = {
  attempt: 'Code',
  wait: 'Wait for a worker',
  turn: 'Wait for others',
  query: 'Query',
  reads: 'Nodes',
  search: 'Search',
  run: 'Endpoint',
  commit: 'Commit',
  fetch: 'Request',
  ai: 'Model',
  log: 'Log',
};

/** The parts of a call below one another, each with a bar for its time. */
export function TraceWaterfall({ trace }: { readonly trace: CallTrace }) {
  const { spans, ms } = trace;
  const whole = Math.max(ms, ...spans.map((span) => span.startMs + span.ms), 0.001);
  const rows = rowsBelow(spans, null, 0, whole);
  if (rows.length === 0) return <p className="text-muted">Nothing of it took time to speak of.</p>;
  return (
    <DataTable
      label="Parts of the call"
      rows={rows}
      keyOf={({ id }) => String(id)}
      columns={COLUMNS}
    />
  );
}

function rowsBelow(
  spans: readonly TraceSpan[],
  parent: number | null,
  depth: number,
  wholeMs: number,
): Row[] {
  return spans.flatMap((span) =>
    span.parent === parent
      ? [{ ...span, depth, wholeMs }, ...rowsBelow(spans, span.id, depth + 1, wholeMs)]
      : [],
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'What', cell: What },
  { title: 'Begin', cell: ({ startMs }) => formatMs(startMs), isNumber: true },
  { title: 'Time', cell: ({ ms }) => formatMs(ms), isNumber: true },
  { title: 'When', cell: Bar, isTitleHidden: true, isMinor: true },
];

/** Deeper parts of endpoints that run one another stand no further in. */
const DEPTH_SHOWN_MAX = 6;

function What({ depth, kind, name, error, facts }: Row) {
  const told = [...(error === null ? [] : [error]), ...factTexts(facts)];
  return (
    <div
      className="max-w-md min-w-32"
      style={{ paddingInlineStart: `${Math.min(depth, DEPTH_SHOWN_MAX)}rem` }}
    >
      <span className={classNames('font-medium', error !== null && 'text-danger')}>
        {KINDS[kind]}
      </span>{' '}
      <bdi className="break-words">{name}</bdi>
      {told.length > 0 && <p className="text-[13px] break-words text-muted">{told.join(', ')}</p>}
    </div>
  );
}

/** Its place in the whole call; the numbers beside it say the same. */
function Bar({ startMs, ms, wholeMs, error }: Row) {
  const left = Math.min(99, (startMs / wholeMs) * 100);
  const width = Math.min(100 - left, Math.max(1, (ms / wholeMs) * 100));
  return (
    <div aria-hidden className="mt-1.5 h-2.5 w-40 rounded-sm bg-sunken">
      <div
        className={classNames('h-full rounded-sm', error === null ? 'bg-accent' : 'bg-danger')}
        style={{ marginInlineStart: `${left}%`, width: `${width}%` }}
      />
    </div>
  );
}

type Facts = TraceSpan['facts'];

function factTexts(facts: Facts): string[] {
  const { count, busyMs, rowsRead, rowsGiven, access, index, operations, sequence } = facts;
  const { conflict, method, status, bytes, model, inputTokens, outputTokens, level } = facts;
  return [
    ...text(count, (value) => (value === 1 ? 'once' : `${formatCount(value)} times`)),
    ...text(busyMs, (value) => `${formatMs(value)} at work`),
    ...text(access, (value) => (value === 'scan' ? 'scan, without an index' : `by ${value}`)),
    ...text(index, (value) => `index ${value}`),
    ...text(rowsRead, (value) => `read ${formatCount(value)}`),
    ...text(rowsGiven, (value) => `gave ${formatCount(value)}`),
    ...text(
      operations,
      (value) => `${formatCount(value)} ${value === 1 ? 'operation' : 'operations'}`,
    ),
    ...text(sequence, (value) => `sequence ${value}`),
    ...text(conflict, (value) => `others changed: ${value}`),
    ...text(method, String),
    ...text(status, (value) => `status ${value}`),
    ...text(bytes, formatBytes),
    ...text(model, String),
    ...text(inputTokens, (value) => `${formatCount(value)} tokens in`),
    ...text(outputTokens, (value) => `${formatCount(value)} tokens out`),
    ...text(level, String),
  ];
}

function text<T>(value: T | undefined, write: (value: T) => string): string[] {
  return value === undefined ? [] : [write(value)];
}
