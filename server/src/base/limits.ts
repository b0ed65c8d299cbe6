/**
 * Limits without a file of their own, by name; units last. The others are in `*-limits.ts` beside
 * it; those that clients must know are in the contract.
 */

/** The log keeps this much before the applied sequence (specification, section 8). */
export const LOG_ARCHIVE_TTL_MS = 600_000;
export const LOG_ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;
export const LOG_ARCHIVE_LOW_MEMORY_TTL_MS = 30_000;
export const LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX = 1024 * 1024;

/** The log takes one commit of at most this many encoded bytes, and this many operations. */
export const COMMIT_BYTES_MAX = 1024 * 1024 * 1024;
export const COMMIT_OPERATIONS_MAX = 0xffff_ffff;

/** A key of a node, in UTF-8 bytes. */
export const NODE_KEY_BYTES_MAX = 1_024;
/** One node with all its fields, encoded. */
export const NODE_RECORD_BYTES_MAX = 16 * 1024 * 1024;
/**
 * The history of one node keeps this many changes. Encoded, one earlier value, and all earlier
 * values of one change, may have this many bytes.
 */
export const NODE_HISTORY_CHANGES_MAX = 100;
export const NODE_HISTORY_VALUE_BYTES_MAX = 16 * 1024;
export const NODE_HISTORY_CHANGE_BYTES_MAX = 64 * 1024;

/**
 * One line may have this many lists, objects and members. Parsed, the operations of one commit may
 * take this many bytes, by an estimate.
 */
export const NDJSON_LINE_VALUES_MAX = 2_000_000;
export const INGEST_COMMIT_PARSED_BYTES_MAX = 640 * 1024 * 1024;
/**
 * By the same estimate, only one commit of this size or more arrives at a time. While others wait,
 * it may take this long.
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
/** JSON text of one atomic ingest commit. */
export const INGEST_COMMIT_BYTES_MAX = 256 * 1024 * 1024;
/** Of one upload. So many fill a transaction of a large state, where the writer takes them. */
export const INGEST_COMMITS_IN_FLIGHT_MAX = 12;
/** Steps of one query, those of its nested sets counted too. */
export const QUERY_STEPS_MAX = 256;
export const QUERY_HOPS_MAX = 32;
export const QUERY_PATHS_MAX = 1_000;
export const QUERY_TAKE_MAX = 1_000_000;
/** Keys, UIDs or operands named in one step. */
export const QUERY_OPERANDS_MAX = 100_000;

/**
 * The log keeps this many files: one for each day, and more for a day that fills one. With less
 * free space on the storage disk, health is `degraded`.
 */
export const LOG_FILES_MAX = 30;
export const LOG_FILE_BYTES_MAX = 64 * 1024 * 1024;
export const HEALTH_DISK_FREE_BYTES_MIN = 512 * 1024 * 1024;

/**
 * The request line and the headers together. The two times run from the first byte of a request to
 * its last header, and to the end of its body.
 */
export const HTTP_HEADER_BYTES_MAX = 16 * 1024;
export const HTTP_HEADERS_TIMEOUT_MS = 15_000;
export const HTTP_REQUEST_TIMEOUT_MS = 120_000;
/** How long an ingest stream, which has no limit as a whole, may stay silent. */
export const HTTP_STREAM_IDLE_TIMEOUT_MS = 60_000;
/**
 * When an answer goes out before its body is in, the rest of the body may arrive for this long, so
 * that the sender can read the answer.
 */
export const HTTP_LINGER_MS = 5_000;
export const HTTP_KEEP_ALIVE_TIMEOUT_MS = 72_000;
/**
 * A connection without a byte in either direction for this long is cut. No endpoint may run longer.
 */
export const HTTP_SILENT_CONNECTION_TIMEOUT_MS = 660_000;
export const HTTP_CONNECTIONS_MAX = 16_000;
/**
 * Larger answers are sent in slices of this size. At most this many bytes wait for the clients of
 * one caller, and of all; a client that reads nothing for this long is cut off.
 */
export const ANSWER_SLICE_BYTES = 64 * 1024;
export const ANSWERS_UNREAD_BYTES_PER_CALLER_MAX = 64 * 1024 * 1024;
export const ANSWERS_UNREAD_BYTES_MAX = 512 * 1024 * 1024;
export const ANSWER_UNREAD_TIMEOUT_MS = 60_000;
/** A body that is larger than one JSON body may be at most this many times its compressed size. */
export const GZIP_EXPANSION_RATIO_MAX = 200;

