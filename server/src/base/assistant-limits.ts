/** What the assistant may do and keep. */

/** Characters of a title that is made from the first message. */
export const CHAT_MADE_TITLE_CHARACTERS_MAX = 60;
/** Conversations of one user, messages of one conversation, and unfinished answers of one user. */
export const CHATS_PER_USER_MAX = 1_000;
export const CHAT_MESSAGES_MAX = 400;
export const CHAT_TURNS_PER_USER_MAX = 8;
/** Tokens of earlier messages that the model gets. */
export const CHAT_CONTEXT_TOKENS_MAX = 48_000;
/**
 * One turn: requests to the model, calls of tools, tokens in and out, and time; and the time of one
 * call of a tool.
 */
export const CHAT_STEPS_MAX = 10;
export const CHAT_TOOL_CALLS_MAX = 8;
export const CHAT_TURN_TOKENS_MAX = 400_000;
export const CHAT_TURN_TIMEOUT_MS = 300_000;
export const CHAT_TOOL_TIMEOUT_MS = 30_000;
/** How deep objects in the result of a tool may be nested. Deeper ones are not shown again. */
export const CHAT_OUTPUT_DEPTH_MAX = 100;

/**
 * Deep research, where an administrator has set nothing: researches that wait and run; those of one
 * user; steps, tokens and minutes of one.
 */
export const RESEARCH_QUEUED_DEFAULT = 20;
export const RESEARCH_RUNNING_DEFAULT = 2;
export const RESEARCH_RUNS_PER_USER_DEFAULT = 2;
export const RESEARCH_STEPS_DEFAULT = 60;
export const RESEARCH_TOKENS_DEFAULT = 500_000;
export const RESEARCH_MINUTES_DEFAULT = 15;
/** The questions of a plan; characters of one question; characters of one note. */
export const RESEARCH_QUESTIONS_MAX = 8;
export const RESEARCH_PART_CHARACTERS_MAX = 2_000;
export const RESEARCH_NOTE_CHARACTERS_MAX = 20_000;
/** Calls of tools for one question of a plan, and the time of one call. */
export const RESEARCH_TOOL_CALLS_MAX = 50;
export const RESEARCH_TOOL_TIMEOUT_MS = 60_000;
/** The share of the tokens and minutes of a research that is kept for its report. */
export const RESEARCH_REPORT_SHARE = 0.25;
/**
 * Researchers are asked for nothing more when, of at least so many checked sentences of their
 * notes, a smaller share than this is supported by what it cites.
 */
export const RESEARCH_SUPPORT_SENTENCES_MIN = 4;
export const RESEARCH_SUPPORT_RATE_MIN = 0.5;

/** Agents and their runs. */

/** One run, where its agent says nothing else. */
export const AGENT_STEPS_DEFAULT = 16;
export const AGENT_TOOL_CALLS_DEFAULT = 32;
export const AGENT_TOKENS_DEFAULT = 200_000;
export const AGENT_SECONDS_DEFAULT = 300;
/** The time of one call of a tool by an agent. */
export const AGENT_TOOL_TIMEOUT_MS = 60_000;
/** How deep runs of agents may be nested. */
export const AGENT_DEPTH_MAX = 3;
/** Unfinished runs of one user. */
export const AGENT_RUNS_PER_USER_MAX = 16;
/** Runs that are kept: of one user, and of all. */
export const AGENT_RUNS_KEPT_PER_USER = 500;
export const AGENT_RUNS_KEPT = 5_000;
/** Characters of the messages and calls of one run that are kept. */
export const AGENT_TRANSCRIPT_CHARACTERS_MAX = 1024 * 1024;
/** Faults of one answer that the model is told of. */
export const AGENT_OUTPUT_FAULTS_MAX = 10;
/** The schema of the answer of an agent. */
export const AGENT_SCHEMA_CHARACTERS_MAX = 64 * 1024;

/** Providers of chat, and the router of requests to them. */

/** Unfinished requests. */
export const LLM_REQUESTS_MAX = 1_000;
/**
 * Requests with one token, or in one session: unfinished ones, and those that begin within a
 * minute.
 */
export const LLM_REQUESTS_PER_TOKEN_MAX = 64;
export const LLM_REQUESTS_PER_TOKEN_AND_MINUTE_MAX = 1_000;
/**
 * The time to the head of an answer, which comes last unless the answer is streamed; and the time
 * between two pieces of an answer.
 */
export const LLM_HEAD_TIMEOUT_MS = 240_000;
export const LLM_IDLE_TIMEOUT_MS = 120_000;
/**
 * Bytes of an answer that is not streamed, or of one event of a stream; and of what a provider says
 * about a failure.
 */
