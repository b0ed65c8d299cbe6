import type { LlmBudget } from '@trellis/contract/shapes/llm.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import {
  LLM_REQUESTS_MAX,
  LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX,
  LLM_REQUESTS_PER_TOKEN_MAX,
} from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { LlmAsker, LlmPace, TokenCounts } from './llm-call.ts';
import type { EmbeddingTarget } from '../embedding-provider.ts';
import type { ChatTarget } from '../provider-settings.ts';
import type { MonthBudgets } from './month-budgets.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** The current settings. */
export interface LlmSettings {
  /**
   * The provider for requests without a model comes first. Empty when no provider is configured.
   */
  chatTargets(): readonly ChatTarget[];
  /** The tokens, input and output together, that one user may use in a day. */
  tokensPerUserAndDay(): number;
  embeddingTarget(): EmbeddingTarget | undefined;
  embeddingModel(): string | undefined;
}

/**
 * Decides who may ask a model, and counts the usage of each user for all features together
 * (open-shapes, section 7).
 */
export class LlmAdmission {
  readonly #settings: LlmSettings;
  readonly #ledger: UsageLedger;
  readonly #budgets: Pick<MonthBudgets, 'reserve' | 'of'>;
  readonly #pace = new RequestPace();
  /** By user: the most tokens that the running requests can use. */
  readonly #reserved = new Map<string, number>();
  #running = 0;

  constructor(
    settings: LlmSettings,
    ledger: UsageLedger,
    budgets: Pick<MonthBudgets, 'reserve' | 'of'>,
  ) {
    this.#settings = settings;
    this.#budgets = budgets;
    this.#ledger = ledger;
  }

  /**
   * The provider that has the model; the first provider when `model` is left out or no provider has
   * it. Throws `llm_not_configured`.
   */
  chatTarget(model?: string): ChatTarget {
    const targets = this.#settings.chatTargets();
    const [first] = targets;
    if (first === undefined) {
      throw new Problem('llm_not_configured', 'There is no provider of chat.');
    }
    return targets.find(({ models }) => model !== undefined && models.includes(model)) ?? first;
  }

