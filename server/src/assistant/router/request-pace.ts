import {
  LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX,
  LLM_REQUESTS_PER_TOKEN_MAX,
} from '#base/llm-limits.ts';
import { Problem } from '#base/problem.ts';
import type { LlmPace } from './llm-usage.ts';

/** Which token of which user asks. */
interface Asked {
  readonly token: string;
  readonly user: string;
}

interface Pace {
  readonly user: string;
  running: number;
  /** Within the minute. */
  begun: number;
}

const MINUTE_MS = 60_000;

/** How many requests each token has under way, and has begun within the minute. */
export class RequestPace {
  readonly #byToken = new Map<string, Pace>();
  #minute = 0;

  /** Counts a request until what this gives is disposed of. Throws `too_many_requests`. */
  begin({ token, user }: Asked, nowMs: number): Disposable {
    this.#follow(nowMs);
    const pace = this.#byToken.get(token) ?? { user, running: 0, begun: 0 };
    if (pace.running >= LLM_REQUESTS_PER_TOKEN_MAX) {
      throw new Problem(
        'too_many_requests',
        `${pace.running} requests of this token are under way already.`,
      );
    }
    if (pace.begun >= LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX) {
      const restMs = MINUTE_MS - (nowMs % MINUTE_MS);
      throw new Problem('too_many_requests', `${pace.begun} requests were begun within a minute.`, {
        details: { retryAfterSeconds: Math.ceil(restMs / 1_000) },
      });
    }
    pace.running++;
    pace.begun++;
    this.#byToken.set(token, pace);
    return { [Symbol.dispose]: () => void pace.running-- };
  }

  /** Tokens of a user that have asked within the minute, or have requests under way. */
  of(user: string, nowMs: number): LlmPace[] {
    this.#follow(nowMs);
    return [...this.#byToken]
      .filter(([, pace]) => pace.user === user)
      .map(([token, { running, begun }]) => ({
        token,
        requestsUnderWay: running,
        requestsBegun: begun,
      }))
      .toSorted((a, b) => (a.token < b.token ? -1 : 1));
  }

  /** With each minute everybody may begin anew, and who is not under way is forgotten. */
  #follow(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    for (const [token, pace] of this.#byToken) {
      pace.begun = 0;
      if (pace.running === 0) this.#byToken.delete(token);
    }
  }
}
