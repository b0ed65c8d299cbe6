import { describe, expect, it } from 'vitest';
import {
  LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX,
  LLM_REQUESTS_PER_TOKEN_MAX,
} from '#base/assistant-limits.ts';
import { RequestPace } from './admission.ts';

const A = { token: 'a', user: 'ann' };

const times = (count: number, work: () => Disposable): Disposable[] =>
  Array.from({ length: count }, work);

describe('the pace of a token', () => {
  it('lets so many be under way, and as many of another token', () => {
    const pace = new RequestPace();
    const open = times(LLM_REQUESTS_PER_TOKEN_MAX, () => pace.begin(A, 0));
    expect(() => pace.begin(A, 0)).toThrow('under way');
    pace.begin({ token: 'b', user: 'ann' }, 0);
    open[0]?.[Symbol.dispose]();
    pace.begin(A, 0);
    expect(() => pace.begin(A, 60_000)).toThrow('under way');
  });

  it('lets so many begin within a minute, and says when the next one begins', () => {
    const pace = new RequestPace();
    const begin = (nowMs: number): void => pace.begin(A, nowMs)[Symbol.dispose]();
    for (let i = 0; i < LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX; i++) begin(59_000);
    expect(() => begin(59_000)).toThrow(
      expect.objectContaining({ code: 'too_many_requests', details: { retryAfterSeconds: 1 } }),
    );
    begin(60_000);
  });

  it('is told of one user, while something is under way or begun within the minute', () => {
    const pace = new RequestPace();
    const open = pace.begin(A, 0);
    pace.begin({ token: 'c', user: 'bob' }, 0);
    pace.begin(A, 0)[Symbol.dispose]();
    expect(pace.of('ann', 1)).toEqual([{ token: 'a', requestsUnderWay: 1, requestsBegun: 2 }]);
    expect(pace.of('ann', 60_000)).toMatchObject([{ requestsUnderWay: 1, requestsBegun: 0 }]);
    open[Symbol.dispose]();
    expect(pace.of('ann', 120_000)).toEqual([]);
  });
});
