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

/** A node that an answer cites as `[id]`, and what the model read of it. */
export interface AiCitation {
  readonly id: number;
  readonly uid: string;
  readonly text: string;
}

/** A sentence of an answer, and whether what it cites says so. */
export interface AiSentence {
  readonly sentence: string;
  /** Its UTF-16 units in the answer, the end excluded. */
  readonly start: number;
  readonly end: number;
  /** `partly`: what it cites says only a part of it. `unchecked`: it cites nothing. */
  readonly verdict: 'supported' | 'partly' | 'unsupported' | 'unchecked';
  /** `quote` is empty where nothing in the node supports it. */
  readonly citations: readonly {
    readonly id: number;
    readonly uid: string;
    readonly quote: string;
  }[];
}

/** A run of an agent that has ended. Look at `status` first. */
export interface AiAgentRun<Result = unknown> {
  readonly UID: string;
  readonly status: 'Completed' | 'Canceled' | 'Failed';
  /** Text, or what the agent's output schema says; null unless it is completed. */
  readonly result: Result;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: AiUsage;
  /** Of a result that is text: the nodes that it cites. */
  readonly citations: readonly AiCitation[];
  /** The same: its sentences, in order. */
  readonly support: readonly AiSentence[];
  /** Supported sentences of those that are not `unchecked`; null where all are. */
  readonly supportRate: number | null;
  /** How the judge did; null where no judge was asked. */
  readonly supportJudge: {
    readonly model: string;
    readonly outcome: 'complete' | 'incomplete' | 'failed';
    readonly code: string | null;
  } | null;
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
