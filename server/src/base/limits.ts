/**
 * Limits without a file of their own, by name; units last. The others are in `*-limits.ts` beside
 * it; those that clients must know are in the contract.
 */

/** Log archive kept before the applied sequence (specification, section 8). */
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
/**
 * The history of one node: changes that are kept; one value before a change, and all those of one
 * change, encoded.
 */
export const NODE_HISTORY_CHANGES_MAX = 100;
export const NODE_HISTORY_VALUE_BYTES_MAX = 16 * 1024;
export const NODE_HISTORY_CHANGE_BYTES_MAX = 64 * 1024;

/**
 * Lists, objects and their members in one line; and what the operations of one commit take once
 * they are parsed, estimated.
 */
export const NDJSON_LINE_VALUES_MAX = 2_000_000;
export const INGEST_COMMIT_PARSED_BYTES_MAX = 640 * 1024 * 1024;
/**
 * From this size on, by the same estimate, one commit at a time arrives; and for how long it may
 * while others wait.
 */
export const INGEST_LARGE_COMMIT_BYTES_MIN = 32 * 1024 * 1024;
export const INGEST_LARGE_COMMIT_MS = 60_000;

export const STOP_GRACE_MS = 10_000;
/** How long a request with X-MSK-Min-Sequence waits for it (open-shapes, section 2). */
export const MIN_SEQUENCE_WAIT_MS = 2_000;

/** Tokens whose signature is remembered as good. */
export const TOKEN_CACHE_ENTRIES_MAX = 10_000;

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

/**
 * Observation: log files kept, one a day and more of a day that fills them; free space on the
 * storage disk below which health is `degraded`.
 */
export const LOG_FILES_MAX = 30;
export const LOG_FILE_BYTES_MAX = 64 * 1024 * 1024;
export const HEALTH_DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;

/**
 * HTTP. Headers with the request line; from the first byte of a request to its last header, or to
 * the end of its body.
 */
export const HTTP_HEADER_BYTES_MAX = 16 * 1024;
export const HTTP_HEADERS_TIMEOUT_MS = 15_000;
export const HTTP_REQUEST_TIMEOUT_MS = 120_000;
/** How long an ingest stream, which has no limit as a whole, may stay silent. */
export const HTTP_STREAM_IDLE_TIMEOUT_MS = 60_000;
/**
 * How long the rest of a body that is not wanted any more may keep on coming, so that its sender
 * can read the answer.
 */
export const HTTP_LINGER_MS = 5_000;
export const HTTP_KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** No byte either way for so long ends a connection: longer than any endpoint may run. */
export const HTTP_SILENT_CONNECTION_TIMEOUT_MS = 660_000;
export const HTTP_CONNECTIONS_MAX = 10_000;
/**
 * Answers larger than a slice are sent slice by slice. What waits of them for clients to take it:
 * of one caller, and of all; and how long a client may take nothing.
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
/**
 * Pages of an encrypted state that nobody reads any more are written anew after so long at the
 * earliest.
 */
export const PAGE_REUSE_DELAY_MS = 5_000;
/** Users whose visible nodes a thread keeps. */
export const ACCESS_USERS_KEPT_MAX = 256;
/**
 * Changes of access that caches may lag behind; a cache that is further behind reads everything
 * anew.
 */
export const ACCESS_JOURNAL_ENTRIES_MAX = 100_000;

/** How often the last use of tokens is written down, and what has run out is cleared away. */
export const TOKEN_USE_FLUSH_INTERVAL_MS = 60_000;
/** Teams named in a session's claims: more would not fit into the headers of a request. */
export const SESSION_TEAMS_MAX = 200;

/** In one SAML response: the time to check it grows with the square of its elements. */
export const SAML_ELEMENTS_MAX = 2_000;
export const SAML_ATTRIBUTES_MAX = 8_000;
/**
 * From the start of a sign-in to the return from the provider, and from there to the exchange of
 * the code.
 */
export const SSO_STATE_LIFETIME_MS = 10 * 60 * 1_000;
export const SSO_HANDOVER_LIFETIME_MS = 60_000;
/**
 * Sign-ins that are refused, from one address or one device that is known: so many are free, then
 * each waits, as after wrong passwords of an address. One is forgotten every so often.
 */
export const SSO_FAILURES_MAX = 100;
export const SSO_FAILURE_FORGOTTEN_MS = 600;
/** States and codes that are remembered as used. */
export const SSO_USED_STATES_MAX = 100_000;
/**
 * Requests to a provider: how long each may take and how much it may answer; discovery is repeated
 * after a while.
 */