/** How long a stop waits for the storage to close. */
export const WRITER_CLOSE_TIMEOUT_MS = 5_000;
/** With fewer commits in this time, the writer gives back the memory that a load has filled. */
export const WRITER_RELEASE_INTERVAL_MS = 30_000;
export const WRITER_RELEASE_COMMITS_MAX = 30;
/** How often a thread looks at its heap. */
export const IDLE_HEAP_LOOK_MS = 5_000;
/** It gives back what the heap does not need after so many looks at which it was idle. */
export const IDLE_HEAP_LOOKS = 3;
/** And when it had grown by this: more than the young objects of light work make of it. */
export const IDLE_HEAP_GROWTH_BYTES_MIN = 64 * 1024 * 1024;
/** How often the log drops segments that nobody needs any more. */
export const LOG_TRIM_INTERVAL_MS = 5_000;
/**
 * In an encrypted state, a page that nobody reads any more is written again after this time at the
 * earliest.
 */
export const PAGE_REUSE_DELAY_MS = 5_000;
/** Users whose visible nodes a thread keeps. */
export const ACCESS_USERS_KEPT_MAX = 256;
/** A cache that is more changes of access behind reads everything again. */
export const ACCESS_JOURNAL_ENTRIES_MAX = 100_000;

/** How often the last use of tokens and of secrets is stored, and expired entries are removed. */
export const LAST_USE_FLUSH_INTERVAL_MS = 60_000;
/**
 * Uses of one secret by one endpoint within this time are two events of the audit at most; and how
 * many of such pairs are counted at a time.
 */
export const SECRET_USE_EVENT_INTERVAL_MS = 3_600_000;
export const SECRET_USES_COUNTED_MAX = 10_000;
/** Teams named in a session's claims: more would not fit into the headers of a request. */
export const SESSION_TEAMS_MAX = 200;

/** One SAML response: the time of its check grows with the square of its elements. */
export const SAML_ELEMENTS_MAX = 2_000;
export const SAML_ATTRIBUTES_MAX = 8_000;
/**
 * The time from the start of a sign-in to the return from the provider, and from there to the
 * exchange of the code.
 */
export const SSO_STATE_LIFETIME_MS = 10 * 60 * 1_000;
export const SSO_HANDOVER_LIFETIME_MS = 60_000;
/**
 * From one address, or from one known device, this many sign-ins may fail. After that each waits,
 * as after wrong passwords from an address. One failure is forgotten after each such time.
 */
export const SSO_FAILURES_MAX = 100;
export const SSO_FAILURE_FORGOTTEN_MS = 600;
/** States and codes that are remembered as used. */
export const SSO_USED_STATES_MAX = 100_000;
/**
 * One request to a provider may take this long, and its answer have this many bytes. A discovery is
 * valid for this long.
 */
export const SSO_PROVIDER_TIMEOUT_MS = 10_000;
export const SSO_PROVIDER_ANSWER_BYTES_MAX = 1024 * 1024;
export const SSO_DISCOVERY_LIFETIME_MS = 60 * 60 * 1_000;
/**
 * SAML: how far clocks may differ, how old an assertion may be, and how many used assertions are
 * remembered.
 */
export const SAML_CLOCK_SKEW_MS = 60_000;
export const SAML_ASSERTION_AGE_MAX_MS = 10 * 60 * 1_000;
export const SAML_USED_ASSERTIONS_MAX = 10_000;

/**
 * Audit events: how many are kept, how many wait to be written, how many go into one commit, and
 * how many are read for one answer.
 */
export const AUDIT_EVENTS_MAX = 1_000_000;
export const AUDIT_QUEUE_MAX = 10_000;
export const AUDIT_COMMIT_EVENTS_MAX = 1_000;
export const AUDIT_SCAN_MAX = 200_000;

/** Mails that are not delivered yet, and how long the mail server may be silent. */
export const MAILS_WAITING_MAX = 1_000;
export const MAIL_SILENCE_MAX_MS = 20_000;

/**
 * Files of a front end are compressed from this size on. The first answer waits for the compressed
 * form of files up to the second size.
 */
export const FRONT_END_COMPRESSED_BYTES_MIN = 1_024;
export const FRONT_END_COMPRESSION_AWAITED_BYTES_MAX = 64 * 1024;

/**
 * Texts of answers are compressed from this size on. So many whole texts are compressed at the same
 * time, and so many large ones while they are read, each with 256 KiB; others are sent as they are.
 */
export const ANSWER_COMPRESSED_BYTES_MIN = 1_024;
export const ANSWERS_COMPRESSED_AT_ONCE_MAX = 4;
export const ANSWERS_COMPRESSED_IN_SLICES_MAX = 64;
/** Uploaded interfaces. */
export const INTERFACES_MAX = 20;

