/**
 * How often pages ask again, in milliseconds, for what the server cannot tell them of. Each is a
 * count, a measurement or a state that is only in the memory of one server, which changes with
 * every request, or is taken only when somebody asks: no commit, job or event goes with it. All
 * else follows the server: see `live-queries.ts`.
 */

/** Load, memory, lag and health: samples that are taken as often as somebody asks. */
export const LOAD_REFRESH_MS = 10_000;

/** Calls, times and last calls of endpoints and tools, and the queues of the router of models. */
export const COUNTERS_REFRESH_MS = 5_000;

/** What is used of budgets, which each answer of a model adds to. */
export const BUDGETS_REFRESH_MS = 10_000;
