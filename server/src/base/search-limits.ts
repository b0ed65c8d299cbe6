/** Every limit of search, by name; units last. See `limits.ts` for the others. */

/**
 * A field that is searched by meaning: its chunks of text, and the name of what makes its vectors.
 */
export const SEARCH_CHUNK_CHARACTERS_DEFAULT = 2_000;
/**
 * Synonyms (specification, section 4.5): terms of the workspace, each list of one, and each word.
 */
export const SYNONYM_TERMS_MAX = 20_000;
/**
 * Words that may be suggested as synonyms of one, and those of them that are looked for in what the
 * asker may read.
 */
export const SYNONYM_SUGGESTIONS_MAX = 20;
export const SYNONYM_CANDIDATES_MAX = 40;
/** Pairs of a type and a field whose words are indexed; of more, those that come first by name. */
export const SEARCH_INDEXED_FIELDS_MAX = 1_024;
/**
 * A search (open-shapes, section 6): hits of a page, and how far pages go; conditions; nodes that
 * it is limited to.
 */
export const SEARCH_TAKE_DEFAULT = 10;
export const SEARCH_TAKE_MAX = 1_000;
export const SEARCH_SKIP_MAX = 100_000;
/** With fewer hits that have all words of a query, those that have any of them are found. */
export const SEARCH_HITS_FEW = 3;
export const SEARCH_FILTERS_MAX = 100;
/** Edges between a hit and what it is related to. */
export const SEARCH_HOPS_MAX = 4;
export const SEARCH_TARGETS_MAX = 100_000;
/**
 * Nodes that a search finds by their vectors; and what words count for in a hybrid score when
 * nothing is said.
 */
export const SEARCH_VECTOR_CANDIDATES = 200;
export const SEARCH_TEXT_WEIGHT = 0.5;
/**
 * What ranks are added to before they count: Cormack, Clarke and Büttcher, "Reciprocal rank
 * fusion", 2009.
 */
export const SEARCH_RANK_OFFSET = 60;
/** Nodes that a query may begin with when it begins with words. */
export const SEARCH_START_HITS_MAX = 10_000;
export const SEARCH_SUGGESTIONS_DEFAULT = 8;
export const SEARCH_SUGGESTIONS_MAX = 50;
/** Nodes in which a word is looked for as it is written, before somebody is told of it. */
export const SEARCH_SUGGESTION_NODES_MAX = 20;
/** Facets of a search, and values of one. */
export const SEARCH_FACETS_MAX = 20;
export const SEARCH_FACET_VALUES_DEFAULT = 10;
export const SEARCH_FACET_VALUES_MAX = 1_000;
/** A longer value of a facet is not counted. */
export const SEARCH_FACET_VALUE_CHARACTERS_MAX = 256;

/**
 * Words of a language whose analysis a thread keeps, twice as many at most; and the thread that
 * indexes, which sees far more.
 */
export const SEARCH_CACHED_WORDS_MAX = 16_384;
export const SEARCH_INDEXING_CACHED_WORDS_MAX = 65_536;
/** Nodes that the index takes in before it looks for newer commits. */
export const SEARCH_BATCH_NODES_MAX = 2_000;

/**
 * Threads that make segments of many nodes: at most; when nothing is said; and for each of them so
 * much of the index's budget.
 */
export const SEARCH_BUILD_THREADS_MAX = 64;
export const SEARCH_BUILD_THREADS_DEFAULT_MAX = 8;
export const SEARCH_BUILD_THREAD_BYTES = 128 * 1024 * 1024;
/**
 * The thread that indexes builds fewer nodes itself; and the least that another one is asked for.
 */
export const SEARCH_BUILD_NODES_MIN = 20_000;
export const SEARCH_BUILD_TASK_NODES_MIN = 4_000;
/** Such a thread ends when there was nothing to do for so long. */
export const SEARCH_BUILD_REST_MS = 30_000;
/** Nodes that such a thread reads in one transaction of the store. */
export const SEARCH_BUILD_PAUSE_NODES = 500;

/** Documents, and tokens of them, that wait to become a segment; and what a merge makes at most. */
export const SEARCH_WAITING_DOCUMENTS_MAX = 50_000;
export const SEARCH_WAITING_TOKENS_MAX = 2_000_000;
export const SEARCH_SEGMENT_DOCUMENTS_MAX = 5_000_000;
export const SEARCH_SEGMENT_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/**
 * What a merge makes is in memory first: a part of the budget of the index, but never less than so
 * much.
 */
