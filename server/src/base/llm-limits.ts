/** Providers of chat, and the router of requests to them. */

/** Requests that are under way at a time. */
export const LLM_REQUESTS_MAX = 1_000;
/** Of one token, or session: under way at a time, and begun within a minute. */
export const LLM_REQUESTS_PER_TOKEN_MAX = 64;
export const LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX = 1_000;
/** Until the head of an answer, which for one that is not streamed is written last; and between two pieces of one. */
export const LLM_HEAD_TIMEOUT_MS = 240_000;
export const LLM_IDLE_TIMEOUT_MS = 120_000;
/** An answer that is not streamed, one event of a stream, and what a provider says of a failure. */
export const LLM_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
export const LLM_FAILURE_BYTES_MAX = 64 * 1024;
/** A whole stream: each token comes in some hundred bytes. */
export const LLM_STREAM_BYTES_MAX = 256 * 1024 * 1024;
/** Where a provider does not count tokens: so many letters are one. */
export const LLM_CHARACTERS_PER_TOKEN = 4;
/** What was used is written every so often, and kept for so long. */
export const LLM_USAGE_WRITE_INTERVAL_MS = 60_000;
export const LLM_USAGE_DAYS_MAX = 31;
/** Tokens and sessions of one user that are told apart on one day; what the others use is counted together. */
export const LLM_USAGE_TOKENS_PER_USER_MAX = 50;

/** What a model reads of one result of a tool; nodes in it that it can cite, and the text of each that is kept. */
export const TOOL_RESULT_CHARACTERS_MAX = 32 * 1024;
export const SNIPPETS_PER_RESULT_MAX = 200;
export const SNIPPET_CHARACTERS_MAX = 2_000;
/** Tools that one model has under way at a time. */
export const MODEL_TOOLS_AT_A_TIME = 4;
/** A provider that is busy for so long at most is asked once more. */
export const LLM_RETRY_DELAY_MAX_MS = 5_000;
/** `ai` of endpoint code: one text, messages of a conversation, and texts that one request has vectors of. */
export const AI_TEXT_CHARACTERS_MAX = 1_000_000;
export const AI_MESSAGES_MAX = 1_000;
export const AI_TEXTS_MAX = 256;
