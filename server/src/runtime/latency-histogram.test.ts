import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ENDPOINT_TIMEOUT_MAX_MS } from '@trellis/contract/limits.ts';
import { LatencyHistogram, QUANTILE_ERROR_FACTOR } from './endpoint-calls.ts';

const SHORTEST_MS = 0.01;

it('knows every quantile to within half a bucket', () => {
  const ms = fc.double({ min: SHORTEST_MS, max: ENDPOINT_TIMEOUT_MAX_MS, noNaN: true });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(ms, { minLength: 1, maxLength: 200 }), share, (times, wanted) => {
      const histogram = new LatencyHistogram();
      for (const time of times) histogram.add(time);
      const sorted = times.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(wanted * times.length)) - 1]!;
      const ratio = histogram.quantileMs(wanted)! / exact;
      const tolerance = QUANTILE_ERROR_FACTOR * 1.000_001;
      expect(ratio).toBeLessThanOrEqual(tolerance);
      expect(ratio).toBeGreaterThanOrEqual(1 / tolerance);
    }),
    { numRuns: 500 },
  );
  expect(QUANTILE_ERROR_FACTOR).toBeLessThan(1.05);
});

it('counts what is shorter or longer than its buckets in the first and the last', () => {
  const histogram = new LatencyHistogram();
  expect(histogram.quantileMs(0.5)).toBeUndefined();
  for (const ms of [0, 0.001, ENDPOINT_TIMEOUT_MAX_MS * 10]) histogram.add(ms);
  expect(histogram.quantileMs(0.5)).toBe(SHORTEST_MS);
  expect(histogram.quantileMs(1)).toBeGreaterThan(ENDPOINT_TIMEOUT_MAX_MS / 2);
});
