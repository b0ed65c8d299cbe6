export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What asks models: a token of the router asks for answers (`router`) and for vectors (`embeddings`); `endpoints` is `ai` of their code. */
export type LlmFeature =
  | 'chat'
  | 'deep-research'
  | 'agents'
  | 'admin-agent'
  | 'endpoints'
  | 'router'
  | 'embeddings';

/** What was used of one model for one feature. */
export interface LlmShare extends TokenCounts {
  readonly feature: LlmFeature;
  readonly model: string;
  readonly calls: number;
}

/** What one token, or session, has used on one day in UTC, such as "2026-11-21". */
export interface LlmUsage extends TokenCounts {
  readonly day: string;
  /** The id of the token, or of the session; "others" for those of a user that are not told apart. */
  readonly token: string;
  /** UID of the user it acts as. */
  readonly user: string;
  readonly calls: number;
  /** Most first; without what was used before it was split. */
  readonly split: readonly LlmShare[];
}

/** What one token, or session, has under way, and has begun within the minute. */
export interface LlmPace {
  readonly token: string;
  readonly requestsUnderWay: number;
  readonly requestsBegun: number;
}

/** What is left to a user today. Null where nothing limits the tokens of a day. */
export interface LlmBudget {
  readonly user: string;
  readonly day: string;
  /** ISO 8601 UTC. */
  readonly resetsAt: string;
  readonly tokensPerDay: number | null;
  readonly tokensUsed: number;
  readonly tokensReserved: number;
  readonly tokensLeft: number | null;
  readonly requestsAtOnceMax: number;
  readonly requestsPerMinuteMax: number;
  readonly tokens: readonly LlmPace[];
  readonly split: readonly LlmShare[];
}