export const LLM_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
export const LLM_FAILURE_BYTES_MAX = 64 * 1024;
/** Bytes of a whole stream: each token takes some hundred bytes. */
export const LLM_STREAM_BYTES_MAX = 256 * 1024 * 1024;
/**
 * Characters of what models said in the Responses API that are kept for clients which refer to it:
 * of one user, and of all.
 */
export const LLM_KEPT_CHARACTERS_PER_USER_MAX = 1024 * 1024;
export const LLM_KEPT_CHARACTERS_MAX = 16 * LLM_KEPT_CHARACTERS_PER_USER_MAX;
/** The characters of one token, where a provider does not count tokens. */
export const LLM_CHARACTERS_PER_TOKEN = 4;
/**
 * What providers add at most to the tokens of a request, beside its bytes: how a model is told to
 * call tools; for each picture, which OpenAI's small models cut into many tiles; for each file, of
 * which Anthropic reads 100 pages as pictures and as text.
 */
export const LLM_TOOLS_TOKENS_MAX = 1_000;
export const LLM_PICTURE_TOKENS_MAX = 50_000;
export const LLM_FILE_TOKENS_MAX = 500_000;
/** How often usage is written, and how many days of it are kept. */
export const LLM_USAGE_WRITE_INTERVAL_MS = 60_000;
export const LLM_USAGE_DAYS_MAX = 31;
/**
 * Tokens and sessions of one user that are counted apart on one day. Further ones are counted
 * together.
 */
export const LLM_USAGE_TOKENS_PER_USER_MAX = 50;

/**
 * Characters of one result of a tool that a model reads; nodes in it that the model can cite;
 * characters that are kept of each.
 */
export const TOOL_RESULT_CHARACTERS_MAX = 32 * 1024;
export const SNIPPETS_PER_RESULT_MAX = 200;
export const SNIPPET_CHARACTERS_MAX = 2_000;
/**
 * What a model is told of the types of the workspace: characters of all of them and of one; fields
 * of one.
 */
export const BRIEF_CHARACTERS_MAX = 8_000;
export const BRIEF_LINE_CHARACTERS_MAX = 1_000;
export const BRIEF_FIELDS_PER_TYPE_MAX = 40;
/** Tools that a model is offered in one request, and those that are compared by meaning. */
export const TOOLS_PER_REQUEST_MAX = 24;
export const TOOLS_EMBEDDED_MAX = 64;
/** Tools that one model calls at a time. */
export const MODEL_TOOLS_AT_A_TIME = 4;
/** A request is tried once more when a busy provider asks to wait at most this long. */
export const LLM_RETRY_DELAY_MAX_MS = 5_000;
/**
 * `ai` in the code of endpoints: characters of one text; messages of a conversation; texts that one
 * request embeds.
 */
export const AI_TEXT_CHARACTERS_MAX = 1_000_000;
export const AI_MESSAGES_MAX = 1_000;
export const AI_TEXTS_MAX = 256;

/** The admin agent, and the files that are uploaded to its conversations. */

/**
 * Characters of one message and of the earlier messages that the model reads again, newest first.
 */
export const ADMIN_AGENT_HISTORY_CHARACTERS_MAX = 200_000;
export const ADMIN_AGENT_TITLE_CHARACTERS_MAX = 80;

/**
 * One turn: requests to the model, calls of tools, tokens, and time; and the time of one call of a
 * tool.
 */
export const ADMIN_AGENT_STEPS_MAX = 30;
export const ADMIN_AGENT_TOOL_CALLS_MAX = 60;
export const ADMIN_AGENT_TOKENS_MAX = 500_000;
export const ADMIN_AGENT_TIMEOUT_MS = 600_000;
export const ADMIN_AGENT_TOOL_TIMEOUT_MS = 60_000;

/** Definitions of one kind that are listed for the model. */
export const ADMIN_AGENT_LIST_MAX = 1_000;
/** Changes in one proposal, and the characters of its JSON. */
export const PROPOSAL_ITEMS_MAX = 50;
export const PROPOSAL_CHARACTERS_MAX = 2_000_000;

/** Support of the sentences of an answer by what they cite. */

