/** Every limit of search, by name; units last. See `limits.ts` for the others. */

/** Characters of one chunk of text, for fields that are searched by meaning. */
export const SEARCH_CHUNK_CHARACTERS_DEFAULT = 2_000;
/** Terms of the workspace that have synonyms (specification, section 4.5). */
export const SYNONYM_TERMS_MAX = 20_000;
/**
 * Words that are suggested as synonyms of one word, and candidates that are looked up in what the
 * caller may read.
 */
export const SYNONYM_SUGGESTIONS_MAX = 20;
export const SYNONYM_CANDIDATES_MAX = 40;
/**
 * Pairs of a type and a field whose words are indexed. When there are more, the first ones by name
 * are.
 */
export const SEARCH_INDEXED_FIELDS_MAX = 1_024;
/**
 * A search (open-shapes, section 6): hits of a page, and how far pages go; conditions; nodes that
 * it is limited to.
 */
export const SEARCH_TAKE_DEFAULT = 10;
export const SEARCH_TAKE_MAX = 1_000;
export const SEARCH_SKIP_MAX = 100_000;
/** When fewer hits have all words of a query, hits that have any of the words are found too. */
export const SEARCH_HITS_FEW = 3;
export const SEARCH_FILTERS_MAX = 100;
/**
 * Edges between a hit and the node that it must be related to; and the nodes to which a search is
 * limited.
 */
export const SEARCH_HOPS_MAX = 4;
export const SEARCH_TARGETS_MAX = 100_000;
/**
 * Nodes that a search finds by their vectors; and the weight of words in a hybrid score when none
 * is given.
 */
export const SEARCH_VECTOR_CANDIDATES = 200;
export const SEARCH_TEXT_WEIGHT = 0.5;
/**
 * The constant that is added to each rank: Cormack, Clarke and Büttcher, "Reciprocal rank fusion",
 * 2009.
 */
export const SEARCH_RANK_OFFSET = 60;
/** Nodes with which a query may begin when it begins with a search. */
export const SEARCH_START_HITS_MAX = 10_000;
export const SEARCH_SUGGESTIONS_DEFAULT = 8;
export const SEARCH_SUGGESTIONS_MAX = 50;
/** Nodes in which the spelling of a word is looked up before the word is suggested. */
export const SEARCH_SUGGESTION_NODES_MAX = 20;
/** Facets of a search, and values of one facet. */
export const SEARCH_FACETS_MAX = 20;
export const SEARCH_FACET_VALUES_DEFAULT = 10;
export const SEARCH_FACET_VALUES_MAX = 1_000;
/** A longer value of a facet is not counted. */
export const SEARCH_FACET_VALUE_CHARACTERS_MAX = 256;

/**
 * A thread keeps the analysis of this many words of a language, or up to twice as many. The thread
 * that indexes sees far more words.
 */
export const SEARCH_CACHED_WORDS_MAX = 16_384;
export const SEARCH_INDEXING_CACHED_WORDS_MAX = 65_536;
/**
 * Connections of a node are counted up to this number, and this many nodes wait to be counted.
 */
export const SEARCH_CONNECTIONS_MAX = 4_095;
export const SEARCH_CONNECTIONS_WAITING_MAX = 1_000_000;
/** Nodes that the index takes in before it looks for newer commits. */
export const SEARCH_BATCH_NODES_MAX = 2_000;

/**
 * Threads that build segments of many nodes: the most that may be set; the most by default; and the
 * part of the memory of the index that each needs.
 */
export const SEARCH_BUILD_THREADS_MAX = 64;
export const SEARCH_BUILD_THREADS_DEFAULT_MAX = 8;
export const SEARCH_BUILD_THREAD_BYTES = 128 * 1024 * 1024;
/**
 * The thread that indexes builds fewer nodes than this itself. Another thread is asked for at least
 * the second number.
 */
export const SEARCH_BUILD_NODES_MIN = 20_000;
export const SEARCH_BUILD_TASK_NODES_MIN = 4_000;
/** Such a thread ends after this long without work. */
export const SEARCH_BUILD_REST_MS = 30_000;
/** Nodes that such a thread reads in one transaction of the store. */
export const SEARCH_BUILD_PAUSE_NODES = 500;

/**
 * Documents and tokens that wait to become a segment; and the documents and bytes of the largest
 * segment that a merge makes.
 */
export const SEARCH_WAITING_DOCUMENTS_MAX = 50_000;
export const SEARCH_WAITING_TOKENS_MAX = 2_000_000;
export const SEARCH_SEGMENT_DOCUMENTS_MAX = 5_000_000;
export const SEARCH_SEGMENT_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/**
 * A merge makes its segment in memory first: at most this share of the memory of the index, but at
 * least this many bytes.
 */
