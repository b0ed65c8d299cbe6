import type { EdgeTypeName, NodeBase, NodeOf, NodeTypeName, NodeReference } from './nodes.ts';
import type { Comparison, Moment } from './query.ts';

/** A search (open-shapes, section 6). All members are optional. */
export interface SearchRequest<T extends NodeTypeName = NodeTypeName> {
  /**
   * Words: hits have all of them, or any of them if too few nodes have all. Also `OR`, `-word`,
   * `"phrase"`, `prefix*`, `field:value`, brackets; invalid syntax is searched as plain words.
   * Without a query, every node that passes the filters is a hit.
   */
  readonly query?: string;
  /** Only nodes of these types; by default all types that can be searched. */
  readonly types?: readonly T[];
  /** Only words and vectors of these fields count. */
  readonly fields?: readonly SearchFieldName<T>[];
  /** Names of facet fields, `Type`, or requests. `*` is every facet that the searcher may read. */
  readonly facets?: readonly (SearchFieldName<T> | '*' | FacetRequest<T>)[];
  /** All must hold. */
  readonly filters?: readonly SearchFilter<T>[] | { readonly [field: string]: FilterValue };
  /** Only neighbors of all of these nodes. */
  readonly relatedTo?: Related | readonly Related[];
  /** Only these nodes can be hits. */
  readonly targetUids?: readonly NodeReference[];
  /** The two letters of the language of the query; by default those of the texts. */
  readonly language?: string;
  /** How many typos a word may have. Default `auto`: none up to 2 letters, 1 up to 5, else 2. */
  readonly fuzziness?: 0 | 1 | 2 | 'auto';
  /**
   * `text`, the default, finds by words. `vector` finds the 200 nodes nearest in meaning. `hybrid`
   * does both and makes one order. Vectors need a field that has them, by the search settings.
   */
  readonly mode?: 'text' | 'vector' | 'hybrid';
  /** Compared with fields of as many dimensions; by default the provider's vector of the query. */
  readonly vector?: readonly number[];
  /** Share of the words in a `hybrid` score, 0 to 1; 0.5 by default. The vector has the rest. */
  readonly weight?: number;
  /**
   * How `hybrid` makes one order. `weighted`, the default, adds the word score (as a share of the
   * best one) and the cosine by `weight`. `rrf` counts the ranks of both (reciprocal rank fusion).
   */
  readonly ranking?: 'weighted' | 'rrf';
  /** The least cosine of a hit by vector, 0 to 1; 0 by default. */
  readonly similarityMin?: number;
  readonly sort?: 'relevance' | 'recent' | 'oldest';
  /** The score halves every `halfLifeDays` days of age. */
  readonly timeDecay?: { readonly halfLifeDays: number };
  readonly skip?: number;
  /** 10 by default; at most 1,000. */
  readonly take?: number;
  /** Explains the score of each hit. */
  readonly explain?: boolean;
}

/** A field that nodes of these types have. `Type` and `Timestamp` are among them. */
export type SearchFieldName<T extends NodeTypeName> =
  NodeOf<T> extends infer N ? (N extends unknown ? keyof N & string : never) : never;

type FilterValue = string | number | boolean | readonly (string | number | boolean)[];

export interface SearchFilter<T extends NodeTypeName = NodeTypeName> {
  readonly field: SearchFieldName<T>;
  /** `=` by default. */
  readonly op?: Comparison;
  readonly value?: unknown;
}

/** A node, and the type of the edge to it; any by default. */
export type Related =
  | NodeReference
  | { readonly node: NodeReference; readonly edge?: EdgeTypeName };