export const SEARCH_SEGMENT_MEMORY_SHARE_MAX = 0.25;
export const SEARCH_SEGMENT_BYTES_FLOOR = 16 * 1024 * 1024;
/** Memory for the index when nothing is said: a part of the machine's, and in low-memory mode. */
export const SEARCH_MEMORY_SHARE = 0.25;
export const SEARCH_LOW_MEMORY_BYTES = 64 * 1024 * 1024;
/** Memory that was let go of is collected when it is such a share of the budget, and so much. */
export const SEARCH_RELEASED_SHARE = 0.125;
export const SEARCH_RELEASED_BYTES_MIN = 32 * 1024 * 1024;
/** Pages (64 KiB) of segments in files that a thread keeps. */
export const SEARCH_CACHED_PAGES_MAX = 64;
/** A larger merge is done beside the thread that indexes. */
export const SEARCH_INLINE_MERGE_DOCUMENTS_MAX = 2_000;
/**
 * The thread that indexes is started again when it ended by itself: after so long, four times as
 * long each time, and so often.
 */
export const SEARCH_RESTART_DELAY_MS = 100;
export const SEARCH_RESTART_DELAY_MAX_MS = 60_000;
export const SEARCH_RESTARTS_MAX = 8;
export const SEARCH_RESTARTS_WINDOW_MS = 3_600_000;
/** A merge that fails is tried so often, before it waits for other segments. */
export const SEARCH_MERGE_TRIES_MAX = 2;
/** While the index is behind the log, or built anew, what it has is shown so often. */
export const SEARCH_REFRESH_INTERVAL_MS = 40;
export const SEARCH_REBUILD_PUBLISH_INTERVAL_MS = 1_000;
/** Room that the files of the index leave on the volume: for commits. */
export const SEARCH_FILES_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** How long a start waits for the saved index to be open before it is ready without it. */
export const SEARCH_OPENING_WAIT_MS = 60_000;
/** What changed since the index was saved last is read from the log at the next start. */
export const SEARCH_SAVE_INTERVAL_MS = 10_000;
/**
 * The same under steady ingest, when there is never a moment to spare; and while the index is over
 * its budget of memory.
 */
export const SEARCH_BUSY_SAVE_INTERVAL_MS = 300_000;
export const SEARCH_CROWDED_SAVE_INTERVAL_MS = 2_000;

/**
 * Query text (open-shapes, section 6): its length, its words and phrases, how deep brackets may
 * nest.
 */
export const SEARCH_QUERY_CHARACTERS_MAX = 16 * 1024;
export const SEARCH_QUERY_TERMS_MAX = 256;
export const SEARCH_QUERY_DEPTH_MAX = 16;
/** The same once it is analysed: a run of Chinese is as many words as characters. */
export const SEARCH_QUERY_TOKENS_MAX = 1_024;
/** Words in a row that may have synonyms together. */
export const SEARCH_SYNONYM_WORDS_MAX = 4;
/** Groups that one row of `OR` over brackets may be multiplied out to. */
export const SEARCH_QUERY_COMBINATIONS_MAX = 32;
/** A longer word is searched as it is, without its neighbours by typing errors. */
export const SEARCH_TYPO_WORD_CODE_POINTS_MAX = 60;
/** Words that one word of a query may stand for: its typos, or the completions of its prefix. */
export const SEARCH_WORD_TYPOS_MAX = 32;
export const SEARCH_WORD_COMPLETIONS_MAX = 64;
/**
 * Words of a query whose typos and completions are looked for, and the words that they together may
 * stand for.
 */
export const SEARCH_EXPANDED_WORDS_MAX = 16;
export const SEARCH_QUERY_EXPANSIONS_MAX = 1_024;
/** How much of a text that matches is looked through for passages to show. */
export const SEARCH_HIGHLIGHT_CHARACTERS_MAX = 256 * 1024;
export const SEARCH_HIGHLIGHT_MATCHES_MAX = 2_000;
/** A passage that is shown, and how many of one field. */
export const SEARCH_SNIPPET_CHARACTERS_MAX = 200;
export const SEARCH_SNIPPETS_MAX = 3;

/** Golden sets (open-shapes, section 6). */
export const GOLDEN_SETS_MAX = 100;
/** A run of a golden set: hits of each query, runs that are kept, queries that an answer names. */
export const EVALUATION_HITS = 10;
export const EVALUATIONS_KEPT = 20;
export const EVALUATION_LISTED_MAX = 100;
/** It leaves the thread to others after so long, and ends. */
export const EVALUATION_SLICE_MS = 5;
export const EVALUATION_TIMEOUT_MS = 60_000;

