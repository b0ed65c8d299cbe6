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
/** Of one answer that does not fit, as the model is told. */
export const AGENT_OUTPUT_FAULTS_MAX = 10;
/** The schema of what an agent answers. */
export const AGENT_SCHEMA_CHARACTERS_MAX = 64 * 1024;