/** Sentences of one answer that are checked; later ones stay unchecked. */
export const SUPPORT_SENTENCES_MAX = 500;
/** Characters of one cited node that are read, and of all that one answer cites. */
export const SUPPORT_NODE_CHARACTERS_MAX = 100_000;
export const SUPPORT_CHARACTERS_MAX = 1_000_000;
/** Citations of one sentence; comparisons of one sentence with passages. */
export const SUPPORT_CITATIONS_MAX = 20;
export const SUPPORT_COMPARISONS_MAX = 2_000;
/** Numbers, and dates, of one sentence that are looked for in what it cites. */
export const SUPPORT_FIGURES_MAX = 200;
/** Characters of a quote, and of all quotes that are kept of one answer. */
export const SUPPORT_QUOTE_CHARACTERS_MAX = 600;
export const SUPPORT_QUOTES_CHARACTERS_MAX = 100_000;
/** One question to the judge: sentences; characters of one document and of all; tokens; time. */
export const JUDGE_SENTENCES_MAX = 60;
export const JUDGE_DOCUMENT_CHARACTERS_MAX = 8_000;
export const JUDGE_DOCUMENTS_CHARACTERS_MAX = 80_000;
export const JUDGE_TOKENS_MAX = 100_000;
export const JUDGE_ANSWER_TOKENS_MAX = 8_000;
export const JUDGE_TIMEOUT_MS = 60_000;

/** Golden answers: sets; the runs of one set that are kept. */
export const GOLDEN_ANSWER_SETS_MAX = 100;
export const GOLDEN_RUNS_KEPT = 20;
/** Tokens of one run, unless it says otherwise. */
export const GOLDEN_RUN_TOKENS_DEFAULT = 1_000_000;
/** Characters that are kept of one answer, and of a piece of what leaked. */
export const GOLDEN_ANSWER_CHARACTERS_MAX = 20_000;
export const GOLDEN_LEAK_CHARACTERS_MAX = 200;
/** Leaks that are listed, and nodes that are looked for, in one answer. */
export const GOLDEN_LEAKS_MAX = 50;
export const GOLDEN_PROBES_MAX = 500;
/** Characters of what a model has read that are looked through for one question. */
export const GOLDEN_READ_CHARACTERS_MAX = 1_000_000;
/**
 * The judge of an answer: characters of what was read that it gets, tokens of its verdicts, and the
 * time of both.
 */
export const GOLDEN_JUDGE_CHARACTERS_MAX = 60_000;
export const GOLDEN_JUDGE_ANSWER_TOKENS_MAX = 8_000;
export const GOLDEN_JUDGE_TIMEOUT_MS = 120_000;
/** Verdicts of people that are kept with one run, and that one agreement is computed from. */
export const GOLDEN_LABELS_KEPT = 2_000;
export const GOLDEN_PAIRS_MAX = 2_000;
/** How often intervals draw anew, and what the draws begin with. */
export const BOOTSTRAP_RESAMPLES = 1_000;
export const BOOTSTRAP_SEED = 20_241;
/** The agreement of judge and people below which a report warns (Landis and Koch, 1977). */
export const KAPPA_WARNING_BELOW = 0.7;

/** Documents into the schema: extractions that are kept. */
export const EXTRACTIONS_KEPT = 50;
/** Tokens of one extraction, unless it says otherwise. */
export const EXTRACTION_TOKENS_DEFAULT = 1_000_000;
/** Characters of one batch of a document; those of its name that the model is told. */
export const EXTRACTION_BATCH_CHARACTERS_MAX = 12_000;
export const EXTRACTION_NAME_CHARACTERS_MAX = 200;
/** Proposals of one batch; characters of the values of one, and of a quote. */
export const EXTRACTION_BATCH_PROPOSALS_MAX = 100;
export const EXTRACTION_VALUES_CHARACTERS_MAX = 20_000;
export const EXTRACTION_QUOTE_CHARACTERS_MIN = 3;
export const EXTRACTION_QUOTE_CHARACTERS_MAX = 2_000;
/** The answer to one batch: its tokens, and its time. */
export const EXTRACTION_ANSWER_TOKENS_MAX = 16_000;
export const EXTRACTION_TIMEOUT_MS = 240_000;
/** How long to wait before a batch is asked for again; after the last its document is given up. */
export const EXTRACTION_RETRY_DELAYS_MS: readonly number[] = [1_000, 4_000];
/** A busy provider that says when to come back is given up to this. */
export const EXTRACTION_RETRY_DELAY_MAX_MS = 60_000;
/** Characters before and after a quote that are shown with it. */
export const EXTRACTION_CONTEXT_CHARACTERS = 1_500;
/** What documents say of one node: statements that are kept, with edges; nodes of one document. */
export const NODE_STATEMENTS_MAX = 500;
export const DOCUMENT_NODES_MAX = 20_000;
