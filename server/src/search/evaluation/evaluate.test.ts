import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVALUATION_HITS } from '#base/search-limits.ts';
import type { SearchMetrics } from '@trellis/contract/shapes/search-evaluation.ts';
import { meanMetrics, qualityOf } from './evaluate.ts';

const grades = (of: Readonly<Record<string, number>>) => new Map(Object.entries(of));

describe('the quality of a ranking', () => {
  it('is what one calculates by hand', () => {
    // Gain 2 at rank 2 and 1 at rank 4; the best order has them at 1, 2, and the third one, that
    // was not found, at 3.
    const { metrics, rank } = qualityOf(['x', 'a', 'y', 'b'], grades({ a: 2, b: 1, c: 1 }));
    const gain = 2 / Math.log2(3) + 1 / Math.log2(5);
    expect(metrics.ndcg).toBeCloseTo(gain / (2 + 1 / Math.log2(3) + 1 / 2), 12);
    expect(metrics).toMatchObject({ mrr: 1 / 2, precision: 0.2, recall: 2 / 3 });
    expect(rank).toBe(2);
  });

  it('of one relevant node is 1 / log2(rank + 1)', () => {
    const { metrics } = qualityOf(['x', 'y', 'a'], grades({ a: 5 }));
    expect(metrics).toEqual({ ndcg: 1 / 2, mrr: 1 / 3, precision: 0.1, recall: 1 });
  });

  it('is nothing when nothing is found, or only after the first page', () => {
    const nothing = { metrics: { ndcg: 0, mrr: 0, precision: 0, recall: 0 }, rank: null };
    expect(qualityOf([], grades({ a: 1 }))).toEqual(nothing);
    const page = Array.from({ length: EVALUATION_HITS }, (_, i) => `x${i}`);
    expect(qualityOf([...page, 'a'], grades({ a: 1 }))).toEqual(nothing);
    expect(qualityOf([...page.slice(1), 'a'], grades({ a: 1 })).rank).toBe(EVALUATION_HITS);
  });
});

/** A ranking of nodes 0 to 29, some of which are relevant. */
const judged = fc.record({
  ranking: fc.shuffledSubarray(Array.from({ length: 30 }, (_, i) => String(i))),
  relevant: fc.dictionary(fc.nat(29).map(String), fc.integer({ min: 1, max: 10 }), { minKeys: 1 }),
});
/** A sum of floating-point numbers depends on their order. */
const NOISE = 1e-9;

describe('any ranking', () => {
  it('has metrics from 0 to 1, and is best in the order of the grades', () => {
    fc.assert(
      fc.property(judged, ({ ranking, relevant }) => {
        const all = grades(relevant);
        const { metrics } = qualityOf(ranking, all);
        for (const value of Object.values(metrics)) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + NOISE);
        }
        const ideal = [...all.keys()].toSorted((a, b) => all.get(b)! - all.get(a)!);
        expect(qualityOf(ideal, all).metrics.ndcg).toBeCloseTo(1, 12);
        expect(qualityOf(ideal, all).metrics.mrr).toBe(1);
      }),
    );
  });

  it('does not get better when a less relevant node moves ahead of its predecessor', () => {
    fc.assert(
      fc.property(judged, fc.nat(), ({ ranking, relevant }, seed) => {
        fc.pre(ranking.length > 1);
        const all = grades(relevant);
        const at = seed % (ranking.length - 1);
        const gradeAt = (i: number) => all.get(ranking[i]!) ?? 0;
        const swapped = ranking.with(at, ranking[at + 1]!).with(at + 1, ranking[at]!);
        const [better, worse] =
          gradeAt(at) >= gradeAt(at + 1) ? [ranking, swapped] : [swapped, ranking];
        const [high, low] = [qualityOf(better, all).metrics, qualityOf(worse, all).metrics];
        expect(low.ndcg).toBeLessThanOrEqual(high.ndcg + NOISE);
        expect(low.recall).toBeLessThanOrEqual(high.recall);
        if (gradeAt(at) !== gradeAt(at + 1) && at < EVALUATION_HITS) {
          expect(low.ndcg).toBeLessThan(high.ndcg);
        }
      }),
    );
  });
});

it('means are those of each metric, and of no queries 0', () => {
  const one: SearchMetrics = { ndcg: 1, mrr: 0.5, precision: 0.2, recall: 0 };
  const other: SearchMetrics = { ndcg: 0, mrr: 1, precision: 0, recall: 0.5 };
  expect(meanMetrics([one, other])).toEqual({ ndcg: 0.5, mrr: 0.75, precision: 0.1, recall: 0.25 });
  expect(meanMetrics([])).toEqual({ ndcg: 0, mrr: 0, precision: 0, recall: 0 });
});