/**
 * WebSockets that are open at a time; the bytes of one message of a client; the bytes that wait for
 * a slow client.
 */
export const WEB_SOCKETS_MAX = 5_000;
export const WEB_SOCKET_MESSAGE_BYTES_MAX = 16 * 1024;
export const WEB_SOCKET_WAITING_BYTES_MAX = 256 * 1024;
/**
 * One request of a session, which may have the code of an endpoint in JSON; and the unanswered
 * requests of one session.
 */
export const WEB_SOCKET_REQUEST_BYTES_MAX = 4 * 1024 * 1024;
export const WEB_SOCKET_REQUESTS_MAX = 16;
/** Each peer gets a ping this often. One that has not answered by the next ping is cut off. */
export const WEB_SOCKET_PING_INTERVAL_MS = 30_000;
/**
 * Callers with running work are looked up this often. Work of a caller who lost their rights may
 * say so for the grace period, and is then cut off. WebSockets look up their sessions less often.
 */
export const CALLER_LOOK_INTERVAL_MS = 250;
export const CALLER_END_GRACE_MS = 250;
export const WEB_SOCKET_SESSION_CHECK_MS = 3_000;
/**
 * Streams of events that are open at a time. Each sends a comment, and checks its session, this
 * often.
 */
export const EVENT_STREAMS_MAX = 200;
export const EVENT_STREAMS_PER_CALLER_MAX = 40;
export const EVENT_STREAM_HEARTBEAT_MS = 10_000;
/** How long a peer has to answer a close. */
export const WEB_SOCKET_CLOSE_TIMEOUT_MS = 1_000;

/**
 * Code history: with more changes, an edit is shown as one replacement. The diff of one row of a
 * list has at most this many characters.
 */
export const CODE_DIFF_CHANGES_MAX = 500;
export const CODE_HISTORY_DIFF_CHARACTERS_MAX = 16 * 1024;

/**
 * Answers to an editor: completions; completions that come with their types; signatures; characters
 * of one text.
 */
export const EDITOR_COMPLETIONS_MAX = 500;
export const EDITOR_COMPLETION_DETAILS_MAX = 100;
export const EDITOR_SIGNATURES_MAX = 20;
export const EDITOR_TEXT_CHARACTERS_MAX = 4_000;

/**
 * MCP: tools in one page of a list; unfinished calls of one caller; characters of one result; time
 * between two notices of progress.
 */
export const MCP_TOOLS_PER_PAGE = 200;
export const MCP_CALLS_PER_CALLER_MAX = 16;
export const MCP_RESULT_CHARACTERS_MAX = 4 * 1024 * 1024;
export const MCP_PROGRESS_INTERVAL_MS = 100;

/**
 * Bodies of requests. The row of an operation in the contract says how large one body may be; these
 * limits bound all bodies together.
 */

/** A whole body without a caller must arrive within this time. */
export const HTTP_STRANGER_BODY_TIMEOUT_MS = 10_000;

/**
 * Bytes of bodies, from their first byte to the end of their answer: of all, and of one address.
 * Bodies without a caller have a budget of their own, so that they cannot use up that of signed-in
 * users.
 */
export const HTTP_BODIES_BYTES_MAX = 256 * 1024 * 1024;
export const HTTP_BODIES_ADDRESS_BYTES_MAX = 128 * 1024 * 1024;
export const HTTP_STRANGER_BODIES_BYTES_MAX = 32 * 1024 * 1024;
export const HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX = 4 * 1024 * 1024;

/**
 * A larger JSON body is read in a thread of its own, which answers pieces of this many characters.
 */
export const JSON_INLINE_BYTES_MAX = 256 * 1024;
export const JSON_PIECE_CHARACTERS = 64 * 1024;
/** How deep lists and objects may be nested, and how many values a body may have. */
export const JSON_BODY_DEPTH_MAX = 128;
export const JSON_BODY_VALUES_MAX = 1_000_000;
/**
 * About what one value takes in memory. The budget of bodies counts it for large bodies, besides
 * their text.
 */
export const JSON_VALUE_BYTES = 64;
/**
 * The heap of that thread: it holds the text and the values of one body, to check that it is well-
 * formed.
 */
export const JSON_THREAD_HEAP_MB_MAX = 512;

/** Fields of a form. */
export const FORM_FIELDS_MAX = 20;