/** Pairs of a type and a field that have vectors. */
export const SEARCH_VECTOR_FIELDS_MAX = 64;
/** Pieces of one text that get a vector; the rest of a longer text has none. */
export const SEARCH_CHUNKS_MAX = 1_000;
/** Nodes whose texts are cut and looked up before the index looks for newer commits. */
export const VECTOR_BATCH_NODES_MAX = 200;
/** The indexing thread links so many vectors, at most, between two looks at the log. */
export const VECTOR_WORK_STEPS = 20;
/**
 * Embeddings that are looked at, and removed at most, in one step of looking for those that no text
 * has any more; and how often that is done.
 */
export const EMBEDDING_SWEEP_BATCH = 500;
export const EMBEDDING_SWEEP_INTERVAL_MS = 86_400_000;
export const EMBEDDING_SWEEP_FIRST_MS = 600_000;
/** Vectors that were copied are kept where they were for threads that still read there. */
export const VECTOR_RETIRED_KEPT_MS = 10_000;
/** What changed since vectors were saved last is read from the log at the next start. */
export const VECTOR_SAVE_INTERVAL_MS = 600_000;

/** Similar nodes: of one question, and the nodes that they may be similar to at once. */
export const SIMILAR_NODES_DEFAULT = 50;
export const SIMILAR_SOURCES_MAX = 100;
/** Vectors of these nodes that others are compared with, but at least one of each. */
export const SIMILAR_VECTORS_MAX = 256;
/** Numbers in one answer of vectors. */
export const VECTOR_ANSWER_NUMBERS_MAX = 2_000_000;
/** A vector that stands in a query, in base64. */
export const QUERY_VECTOR_CHARACTERS_MAX = 24 * 1024;

/** The vector index: dimensions of a vector, chunks of a node, hits of one search. */
export const VECTOR_DIMENSIONS_MAX = 4_096;
export const VECTOR_CHUNKS_MAX = 65_536;
export const VECTOR_HITS_MAX = 10_000;
/** Up to so many vectors are compared one by one; more get a graph. */
export const VECTOR_SCAN_MAX = 100_000;
/**
 * Up to so many vectors of an allow-list are compared one by one, which costs as much as a search
 * of the graph among them.
 */
export const VECTOR_LIST_SCAN_MAX = 50_000;
/** One shared memory; WebAssembly allows 4 GiB. Pages that hold no vector yet are not in memory. */
export const VECTOR_SHARD_BYTES_MAX = 1024 * 1024 * 1024;
/**
 * The vectors are copied to a new memory when so large a share of them is deleted, and at least so
 * many.
 */
export const VECTOR_DELETED_SHARE_MAX = 0.25;
export const VECTOR_DELETED_MIN = 1_000;

/**
 * One request for embeddings: its texts, their characters together, how long it may take, and its
 * answer.
 */
export const EMBEDDING_BATCH_TEXTS_MAX = 96;
export const EMBEDDING_BATCH_CHARACTERS_MAX = 200_000;
export const EMBEDDING_TIMEOUT_MS = 60_000;
export const EMBEDDING_ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** How much administrators are told of what a provider says of a failure. */
export const EMBEDDING_FAULT_CHARACTERS_MAX = 300;
/**
 * A provider that fails is asked again after so long, each time twice as long; later when it says
 * so itself.
 */
export const EMBEDDING_RETRY_DELAY_MIN_MS = 1_000;
export const EMBEDDING_RETRY_DELAY_MAX_MS = 300_000;
export const EMBEDDING_RETRY_AFTER_MAX_MS = 3_600_000;
/**
 * The vector of a query: the beginning of a longer text, how long who searches waits, and what is
 * kept of them.
 */
export const EMBEDDING_QUERY_CHARACTERS_MAX = 8_000;
export const EMBEDDING_QUERY_TIMEOUT_MS = 10_000;
export const EMBEDDING_QUERIES_KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** Queries that wait for their vector at a time: at the primary, and of each replica. */
export const EMBEDDING_QUERIES_RUNNING_MAX = 256;
export const EMBEDDING_QUERIES_OF_REPLICA_MAX = 16;
/**
 * Searchers who do not see everything, of whom a thread keeps what they see; and how long that
 * holds for files.
 */
export const SEARCH_SIGHTS_MAX = 32;
export const SEARCH_FILE_SIGHT_MS = 5_000;
/**
 * Words that a prefix or a typing error may become, that are looked at for those that the searcher
 * may be told.
 */
export const SEARCH_SEEN_WORDS_MAX = 1_000;
/** Damaged nodes that an index names in the log, each time it is opened. */
export const SEARCH_DAMAGE_NOTES_MAX = 20;