export const SEARCH_SEGMENT_MEMORY_SHARE_MAX = 0.25;
export const SEARCH_SEGMENT_BYTES_FLOOR = 16 * 1024 * 1024;
/**
 * Memory for the index when none is set: this share of the memory of the machine, and in low-memory
 * mode this many bytes.
 */
export const SEARCH_MEMORY_SHARE = 0.25;
export const SEARCH_LOW_MEMORY_BYTES = 64 * 1024 * 1024;
/**
 * A garbage collection is asked for when this share of the memory of the index, and this many
 * bytes, were released.
 */
export const SEARCH_RELEASED_SHARE = 0.125;
export const SEARCH_RELEASED_BYTES_MIN = 32 * 1024 * 1024;
/** Pages (64 KiB) of segments in files that a thread keeps in memory. */
export const SEARCH_CACHED_PAGES_MAX = 64;
/** A larger merge runs in a thread of its own. */
export const SEARCH_INLINE_MERGE_DOCUMENTS_MAX = 2_000;
/**
 * When the thread that indexes ends by itself, it is started again after this delay, four times as
 * long each time up to the second, and at most this often within the window.
 */
export const SEARCH_RESTART_DELAY_MS = 100;
export const SEARCH_RESTART_DELAY_MAX_MS = 60_000;
export const SEARCH_RESTARTS_MAX = 8;
export const SEARCH_RESTARTS_WINDOW_MS = 3_600_000;
/** Tries of one merge. After that it waits for other segments. */
export const SEARCH_MERGE_TRIES_MAX = 2;
/**
 * How often searches see the new state of an index that catches up with the log, and of one that is
 * built again.
 */
export const SEARCH_REFRESH_INTERVAL_MS = 100;
export const SEARCH_REBUILD_PUBLISH_INTERVAL_MS = 1_000;
/** The files of the index leave this much room on the volume for commits. */
export const SEARCH_FILES_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** A start waits this long for the saved index. Then the server is ready without it. */
export const SEARCH_OPENING_WAIT_MS = 60_000;
/** How often the index is saved. A start reads later changes from the log. */
export const SEARCH_SAVE_INTERVAL_MS = 10_000;
/**
 * How often it is saved while ingestion leaves no pause; and while the index is larger than its
 * memory.
 */
export const SEARCH_BUSY_SAVE_INTERVAL_MS = 300_000;
export const SEARCH_CROWDED_SAVE_INTERVAL_MS = 2_000;

/**
 * The text of a query (open-shapes, section 6): its characters, its words and phrases, and how deep
 * brackets may be nested.
 */
export const SEARCH_QUERY_CHARACTERS_MAX = 16 * 1024;
export const SEARCH_QUERY_TERMS_MAX = 256;
export const SEARCH_QUERY_DEPTH_MAX = 16;
/** Tokens of a query after analysis: Chinese text has as many words as characters. */
export const SEARCH_QUERY_TOKENS_MAX = 1_024;
/** Words in a row that may have synonyms together. */
export const SEARCH_SYNONYM_WORDS_MAX = 4;
/** Groups to which one row of `OR` over brackets may be expanded. */
export const SEARCH_QUERY_COMBINATIONS_MAX = 32;
/** A longer word is searched as it is, without words that differ by a typing error. */
export const SEARCH_TYPO_WORD_CODE_POINTS_MAX = 60;
/**
 * Words that are searched for one word of a query: those that differ by a typing error, and
 * completions of its prefix.
 */
export const SEARCH_WORD_TYPOS_MAX = 32;
export const SEARCH_WORD_COMPLETIONS_MAX = 64;
/** With more names that begin as a query does, their nodes do not come before others. */
export const SEARCH_NAME_COMPLETIONS_MAX = 256;
/**
 * Words of one query that are expanded in this way, and the words that all of them become together.
 */
export const SEARCH_EXPANDED_WORDS_MAX = 16;
export const SEARCH_QUERY_EXPANSIONS_MAX = 1_024;
/** Passages to show are looked for in this much of a text, and among this many matches. */
export const SEARCH_HIGHLIGHT_CHARACTERS_MAX = 256 * 1024;
export const SEARCH_HIGHLIGHT_MATCHES_MAX = 2_000;
/** Characters of one passage, and passages of one field. */
export const SEARCH_SNIPPET_CHARACTERS_MAX = 200;
export const SEARCH_SNIPPETS_MAX = 3;

/** Golden sets (open-shapes, section 6). */
export const GOLDEN_SETS_MAX = 100;
/** A run of a golden set: hits of each query; runs that are kept; queries that an answer names. */
export const EVALUATION_HITS = 10;
export const EVALUATIONS_KEPT = 20;
export const EVALUATION_LISTED_MAX = 100;
/** A run gives up its thread after each such time, and ends after the second. */
export const EVALUATION_SLICE_MS = 5;
export const EVALUATION_TIMEOUT_MS = 60_000;