/** WebSockets that have not signed in: of one address, and of all. */
export const WEB_SOCKET_STRANGERS_ADDRESS_MAX = 100;
export const WEB_SOCKET_STRANGERS_MAX = 1_000;
/** WebSockets of one user: a page has one. */
export const WEB_SOCKETS_PER_USER_MAX = 500;
/** Fragments of one message: each takes memory, however small it is. */
export const WEB_SOCKET_FRAGMENTS_MAX = 1_024;
/** JSON values of one request. At most one of them is long: the code of an endpoint. */
export const WEB_SOCKET_REQUEST_VALUES_MAX = 1_000;

/** Files of nodes, and the text that is taken out of them. */

/** Files of one node, and the bytes of each piece in which a file is kept. */
export const NODE_FILES_MAX = 1_000;
export const FILE_CHUNK_BYTES_MAX = 1024 * 1024;

/**
 * Uploads in pieces: unfinished uploads of one caller; how long an upload is kept that nobody
 * continues; how often that is checked.
 */
export const FILE_UPLOADS_PER_CALLER_MAX = 100;
export const FILE_UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1_000;
export const FILE_UPLOAD_SWEEP_INTERVAL_MS = 10 * 60 * 1_000;

/**
 * Text of files: the most bytes of one file that are read, and the most characters that are kept.
 */
export const FILE_TEXT_SOURCE_BYTES_MAX = 64 * 1024 * 1024;
export const FILE_TEXT_CHARACTERS_MAX = 500_000;
/**
 * The process that takes the text out of one file: how long it may work, how much memory and heap
 * it may use, and how often its memory is checked.
 */
export const FILE_TEXT_TIMEOUT_MS = 60_000;
export const FILE_TEXT_MEMORY_BYTES_MAX = 768 * 1024 * 1024;
export const FILE_TEXT_HEAP_MB_MAX = 384;
export const FILE_TEXT_MEMORY_CHECK_MS = 50;
/**
 * An archive (docx, xlsx, pptx, odt): its entries, and the unpacked bytes of those that are read.
 */
export const FILE_TEXT_ARCHIVE_ENTRIES_MAX = 10_000;
export const FILE_TEXT_UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
/** How deep elements of pages and documents may be nested. */
export const FILE_TEXT_DEPTH_MAX = 5_000;
/** How often a file is tried again when its process ends without an answer. */
export const FILE_TEXT_TRIES_MAX = 2;

/** What the log is kept for. */

/**
 * The log keeps at most this much more than its archive for an index that is behind. While it keeps
 * anything for an index or a replica, this much room must be left on the volume for commits. After
 * that, an index is built again and a replica copies the graph.
 */
export const INDEX_LOG_HELD_BYTES_MAX = 4 * 1024 * 1024 * 1024;
export const LOG_HELD_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** Followers of the log that a process knows at a time: indexes, backups, replicas. */
export const FOLLOWERS_MAX = 128;

/** What shows how a server runs: its log, its jobs, samples of its load. */

/**
 * Log records that a server keeps in memory, and their characters; records that a watcher gets at a
 * time.
 */
export const LOG_KEPT_LINES_MAX = 10_000;
export const LOG_KEPT_CHARACTERS_MAX = 8 * 1024 * 1024;
export const LOG_BATCH_LINES_MAX = 256;
/**
 * Searches of log files: bytes that are read at a time, and to find the place of a time; bytes of
 * one line; how long one search may take.
 */
export const LOG_BLOCK_BYTES = 256 * 1024;
export const LOG_PLACE_BYTES = 16 * 1024;
export const LOG_LINE_BYTES_MAX = 4 * 1024 * 1024;
export const LOG_SEARCH_TIME_MAX_MS = 5_000;
/**
 * Jobs: how many are kept after their end; lines of one job; characters of one text. A job that
 * lasts longer than this time is kept over a restart.
 */
export const JOBS_KEPT = 200;
export const JOB_LOG_LINES_MAX = 100;
export const JOB_TEXT_CHARACTERS_MAX = 500;
export const JOB_STORED_AFTER_MS = 1_000;
/** How often the long work of other threads is looked at, to show it as a job. */
export const JOB_LOOK_INTERVAL_MS = 500;
/** The WebSocket tells clients of the progress of one job at most this often. */
export const JOB_NOTICE_INTERVAL_MS = 250;
/** The WebSocket tells clients that one list has changed at most this often. */
export const VIEW_NOTICE_INTERVAL_MS = 1_000;
/** How often the load of the process is sampled. One hour of samples is kept. */
export const LOAD_SAMPLE_INTERVAL_MS = 10_000;
export const LOAD_SAMPLES_KEPT = 360;
/**
 * The OpenAPI document describes this many operations, or endpoints, before other requests get a
 * turn.
 */
