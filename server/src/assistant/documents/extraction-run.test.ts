import { expect, test } from 'vitest';
import { EXTRACTION_RETRY_DELAY_MAX_MS } from '#base/assistant-limits.ts';
import { problemOfAnswer } from '../router/provider-problem.ts';
import { retryDelayMs } from './extraction-run.ts';

test.each([
  ['20', 20_000],
  ['1', 4_000],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 30_000],
  [String(EXTRACTION_RETRY_DELAY_MAX_MS / 1_000), EXTRACTION_RETRY_DELAY_MAX_MS],
  ['86400', EXTRACTION_RETRY_DELAY_MAX_MS],
  ['soon', 4_000],
  [null, 4_000],
])(
  'a provider that answers 429 with Retry-After %s is asked again after %i ms',
  (retryAfter, ms) => {
    const busy = problemOfAnswer({ status: 429, retryAfter, text: '' }, null, 0);
    expect(retryDelayMs(busy, 4_000)).toBe(ms);
  },
);

test('what says nothing of a time is repeated after the usual one', () => {
  expect(retryDelayMs(new Error('no'), 1_000)).toBe(1_000);
});
