import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { formatCount } from '../../../ui/format.ts';
import type { TimeBar } from './time-bars.ts';

interface TimeHistogramProps {
  readonly bars: readonly TimeBar[];
  readonly onChoose: (range: { readonly from: string; readonly to: string }) => void;
}

/** Both ends are included. */
interface Span {
  readonly anchor: number;
  readonly end: number;
}

/**
 * How many hits there are over time. One bar is chosen by a click, several by dragging or with
 * Shift; by the keyboard with the arrows, Shift and Enter.
 */
export function TimeHistogram({ bars, onChoose }: TimeHistogramProps) {
  const { span, focused, setFocus, choose, begin, extend, onKeyDown, box } = useSpan(
    bars,
    onChoose,
  );
  const most = Math.max(...bars.map(({ count }) => count));
  const [first, last] = span === undefined ? [0, -1] : endsOf(span);
  return (
    <div
      className="rounded-card border bg-surface px-4 pt-3 pb-2"
      role="group"
      aria-label="Results over time"
    >
      <div
        ref={box}
        className="flex h-16 touch-pan-y items-stretch gap-px"
        onKeyDown={onKeyDown}
        onPointerLeave={() => begin(undefined)}
      >
        {bars.map((bar, i) => (
          <button
            key={bar.from}
            type="button"
            tabIndex={i === focused ? 0 : -1}
            aria-label={`${bar.label}: ${formatCount(bar.count)}`}
            aria-pressed={i >= first && i <= last}
            title={`${bar.label}: ${formatCount(bar.count)}`}
            onFocus={() => setFocus(i)}
            onPointerDown={(event) => event.button === 0 && begin(i)}
            onPointerEnter={(event) => event.buttons === 1 && extend(i)}
            onPointerUp={() => choose(i, true)}
            onClick={(event) => event.detail === 0 && choose(i, false)}
            className="group flex min-w-0 flex-1 items-end rounded-sm outline-offset-0"
          >
            <span
              className={classNames(
                'block w-full rounded-t-sm group-hover:bg-accent-strong',
                i >= first && i <= last ? 'bg-accent-strong' : 'bg-accent/75',
              )}
              style={{ height: heightOf(bar.count, most) }}
            />
          </button>
        ))}
      </div>
      <div className="mt-1 flex justify-between gap-4 border-t pt-1 text-xs text-muted">
        <span>{bars[0]?.label}</span>
        <span className="text-right">{bars.at(-1)?.label}</span>
      </div>
    </div>
  );
}

/** Which bars are being chosen, and which one has the focus of the group. */
function useSpan(bars: readonly TimeBar[], onChoose: TimeHistogramProps['onChoose']) {
  const [span, setSpan] = useState<Span>();
  const [focus, setFocus] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const takesFocus = useRef(false);
  useEffect(() => {
    // The bar that was chosen by the keyboard is gone: its focus goes to the first of those that
    // came.
    if (takesFocus.current) focusOn(box.current, 0);
    takesFocus.current = false;
  }, [bars]);
  const focused = Math.min(focus, bars.length - 1);

  const choose = (at: number, isPointer: boolean) => {
    if (isPointer && span === undefined) return;
    const [first, last] = span === undefined ? [at, at] : endsOf(span);
    const [from, to] = [bars[first]?.from, bars[last]?.to];
    setSpan(undefined);
    takesFocus.current = !isPointer;
    if (from !== undefined && to !== undefined) onChoose({ from, to });
  };
  const begin = (at: number | undefined) =>
    setSpan(at === undefined ? undefined : { anchor: at, end: at });
  const extend = (end: number) => setSpan((former) => former && { ...former, end });
  const onKeyDown = (event: KeyboardEvent) => {
    const at = moved(event.key, focused, bars.length - 1);
    if (at === undefined) return;
    event.preventDefault();
    setFocus(at);
    setSpan(event.shiftKey ? { anchor: span?.anchor ?? focused, end: at } : undefined);
    focusOn(box.current, at);
  };
  return { span, focused, setFocus, choose, begin, extend, onKeyDown, box };
}

function focusOn(box: HTMLElement | null, at: number): void {
  const button = box?.children[at];
  if (button instanceof HTMLElement) button.focus();
}

function moved(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowRight':
      return Math.min(last, at + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

function endsOf({ anchor, end }: Span): readonly [number, number] {
  return anchor < end ? [anchor, end] : [end, anchor];
}

/** What counts something can be seen. */
function heightOf(count: number, most: number): string {
  return count === 0 ? '0' : `max(3px, ${(count / most) * 100}%)`;
}