export const SSO_PROVIDER_TIMEOUT_MS = 10_000;
export const SSO_PROVIDER_ANSWER_BYTES_MAX = 1024 * 1024;
export const SSO_DISCOVERY_LIFETIME_MS = 60 * 60 * 1_000;
/**
 * SAML: how far clocks may differ, how old an assertion may be, and how many are remembered as
 * used.
 */
export const SAML_CLOCK_SKEW_MS = 60_000;
export const SAML_ASSERTION_AGE_MAX_MS = 10 * 60 * 1_000;
export const SAML_USED_ASSERTIONS_MAX = 10_000;

/**
 * Audit events: how many are kept, wait to be written, go into one commit, and are looked through
 * for one answer.
 */
export const AUDIT_EVENTS_MAX = 1_000_000;
export const AUDIT_QUEUE_MAX = 10_000;
export const AUDIT_COMMIT_EVENTS_MAX = 1_000;
export const AUDIT_SCAN_MAX = 200_000;

/**
 * Mails that are under way, those between two tries included; and how long the mail server may keep
 * silent.
 */
export const MAILS_WAITING_MAX = 1_000;
export const MAIL_SILENCE_MAX_MS = 20_000;

/** Its files are compressed from this size on; the first answer waits for it up to that one. */
export const FRONT_END_COMPRESSED_BYTES_MIN = 1_024;
export const FRONT_END_COMPRESSION_AWAITED_BYTES_MAX = 64 * 1024;
/** Custom interfaces. */
export const INTERFACES_MAX = 20;

/**
 * WebSockets: open at a time, one message of a client, what waits for a client that does not take
 * it.
 */
export const WEB_SOCKETS_MAX = 5_000;
export const WEB_SOCKET_MESSAGE_BYTES_MAX = 16 * 1024;
export const WEB_SOCKET_WAITING_BYTES_MAX = 256 * 1024;
/**
 * One request of a session, with the code of an endpoint in JSON; and the requests of one that are
 * not answered yet.
 */
export const WEB_SOCKET_REQUEST_BYTES_MAX = 4 * 1024 * 1024;
export const WEB_SOCKET_REQUESTS_MAX = 16;
/**
 * A peer is asked with a ping every so often; one that did not answer until the next is cut off.
 */
export const WEB_SOCKET_PING_INTERVAL_MS = 30_000;
/**
 * Who is at work here is looked up again every so often; what ends with their rights may say so for
 * so long, and is cut then.
 */
export const CALLER_LOOK_INTERVAL_MS = 250;
export const CALLER_END_GRACE_MS = 250;
export const WEB_SOCKET_SESSION_CHECK_MS = 3_000;
/**
 * Streams of events: open at a time; a comment is sent, and the session looked at, every so often.
 */
export const EVENT_STREAMS_MAX = 200;
export const EVENT_STREAMS_PER_CALLER_MAX = 40;
export const EVENT_STREAM_HEARTBEAT_MS = 10_000;
/** How long a peer has to answer a close. */
export const WEB_SOCKET_CLOSE_TIMEOUT_MS = 1_000;

/**
 * Code history: a longer edit is shown as a replacement of all between its ends; and the diff of
 * one row of a list.
 */
export const CODE_DIFF_CHANGES_MAX = 500;
export const CODE_HISTORY_DIFF_CHARACTERS_MAX = 16 * 1024;

/**
 * The answers to an editor: items of a completion, and how many of them come with their types;
 * signatures; one text.
 */
export const EDITOR_COMPLETIONS_MAX = 500;
export const EDITOR_COMPLETION_DETAILS_MAX = 100;
export const EDITOR_SIGNATURES_MAX = 20;
export const EDITOR_TEXT_CHARACTERS_MAX = 4_000;

/**
 * MCP: tools in one page of a list, calls that one caller has under way, one result, and the time
 * between two notices of progress.
 */
export const MCP_TOOLS_PER_PAGE = 200;
export const MCP_CALLS_PER_CALLER_MAX = 16;
export const MCP_RESULT_CHARACTERS_MAX = 4 * 1024 * 1024;
export const MCP_PROGRESS_INTERVAL_MS = 100;

/**
 * Limits of what is received over HTTP, beside those of `limits.ts`. How large the body of an
 * operation may be says its row in the contract; these bound what all of them together may hold,
 * how long they may take, and what is made of them.
 */
/** Where nobody is signed in a whole body must be here within this time. */
export const HTTP_STRANGER_BODY_TIMEOUT_MS = 10_000;

