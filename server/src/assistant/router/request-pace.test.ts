import { describe, expect, it } from 'vitest';
import {
  LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX,
  LLM_REQUESTS_PER_TOKEN_MAX,
} from '#base/llm-limits.ts';
import { RequestPace } from './request-pace.ts';

const times = (count: number, work: () => Disposable): Disposable[] =>
  Array.from({ length: count }, work);

describe('the pace of a token', () => {
  it('lets so many be under way, and as many of another token', () => {
    const pace = new RequestPace();
    const open = times(LLM_REQUESTS_PER_TOKEN_MAX, () => pace.begin('a', 0));
    expect(() => pace.begin('a', 0)).toThrow('under way');
    pace.begin('b', 0);
    open[0]?.[Symbol.dispose]();
    pace.begin('a', 0);
    expect(() => pace.begin('a', 60_000)).toThrow('under way');
  });

  it('lets so many begin within a minute, and says when the next one begins', () => {
    const pace = new RequestPace();
    const begin = (nowMs: number): void => pace.begin('a', nowMs)[Symbol.dispose]();
    for (let i = 0; i < LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX; i++) begin(59_000);
    expect(() => begin(59_000)).toThrow(
      expect.objectContaining({ code: 'too_many_requests', details: { retryAfterSeconds: 1 } }),
    );
    begin(60_000);
  });
});
