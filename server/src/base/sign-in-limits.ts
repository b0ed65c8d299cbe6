/** The limits of sign-in, by name; units last. */

/**
 * `MSK_JWT_KEY` and `MSK_GRAPH_MASTER_KEY`: HS256 asks for a key as long as its digest (RFC 7518,
 * section 3.2).
 */
export const KEY_BYTES_MIN = 32;
/** Sign-in (open-shapes, section 3). */
export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;
/**
 * Wrong passwords for one name, from one address or from one device that has signed in before. This
 * many are free; after that each try waits, twice as long after each further failure. One failure
 * is forgotten after each such time.
 */
export const LOGIN_FAILURES_MAX = 5;
export const LOGIN_DELAY_MIN_MS = 20_000;
export const LOGIN_DELAY_MAX_MS = 15 * 60_000;
export const LOGIN_FAILURE_FORGOTTEN_MS = 30 * 60_000;
/** The same for one address, whatever the names. Many people may share it. */
export const ADDRESS_FAILURES_MAX = 20;
export const ADDRESS_DELAY_MIN_MS = 1_000;
export const ADDRESS_DELAY_MAX_MS = 30_000;
export const ADDRESS_FAILURE_FORGOTTEN_MS = 10_000;
/** Tries that wait for an earlier one to end: for one name and address, or for one address. */
export const LOGIN_WAITING_MAX = 100;
/** Names, addresses and devices whose failures are remembered, each as a hash of 22 characters. */
export const LOGIN_THROTTLE_SUBJECTS_MAX = 50_000;

/**
 * Passwords that are hashed at a time, each in a thread of the pool with 19 MiB; and how many more
 * may wait.
 */
export const PASSWORD_HASHES_MAX = 2;
export const PASSWORD_HASHES_WAITING_MAX = 200;

/**
 * The mark of a device that has signed in: how long it is valid, and the number of users whose
 * marks one browser keeps.
 */
export const DEVICE_LIFETIME_MS = 180 * 24 * 60 * 60 * 1_000;
export const DEVICE_MARKS_MAX = 5;

/**
 * Audit events that callers without a sign-in cause. This many are kept, apart from all others.
 * Within one window, this many events of one address, and of all together, are recorded one by one;
 * of the rest, the 2nd, 4th, 8th and so on, with their number.
 */
export const AUDIT_STRANGER_EVENTS_MAX = 100_000;
export const AUDIT_STRANGER_WINDOW_MS = 60 * 60_000;
export const AUDIT_STRANGER_EVENTS_OF_ADDRESS_MAX = 50;
export const AUDIT_STRANGER_EVENTS_OF_ALL_MAX = 5_000;
export const AUDIT_STRANGER_ADDRESSES_MAX = 20_000;

/**
 * Password resets (open-shapes, section 3): how long a link is valid. Within one window, the mails
 * to one address, and the requests from one.
 */
export const PASSWORD_RESET_LIFETIME_MS = 30 * 60 * 1_000;
export const PASSWORD_RESET_WINDOW_MS = 60 * 60 * 1_000;
export const PASSWORD_RESET_MAILS_MAX = 3;
export const PASSWORD_RESET_REQUESTS_MAX = 30;
/** Requests that wait to be handled. A stop waits for them. */
export const PASSWORD_RESET_QUEUE_MAX = 100;

/**
 * MCP clients that users let in by OAuth (open-shapes, section 12). A registration that leads to no
 * grant is valid for a while; a request waits for its user, and a code for its client. The client
 * keeps a grant as long as it refreshes it in time. Ended grants stay in the list for a while. A
 * user has this many; one more takes the place of the one that was not refreshed for longest.
 */
export const OAUTH_REGISTRATION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;
export const OAUTH_REQUEST_LIFETIME_MS = 10 * 60 * 1_000;
export const OAUTH_CODE_LIFETIME_MS = 60 * 1_000;
export const OAUTH_ACCESS_LIFETIME_MS = 15 * 60 * 1_000;
export const OAUTH_REFRESH_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;
export const OAUTH_ENDED_GRANTS_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
export const OAUTH_GRANTS_OF_USER_MAX = 100;
/** Of a client that is withdrawn, in one commit. */
export const OAUTH_GRANTS_ENDED_AT_ONCE = 500;
/** What a client tells of itself: it carries all of it in its id. */
export const OAUTH_CLIENT_NAME_CHARACTERS_MAX = 100;
export const OAUTH_REDIRECT_URIS_MAX = 20;
export const OAUTH_REDIRECT_URIS_CHARACTERS_MAX = 2_000;
/** How often ended grants are looked for. */
export const OAUTH_CLEAR_INTERVAL_MS = 60 * 60 * 1_000;
