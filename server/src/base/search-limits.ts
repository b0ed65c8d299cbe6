/** Every limit of search, by name; units last. See `limits.ts` for the others. */

/** Search settings (open-shapes, section 6): types, the fields of one, and the weight of a field. */
export const SEARCH_TYPES_MAX = 1_000;
export const SEARCH_FIELDS_MAX = 1_000;
export const SEARCH_BOOST_MAX = 100;
/** Synonyms (specification, section 4.5): terms of the workspace, each list of one, and each word. */
export const SYNONYM_TERMS_MAX = 20_000;
export const SYNONYMS_MAX = 100;
export const SYNONYM_CHARACTERS_MAX = 200;
/** Words that may be suggested as synonyms of one, and those of them that are looked for in what the asker may read. */
export const SYNONYM_SUGGESTIONS_MAX = 20;
export const SYNONYM_CANDIDATES_MAX = 40;
/** Pairs of a type and a field whose words are indexed; of more, those that come first by name. */
export const SEARCH_INDEXED_FIELDS_MAX = 1_024;
/** A search (open-shapes, section 6): hits of a page, and how far pages go; conditions; nodes that it is limited to. */
export const SEARCH_TAKE_DEFAULT = 10;
export const SEARCH_TAKE_MAX = 1_000;
export const SEARCH_SKIP_MAX = 100_000;
/** With fewer hits that have all words of a query, those that have any of them are found. */
export const SEARCH_HITS_FEW = 3;
export const SEARCH_FILTERS_MAX = 100;
/** Edges between a hit and what it is related to. */
export const SEARCH_HOPS_MAX = 4;
export const SEARCH_TARGETS_MAX = 100_000;
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

/** Words of a language whose analysis a thread keeps, twice as many at most; and the thread that indexes, which sees far more. */
export const SEARCH_CACHED_WORDS_MAX = 16_384;
export const SEARCH_INDEXING_CACHED_WORDS_MAX = 65_536;
/** Nodes that the index takes in before it looks for newer commits. */
export const SEARCH_BATCH_NODES_MAX = 2_000;

/** Documents, and tokens of them, that wait to become a segment; and what a merge makes at most. */
export const SEARCH_WAITING_DOCUMENTS_MAX = 20_000;
export const SEARCH_WAITING_TOKENS_MAX = 2_000_000;
export const SEARCH_SEGMENT_DOCUMENTS_MAX = 5_000_000;
/** A larger merge is done beside the thread that indexes. */
export const SEARCH_INLINE_MERGE_DOCUMENTS_MAX = 2_000;
/** While the index is behind the log, or built anew, what it has is shown so often. */
export const SEARCH_REFRESH_INTERVAL_MS = 40;
export const SEARCH_REBUILD_PUBLISH_INTERVAL_MS = 1_000;
/** Room that the files of the index leave on the volume: for commits. */
export const SEARCH_FILES_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** What changed since the index was saved last is read from the log at the next start. */
export const SEARCH_SAVE_INTERVAL_MS = 10_000;

/** Query text (open-shapes, section 6): its length, its words and phrases, how deep brackets may nest. */
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
/** Words of a query whose typos and completions are looked for, and the words that they together may stand for. */
export const SEARCH_EXPANDED_WORDS_MAX = 16;
export const SEARCH_QUERY_EXPANSIONS_MAX = 1_024;
/** Of a text that matches, what is looked through for the passages to show. */
export const SEARCH_HIGHLIGHT_CHARACTERS_MAX = 256 * 1024;
export const SEARCH_HIGHLIGHT_MATCHES_MAX = 2_000;
/** A passage that is shown, and how many of one field. */
export const SEARCH_SNIPPET_CHARACTERS_MAX = 200;
export const SEARCH_SNIPPETS_MAX = 3;

/** Golden sets (open-shapes, section 6): their names and queries, relevant nodes of one query, and how relevant one is. */
export const GOLDEN_SET_NAME_CHARACTERS_MAX = 100;
export const GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX = 1_000;
export const GOLDEN_SET_QUERIES_MAX = 10_000;
export const GOLDEN_SET_QUERY_CHARACTERS_MAX = 1_000;
export const GOLDEN_SET_RELEVANT_MAX = 1_000;
export const GOLDEN_SET_GRADE_MAX = 100;
export const GOLDEN_SETS_MAX = 100;
/** A run of a golden set: hits of each query, runs that are kept, queries that an answer names. */
export const EVALUATION_HITS = 10;
export const EVALUATIONS_KEPT = 20;
export const EVALUATION_LISTED_MAX = 100;
/** It leaves the thread to others after so long, and ends. */
export const EVALUATION_SLICE_MS = 5;
export const EVALUATION_TIMEOUT_MS = 60_000;

/** The vector index: dimensions of a vector, chunks of a node, hits of one search. */
export const VECTOR_DIMENSIONS_MAX = 4_096;
export const VECTOR_CHUNKS_MAX = 65_536;
export const VECTOR_HITS_MAX = 10_000;
/** Up to so many vectors are compared one by one; more get a graph. */
export const VECTOR_SCAN_MAX = 100_000;
/** Up to so many vectors of an allow-list are compared one by one, which costs as much as a search of the graph among them. */
export const VECTOR_LIST_SCAN_MAX = 20_000;
/** One shared memory; WebAssembly allows 4 GiB. Pages that hold no vector yet are not in memory. */
export const VECTOR_SHARD_BYTES_MAX = 1024 * 1024 * 1024;
/** The vectors are copied to a new memory when so large a share of them is deleted, and at least so many. */
export const VECTOR_DELETED_SHARE_MAX = 0.25;
export const VECTOR_DELETED_MIN = 1_000;
