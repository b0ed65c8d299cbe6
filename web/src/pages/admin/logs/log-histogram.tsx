import type { LogLevel } from '@trellis/contract/log-levels.ts';
import type { LogCounts } from '@trellis/contract/shapes/log.ts';
import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { formatInSpan, timeZoneName } from '../../../ui/format-moment.ts';
import { formatCount } from '../../../ui/format.ts';

interface LogHistogramProps {
  readonly counts: LogCounts;
  /** The level that is filtered by, if any. */
  readonly level: LogLevel | undefined;
  /** Both ISO 8601. */
  readonly onSpan: (from: string, to: string) => void;
  readonly onLevel: (level: LogLevel | undefined) => void;
}

/** The most urgent first: it stands at the foot of a bar, where it is seen best. */
const LEVELS: readonly { readonly level: LogLevel; readonly classes: string }[] = [
  { level: 'fatal', classes: 'bg-danger' },
  { level: 'error', classes: 'bg-danger' },
  { level: 'warn', classes: 'bg-series-2' },
  { level: 'info', classes: 'bg-series-3' },
  { level: 'debug', classes: 'bg-faint' },
  { level: 'trace', classes: 'bg-line-strong' },
];

type Span = LogCounts['spans'][number];

/** Records by time and level. A bar, or several of them, narrows the time; a level the level. */
export function LogHistogram({ counts, level, onSpan, onLevel }: LogHistogramProps) {
  const { spans } = counts;
  return (
    <div className="flex flex-col gap-2 px-4 py-3">
      <LevelCounts {...{ spans, level, onLevel }} />
      <Bars key={`${counts.from} ${counts.to}`} {...{ counts, onSpan }} />
      <div className="flex justify-between text-xs text-muted tabular-nums" aria-hidden>
        <span>{timeIn(counts, Date.parse(counts.from))}</span>
        <span>{timeZoneName()}</span>
        <span>{timeIn(counts, Date.parse(counts.to))}</span>
      </div>
    </div>
  );
}

interface LevelCountsProps extends Pick<LogHistogramProps, 'level' | 'onLevel'> {
  readonly spans: readonly Span[];
}

function LevelCounts({ spans, level, onLevel }: LevelCountsProps) {
  const sums = LEVELS.map((one) => ({
    ...one,
    sum: spans.reduce((sum, { counts }) => sum + counts[one.level], 0),
  }));
  const total = sums.reduce((sum, one) => sum + one.sum, 0);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
      <p role="status" className="font-medium tabular-nums">
        {total === 1 ? 'One record' : `${formatCount(total)} records`}
      </p>
      {sums
        .filter(({ sum, level: one }) => sum > 0 || one === level)
        .map(({ level: one, sum, classes }) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === level}
            aria-label={`${formatCount(sum)} ${one}: show ${one} and above`}
            onClick={() => onLevel(one === level ? undefined : one)}
            className="flex items-center gap-1.5 rounded-control border border-transparent px-1.5 tabular-nums hover:bg-sunken aria-pressed:border-line-strong"
          >
            <span className={classNames('size-2.5 rounded-xs', classes)} aria-hidden />
            {formatCount(sum)} {one}
          </button>
        ))}
    </div>
  );
}

/** From the one place to the other, whichever comes first. */
interface Chosen {
  readonly anchor: number;
  readonly end: number;
}

