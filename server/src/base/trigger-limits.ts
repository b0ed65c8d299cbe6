/** Endpoints that changes may run. Those beyond run no more, and the log of the server says so. */
export const TRIGGERS_MAX = 100;
/** Runs that changes have asked for at a time, of one endpoint and of all. */
export const TRIGGER_RUNS_MAX = 4;
export const TRIGGER_RUNS_IN_ALL_MAX = 8;
/** Events of one endpoint that are read from the log and have not run yet. */
export const TRIGGER_EVENTS_WAITING_MAX = 500;
/** One step of reading: events, their characters, and sequences without an event. */
export const TRIGGER_STEP_EVENTS_MAX = 100;
export const TRIGGER_STEP_CHARACTERS_MAX = 4 * 1024 * 1024;
export const TRIGGER_STEP_SEQUENCES_MAX = 50_000;
/** A body that would be longer comes without the node before and after. */
export const TRIGGER_BODY_CHARACTERS_MAX = 256 * 1024;
/** How often an event is tried, and how long it waits after each try. */
export const TRIGGER_RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000];
/** How long an event waits for workers that are busy; that is no try. */
export const TRIGGER_BUSY_DELAY_MS = 1_000;
/** Events of one endpoint that are set aside; with one more the trigger is paused. */
export const TRIGGER_SET_ASIDE_MAX = 100;
/** Endpoints that changes have run one after the other before the next one is not run any more. */
export const TRIGGER_CHAIN_MAX = 8;
/** How often the position is written at most, and how much of the log it may lag behind. */
export const TRIGGER_SAVE_INTERVAL_MS = 1_000;
export const TRIGGER_SAVE_SEQUENCES = 10_000;
/** How long a trigger waits when the log could not be read. */
export const TRIGGER_READ_AGAIN_MS = 5_000;
/** Characters of an error that is kept. */
export const TRIGGER_ERROR_CHARACTERS_MAX = 1_000;
