import type { LlmAnswer, LlmCall, Protocol } from '#assistant/router/llm-call.ts';
import type { Page } from '@trellis/contract/shapes/list.ts';
import type { LlmState, LlmUsageList } from '@trellis/contract/shapes/llm.ts';
import type { Awaitable } from './answer.ts';

export interface UsageOf {
  /** What is left is told of this one. */
  readonly user: string;
  /** Whether what others have used is told too. */
  readonly isEverybody: boolean;
}

/** The router of requests to the provider of chat. */
export interface LlmService {
  /** Throws `llm_not_configured`. */
  models(): Awaitable<readonly string[]>;
  /** `client` is what the caller speaks. Throws what the rows of the contract name. */
  chat(client: Protocol, call: LlmCall): Promise<LlmAnswer>;
  embeddings(call: LlmCall): Promise<LlmAnswer>;
  usage(page: Page, of: UsageOf): Awaitable<LlmUsageList>;
  state(): Awaitable<LlmState>;
}
