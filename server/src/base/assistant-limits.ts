/** What the assistant may do and keep. */

/** Of a title that is made of the first message. */
export const CHAT_MADE_TITLE_CHARACTERS_MAX = 60;
/** Conversations of one user, messages of one conversation, and answers that one user has under way. */
export const CHATS_PER_USER_MAX = 1_000;
export const CHAT_MESSAGES_MAX = 400;
export const CHAT_TURNS_PER_USER_MAX = 8;
/** Earlier messages that a model is sent. */
export const CHAT_CONTEXT_TOKENS_MAX = 48_000;
/** One turn: times that the model is asked, calls of tools, tokens in and out over all of it, and time; and the time of one call. */
export const CHAT_STEPS_MAX = 10;
export const CHAT_TOOL_CALLS_MAX = 8;
export const CHAT_TURN_TOKENS_MAX = 400_000;
export const CHAT_TURN_TIMEOUT_MS = 300_000;
export const CHAT_TOOL_TIMEOUT_MS = 30_000;
/** Objects in objects, in what a tool has given: what is deeper is not shown again. */
export const CHAT_OUTPUT_DEPTH_MAX = 100;

/** Deep research: what holds where an administrator has set nothing: researches that wait and run, those of one user, and how far one may go. */
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
/** Of the tokens and the minutes of a research, what is kept for its report. */
export const RESEARCH_REPORT_SHARE = 0.25;