/** Pairs of a type and a field that have vectors. */
export const SEARCH_VECTOR_FIELDS_MAX = 64;
/** Chunks of one text that get a vector. The rest of a longer text gets none. */
export const SEARCH_CHUNKS_MAX = 1_000;
/** Nodes whose texts are chunked and looked up before the index looks for newer commits. */
export const VECTOR_BATCH_NODES_MAX = 200;
/** Vectors that the indexing thread links between two looks at the log. */
export const VECTOR_WORK_STEPS = 20;
/**
 * The sweep of unused embeddings: how many one step looks at and removes; how often it runs; when
 * it runs first.
 */
export const EMBEDDING_SWEEP_BATCH = 500;
export const EMBEDDING_SWEEP_INTERVAL_MS = 86_400_000;
export const EMBEDDING_SWEEP_FIRST_MS = 600_000;
/** Copied vectors stay at their old place this long, for threads that still read there. */
export const VECTOR_RETIRED_KEPT_MS = 10_000;
/** How often vectors are saved. A start reads later changes from the log. */
export const VECTOR_SAVE_INTERVAL_MS = 600_000;

/** Similar nodes that one request gets, and the nodes to which they may be similar. */
export const SIMILAR_NODES_DEFAULT = 50;
export const SIMILAR_SOURCES_MAX = 100;
/** Vectors of these nodes that are compared, but at least one of each node. */
export const SIMILAR_VECTORS_MAX = 256;
/** Numbers in one answer of vectors. */
export const VECTOR_ANSWER_NUMBERS_MAX = 2_000_000;
/** A vector that stands in a query, in base64. */
export const QUERY_VECTOR_CHARACTERS_MAX = 24 * 1024;

/** The vector index: dimensions of a vector, chunks of a node, hits of one search. */
export const VECTOR_DIMENSIONS_MAX = 4_096;
export const VECTOR_CHUNKS_MAX = 65_536;
export const VECTOR_HITS_MAX = 10_000;
/** Up to this many vectors are compared one by one. More vectors get a graph. */
export const VECTOR_SCAN_MAX = 100_000;
/**
 * Up to this many vectors of an allow-list are compared one by one, which costs as much as a search
 * of the graph for them.
 */
export const VECTOR_LIST_SCAN_MAX = 50_000;
/** One shared memory. WebAssembly allows 4 GiB. Pages without a vector take no memory. */
export const VECTOR_SHARD_BYTES_MAX = 1024 * 1024 * 1024;
/**
 * When this share of the vectors is deleted, and at least this many, the others are copied to a new
 * memory.
 */
export const VECTOR_DELETED_SHARE_MAX = 0.25;
export const VECTOR_DELETED_MIN = 1_000;

/**
 * One request for embeddings: its texts, the characters of all of them, how long it may take, and
 * the bytes of its answer.
 */
export const EMBEDDING_BATCH_TEXTS_MAX = 96;
export const EMBEDDING_BATCH_CHARACTERS_MAX = 200_000;
export const EMBEDDING_TIMEOUT_MS = 60_000;
export const EMBEDDING_ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** How much of what a provider says about a failure administrators see. */
export const EMBEDDING_FAULT_CHARACTERS_MAX = 300;
/**
 * A provider that fails is asked again after this delay, twice as long each time up to the second.
 * When the provider names a delay, that one holds, up to the third.
 */
export const EMBEDDING_RETRY_DELAY_MIN_MS = 1_000;
export const EMBEDDING_RETRY_DELAY_MAX_MS = 300_000;
export const EMBEDDING_RETRY_AFTER_MAX_MS = 3_600_000;
/**
 * The vector of a query: how much of a long text it is made of, how long a search waits for it, and
 * the bytes of vectors that are kept.
 */
export const EMBEDDING_QUERY_CHARACTERS_MAX = 8_000;
export const EMBEDDING_QUERY_TIMEOUT_MS = 10_000;
export const EMBEDDING_QUERIES_KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** Queries that wait for their vector: at the primary, and of one replica. */
export const EMBEDDING_QUERIES_RUNNING_MAX = 256;
export const EMBEDDING_QUERIES_OF_REPLICA_MAX = 16;
/**
 * Searchers with restricted rights for whom a thread remembers what they may see; and how long that
 * is valid for files.
 */
export const SEARCH_SIGHTS_MAX = 32;
export const SEARCH_FILE_SIGHT_MS = 5_000;
/** Completions and corrections that are examined to find those that the searcher may see. */
export const SEARCH_SEEN_WORDS_MAX = 1_000;
/** An index names this many damaged nodes in the log each time it is opened. */
export const SEARCH_DAMAGE_NOTES_MAX = 20;
