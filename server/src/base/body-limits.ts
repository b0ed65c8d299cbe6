/**
 * Limits of what is received over HTTP, beside those of `limits.ts`. How large the body of an operation may be says its row in the
 * contract; these bound what all of them together may hold, how long they may take, and what is made of them.
 */
/** Where nobody is signed in a whole body must be here within this time. */
export const HTTP_STRANGER_BODY_TIMEOUT_MS = 10_000;

/**
 * Bodies that are held, from their first byte to the end of their answer: of one address, and of all. Those of strangers have a
 * budget of their own, so that they cannot use up that of who is signed in.
 */
export const HTTP_BODIES_BYTES_MAX = 256 * 1024 * 1024;
export const HTTP_BODIES_ADDRESS_BYTES_MAX = 128 * 1024 * 1024;
export const HTTP_STRANGER_BODIES_BYTES_MAX = 32 * 1024 * 1024;
export const HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX = 4 * 1024 * 1024;

/** JSON of more bytes is read in a thread of its own, and arrives in pieces of so many characters. */
export const JSON_INLINE_BYTES_MAX = 256 * 1024;
export const JSON_PIECE_CHARACTERS = 64 * 1024;
/** How deep lists and objects may stand in each other, and how many values there may be in all of them. */
export const JSON_BODY_DEPTH_MAX = 128;
export const JSON_BODY_VALUES_MAX = 1_000_000;
/** What a value takes in memory, about; so much of it is held beside the text of a large body. */
export const JSON_VALUE_BYTES = 64;
/** The thread's heap: the text and the values of one body, which it makes to see whether they are well-formed. */
export const JSON_THREAD_HEAP_MB_MAX = 512;

/** Fields of a form. */
export const FORM_FIELDS_MAX = 20;

/** WebSockets that have not said who they are: of one address, and of all. */
export const WEB_SOCKET_STRANGERS_ADDRESS_MAX = 100;
export const WEB_SOCKET_STRANGERS_MAX = 1_000;
/** Those of one user: a page has one. */
export const WEB_SOCKETS_PER_USER_MAX = 500;
/** Pieces of one message: each takes memory, however small it is. */
export const WEB_SOCKET_FRAGMENTS_MAX = 1_024;
/** A request has one long text at most, that of an endpoint's code. */
export const WEB_SOCKET_REQUEST_VALUES_MAX = 1_000;
