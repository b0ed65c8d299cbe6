/**
 * Limits without a file of their own, by name; units last. The others are in `*-limits.ts` beside it; those that clients must know
 * are in the contract.
 */

/** Log archive kept behind the applied sequence (specification, section 8). */
export const LOG_ARCHIVE_TTL_MS = 600_000;
export const LOG_ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;
export const LOG_ARCHIVE_LOW_MEMORY_TTL_MS = 30_000;
export const LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX = 1024 * 1024;

/** The operations of one commit, encoded, and their number, as the log takes them. */
export const COMMIT_BYTES_MAX = 1024 * 1024 * 1024;
export const COMMIT_OPERATIONS_MAX = 0xffff_ffff;

/** A key of a node, in UTF-8 bytes. */
export const NODE_KEY_BYTES_MAX = 1_024;
/** One node with all its fields, encoded. */
export const NODE_RECORD_BYTES_MAX = 16 * 1024 * 1024;
/** The history of one node: changes that are kept; one value before a change, and all those of one change, encoded. */
export const NODE_HISTORY_CHANGES_MAX = 100;
export const NODE_HISTORY_VALUE_BYTES_MAX = 16 * 1024;
export const NODE_HISTORY_CHANGE_BYTES_MAX = 64 * 1024;

/** Lists, objects and their members in one line; and what the operations of one commit take once they are parsed, estimated. */
export const NDJSON_LINE_VALUES_MAX = 2_000_000;
export const INGEST_COMMIT_PARSED_BYTES_MAX = 640 * 1024 * 1024;
/** From this size on, by the same estimate, one commit at a time arrives; and for how long it may while others wait. */
export const INGEST_LARGE_COMMIT_BYTES_MIN = 32 * 1024 * 1024;
export const INGEST_LARGE_COMMIT_MS = 60_000;

export const STOP_GRACE_MS = 10_000;
/** How long a request with X-MSK-Min-Sequence waits for it (open-shapes, section 2). */
export const MIN_SEQUENCE_WAIT_MS = 2_000;

/** Tokens whose signature is remembered as good. */
export const TOKEN_CACHE_ENTRIES_MAX = 10_000;
/** Endpoint runs (open-shapes, section 5). */
export const ENDPOINT_HEAP_SOFT_BYTES = 192 * 1024 * 1024;
export const ENDPOINT_HEAP_HARD_MB = 768;
export const ENDPOINT_WATCHDOG_MS = 25;
export const ENDPOINT_QUEUE_MAX = 1_000;
/** Calls of one caller that are under way, without those that endpoints make. */
export const ENDPOINT_CALLS_PER_CALLER_MAX = 300;
/** Callers that an endpoint worker remembers. */
export const ENDPOINT_CALLERS_KNOWN_MAX = 1_000;
/** Items in one message to an endpoint worker: fewer leave it idle for shorter, more cost less. */
export const ENDPOINT_MESSAGE_ITEMS_MAX = 16;
export const ENDPOINT_CALL_DEPTH_MAX = 8;
export const ENDPOINT_RESULT_BYTES_MAX = 64 * 1024 * 1024;
/** A worker whose guest gave nothing to do for so long gets no new calls, and another worker takes its place. */
export const ENDPOINT_STALL_MS = 100;
/** Workers beyond the pool's size that may take the place of stalled ones. */
export const ENDPOINT_STALLED_WORKERS_MAX = 4;
/** Those of them that the calls of one caller may take. */
export const ENDPOINT_STALLED_WORKERS_PER_CALLER_MAX = 2;
/** Endpoint versions that one worker keeps loaded. */
export const ENDPOINT_REALMS_MAX = 128;
export const ENDPOINT_LOG_LINES_MAX = 1_000;
export const ENDPOINT_LOG_CHARACTERS_MAX = 8_192;
/** Lines of endpoints that a server keeps to be looked at, and their characters. */
export const ENDPOINT_LOG_KEPT_LINES_MAX = 20_000;
export const ENDPOINT_LOG_KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Lines that a watcher is given at a time. */
export const ENDPOINT_LOG_BATCH_LINES_MAX = 256;
/** Endpoints of mode "pooling": how long one request waits for the end of a run before it is answered 202. */
export const ENDPOINT_POOLING_WAIT_MS = 300;
/** They hold no connection: so one caller could fill the server with them. */
export const ENDPOINT_POOLED_RUNS_PER_CALLER_MAX = 50;
/** Results that wait to be fetched: for how long; how many, and their characters together. */
export const ENDPOINT_RESULT_KEPT_MS = 300_000;
/** For so long also by the same request without its key. */
export const ENDPOINT_RESULT_JOINED_MS = 30_000;
export const ENDPOINT_RESULTS_KEPT_MAX = 10_000;
export const ENDPOINT_RESULTS_KEPT_CHARACTERS_MAX = 128 * 1024 * 1024;
/** Answers that are given again (`cacheSeconds`): one, how many, and their characters together. */
export const ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;
export const ENDPOINT_CACHED_ANSWERS_MAX = 10_000;
export const ENDPOINT_CACHED_CHARACTERS_MAX = 64 * 1024 * 1024;
/** The text of `progress()`. */
export const ENDPOINT_PROGRESS_CHARACTERS_MAX = 200;
/** Requests of endpoint code to other servers: of one run at a time, how long and large one is. */
export const ENDPOINT_REQUESTS_MAX = 16;
export const ENDPOINT_FETCH_TIMEOUT_MS = 30_000;
export const ENDPOINT_FETCH_BYTES_MAX = 16 * 1024 * 1024;
/** Faults of a body that one answer names (`export const input`). */
export const ENDPOINT_INPUT_FAULTS_MAX = 50;