export const API_DOCUMENT_STEPS = 8;
export const API_DOCUMENT_BATCH = 16;

/** The share of the time of its thread in which a scrub works; otherwise it rests. */
export const SCRUB_WORK_SHARE = 0.1;
/**
 * A scrub reads this many entries of the state between two rests. It holds a transaction meanwhile.
 */
export const SCRUB_ENTRIES_AT_A_TIME = 2_000;
/** A scrub reads this many bytes of the log, or of a file, between two rests. */
export const SCRUB_BYTES_AT_A_TIME = 1024 * 1024;
/** Damages that a scrub names; it counts the others. */
export const SCRUB_DAMAGES_NAMED_MAX = 50;
/**
 * Of the sketch in which entries of the state are compared with the nodes; a power of two. It takes
 * 16 bytes for each.
 */
export const DERIVED_SKETCH_BUCKETS = 65_536;
/** Entries that are read between two looks at whether to go on. */
export const DERIVED_ENTRIES_AT_A_TIME = 5_000;
/** Entries that are kept to find those that differ: about 200 bytes for each. */
export const DERIVED_COMPARED_MAX = 200_000;
/** Differences from the nodes that a comparison names; it counts the others. */
export const DERIVED_DIFFERENCES_NAMED_MAX = 20;

/** Tasks and migrations. */

/** Tasks of one workspace, and the runs of each that are kept. */
export const TASKS_MAX = 1_000;
export const TASK_RUNS_KEPT = 100;
/**
 * One run keeps this much of its result, this many lines of its log, and this much of each line.
 */
export const TASK_RESULT_CHARACTERS_MAX = 10_000;
export const TASK_LOG_LINES_MAX = 100;
export const TASK_LOG_CHARACTERS_MAX = 500;
/** A task shows this many of its next runs. */
export const TASK_NEXT_RUNS = 5;
/**
 * The scheduler looks at the clock at least this often: somebody may have set it, or the machine
 * slept.
 */
export const TASK_LOOK_INTERVAL_MAX_MS = 30_000;
/** Bytes of a text that a key of a field index holds: the rest is looked up in the node. */
export const INDEX_TEXT_BYTES_MAX = 200;
/** Nodes whose entries one commit adds to an index; entries that one commit deletes of another. */
export const INDEX_BUILD_NODES = 2_500;
/** Commits of one build that are on their way together: others wait for them. */
export const INDEX_BUILD_STEPS = 4;
export const INDEX_REMOVE_ENTRIES = 5_000;
/** After a commit of these that found no room on the disk, the next attempt waits for so long. */
export const INDEX_ROOM_RETRY_MS = 2_000;
/** After other failures the wait doubles, up to this. */
export const INDEX_RETRY_MS_MAX = 300_000;
/** A query that reads more than this, and that an index would serve, is told of. */
export const QUERY_SCAN_TOLD_ROWS = 100_000;
/** Fields of which an endpoint's metrics tell that they were scanned for. */
export const ENDPOINT_SCANS_MAX = 20;
/** Nodes that share a value of a unique index, as the failed job names them. */
export const INDEX_OFFENDERS_MAX = 20;

/** Characters of all nodes, or of all values, in one JSON answer. */
export const NODES_ANSWER_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Ids of one type that are read at once. */
export const NODE_SCAN_IDS = 256;

/**
 * How long work that takes turns may hold the main thread in one turn of the event loop: see
 * `Turns`.
 */
export const TURN_MS = 1;
/**
 * Twice the usual page. One answer reads this many nodes at one commit, and the next nodes at a
 * later one.
 */
export const NODES_AT_ONE_COMMIT = 100;
/** Work of one caller in turns: how much of it goes on at a time, and how much may wait. */
export const TURNS_GOING_PER_CALLER_MAX = 4;
export const TURNS_WAITING_PER_CALLER_MAX = 300;

/**
 * What raced with another commit is tried so often. The first wait between two tries is this long,
 * each later one twice the one before.
 */
export const RACE_TRIES_MAX = 9;
export const RACE_WAIT_MS = 20;

/** The share of the memory of the machine that adjacency may take, in all processes together. */
export const GRAPH_MEMORY_SHARE = 0.125;
export const GRAPH_LOW_MEMORY_BYTES = 16 * 1024 * 1024;
/** Of one reader: the process of an endpoint worker has room for that beside its heap. */
export const READER_ROWS_BYTES_MAX = 256 * 1024 * 1024;