function Bars({ counts, onSpan }: Pick<LogHistogramProps, 'counts' | 'onSpan'>) {
  const { spans } = counts;
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState(Math.max(0, spans.length - 1));
  const [chosen, setChosen] = useDraggedSpans();
  const highest = Math.max(1, ...spans.map(countOf));
  const narrow = ({ anchor, end }: Chosen) => {
    const [first, last] = [spans[Math.min(anchor, end)], spans[Math.max(anchor, end)]];
    if (first === undefined || last === undefined) return;
    const toMs = Math.min(Date.parse(last.at) + counts.spanMs, Date.parse(counts.to));
    onSpan(first.at, new Date(toMs).toISOString());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = placeAfterKey(event.key, place, spans.length);
    if (next !== undefined) {
      const anchor = chosen?.anchor ?? place;
      setChosen(event.shiftKey ? { anchor, end: next } : undefined);
      setPlace(next);
      box.current?.querySelectorAll('button')[next]?.focus();
    } else if (event.key === 'Escape' && chosen !== undefined) setChosen(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      role="toolbar"
      aria-label="Records by time: arrow keys move, with Shift they choose several, Enter narrows"
      onKeyDown={onKeyDown}
      className="flex h-20 touch-pan-y items-stretch border-b border-line-strong select-none"
    >
      {spans.map((span, at) => (
        <Bar
          key={span.at}
          {...{ span, highest }}
          text={describe(counts, span)}
          isPlace={at === place}
          isChosen={chosen !== undefined && isWithin(chosen, at)}
          onFocus={() => setPlace(at)}
          onPointerDown={() => setChosen({ anchor: at, end: at })}
          onPointerEnter={({ buttons }) => {
            if (buttons === 1 && chosen !== undefined) setChosen({ ...chosen, end: at });
          }}
          onPointerUp={() => {
            // Where it goes down and up on the same bar, that is a click.
            if (chosen !== undefined && chosen.anchor !== at) narrow({ ...chosen, end: at });
          }}
          onClick={() => narrow(chosen ?? { anchor: at, end: at })}
        />
      ))}
    </div>
  );
}

/** Nothing is chosen any more once the pointer is let go, wherever that is. */
function useDraggedSpans() {
  const [chosen, setChosen] = useState<Chosen>();
  useEffect(() => {
    const letGo = () => setChosen(undefined);
    window.addEventListener('pointerup', letGo);
    window.addEventListener('pointercancel', letGo);
    return () => {
      window.removeEventListener('pointerup', letGo);
      window.removeEventListener('pointercancel', letGo);
    };
  }, []);
  return [chosen, setChosen] as const;
}

function isWithin({ anchor, end }: Chosen, place: number): boolean {
  return place >= Math.min(anchor, end) && place <= Math.max(anchor, end);
}

interface BarProps extends ComponentProps<'button'> {
  readonly span: Span;
  /** How many records the highest bar has. */
  readonly highest: number;
  readonly text: string;
  /** Whether Tab leads to it. */
  readonly isPlace: boolean;
  readonly isChosen: boolean;
}

function Bar({ span, highest, text, isPlace, isChosen, ...handlers }: BarProps) {
  return (
    <button
      type="button"
      {...handlers}
      tabIndex={isPlace ? 0 : -1}
      title={text}
      aria-label={text}
      className={classNames(
        'flex min-w-0 flex-1 flex-col-reverse px-px -outline-offset-2 hover:bg-sunken',
        isChosen && 'bg-accent-soft',
      )}
    >
      {LEVELS.map(({ level, classes }) => {
        const count = span.counts[level];
        if (count === 0) return null;
        const height = `max(2px, ${(count / highest) * 100}%)`;
        return (
          <span key={level} className={classNames('block w-full', classes)} style={{ height }} />
        );
      })}
    </button>
  );
}

function placeAfterKey(key: string, place: number, count: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: place - 1,
    ArrowRight: place + 1,
    Home: 0,
    End: count - 1,
  };
  const next = places[key];
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next));
}

function countOf({ counts }: Span): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function timeIn(counts: LogCounts, ms: number): string {
  return formatInSpan(ms, Date.parse(counts.to) - Date.parse(counts.from), counts.spanMs);
}

/** "10:15 to 10:16: 12 records, 2 error, 10 info". */
function describe(counts: LogCounts, span: Span): string {
  const begin = Date.parse(span.at);
  const end = Math.min(begin + counts.spanMs, Date.parse(counts.to));
  const levels = LEVELS.filter(({ level }) => span.counts[level] > 0).map(
    ({ level }) => `${formatCount(span.counts[level])} ${level}`,
  );
  const total = countOf(span);
  const said = total === 1 ? 'one record' : `${formatCount(total)} records`;
  const time = `${timeIn(counts, begin)} to ${timeIn(counts, end)}`;
  return [`${time}: ${said}`, ...levels].join(', ');
}
