/** The limits that a client must stay within. The server's own are in `server/src/base/`. */

/** Lists (open-shapes, section 2). */
export const LIST_TAKE_MAX = 1_000;
export const LIST_TAKE_DEFAULT = 50;

/** Operations in one atomic commit (open-shapes, section 4). */
export const INGEST_COMMIT_OPERATIONS_MAX = 10_000;

/** A body of JSON, decompressed; an NDJSON stream has no limit, but each of its lines has. */
export const JSON_BODY_BYTES_MAX = 16 * 1024 * 1024;
export const NDJSON_LINE_BYTES_MAX = 16 * 1024 * 1024;

/** The schema of the graph. */
export const SCHEMA_TYPES_MAX = 10_000;
/** Former names that a type, an edge type or a field keeps. */
export const SCHEMA_ALIASES_PER_NAME_MAX = 10;
/** Former names of all types, edges and fields together. */
export const SCHEMA_ALIASES_MAX = 10_000;
/** Changes of names in one request. */
export const SCHEMA_CHANGES_MAX = 100;
/** Changes of the type of one field that are not undone. */
export const SCHEMA_RETYPES_PER_FIELD_MAX = 20;
export const SCHEMA_FIELDS_PER_TYPE_MAX = 1_000;
/** Field indexes (open-shapes, section 9). */
export const SCHEMA_INDEXES_PER_TYPE_MAX = 32;
export const INDEX_FIELDS_MAX = 4;

/** Passwords (open-shapes, section 3). */
export const PASSWORD_CHARACTERS_MIN = 10;
export const PASSWORD_CHARACTERS_MAX = 1_024;

/** Custom endpoints (open-shapes, section 5). */
export const ENDPOINT_NAME_CHARACTERS_MAX = 200;
export const ENDPOINT_CODE_BYTES_MAX = 512 * 1024;
export const ENDPOINT_DESCRIPTION_CHARACTERS_MAX = 10_000;
export const ENDPOINT_TIMEOUT_DEFAULT_MS = 30_000;
export const ENDPOINT_TIMEOUT_MAX_MS = 600_000;
export const ENDPOINT_CACHE_SECONDS_MAX = 86_400;
export const ENDPOINT_CONCURRENT_MAX = 1_000;
export const ENDPOINT_QUEUED_MAX = 1_000;
export const ENDPOINT_QUEUED_DEFAULT = 100;

/** Modules that code imports (open-shapes, section 15). */
export const MODULES_MAX = 1_000;

/**
 * Packages of npm (open-shapes, section 15): how many, and of one its code, its types and its
 * source map in bytes of UTF-8, and the files of its types.
 */
export const PACKAGES_MAX = 200;
export const PACKAGE_SPECIFIER_CHARACTERS_MAX = 200;
export const PACKAGE_TEXT_CHARACTERS_MAX = 200;
export const PACKAGE_CODE_BYTES_MAX = 1024 * 1024;
export const PACKAGE_TYPES_BYTES_MAX = 1024 * 1024;
export const PACKAGE_MAP_BYTES_MAX = 2 * 1024 * 1024;
/** Of a source map with the sources in it; beyond, they stay with the author. */
export const PACKAGE_SOURCES_BYTES_MAX = 1024 * 1024;
export const PACKAGE_FILES_MAX = 1_000;

/** What lines of a log are searched for. */
export const ENDPOINT_LOG_QUERY_CHARACTERS_MAX = 1_000;

/** What records of the server's log are searched for; and log files that one download names. */
export const LOG_QUERY_CHARACTERS_MAX = 1_000;
export const LOG_FILE_NAMES_MAX = 100;
/** Into how many spans of time records are counted. */
export const LOG_SPANS_MAX = 240;
export const LOG_SPANS_DEFAULT = 60;

/** The setting `fetchAllowList`. */
export const FETCH_ALLOW_LIST_MAX = 100;

/** Bodies of calls that are kept for one endpoint, to try other versions with. */
export const RECORDED_INPUTS_MAX = 100;

/** Tokens (open-shapes, section 3). */
export const TOKEN_NAME_CHARACTERS_MAX = 200;

/**
 * Secrets of endpoints (open-shapes, section 15). A value is not shorter, as it is looked for in
 * what other servers answer.
 */
export const SECRETS_MAX = 200;
export const SECRET_NAME_CHARACTERS_MAX = 64;
export const SECRET_VALUE_CHARACTERS_MIN = 8;
export const SECRET_VALUE_CHARACTERS_MAX = 4_096;
export const SECRET_HOSTS_MAX = 20;
export const SECRET_HOST_CHARACTERS_MAX = 260;
export const SECRET_ENDPOINTS_MAX = 100;