  /**
   * The provider that a name means: that of a further one, or the protocol of any, of which one
   * that has the model comes first. Throws `llm_not_configured`.
   */
  namedTarget(name: string, model: string): ChatTarget {
    const targets = providersNamed(this.#settings.chatTargets(), name);
    const target = targets.find(({ models }) => models.includes(model)) ?? targets[0];
    if (target !== undefined) return target;
    throw new Problem('llm_not_configured', `There is no provider of chat "${name}".`);
  }

  /**
   * The models of all providers of chat; those of the first provider come first. Throws
   * `llm_not_configured`.
   */
  models(): readonly string[] {
    this.chatTarget();
    return this.#settings.chatTargets().flatMap(({ models }) => models);
  }

  /** Throws `embeddings_not_configured`. */
  embeddings(): { readonly target: EmbeddingTarget; readonly model: string } {
    const target = this.#settings.embeddingTarget();
    const model = this.#settings.embeddingModel();
    if (target !== undefined && model !== undefined) return { target, model };
    throw new Problem('embeddings_not_configured', 'There is no provider of embeddings.');
  }

  /** Throws `model_not_found` for a model that `models` does not have, and `llm_quota_exceeded`. */
  check(caller: Caller, model: string, models: readonly string[]): void {
    if (!models.includes(model)) {
      throw new Problem('model_not_found', `There is no model "${model}" here.`);
    }
    const tokensPerDay = this.#settings.tokensPerUserAndDay();
    const used = this.#ledger.usedToday(userOf(caller));
    if (used < tokensPerDay) return;
    throw new Problem(
      'llm_quota_exceeded',
      `You have used ${used} of ${tokensPerDay} tokens today.`,
      { details: { retryAfterSeconds: Math.ceil(this.#ledger.restOfDayMs() / 1_000) } },
    );
  }

  /**
   * Registers a request that uses at most so many tokens. These tokens of the user's day stay
   * reserved until the result is disposed, when the real usage is counted. So all running requests
   * fit into the day, except a single one, and into the budgets of the month without exception.
   * Throws `too_many_requests`, and `llm_quota_exceeded` for the month.
   */
  begin({ caller, model }: Pick<LlmAsker, 'caller' | 'model'>, most: TokenCounts): Disposable {
    const tokensMax = most.inputTokens + most.outputTokens;
    if (this.#running >= LLM_REQUESTS_MAX) {
      throw new Problem('too_many_requests', `${LLM_REQUESTS_MAX} requests are under way already.`);
    }
    const user = userOf(caller);
    const reserved = this.#reserved.get(user) ?? 0;
    this.#checkFits(user, reserved, tokensMax);
    using begun = new DisposableStack();
    begun.use(this.#budgets.reserve(user, model, most));
    begun.use(this.#pace.begin({ token: caller.tokenId, user }, this.#ledger.nowMs));
    const held = begun.move();
    this.#running++;
    this.#reserved.set(user, reserved + tokensMax);
    return {
      [Symbol.dispose]: () => {
        this.#running--;
        held[Symbol.dispose]();
        const left = (this.#reserved.get(user) ?? 0) - tokensMax;
        if (left <= 0) this.#reserved.delete(user);
        else this.#reserved.set(user, left);
      },
    };
  }

  /** A user's only request is admitted as long as any tokens are left for the day. */
  #checkFits(user: string, reserved: number, tokensMax: number): void {
    const tokensPerDay = this.#settings.tokensPerUserAndDay();
    const used = this.#ledger.usedToday(user);
    if (reserved === 0 || used + reserved + tokensMax <= tokensPerDay) return;
    throw new Problem(
      'too_many_requests',
      `You have used ${used} of ${tokensPerDay} tokens today, and running requests may use ${reserved}: ${tokensMax} more are too many.`,
      { hint: 'Wait until the other requests have ended, or set a lower max_tokens.' },
    );
  }

  count({ caller, feature, model }: LlmAsker, counts: TokenCounts): void {
    const user = userOf(caller);
    this.#ledger.add({ token: caller.tokenId, user, feature, model }, counts);
  }

  /**
   * The tokens that one user has used, and may still use, today; `isEverybody` when they may see
   * what all others use.
   */
  budgetOf(user: string, isEverybody: boolean): LlmBudget {
    const ledger = this.#ledger;
    const tokensPerDay = this.#settings.tokensPerUserAndDay();
    const isLimited = tokensPerDay < Infinity;
    const tokensUsed = ledger.usedToday(user);
    const tokensReserved = this.#reserved.get(user) ?? 0;
    return {
      user,
      day: ledger.today,
      resetsAt: new Date(ledger.nowMs + ledger.restOfDayMs()).toISOString(),
      tokensPerDay: isLimited ? tokensPerDay : null,
      tokensUsed,
      tokensReserved,
      tokensLeft: isLimited ? Math.max(0, tokensPerDay - tokensUsed - tokensReserved) : null,
      requestsAtOnceMax: LLM_REQUESTS_PER_TOKEN_MAX,
      requestsPerMinuteMax: LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX,
      tokens: this.#pace.of(user, ledger.nowMs),
      split: ledger.splitToday(user),
      ...this.#budgets.of(user, isEverybody),
    };
  }
}

/** The providers that a name means, or a protocol. */
export function providersNamed(targets: readonly ChatTarget[], name: string): ChatTarget[] {
  const named = targets.filter((target) => target.name === name);
  return named.length > 0 ? named : targets.filter(({ provider }) => provider === name);
}

function userOf({ userUid }: Caller): string {
  return must(userUid, 'the user of a caller who asks models');
}

/** The token and the user of a request. */
interface Asked {
  readonly token: string;
  readonly user: string;
}

interface Pace {
  readonly user: string;
  running: number;
  /** Requests begun in this minute. */
  begun: number;
}

const MINUTE_MS = 60_000;

/** Counts the running requests of each token, and those begun in this minute. */
export class RequestPace {
  readonly #byToken = new Map<string, Pace>();
  #minute = 0;

  /** Counts a request until the result is disposed. Throws `too_many_requests`. */
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
      throw new Problem(
        'too_many_requests',
        `This token has begun ${pace.begun} requests within a minute.`,
        {
          details: { retryAfterSeconds: Math.ceil(restMs / 1_000) },
        },
      );
    }
    pace.running++;
    pace.begun++;
    this.#byToken.set(token, pace);
    return { [Symbol.dispose]: () => void pace.running-- };
  }

  /** The tokens of a user with requests in this minute, or with running requests. */
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

  /** Starts counting again in each new minute, and forgets tokens without running requests. */
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
