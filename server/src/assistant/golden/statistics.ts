import type { MetricDifference, MetricEstimate } from '@trellis/contract/shapes/golden-answers.ts';
import { BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED } from '#base/assistant-limits.ts';

/** An estimate without a definition. */
export type Interval = Omit<MetricEstimate, 'definition'>;
type Agreement = Readonly<{ kappa: number | null; low: number | null; high: number | null }>;

/** Of two people, or a judge and a person, on one thing. */
export interface Verdicts {
  readonly judge: boolean;
  readonly person: boolean;
}

const NOTHING: Interval = { value: null, low: null, high: null, n: 0 };

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959964;

/**
 * The mean with its 95 % interval: the percentile bootstrap over questions (Efron, "Bootstrap
 * methods: another look at the jackknife", Annals of Statistics 7(1), 1979). The same values give
 * the same interval. One value has none.
 */
export function meanOf(values: readonly number[]): Interval {
  if (values.length === 0) return NOTHING;
  if (values.length === 1) return { ...NOTHING, value: mean(values), n: 1 };
  const means = resampled(values.length, (draw) => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[draw()] ?? 0;
    return sum / values.length;
  });
  return { value: mean(values), ...percentiles(means), n: values.length };
}

/**
 * The mean of shares. Where all are the same the bootstrap draws nothing else, as if that were
 * certain: then it is the score interval of Wilson ("Probable inference, the law of succession, and
 * statistical inference", Journal of the American Statistical Association 22, 1927), which is also
 * there for one question. For shares that are neither 0 nor 1 it is wider than need be.
 */
export function meanShareOf(values: readonly number[]): Interval {
  const share = values[0];
  if (share === undefined || values.some((one) => one !== share)) return meanOf(values);
  const n = values.length;
  const middle = (share + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n);
  const half =
    (Z / (1 + Z ** 2 / n)) * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  return { value: share, low: Math.max(0, middle - half), high: Math.min(1, middle + half), n };
}

/**
 * How much a mean has changed, over the questions that both runs have: the paired bootstrap draws
 * a question together with both of its values.
 */
export function differenceOf(
  pairs: readonly { readonly now: number; readonly before: number }[],
): MetricDifference {
  const { value, low, high, n } = meanOf(pairs.map(({ now, before }) => now - before));
  return { difference: value, low, high, n };
}

/**
 * Cohen's kappa of two raters (Cohen, "A coefficient of agreement for nominal scales", Educational
 * and Psychological Measurement 20(1), 1960), with the 95 % interval of the percentile bootstrap
 * over pairs. Null where chance alone explains everything: both say the same of all.
 */
export function agreementOf(pairs: readonly Verdicts[]): Agreement {
  const all = counted(pairs.length, (i) => pairs[i]);
  const kappa = kappaOf(all);
  if (kappa === null) return { kappa, low: null, high: null };
  const kappas = resampled(pairs.length, (draw) =>
    kappaOf(counted(pairs.length, () => pairs[draw()])),
  );
  const known = kappas.filter((one) => one !== null);
  return { kappa, ...percentiles(known.length === 0 ? [kappa] : known) };
}

/** How often each of the four outcomes occurs. */
interface Counts {
  readonly both: number;
  readonly judge: number;
  readonly person: number;
  readonly n: number;
}

function counted(n: number, at: (i: number) => Verdicts | undefined): Counts {
  let both = 0;
  let judge = 0;
  let person = 0;
  for (let i = 0; i < n; i++) {
    const pair = at(i);
    if (pair === undefined) continue;
    if (pair.judge === pair.person) both++;
    if (pair.judge) judge++;
    if (pair.person) person++;
  }
  return { both, judge, person, n };
}

function kappaOf({ both, judge, person, n }: Counts): number | null {
  if (n === 0) return null;
  const byChance = (judge * person + (n - judge) * (n - person)) / (n * n);
  return byChance === 1 ? null : (both / n - byChance) / (1 - byChance);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function resampled<T>(n: number, of: (draw: () => number) => T): T[] {
  const random = seeded(BOOTSTRAP_SEED);
  const draw = (): number => Math.floor(random() * n);
  return Array.from({ length: BOOTSTRAP_RESAMPLES }, () => of(draw));
}

function percentiles(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}

/** Numbers in [0, 1), the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