/** Schema, fields and queries of the graph. */
export const SCHEMA_NAME_CHARACTERS_MAX = 100;
export const DECIMAL_CHARACTERS_MAX = 100;
export const JSON_DEPTH_MAX = 100;
export const NODE_ALIASES_MAX = 1_000;
/** JSON text of one atomic ingest commit. */
export const INGEST_COMMIT_BYTES_MAX = 256 * 1024 * 1024;
export const INGEST_COMMITS_IN_FLIGHT_MAX = 4;
/** Steps of one query, those of its nested sets counted too. */
export const QUERY_STEPS_MAX = 256;
export const QUERY_HOPS_MAX = 32;
export const QUERY_PATHS_MAX = 1_000;
export const QUERY_TAKE_MAX = 1_000_000;
/** Keys, UIDs or operands named in one step. */
export const QUERY_OPERANDS_MAX = 100_000;

/** Observation: log files kept, one a day and more of a day that fills them; free space on the storage disk below which health is `degraded`. */
export const LOG_FILES_MAX = 30;
export const LOG_FILE_BYTES_MAX = 64 * 1024 * 1024;
export const HEALTH_DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;

/** HTTP. Headers with the request line; from the first byte of a request to its last header, or to the end of its body. */
export const HTTP_HEADER_BYTES_MAX = 16 * 1024;
export const HTTP_HEADERS_TIMEOUT_MS = 15_000;
export const HTTP_REQUEST_TIMEOUT_MS = 120_000;
/** How long an ingest stream, which has no limit as a whole, may stay silent. */
export const HTTP_STREAM_IDLE_TIMEOUT_MS = 60_000;
/** How long the rest of a body that is not wanted any more may keep on coming, so that its sender can read the answer. */
export const HTTP_LINGER_MS = 5_000;
export const HTTP_KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** No byte either way for so long ends a connection: longer than any endpoint may run. */
export const HTTP_SILENT_CONNECTION_TIMEOUT_MS = 660_000;
export const HTTP_CONNECTIONS_MAX = 10_000;
/**
 * Answers larger than a slice are sent slice by slice. What waits of them for clients to take it: of one caller, and of all; and
 * how long a client may take nothing.
 */
export const ANSWER_SLICE_BYTES = 64 * 1024;
export const ANSWERS_UNREAD_BYTES_PER_CALLER_MAX = 64 * 1024 * 1024;
export const ANSWERS_UNREAD_BYTES_MAX = 512 * 1024 * 1024;
export const ANSWER_UNREAD_TIMEOUT_MS = 60_000;
/** A body may grow by this factor when it is decompressed, once it is larger than one JSON body. */
export const GZIP_EXPANSION_RATIO_MAX = 200;

/** How long a stop waits for the storage to close. */
export const WRITER_CLOSE_TIMEOUT_MS = 5_000;
/** How often the log drops the segments that nobody needs any more. */
export const LOG_TRIM_INTERVAL_MS = 5_000;
/** Pages of an encrypted state that nobody reads any more are written anew after so long at the earliest. */
export const PAGE_REUSE_DELAY_MS = 5_000;
/** Users whose visible nodes a thread keeps. */
export const ACCESS_USERS_KEPT_MAX = 256;
/** Changes of access that caches may lag behind; a cache that is further behind reads everything anew. */
export const ACCESS_JOURNAL_ENTRIES_MAX = 100_000;

/** How often the last use of tokens is written down, and what has run out is cleared away. */
export const TOKEN_USE_FLUSH_INTERVAL_MS = 60_000;
/** Teams named in a session's claims: more would not fit into the headers of a request. */
export const SESSION_TEAMS_MAX = 200;

/** Of one SAML response: the time to check it grows with the square of its elements. */
export const SAML_ELEMENTS_MAX = 2_000;
export const SAML_ATTRIBUTES_MAX = 8_000;
/** From the start of a sign-in to the return from the provider, and from there to the exchange of the code. */
export const SSO_STATE_LIFETIME_MS = 10 * 60 * 1_000;
export const SSO_HANDOVER_LIFETIME_MS = 60_000;
/**
 * Sign-ins that are refused, from one address or one device that is known: so many are free, then each waits, as after wrong
 * passwords of an address. One is forgotten every so often.
 */
