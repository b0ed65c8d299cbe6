/**
 * Bounds of requests that are wider than what the server takes: so that whatever is refused for its
 * own reasons still is, and nothing has no bound at all. Clients need not know them.
 */

/**
 * A body of JSON of an operation that says nothing else; and where nobody is signed in, or no body
 * is expected.
 */
export const BODY_BYTES_MAX_DEFAULT = 1024 * 1024;
export const STRANGER_BODY_BYTES_MAX = 16 * 1024;
/**
 * A body with code, whose letters may take six characters each in JSON; with the names of many
 * nodes; or with the settings of all types.
 */
export const LONG_BODY_BYTES_MAX = 4 * 1024 * 1024;
/** The form with which a SAML provider sends a browser back. */
export const FORM_BODY_BYTES_MAX = 1024 * 1024;

/**
 * A UID, also one that is none; the name of a type, a field or an index; a moment; a whole number.
 */
export const UID_CHARACTERS_MAX = 100;
export const GRAPH_NAME_CHARACTERS_MAX = 200;
/** The key of a node, or another text that it is found by. */
export const NODE_TEXT_CHARACTERS_MAX = 4_000;
export const TIME_CHARACTERS_MAX = 64;
/** Sixteen ETags of a node. */
export const IF_MATCH_CHARACTERS_MAX = 400;
export const NUMBER_CHARACTERS_MAX = 15;
/** Names in a path or a query, and a header: any is looked for. */
export const PATH_TEXT_CHARACTERS_MAX = 2_000;
export const HEADER_TEXT_CHARACTERS_MAX = 1_000;
export const LOG_FILE_NAME_CHARACTERS_MAX = 50;
export const LOG_CURSOR_CHARACTERS_MAX = 30;
/** A password as it is given, to be told that it is not the right one, or too long. */
export const PASSWORD_INPUT_CHARACTERS_MAX = 2_048;
export const SSO_STATE_CHARACTERS_MAX = 8_000;
/** What OAuth clients send, and what they got here: ids, codes and requests hold much. */
export const OAUTH_TEXT_CHARACTERS_MAX = 2_000;
export const OAUTH_ID_CHARACTERS_MAX = 8_000;
export const OAUTH_REDIRECT_URIS_SENT_MAX = 100;
/** A conversation with a model: its messages, and the role of each. */
export const LLM_MESSAGES_MAX = 10_000;
export const LLM_ROLE_CHARACTERS_MAX = 100;
export const WEB_SOCKET_TOKEN_CHARACTERS_MAX = 16 * 1024;
export const WEB_SOCKET_TYPE_CHARACTERS_MAX = 100;