/**
 * Bodies that are held, from their first byte to the end of their answer: of one address, and of
 * all. Those of strangers have a budget of their own, so that they cannot use up that of who is
 * signed in.
 */
export const HTTP_BODIES_BYTES_MAX = 256 * 1024 * 1024;
export const HTTP_BODIES_ADDRESS_BYTES_MAX = 128 * 1024 * 1024;
export const HTTP_STRANGER_BODIES_BYTES_MAX = 32 * 1024 * 1024;
export const HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX = 4 * 1024 * 1024;

/**
 * JSON of more bytes is read in a thread of its own, and arrives in pieces of so many characters.
 */
export const JSON_INLINE_BYTES_MAX = 256 * 1024;
export const JSON_PIECE_CHARACTERS = 64 * 1024;
/**
 * How deep lists and objects may stand in each other, and how many values there may be in all of
 * them.
 */
export const JSON_BODY_DEPTH_MAX = 128;
export const JSON_BODY_VALUES_MAX = 1_000_000;
/** What a value takes in memory, about; so much of it is held beside the text of a large body. */
export const JSON_VALUE_BYTES = 64;
/**
 * The thread's heap: the text and the values of one body, which it makes to see whether they are
 * well-formed.
 */
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

/** The zip of a workspace's definitions, as it is uploaded (docs/definitions.md). */

/** Packed, and unpacked; files in it, and the path of one. */
export const DEFINITIONS_ZIP_BYTES_MAX = 32 * 1024 * 1024;
export const DEFINITIONS_BYTES_MAX = 128 * 1024 * 1024;
export const DEFINITION_FILES_MAX = 20_000;
export const DEFINITION_PATH_CHARACTERS_MAX = 400;
/** Objects and lists in one another, in a file of JSON. */
export const DEFINITION_DEPTH_MAX = 100;
/**
 * Text that people write packs to a tenth; a file larger than this which packs much better is a
 * bomb.
 */
export const DEFINITION_EXPANSION_RATIO_MAX = 200;
export const DEFINITION_EXPANSION_FROM_BYTES = 1024 * 1024;
/**
 * What a report says of one definition, beyond which it is cut off, and of all of them, beyond
 * which it says no more.
 */
export const DEFINITION_DIFF_CHARACTERS_MAX = 200_000;
export const DEFINITION_DIFFS_CHARACTERS_MAX = 2_000_000;
export const DEFINITION_ERROR_CHARACTERS_MAX = 500;
/** Faults of one piece of code, and files that are no definition's, as many as a report names. */
export const DEFINITION_DIAGNOSTICS_MAX = 20;
export const DEFINITION_IGNORED_FILES_MAX = 100;

/** Files of nodes, and the text that is taken out of them. */

/** Files of one node, and each of them, which is kept in pieces. */
export const NODE_FILES_MAX = 1_000;
export const FILE_CHUNK_BYTES_MAX = 1024 * 1024;

/**
 * Uploads in pieces: how many one caller has under way, and for how long one is kept that nobody
 * goes on with.
 */
export const FILE_UPLOADS_PER_CALLER_MAX = 100;
export const FILE_UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1_000;
export const FILE_UPLOAD_SWEEP_INTERVAL_MS = 10 * 60 * 1_000;

/** Text of files: of one file no more than so much is read, and so much text of it kept. */
export const FILE_TEXT_SOURCE_BYTES_MAX = 64 * 1024 * 1024;
export const FILE_TEXT_CHARACTERS_MAX = 500_000;
/**
 * The process that takes text out of one file: how long it may work, and how much memory it may
 * have.
 */
export const FILE_TEXT_TIMEOUT_MS = 60_000;
export const FILE_TEXT_MEMORY_BYTES_MAX = 768 * 1024 * 1024;
export const FILE_TEXT_HEAP_MB_MAX = 384;
export const FILE_TEXT_MEMORY_CHECK_MS = 50;
/** In an archive (docx, xlsx, pptx, odt): entries, and what those that are read unpack to. */
export const FILE_TEXT_ARCHIVE_ENTRIES_MAX = 10_000;
export const FILE_TEXT_UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
/** Elements within each other, in pages and documents. */
export const FILE_TEXT_DEPTH_MAX = 5_000;
/** Times that a file is tried whose process ended without a word. */
export const FILE_TEXT_TRIES_MAX = 2;

/** The limits of what the log is kept for. Units last. See `limits.ts` for the others. */

/**
 * What the log keeps at most for an index that is behind, beyond the archive, and the room that
 * must be left on the volume for commits while it keeps anything for an index or a replica. An
 * index is built anew then, a replica copies the graph.
 */
