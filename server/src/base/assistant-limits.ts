/** What the assistant may do and keep. */

/** A title that is made of the first message. */
export const CHAT_MADE_TITLE_CHARACTERS_MAX = 60;
/**
 * Conversations of one user, messages of one conversation, and answers that one user has under way.
 */
export const CHATS_PER_USER_MAX = 1_000;
export const CHAT_MESSAGES_MAX = 400;
export const CHAT_TURNS_PER_USER_MAX = 8;
/** Earlier messages that a model is sent. */
export const CHAT_CONTEXT_TOKENS_MAX = 48_000;
/**
 * One turn: times that the model is asked, calls of tools, tokens in and out over all of it, and
 * time; and the time of one call.
 */
export const CHAT_STEPS_MAX = 10;
export const CHAT_TOOL_CALLS_MAX = 8;
export const CHAT_TURN_TOKENS_MAX = 400_000;
export const CHAT_TURN_TIMEOUT_MS = 300_000;
export const CHAT_TOOL_TIMEOUT_MS = 30_000;
/** Objects in objects, in what a tool has given: what is deeper is not shown again. */
export const CHAT_OUTPUT_DEPTH_MAX = 100;

/**
 * Deep research: what holds where an administrator has set nothing: researches that wait and run,
 * those of one user, and how far one may go.
 */
export const RESEARCH_QUEUED_DEFAULT = 20;
export const RESEARCH_RUNNING_DEFAULT = 2;
export const RESEARCH_RUNS_PER_USER_DEFAULT = 2;
export const RESEARCH_STEPS_DEFAULT = 60;
export const RESEARCH_TOKENS_DEFAULT = 500_000;
export const RESEARCH_MINUTES_DEFAULT = 15;
/** What is asked; the questions of a plan, and each of them; and one note. */
export const RESEARCH_QUESTIONS_MAX = 8;
export const RESEARCH_PART_CHARACTERS_MAX = 2_000;
export const RESEARCH_NOTE_CHARACTERS_MAX = 20_000;
/** Calls of tools for one question of a plan, and how long one may take. */
export const RESEARCH_TOOL_CALLS_MAX = 50;
export const RESEARCH_TOOL_TIMEOUT_MS = 60_000;
/** The share of a research's tokens and minutes that is kept for its report. */
export const RESEARCH_REPORT_SHARE = 0.25;

/** Agents and their runs. */

/** What one run may use, where its agent does not say. */
export const AGENT_STEPS_DEFAULT = 16;
export const AGENT_TOOL_CALLS_DEFAULT = 32;
export const AGENT_TOKENS_DEFAULT = 200_000;
export const AGENT_SECONDS_DEFAULT = 300;
/** One call of a tool by an agent. */
export const AGENT_TOOL_TIMEOUT_MS = 60_000;
/** Runs of agents, one within the other. */
export const AGENT_DEPTH_MAX = 3;
/** Runs of one user that are under way. */
export const AGENT_RUNS_PER_USER_MAX = 16;
/** Runs that are kept: of one user, and of all. */
export const AGENT_RUNS_KEPT_PER_USER = 500;
export const AGENT_RUNS_KEPT = 5_000;
/** What was said and which tools were called, as it is kept of one run. */
export const AGENT_TRANSCRIPT_CHARACTERS_MAX = 1024 * 1024;
/** Faults of one answer that the model is told. */
export const AGENT_OUTPUT_FAULTS_MAX = 10;
/** The schema of what an agent answers. */
export const AGENT_SCHEMA_CHARACTERS_MAX = 64 * 1024;

/** Providers of chat, and the router of requests to them. */

/** Requests that are under way at a time. */
export const LLM_REQUESTS_MAX = 1_000;
/** For one token or session: under way at a time, and begun within a minute. */
export const LLM_REQUESTS_PER_TOKEN_MAX = 64;
export const LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX = 1_000;
/**
 * Until the head of an answer, which for one that is not streamed is written last; and between two
 * pieces of one.
 */
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
/**
 * Tokens and sessions of one user that are told apart on one day; what the others use is counted
 * together.
 */
export const LLM_USAGE_TOKENS_PER_USER_MAX = 50;

/**
 * What a model reads of one result of a tool; nodes in it that it can cite, and the text of each
 * that is kept.
 */
export const TOOL_RESULT_CHARACTERS_MAX = 32 * 1024;
export const SNIPPETS_PER_RESULT_MAX = 200;
export const SNIPPET_CHARACTERS_MAX = 2_000;
/** Tools that one model has under way at a time. */
export const MODEL_TOOLS_AT_A_TIME = 4;
/** A provider that is busy for so long at most is asked once more. */
export const LLM_RETRY_DELAY_MAX_MS = 5_000;
/**
 * `ai` of endpoint code: one text, messages of a conversation, and texts that one request has
 * vectors of.
 */
export const AI_TEXT_CHARACTERS_MAX = 1_000_000;
export const AI_MESSAGES_MAX = 1_000;
export const AI_TEXTS_MAX = 256;

/** The admin agent, and the files that are uploaded to its conversations. */

/** One message to it, and those before that the model reads again, newest first. */
export const ADMIN_AGENT_HISTORY_CHARACTERS_MAX = 200_000;
export const ADMIN_AGENT_TITLE_CHARACTERS_MAX = 80;

/**
 * One turn: times that the model is asked, calls of tools, tokens, and how long all of it and one
 * call may take.
 */
export const ADMIN_AGENT_STEPS_MAX = 30;
export const ADMIN_AGENT_TOOL_CALLS_MAX = 60;
export const ADMIN_AGENT_TOKENS_MAX = 500_000;
export const ADMIN_AGENT_TIMEOUT_MS = 600_000;
export const ADMIN_AGENT_TOOL_TIMEOUT_MS = 60_000;

/** Definitions of one kind that the model is told of. */
export const ADMIN_AGENT_LIST_MAX = 1_000;
/** Changes in one proposal, and the JSON of it. */
export const PROPOSAL_ITEMS_MAX = 50;
export const PROPOSAL_CHARACTERS_MAX = 2_000_000;
