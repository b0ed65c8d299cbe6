import { z } from 'zod';
import {
  EMBEDDING_MODEL_CHARACTERS_MAX,
  LIST_TAKE_DEFAULT,
  LIST_TAKE_MAX,
  LLM_SEARCH_NAMES_MAX,
  SEARCH_BOOST_MAX,
  SEARCH_CHUNK_CHARACTERS_MAX,
  SEARCH_CHUNK_CHARACTERS_MIN,
  SEARCH_FIELDS_MAX,
  SEARCH_TYPES_MAX,
  SYNONYM_CHARACTERS_MAX,
  SYNONYMS_MAX,
} from '../limits.ts';
import { NUMBER_CHARACTERS_MAX } from '../request-limits.ts';
import type { Immutable } from '../immutable.ts';
import { queryInteger } from './list.ts';
import { graphName, recordUpTo } from '../bounded-shapes.ts';

/**
 * ISO 639-1; `--` for any: words are compared as they are written. `auto` finds out from each text.
 * Which there are, the server says when it refuses one.
 */
const language = z
  .string()
  .max(4)
  .regex(/^(?:[a-z]{2}|--|auto)$/, 'must be two letters, "--" or "auto"');

const fieldSettings = z.strictObject({
  /**
   * The words of the field are searched. A hit in it counts `boost` times as much as one in a field
   * with 1.
   */
  text: z
    .strictObject({
      boost: z.number().positive().max(SEARCH_BOOST_MAX).default(1),
      /** Where it is not that of the type. */
      language: language.optional(),
    })
    .optional(),
  /**
   * Nodes are found by the meaning of the field. A text is embedded; a list of numbers is already a
   * vector.
   */
  vector: z
    .strictObject({
      /** By default the provider's model for embeddings. For numbers: what made them. */
      model: z.string().trim().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX).optional(),
      /** Characters at most of a piece of text that gets a vector of its own. */
      chunk: z.int().min(SEARCH_CHUNK_CHARACTERS_MIN).max(SEARCH_CHUNK_CHARACTERS_MAX).optional(),
    })
    .optional(),
  /** Its values are counted over all hits, when a search asks for them. */
  facet: z.boolean().optional(),
});

const typeSettings = z.strictObject({
  /** False keeps the rest of the settings for later. */
  searchable: z.boolean().default(true),
  language: language.default('auto'),
  /** Among nodes of the same name, those of a type that counts more come first; 1 by default. */
  weight: z.number().positive().max(SEARCH_BOOST_MAX).optional(),
  fields: recordUpTo(SEARCH_FIELDS_MAX, graphName.min(1), fieldSettings),
});

/** What can be searched, and how (open-shapes, section 6). */
export const searchSettings = z.strictObject({
  types: recordUpTo(SEARCH_TYPES_MAX, graphName.min(1), typeSettings),
});
export type SearchSettings = Immutable<z.infer<typeof searchSettings>>;

/** State of the index in the process that answers: each builds its own. */
export const searchIndexState = z.strictObject({
  /** Everything up to it can be found; null while the first index is built. */
  sequence: z.int().min(0).nullable(),
  documents: z.int().min(0),
  segments: z.int().min(0),
  /** In memory; and what is read from files, as it is beyond the budget of memory. */
  bytes: z.int().min(0),
  bytesOnDisk: z.int().min(0),
  /** Types that are being indexed again. What was indexed before is still found. */
  rebuild: z
    .strictObject({
      types: z.array(z.string()),
      done: z.int().min(0),
      total: z.int().min(0),
      startedAt: z.iso.datetime(),
    })
    .nullable(),
  /** The fields that have vectors. */
  vectors: z.array(
    z.strictObject({
      type: z.string(),
      field: z.string(),
      model: z.string(),
      /** Null as long as there is no vector. */
      dimensions: z.int().min(1).nullable(),
      vectors: z.int().min(0),
      /**
       * Nodes whose value is no vector, or one of another number of dimensions: they are not found
       * by it.
       */
      unfit: z.int().min(0),
    }),
  ),
  /**
   * Pieces of text without a vector: those that wait for one, and those that the provider does not
   * take.
   */
  texts: z.strictObject({ waiting: z.int().min(0), refused: z.int().min(0) }),
  /**
   * What has texts embedded; null on a replica, to which the vectors come from its primary. Counts
   * are since the start.
   */
  embedder: z
    .strictObject({
      /** `off`: there is no provider. `waiting`: it failed, and is asked again at `retryAt`. */
      status: z.enum(['off', 'idle', 'working', 'waiting']),
      embedded: z.int().min(0),
      refused: z.int().min(0),
      lastError: z.string().nullable(),
      retryAt: z.iso.datetime().nullable(),
    })
    .nullable(),
});
export type SearchIndexState = Immutable<z.infer<typeof searchIndexState>>;