export const INDEX_LOG_HELD_BYTES_MAX = 4 * 1024 * 1024 * 1024;
export const LOG_HELD_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** Followers of the log that a process knows at a time: its indexes, backups, and replicas. */
export const FOLLOWERS_MAX = 128;

/**
 * The limits of what shows how a server runs: its log, its jobs, samples of its load. Units last.
 */

/**
 * Log records that a server keeps in memory, and their characters; those that a watcher is given at
 * a time.
 */
export const LOG_KEPT_LINES_MAX = 10_000;
export const LOG_KEPT_CHARACTERS_MAX = 8 * 1024 * 1024;
export const LOG_BATCH_LINES_MAX = 256;
/** Searches of log files: what is read at a time, one line, and how long one search may take. */
export const LOG_BLOCK_BYTES = 256 * 1024;
export const LOG_LINE_BYTES_MAX = 4 * 1024 * 1024;
export const LOG_SEARCH_TIME_MAX_MS = 5_000;
/**
 * Jobs: those that are kept after their end, the lines of one, and a text; one that lasts longer
 * than this is kept over a restart.
 */
export const JOBS_KEPT = 200;
export const JOB_LOG_LINES_MAX = 100;
export const JOB_TEXT_CHARACTERS_MAX = 500;
export const JOB_STORED_AFTER_MS = 1_000;
/** How often what other threads do at length is looked at, to be shown as a job. */
export const JOB_LOOK_INTERVAL_MS = 500;
/** How often clients hear of the progress of one job over the WebSocket, at most. */
export const JOB_NOTICE_INTERVAL_MS = 250;
/**
 * How often the load of the process is sampled, and how many samples are kept: those of an hour.
 */
export const LOAD_SAMPLE_INTERVAL_MS = 10_000;
export const LOAD_SAMPLES_KEPT = 360;
/**
 * The description of the API: operations, and endpoints, that are described before other requests
 * have a turn.
 */
export const API_DOCUMENT_STEPS = 8;
export const API_DOCUMENT_BATCH = 16;

/** The share of its thread's time in which a scrub works; else it rests for the others. */
export const SCRUB_WORK_SHARE = 0.1;
/**
 * Entries of the state that are looked at between two rests: its transaction is held for as long.
 */
export const SCRUB_ENTRIES_AT_A_TIME = 2_000;
/** What is read of the log, or of a file, between two rests. */
export const SCRUB_BYTES_AT_A_TIME = 1024 * 1024;
/** Damages that a scrub names; it counts the others. */
export const SCRUB_DAMAGES_NAMED_MAX = 50;

/** The limits of tasks and migrations. Units last. */

/** Tasks of one workspace, and runs of each that are kept. */
export const TASKS_MAX = 1_000;
export const TASK_RUNS_KEPT = 100;
/** What is kept of one run: of what came of it, and lines of its log. */
export const TASK_RESULT_CHARACTERS_MAX = 10_000;
export const TASK_LOG_LINES_MAX = 100;
export const TASK_LOG_CHARACTERS_MAX = 500;
/** The next runs that a task tells of. */
export const TASK_NEXT_RUNS = 5;
/**
 * The scheduler looks at the clock again after this time at the latest: somebody may have set it,
 * or the machine slept.
 */
export const TASK_LOOK_INTERVAL_MAX_MS = 30_000;
/** Migrations of one workspace, and how long one may run. */
export const MIGRATIONS_MAX = 1_000;
export const MIGRATION_TIME_MAX_MS = 24 * 3_600_000;
/**
 * How long whoever cancels one waits for its end (specification, section 4.7), and when it is ended
 * by force.
 */
export const MIGRATION_CANCEL_WAIT_MS = 30_000;
export const MIGRATION_FORCED_END_MS = 5 * 60_000;

/** Characters of all nodes, or of all values, in one answer of JSON. */
export const NODES_ANSWER_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Ids that are read at once of those of a type. */
export const NODE_SCAN_IDS = 256;

/**
 * Work on the main thread that takes turns: see `Turns`. How much of it one turn of the event loop
 * has time for; and of one caller, what goes on at a time, and what waits.
 */
export const TURN_MS = 1;
/**
 * Nodes of one answer that are read at one commit, twice the usual page; of more, each so many are.
 */
export const NODES_AT_ONE_COMMIT = 100;
export const TURNS_GOING_PER_CALLER_MAX = 4;
export const TURNS_WAITING_PER_CALLER_MAX = 300;
