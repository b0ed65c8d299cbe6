import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { LLM_REQUESTS_MAX } from '#base/llm-limits.ts';
import { Problem } from '#base/problem.ts';
import type { EmbeddingTarget } from '../embedding-provider.ts';
import type { ChatTarget } from '../provider-settings.ts';
import type { TokenCounts } from './llm-call.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** The settings, as they are now. */
export interface LlmSettings {
  /** The one for whom nobody names a model first; none when there is no provider. */
  chatTargets(): readonly ChatTarget[];
  /** Of one user, in and out together. */
  tokensPerUserAndDay(): number;
  embeddingTarget(): EmbeddingTarget | undefined;
  embeddingModel(): string | undefined;
}

/** Who may ask a model, and what for; what is used counts for the user, whichever way it is asked (open-shapes, section 7). */
export class LlmAdmission {
  readonly #settings: LlmSettings;
  readonly #ledger: UsageLedger;
  #running = 0;

  constructor(settings: LlmSettings, ledger: UsageLedger) {
    this.#settings = settings;
    this.#ledger = ledger;
  }

  /** Who is asked for a model; without one, and for one that nobody has, the first provider. Throws `llm_not_configured`. */
  chatTarget(model?: string): ChatTarget {
    const targets = this.#settings.chatTargets();
    const [first] = targets;
    if (first === undefined) {
      throw new Problem('llm_not_configured', 'There is no provider of chat.');
    }
    return targets.find(({ models }) => model !== undefined && models.includes(model)) ?? first;
  }

  /** Of all providers of chat, the one that is asked without a name first. Throws `llm_not_configured`. */
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

  /** Throws `model_not_found` for what is none of `models`, and `llm_quota_exceeded`. */
  check(caller: Caller, model: string, models: readonly string[]): void {
    if (!models.includes(model)) {
      throw new Problem('model_not_found', `There is no model "${model}" here.`);
    }
    const tokensPerDay = this.#settings.tokensPerUserAndDay();
    const used = this.#ledger.usedToday(userOf(caller));
    if (used < tokensPerDay) return;
    throw new Problem(
      'llm_quota_exceeded',
      `${used} tokens were used today, of ${tokensPerDay} that a user has.`,
      { details: { retryAfterSeconds: Math.ceil(this.#ledger.restOfDayMs() / 1_000) } },
    );
  }

  /** Notes that a request is under way, until what it gives is disposed of. Throws `too_many_requests`. */
  begin(): Disposable {
    if (this.#running >= LLM_REQUESTS_MAX) {
      throw new Problem('too_many_requests', `${LLM_REQUESTS_MAX} requests are under way already.`);
    }
    this.#running++;
    return { [Symbol.dispose]: () => void this.#running-- };
  }

  count(caller: Caller, counts: TokenCounts): void {
    this.#ledger.add(caller.tokenId, userOf(caller), counts);
  }
}

function userOf({ userUid }: Caller): string {
  return must(userUid, 'the user of a caller who asks models');
}
