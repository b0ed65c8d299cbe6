/** Characters of all nodes, or of all values, in one answer of JSON. */
export const NODES_ANSWER_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Ids that are read at once of those of a type. */
export const NODE_SCAN_IDS = 256;

/**
 * Work on the main thread that takes turns: see `Turns`. How much of it one turn of the event loop has time for; and of one caller,
 * what goes on at a time, and what waits.
 */
export const TURN_MS = 1;
/** Nodes of one answer that are read at one commit, twice the usual page; of more, each so many are. */
export const NODES_AT_ONE_COMMIT = 100;
export const TURNS_GOING_PER_CALLER_MAX = 4;
export const TURNS_WAITING_PER_CALLER_MAX = 300;
