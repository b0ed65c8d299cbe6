/** The admin agent, and the files that are uploaded to its conversations. */

/** Of one message to it, and of those before that the model reads again, newest first. */
export const ADMIN_AGENT_HISTORY_CHARACTERS_MAX = 200_000;
export const ADMIN_AGENT_TITLE_CHARACTERS_MAX = 80;

/** One turn: times that the model is asked, calls of tools, tokens, and how long all of it and one call may take. */
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
