import type { GoldenNuggetResult, GoldenResult } from '@trellis/contract/shapes/golden-answers.ts';
import { expect, it } from 'vitest';
import { agreementsOf } from './golden-labels.ts';
import type { StoredLabel } from './golden-store.ts';
import { NO_METRICS } from './question-metrics.ts';

const PERSON = { user: 'ann', question: 'a', at: '2026-11-29T17:00:00.000Z' } as const;

/** Twenty nuggets, of which the report finds every second one. */
const nuggets = Array.from({ length: 20 }, (_, at): GoldenNuggetResult => {
  const by = at % 2 === 0 ? 'text' : null;
  const state = { found: true, read: true, cited: false, lostAt: null };
  return { text: `${at}`, importance: 'vital', uids: [], isFound: by !== null, by, ...state };
});
const result: GoldenResult = {
  id: 'a',
  question: 'Which?',
  asUser: null,
  mustRefuse: false,
  answer: '',
  error: null,
  nuggets,
  sentences: [],
  isRefusal: false,
  leaks: [],
  metrics: NO_METRICS,
};

/** What people and the report agree, when people say something else of these nuggets. */
const agreement = (...apart: readonly number[]) => {
  const labels = nuggets.map(({ by }, nugget): StoredLabel => ({
    ...PERSON,
    nugget,
    verdict: (by !== null) === apart.includes(nugget) ? 'missing' : 'found',
  }));
  return agreementsOf([{ labels, results: [result] }]).nuggets;
};

it('warns when kappa is below 0.7, and not at it', () => {
  const enough = agreement(0, 1, 3);
  expect([enough.pairs, enough.kappa, enough.warning]).toEqual([20, 0.7, null]);
  const little = agreement(0, 1, 2, 3);
  expect(little.kappa).toBeCloseTo(0.6);
  expect(little.warning).toContain('kappa is below 0.7');
  expect(little.low).toBeLessThan(0.6);
  expect(little.high).toBeGreaterThan(0.6);
});

it('warns when people find nothing that the report finds, and asks for other verdicts', () => {
  const same = nuggets.filter(({ by }) => by !== null);
  const labelled = (verdict: 'found' | 'missing') =>
    agreementsOf([
      {
        labels: same.map((_, at): StoredLabel => {
          return { ...PERSON, nugget: at, verdict };
        }),
        results: [{ ...result, nuggets: same }],
      },
    ]).nuggets;
  expect(labelled('found').warning).toContain('label some of the other kind');
  expect(labelled('missing')).toMatchObject({ kappa: 0, warning: expect.stringContaining('0.7') });
});

it('says nothing where nobody has said anything', () => {
  const none = { pairs: 0, kappa: null, low: null, high: null, warning: null };
  expect(agreementsOf([])).toEqual({ nuggets: none, sentences: none });
});