/** Webhooks (open-shapes, section 11). */
export const WEBHOOKS_MAX = 100;
export const WEBHOOK_NAME_CHARACTERS_MAX = 100;
export const WEBHOOK_URL_CHARACTERS_MAX = 2_000;
/** Types, and edge types, that one webhook names. */
export const WEBHOOK_FILTER_MAX = 100;

/** Connectors that the server runs (docs/connectors.md). */
export const CONNECTORS_MAX = 100;
export const CONNECTOR_NAME_CHARACTERS_MAX = 100;
export const CONNECTOR_URL_CHARACTERS_MAX = 2_000;
export const CONNECTOR_TEXT_CHARACTERS_MAX = 300;
export const CONNECTOR_QUERY_CHARACTERS_MAX = 10_000;
export const CONNECTOR_SECRET_CHARACTERS_MAX = 4_096;
export const CONNECTOR_GIT_COMMITS_MAX = 10_000;
/** Rules of who may see which folder, and names in each of them. */
/** Things whose access is compared in one answer, and of each the teams and users that are told. */
export const CONNECTOR_ACCESS_TAKE_MAX = 100;
export const CONNECTOR_ACCESS_PRINCIPALS_MAX = 200;
export const CONNECTOR_RULES_MAX = 200;
export const CONNECTOR_RULE_NAMES_MAX = 50;
/** What one file has that a connector brings with its content. */
export const CONNECTOR_FILE_BYTES_MAX = 32 * 1024 * 1024;

/** Sign-in at identity providers (specification, section 4.2). */
export const SSO_RETURN_PATH_CHARACTERS_MAX = 500;
export const SSO_TEXT_CHARACTERS_MAX = 2_000;
export const SSO_ALLOWED_DOMAINS_MAX = 100;
export const SSO_GROUPS_MAX = 1_000;
/** Base64 of one SAML response. */
export const SAML_RESPONSE_CHARACTERS_MAX = 512 * 1024;
export const SAML_PROVIDERS_MAX = 20;

/** Users and teams (open-shapes, section 3). */
export const USER_NAME_CHARACTERS_MAX = 100;
export const USER_PREFERENCES_CHARACTERS_MAX = 64 * 1024;
export const USER_TEXT_CHARACTERS_MAX = 1_000;
export const TEAM_NAME_CHARACTERS_MAX = 200;

/** Of SCIM: characters of a filter, and of the id that an identity provider has for somebody. */
export const SCIM_FILTER_CHARACTERS_MAX = 1_000;
export const SCIM_EXTERNAL_ID_CHARACTERS_MAX = 250;
/** Brackets within brackets of a filter. */
export const SCIM_FILTER_DEPTH_MAX = 10;
/** Operations of one PATCH, and members that one request names. */
export const SCIM_OPERATIONS_MAX = 1_000;
export const SCIM_MEMBERS_MAX = 5_000;
/** Users, and teams, whose UIDs one request asks for. */
export const PRINCIPALS_MAX = 1_000;

/** Reading nodes (open-shapes, section 4): UIDs in one request, and in one download. */
export const NODE_UIDS_MAX = 1_000;
export const NODE_TEMPLATE_CHARACTERS_MAX = 1_000;
export const DOWNLOAD_UIDS_MAX = 100_000;
/** Named by a request, or in a synthetic download together. */
export const DOWNLOAD_FIELDS_MAX = 1_000;
export const SYNTHETIC_NODES_MAX = 10_000;

/**
 * The built-in endpoints `system/table` and `system/nodes`: conditions that all are to be met, the
 * fields that are shown, and the rows of one page. A table reads so many rows for one page where no
 * index finds or sorts them.
 */
export const TABLE_CONDITIONS_MAX = 20;
export const TABLE_FIELDS_MAX = 100;
export const TABLE_TAKE_MAX = 1_000;
export const TABLE_SCAN_MAX = 200_000;