/** Counts over all hits, not only those of the page. The most frequent values come first. */
export type FacetRequest<T extends NodeTypeName = NodeTypeName> =
  | { readonly field: SearchFieldName<T> | '*'; readonly take?: number; readonly name?: string }
  | {
      /** The neighbors over these edges, one after the other. */
      readonly related: EdgeTypeName | readonly EdgeTypeName[];
      readonly direction?: 'out' | 'in';
      readonly take?: number;
      readonly name?: string;
    }
  | {
      /** Counts hits by the time of their timestamps, in UTC, oldest first. */
      readonly time: 'year' | 'month' | 'week' | 'day' | 'hour';
      readonly from?: Moment;
      readonly to?: Moment;
      readonly name?: string;
    };

export interface FacetCount {
  /** The value as text; the UID of a related node; the beginning of a period, ISO 8601. */
  readonly value: string;
  /** The name of a related node. */
  readonly label?: string;
  readonly count: number;
}

/**
 * Passages with the words, and what to mark in them, in UTF-16 units. For a hit by vector alone:
 * the beginning of the most similar piece of text, with nothing marked.
 */
export interface Highlight {
  readonly field: string;
  readonly snippets: readonly {
    readonly text: string;
    /** Where the passage begins in the field's text. */
    readonly start: number;
    readonly matches: readonly { readonly start: number; readonly end: number }[];
    /** Index of the text, if the field is a list. */
    readonly item?: number;
  }[];
}

export interface SearchHit<N extends NodeBase = NodeOf> {
  readonly node: N;
  /** 0 when sorted by time. */
  readonly score: number;
  /** Whether the words, the vector, or both found it. */
  readonly from: 'text' | 'vector' | 'both';
  readonly highlights: readonly Highlight[];
  /** The node that a file belongs to; present when the hit has the type `_FileEntry`. */
  readonly fileOf?: NodeBase;
  readonly explain?: HitExplanation;
}

export interface HitExplanation {
  readonly score: number;
  /** The terms found. Without vectors the score is their sum, times the decay. */
  readonly parts: readonly {
    readonly field: string;
    /** As it is in the index. */
    readonly term: string;
    /** The word of the query; `origin` says how it became this term. */
    readonly word: string;
    readonly origin: 'word' | 'typo' | 'prefix' | 'synonym';
    /** Its part of the score, before decay. */
    readonly score: number;
  }[];
  /**
   * The hit comes before others because the query is its name or its UID, or because its name
   * begins with the query.
   */
  readonly name?: {
    readonly match: 'whole' | 'uid' | 'beginning';
    /** The weight of its type in the search settings: more comes first among nodes of one name. */
    readonly typeWeight?: number;
    /** Its edges, up to 4,095; 0 for a searcher from whom some nodes are hidden. */
    readonly connections?: number;
  };
  /** The factor of `timeDecay`. */
  readonly decay?: number;
  /** The part of the words, if vectors count too. */
  readonly text?: SideScore;
  /** The part of the vector, and which one is the most similar. */
  readonly vector?: SideScore & {
    readonly field: string;
    readonly model: string;
    /** Cosine. */
    readonly similarity: number;
  };
}

/** The part of one side in the score of a hit, with weight and decay applied. */
export interface SideScore {
  readonly score: number;
  /** `weighted`, words only: the best hit's score by words, before decay. */
  readonly best?: number;
  /** `rrf`: the rank, from 1; absent if the words rank too low to count. */
  readonly rank?: number;
}

export interface SearchAnswer<N extends NodeBase = NodeOf> {
  readonly hits: readonly SearchHit<N>[];
  /** Hits on all pages. */
  readonly total: number;
  /** By the name of the facet: its `name`, else its field, `related` or `time`. */
  readonly facets: { readonly [name: string]: readonly FacetCount[] };
  readonly tookMs: number;
}

export interface SuggestRequest {
  /** The text typed so far. Its last word is completed. */
  readonly query: string;
  readonly types?: readonly NodeTypeName[];
  /** 8 by default; at most 50. */
  readonly take?: number;
}

export interface Suggestion {
  /** The query with its last word completed. */
  readonly query: string;
  readonly word: string;
  /** Nodes that have the word in any of its forms. */
  readonly count: number;
}
