import type { GoldenMetric, MetricDifference } from '@trellis/contract/shapes/golden-answers.ts';
import { formatCount, formatMs, formatRatio } from '../../../ui/format.ts';

export const METRIC_WORDS: Readonly<Record<GoldenMetric, string>> = {
  nuggetRecallVital: 'Vital nuggets found',
  nuggetRecall: 'All nuggets found',
  citationPrecision: 'Citation precision (ALCE)',
  citationRecall: 'Citation recall (ALCE)',
  faithfulness: 'Faithfulness (RAGAS)',
  refusals: 'Refused as they must',
  overRefusals: 'Refused without need',
  leaks: 'Answers that leak',
  tokens: 'Tokens of an answer',
  ms: 'Time of an answer',
};

export const METRICS = Object.keys(METRIC_WORDS) as readonly GoldenMetric[];

interface Estimated {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export function metricText(metric: GoldenMetric, estimate: Estimated | undefined): string {
  const value = estimate?.value ?? null;
  return value === null ? '–' : valueText(metric, value);
}

export function intervalText(
  metric: GoldenMetric,
  { low, high }: Omit<Estimated, 'value'>,
): string {
  if (low === null || high === null) return '';
  return `${valueText(metric, low)} to ${valueText(metric, high)}`;
}

export function changeText(metric: GoldenMetric, change: MetricDifference): string {
  const { difference } = change;
  if (difference === null) return '–';
  const sign = difference > 0 ? '+' : '';
  const interval = intervalText(metric, change) || 'one question';
  return `${sign}${valueText(metric, difference)} (${interval})`;
}

/** Whether the interval of a change says that it is no chance. */
export function isCertain({ low, high }: MetricDifference): boolean {
  return low !== null && high !== null && (low > 0 || high < 0);
}

function valueText(metric: GoldenMetric, value: number): string {
  if (metric === 'tokens') return formatCount(Math.round(value));
  return metric === 'ms' ? formatMs(value) : formatRatio(value);
}