/** Writing nodes (docs/data.md): aliases of one, and edges that one request adds or removes. */
export const NODE_ALIASES_MAX = 1_000;
export const NODE_LINKS_MAX = 1_000;
/** Merging nodes (docs/duplicates.md): edges of the one that goes, UIDs of one, what is kept. */
export const MERGE_EDGES_MAX = 10_000;
export const MERGED_UIDS_MAX = 1_000;
export const MERGE_BYTES_MAX = 12 * 1024 * 1024;
/** Looking for duplicates (docs/duplicates.md): fields to compare, rules, pairs that are kept. */
export const DUPLICATE_FIELDS_MAX = 20;
export const DUPLICATE_RULES_MAX = 100;
export const DUPLICATES_OPEN_MAX = 2_000;
export const DUPLICATES_DISMISSED_MAX = 20_000;
export const DUPLICATE_NODES_MAX = 100_000;
export const DUPLICATE_PAIRS_MAX = 2_000_000;
export const DUPLICATES_MERGED_MAX = 1_000;

/**
 * One extraction out of documents: types of nodes, and of edges; texts that are read; fields of
 * nodes that are read, and that choose nodes; tokens; characters of instructions. Proposals that
 * one request may name.
 */
export const EXTRACTION_TYPES_MAX = 20;
export const EXTRACTION_DOCUMENTS_MAX = 1_000;
export const EXTRACTION_FIELDS_MAX = 10;
export const EXTRACTION_TOKENS_MAX = 100_000_000;
export const EXTRACTION_INSTRUCTIONS_CHARACTERS_MAX = 4_000;
export const EXTRACTION_CHOSEN_MAX = 1_000;
/** Nodes that one request changes alike, those that are changed together, and their readers. */
export const NODES_CHANGED_MAX = 10_000;
export const NODES_CHANGED_TOGETHER = 1_000;
export const NODES_CHANGED_READERS_MAX = 20;

/**
 * Signed licenses (open-shapes, section 1): the whole, the features in it, its subject and each
 * name of a feature.
 */
export const LICENSE_CHARACTERS_MAX = 16 * 1024;
export const LICENSE_FEATURES_MAX = 100;
export const LICENSE_TEXT_CHARACTERS_MAX = 100;

/**
 * Search settings (open-shapes, section 6): types, the fields of one, and the weight of a field.
 */
export const SEARCH_TYPES_MAX = 1_000;
export const SEARCH_FIELDS_MAX = 1_000;
export const SEARCH_BOOST_MAX = 100;
/**
 * A field that is searched by meaning: its chunks of text, and the name of what makes its vectors.
 */
export const SEARCH_CHUNK_CHARACTERS_MIN = 200;
export const SEARCH_CHUNK_CHARACTERS_MAX = 8_000;
export const EMBEDDING_MODEL_CHARACTERS_MAX = 200;
/** Providers of what models do (open-shapes, section 7): the address of one, and its key. */
export const PROVIDER_ADDRESS_CHARACTERS_MAX = 2_000;
export const PROVIDER_KEY_CHARACTERS_MAX = 8_000;
/**
 * A chat provider: the models that are allowed. The next defaults are the tokens of one answer and
 * of one user's day.
 */
export const LLM_MODELS_MAX = 100;
/** Providers of chat beside the first, and the letters of a name of one. */
export const LLM_FURTHER_PROVIDERS_MAX = 20;
export const LLM_PROVIDER_NAME_CHARACTERS_MAX = 64;
export const LLM_ANSWER_TOKENS_DEFAULT = 8_192;
export const LLM_ANSWER_TOKENS_MAX = 1_000_000;
export const LLM_DAY_TOKENS_DEFAULT = 1_000_000;
export const LLM_DAY_TOKENS_MAX = 1_000_000_000_000;
/**
 * Tools (open-shapes, section 7): names, as all providers of models take them, and what they say to
 * models.
 */
export const TOOL_NAME_CHARACTERS_MAX = 64;
export const TOOL_DESCRIPTION_CHARACTERS_MAX = 2_000;
/**
 * Chat (open-shapes, section 7): a message, a title, a remark on an answer, and the tools that a
 * turn names.
 */
export const CHAT_MESSAGE_CHARACTERS_MAX = 32_000;
export const CHAT_TITLE_CHARACTERS_MAX = 200;
export const CHAT_COMMENT_CHARACTERS_MAX = 2_000;
export const CHAT_TOOLS_MAX = 1_000;
/**
 * The admin agent (open-shapes, section 7): one message to it, and the files of one conversation.
 */
