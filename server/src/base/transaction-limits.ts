/** How many keys a transaction tells one by one of what it has read; beyond, it tells types. */
export const TRANSACTION_POINTS_MAX = 4_096;
/** The same for ranges of indexes and of the lists of types; beyond, it tells whole lists. */
export const TRANSACTION_RANGES_MAX = 256;
/** The same for names of types and fields; beyond, it tells the whole schema. */
export const TRANSACTION_NAMES_MAX = 256;
/** How many characters of JSON the writes of one transaction may have. */
export const TRANSACTION_CHARACTERS_MAX = 64 * 1024 * 1024;
/** How often a call is run again because others have changed what it had read. */
export const TRANSACTION_RETRIES_MAX = 5;
/**
 * How often a call waits for the turn of another one before it commits without: it is in conflict
 * with nothing then, so this is no attempt.
 */
export const TRANSACTION_TURNS_AWAITED_MAX = 50;
/** How long others wait for the turn of a call before the next one of them gets it. */
export const WRITE_TURN_AWAITED_MAX_MS = 2_000;
/** How many calls have a turn together: see `WriteLine`. */
export const WRITE_LINE_CALLS_MAX = 64;
/** How long their code may take together. */
export const WRITE_LINE_MS_MAX = 250;
/** How long calls of an endpoint are kept out of lines that one of them could not stay in. */
export const WRITE_LINE_ALONE_MS = 60_000;
export const WRITE_LINE_ALONE_MAX = 1_000;
/** How long a server that stops waits for commits of calls. */
export const STOPPING_COMMITS_WAIT_MS = 3_000;
/** Keys of newest commits that the writer keeps, to compare transactions with; twice. */
export const WRITTEN_KEYS_MAX = 250_000;
/** How much of newest commits it keeps until there is a transaction to be compared with them. */
export const WRITTEN_BYTES_MAX = 32 * 1024 * 1024;
/** Reads of a call that are kept until it ends; beyond, their keys are noted at once. */
export const TRANSACTION_READS_KEPT_MAX = 1_000;
export const TRANSACTION_READS_KEPT_CHARACTERS = 1024 * 1024;