/** Blanks around it do not count. */
const term = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(SYNONYM_CHARACTERS_MAX)
  .refine((text) => text.isWellFormed(), 'must be well-formed text');
const terms = z.array(term).max(SYNONYMS_MAX);
const lang = z
  .string()
  .max(2)
  .regex(/^(?:[a-z]{2}|--)$/, 'must be a language of two letters, or "--" for any');
const queryFlag = z.enum(['true', 'false'], 'must be "true" or "false"');

/** What goes with a term in searches; each holds in one direction only. */
export const synonymLists = z.strictObject({
  /** Other words that are searched too; a hit by one of them counts for less. */
  Synonyms: terms,
  /** Other ways to write the same; a hit by one of them counts as much. */
  Alternates: terms,
  /**
   * Words that the term never stands for, nor is suggested: neither as a typo of it nor as a
   * synonym for it.
   */
  Blocked: terms,
});
export type SynonymLists = Immutable<z.infer<typeof synonymLists>>;

/** Specification, section 4.5; open-shapes, section 6. */
export const synonymRecord = z.strictObject({
  Token: z.string(),
  Language: z.string(),
  Synonyms: z.array(z.string()),
  Alternates: z.array(z.string()),
  Blocked: z.array(z.string()),
  /**
   * Words that stand in what the caller may read and that are written much the same, the most
   * similar first.
   */
  Suggestions: z.array(
    z.strictObject({
      term: z.string(),
      /** 1 less the part of its letters that differ. */
      similarity: z.number().min(0).max(1),
    }),
  ),
});
export type SynonymRecord = Immutable<z.infer<typeof synonymRecord>>;

export const storedSynonyms = synonymRecord.omit({ Suggestions: true });
export type StoredSynonyms = Immutable<z.infer<typeof storedSynonyms>>;

export const synonymList = z.strictObject({
  /** Terms; with `includeSynonyms`, pairs of a term and one of its synonyms or alternates. */
  Results: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
  TotalCount: z.int().min(0),
});
export type SynonymList = Immutable<z.infer<typeof synonymList>>;

export const synonymListQuery = z.object({
  lang,
  /** Part of a term, in any case. */
  query: z.string().max(SYNONYM_CHARACTERS_MAX).default(''),
  includeSynonyms: z.enum(['0', '1'], 'must be "1" or "0"').default('0'),
});

export const synonymListHeaders = z.object({
  'x-msk-skip': queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
  'x-msk-limit': queryInteger(1, LIST_TAKE_MAX, LIST_TAKE_DEFAULT),
});

export const synonymQuery = z.object({
  token: term,
  lang,
  tolerance: z
    .string()
    .max(NUMBER_CHARACTERS_MAX)
    .regex(/^(?:0\.[7-9]\d{0,9}|1(?:\.0{1,10})?)$/, 'must be a number from 0.7 to 1.0')
    .transform(Number)
    .default(0.8),
});

export const synonymChangeQuery = z.object({
  token: term,
  lang,
  /**
   * Whether the term holds for the word in any case. If not, one with capitals is for words that
   * are written just so.
   */
  ignoreCase: queryFlag.default('true').transform((flag) => flag === 'true'),
  /** False adds to what there is. */
  replace: queryFlag.default('true').transform((flag) => flag === 'true'),
});

const searchNames = z.array(graphName.min(1)).max(LLM_SEARCH_NAMES_MAX);

/** What models may search for on somebody's behalf (open-shapes, section 7), as it holds. */
export const llmSearchSettings = z.strictObject({
  nodeTypes: searchNames,
  /** Names of fields by which hits may be narrowed. */
  filters: searchNames,
  /** Filters by the types that can be searched. */
  available: recordUpTo(SEARCH_TYPES_MAX, graphName, z.array(graphName).max(SEARCH_FIELDS_MAX)),
});
export type LlmSearchSettings = Immutable<z.infer<typeof llmSearchSettings>>;

/** An empty list stands for all that there is. What was read can be sent back. */
export const llmSearchChange = llmSearchSettings.partial({ available: true });