export const SSO_FAILURES_MAX = 100;
export const SSO_FAILURE_FORGOTTEN_MS = 600;
/** States and codes that are remembered as used. */
export const SSO_USED_STATES_MAX = 100_000;
/** Requests to a provider: how long each may take and how much it may answer; discovery is repeated after a while. */
export const SSO_PROVIDER_TIMEOUT_MS = 10_000;
export const SSO_PROVIDER_ANSWER_BYTES_MAX = 1024 * 1024;
export const SSO_DISCOVERY_LIFETIME_MS = 60 * 60 * 1_000;
/** SAML: how far clocks may differ, how old an assertion may be, and how many are remembered as used. */
export const SAML_CLOCK_SKEW_MS = 60_000;
export const SAML_ASSERTION_AGE_MAX_MS = 10 * 60 * 1_000;
export const SAML_USED_ASSERTIONS_MAX = 10_000;

/** Audit events: how many are kept, wait to be written, go into one commit, and are looked through for one answer. */
export const AUDIT_EVENTS_MAX = 1_000_000;
export const AUDIT_QUEUE_MAX = 10_000;
export const AUDIT_COMMIT_EVENTS_MAX = 1_000;
export const AUDIT_SCAN_MAX = 200_000;

/** Mails that are under way, those between two tries included; and how long the mail server may keep silent. */
export const MAILS_WAITING_MAX = 1_000;
export const MAIL_SILENCE_MAX_MS = 20_000;

/** Its files are compressed from this size on; the first answer waits for it up to that one. */
export const FRONT_END_COMPRESSED_BYTES_MIN = 1_024;
export const FRONT_END_COMPRESSION_AWAITED_BYTES_MAX = 64 * 1024;
/** Custom interfaces. */
export const INTERFACES_MAX = 20;

/** WebSockets: open at a time, one message of a client, what waits for a client that does not take it. */
export const WEB_SOCKETS_MAX = 5_000;
export const WEB_SOCKET_MESSAGE_BYTES_MAX = 16 * 1024;
export const WEB_SOCKET_WAITING_BYTES_MAX = 256 * 1024;
/** One request of a session, with the code of an endpoint in JSON; and the requests of one that are not answered yet. */
export const WEB_SOCKET_REQUEST_BYTES_MAX = 4 * 1024 * 1024;
export const WEB_SOCKET_REQUESTS_MAX = 16;
/** A peer is asked with a ping every so often; one that did not answer until the next is cut off. */
export const WEB_SOCKET_PING_INTERVAL_MS = 30_000;
/** Who is at work here is looked up again every so often; what ends with their rights may say so for so long, and is cut then. */
export const CALLER_LOOK_INTERVAL_MS = 250;
export const CALLER_END_GRACE_MS = 250;
export const WEB_SOCKET_SESSION_CHECK_MS = 3_000;
/** Streams of events: open at a time; a comment is sent, and the session looked at, every so often. */
export const EVENT_STREAMS_MAX = 200;
export const EVENT_STREAMS_PER_CALLER_MAX = 40;
export const EVENT_STREAM_HEARTBEAT_MS = 10_000;
/** How long a peer has to answer a close. */
export const WEB_SOCKET_CLOSE_TIMEOUT_MS = 1_000;

/** Code history: a longer edit is shown as a replacement of all between its ends; and the diff of one row of a list. */
export const CODE_DIFF_CHANGES_MAX = 500;
export const CODE_HISTORY_DIFF_CHARACTERS_MAX = 16 * 1024;
/** Bodies of calls that are kept for one endpoint, and the length of each. */
export const RECORDED_INPUT_CHARACTERS_MAX = 64 * 1024;

/** The answers to an editor: items of a completion, and how many of them come with their types; signatures; one text. */
export const EDITOR_COMPLETIONS_MAX = 500;
export const EDITOR_COMPLETION_DETAILS_MAX = 100;
export const EDITOR_SIGNATURES_MAX = 20;
export const EDITOR_TEXT_CHARACTERS_MAX = 4_000;

/** The JSON Schema of what an endpoint takes: how long its code has to say it, and how long it may be. */
export const ENDPOINT_INPUT_SCHEMA_MS = 30_000;
export const ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX = 64 * 1024;
/** MCP: tools in one page of a list, calls that one caller has under way, one result, and the time between two notices of progress. */
export const MCP_TOOLS_PER_PAGE = 200;
export const MCP_CALLS_PER_CALLER_MAX = 16;
export const MCP_RESULT_CHARACTERS_MAX = 4 * 1024 * 1024;
export const MCP_PROGRESS_INTERVAL_MS = 100;
