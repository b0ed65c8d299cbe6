/** The limits of sign-in, by name; units last. */

/** `MSK_JWT_KEY` and `MSK_GRAPH_MASTER_KEY`: HS256 asks for a key as long as its digest (RFC 7518, section 3.2). */
export const KEY_BYTES_MIN = 32;
/** Sign-in (open-shapes, section 3). */
export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;
export const PASSWORD_CHARACTERS_MIN = 10;
export const PASSWORD_CHARACTERS_MAX = 1_024;
export const LOGIN_FAILURES_MAX = 5;
export const LOGIN_FAILURES_WINDOW_MS = 60_000;
/** Users and addresses whose failures are remembered at a time. */
export const LOGIN_THROTTLE_SUBJECTS_MAX = 100_000;

/** Password resets (open-shapes, section 3): how long a link works; mails to one address, and requests from one, within a window. */
export const PASSWORD_RESET_LIFETIME_MS = 30 * 60 * 1_000;
export const PASSWORD_RESET_WINDOW_MS = 60 * 60 * 1_000;
export const PASSWORD_RESET_MAILS_MAX = 3;
export const PASSWORD_RESET_REQUESTS_MAX = 30;
/** Requests that wait to be looked at: a stop waits for them. */
export const PASSWORD_RESET_QUEUE_MAX = 100;
