import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useIsDark } from '../app/theme.ts';
import { formatInSpan } from './format-moment.ts';

export interface ChartSeries {
  readonly label: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

interface LineChartProps {
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** Seconds since the Unix epoch, ascending. */
  readonly timesSeconds: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** How far the lines of the grid may be apart, ascending. The default suits decimal numbers. */
  readonly steps?: readonly number[] | undefined;
  readonly heightPx?: number;
}

const COLORS = ['--color-series-1', '--color-series-2', '--color-series-3', '--color-series-4'];
const AXIS_WIDTH_PX = 72;
/** What is shown, up to the last value. */
const WINDOW_SECONDS = 3_600;

/** Values over time. The last ones stand in words below the picture. */
export function LineChart({
  label,
  timesSeconds,
  series,
  format,
  steps,
  heightPx = 180,
}: LineChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const isDark = useIsDark();
  const names = series.map((one) => one.label).join('\n');
  const data = useRef<uPlot.AlignedData>([[]]);
  data.current = [[...timesSeconds], ...series.map(({ values }) => [...values])];

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const size = { width: element.clientWidth, height: heightPx };
    const options = chartOptions(names.split('\n'), { format, steps, ...size });
    const chart = new uPlot(options, data.current, element);
    plot.current = chart;
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: heightPx }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [names, format, steps, heightPx, isDark]);
  useEffect(() => {
    plot.current?.setData(data.current);
  });

  return (
    <figure aria-label={label} className="min-w-0">
      <div ref={box} aria-hidden className="min-w-0 overflow-hidden" />
      <figcaption className="mt-1 flex flex-wrap gap-x-4 text-[13px] text-muted">
        {series.map(({ label: name, values }, at) => (
          <span key={name} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className="size-2.5 rounded-full"
              style={{ background: `var(${colorOf(at)})` }}
            />
            {name}: {lastOf(values, format)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function colorOf(at: number): string {
  return COLORS[at % COLORS.length] ?? '--color-series-1';
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.findLast((value) => value !== null);
  return last === undefined || last === null ? 'none yet' : format(last);
}

interface ChartLook extends Pick<LineChartProps, 'format' | 'steps'> {
  readonly width: number;
  readonly height: number;
}

/**
 * The canvas knows no custom properties: the colors are read when the chart is made, and again with
 * each theme.
 */
function chartOptions(
  names: readonly string[],
  { format, steps, width, height }: ChartLook,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (token: string) => style.getPropertyValue(token).trim();
  const axis = {
    stroke: color('--color-muted'),
    grid: { stroke: color('--color-line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_plot, _min, max) => [max - WINDOW_SECONDS, max] },
      y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 1)] },
    },
    axes: [
      {
        ...axis,
        values: (_plot, ticks) => ticks.map((tick) => formatInSpan(tick * 1_000, 0, 60_000)),
      },
      {
        ...axis,
        size: AXIS_WIDTH_PX,
        values: (_plot, ticks) => ticks.map((tick) => format(tick)),
        ...(steps !== undefined && { incrs: [...steps] }),
      },
    ],
    series: [
      {},
      ...names.map((label, at) => ({
        label,
        stroke: color(colorOf(at)),
        width: 2,
        spanGaps: true,
      })),
    ],
  };
}
