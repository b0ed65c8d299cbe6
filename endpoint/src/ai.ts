/** One message of a conversation with a model. */
export interface AiMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** What a model is asked: either `prompt` or `messages`, of which the last is a user's. */
export interface AiRequest {
  readonly prompt?: string;
  /** Oldest first. */
  readonly messages?: readonly AiMessage[];
  /** What it is told before the conversation. */
  readonly instructions?: string;
  /** One of those that an administrator allows; the first of them when left out. */
  readonly model?: string;
  /** Tokens of the answer at most; an administrator may allow fewer. */
  readonly maxTokens?: number;
}

/** What a model was sent and has answered, in tokens. */
export interface AiUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface AiAnswer {
  readonly text: string;
  readonly model: string;
  /** `length`: the answer was longer than it may be, and is cut short. */
  readonly ended: 'answer' | 'length';
  readonly usage: AiUsage;
}

/** A run of an agent that has ended. Look at `status` first. */
export interface AiAgentRun<Result = unknown> {
  readonly UID: string;
  readonly status: 'Completed' | 'Canceled' | 'Failed';
  /** Text, or what the agent's output schema says; null unless it is completed. */
  readonly result: Result;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: AiUsage;
}

/**
 * Models, as `CurrentUser`: what is used counts for that user. Without a user everything here
 * throws the problem `ai_needs_user`, on a replica `read_only_replica`, without a provider
 * `llm_not_configured`; with too much used today `llm_quota_exceeded`.
 */
export interface Ai {
  /** Asks a model once, without tools. A text is a prompt. */
  complete(request: AiRequest | string): Promise<AiAnswer>;
  /** One vector for each text, in their order, by the model of the settings for embeddings. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
  /**
   * Runs an agent with tools that `CurrentUser` may call, and waits for its end; of an endpoint
   * marked Read Only with tools that only read. Agents run one another at most three deep: beyond
   * that it throws the problem `agent_too_deep`.
   */
  runAgent<Result = unknown>(
    name: string,
    message: string,
    variables?: Readonly<Record<string, string>>,
  ): Promise<AiAgentRun<Result>>;
}