export const ADMIN_AGENT_MESSAGE_CHARACTERS_MAX = 100_000;
export const UPLOAD_BYTES_MAX = 20 * 1024 * 1024;
export const UPLOAD_NAME_CHARACTERS_MAX = 200;
export const UPLOADS_MAX = 100;
/** Files of nodes: each of them. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** Agents: the settings of one, what one run may use, and what it is given. */
export const AGENT_INSTRUCTIONS_CHARACTERS_MAX = 64_000;
export const AGENT_TOOLS_MAX = 200;
export const AGENT_STEPS_MAX = 100;
export const AGENT_TOOL_CALLS_MAX = 500;
export const AGENT_TOKENS_MAX = 10_000_000;
export const AGENT_SECONDS_MAX = 600;
export const AGENT_MESSAGE_CHARACTERS_MAX = 100_000;
export const AGENT_VARIABLES_MAX = 100;
export const AGENT_VARIABLE_CHARACTERS_MAX = 10_000;
/**
 * Deep research (specification, section 4.6): the limits that an administrator may set, and what is
 * said to models.
 */
export const RESEARCH_QUEUED_MAX = 1_000;
export const RESEARCH_RUNNING_MAX = 100;
export const RESEARCH_STEPS_MIN = 4;
export const RESEARCH_STEPS_MAX = 1_000;
export const RESEARCH_TOKENS_MAX = 1_000_000_000;
export const RESEARCH_MINUTES_MAX = 24 * 60;
export const RESEARCH_QUESTION_CHARACTERS_MAX = 8_000;
export const RESEARCHERS_MAX = 8;
export const RESEARCHER_NAME_CHARACTERS_MAX = 100;
export const RESEARCH_INSTRUCTIONS_CHARACTERS_MAX = 4_000;
/** What an administrator tells every model of the assistant. */
export const ASSISTANT_INSTRUCTIONS_CHARACTERS_MAX = 8_000;
/** Budgets of months: how many, prices of models, and the largest of each. */
export const LLM_BUDGETS_MAX = 100;
export const LLM_PRICES_MAX = 500;
export const LLM_PRICE_MAX = 1_000_000;
export const LLM_BUDGET_TOKENS_MAX = 1_000_000_000_000;
export const LLM_BUDGET_MONEY_MAX = 1_000_000_000;
/** Names in each list of what models may search for. */
export const LLM_SEARCH_NAMES_MAX = 1_000;
/** Nodes that are similar to one. */
export const SIMILAR_NODES_MAX = 1_000;
/** Synonyms (specification, section 4.5): each list of a term, and each word. */
export const SYNONYMS_MAX = 100;
export const SYNONYM_CHARACTERS_MAX = 200;

/**
 * Golden sets (open-shapes, section 6): their names and queries, relevant nodes of one query, and
 * how relevant one is.
 */
export const GOLDEN_SET_NAME_CHARACTERS_MAX = 100;
export const GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX = 1_000;
export const GOLDEN_SET_QUERIES_MAX = 10_000;
export const GOLDEN_SET_QUERY_CHARACTERS_MAX = 1_000;
export const GOLDEN_SET_RELEVANT_MAX = 1_000;
export const GOLDEN_SET_GRADE_MAX = 100;

/**
 * Golden answers (open-shapes, section 14): questions of a set, what an answer must say, nodes that
 * one names, what a run may cost, and verdicts of people in one request.
 */
export const GOLDEN_QUESTIONS_MAX = 500;
export const GOLDEN_QUESTION_CHARACTERS_MAX = 2_000;
export const GOLDEN_NUGGETS_MAX = 50;
export const GOLDEN_NUGGET_CHARACTERS_MAX = 1_000;
export const GOLDEN_NUGGET_NODES_MAX = 20;
export const GOLDEN_HIDDEN_NODES_MAX = 50;
export const GOLDEN_RUN_TOKENS_MAX = 100_000_000;
export const GOLDEN_LABELS_MAX = 1_000;

/** The setting `ReplicaURLs` (specification, section 2.9). */
export const REPLICA_URLS_CHARACTERS_MAX = 4_000;

/** Custom interfaces: their names, the zip of one, its files, and their bytes together. */
export const INTERFACE_NAME_CHARACTERS_MAX = 100;
export const INTERFACE_ZIP_BYTES_MAX = 64 * 1024 * 1024;
export const FRONT_END_FILES_MAX = 2_000;
export const FRONT_END_BYTES_MAX = 64 * 1024 * 1024;

/** The WebSocket (open-shapes, section 8): from its opening to the token. */
export const WEB_SOCKET_SIGN_IN_MS = 10_000;

/**
 * Tasks and migrations (open-shapes, section 8): a name, which is one segment of a path, a
 * schedule, and code.
 */
export const TASK_NAME_CHARACTERS_MAX = 100;
export const TASK_CRON_CHARACTERS_MAX = 200;
export const TASK_TIME_ZONE_CHARACTERS_MAX = 64;
