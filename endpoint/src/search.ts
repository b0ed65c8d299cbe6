import type { EdgeTypeName, NodeBase, NodeOf, NodeTypeName, NodeReference, UID } from './nodes.ts';
import type { Comparison, Moment } from './query.ts';

/** What is looked for (open-shapes, section 6). Everything but the query may be left out. */
export interface SearchRequest<T extends NodeTypeName = NodeTypeName> {
  /**
   * Words: all of them, or any of them where too few nodes have all. Also `OR`, `-word`, `"phrase"`, `prefix*`, `field:value`,
   * brackets. What cannot be read so is searched as plain words. Without any, everything that passes the filters is a hit.
   */
  readonly query?: string;
  /** Only nodes of these types; by default of all that can be searched. */
  readonly types?: readonly T[];
  /** Only words in these fields count, and vectors of these. */
  readonly fields?: readonly SearchFieldName<T>[];
  /** Fields that are set as facets, `Type`, or others. `*` is every facet that the searcher may read, by its name. */
  readonly facets?: readonly (SearchFieldName<T> | '*' | FacetRequest<T>)[];
  /** All must hold. */
  readonly filters?: readonly SearchFilter<T>[] | { readonly [field: string]: FilterValue };
  /** Only neighbours of these nodes: of all of them. */
  readonly relatedTo?: Related | readonly Related[];
  /** Only these nodes can be hits. */
  readonly targetUids?: readonly UID[];
  /** The two letters of the language of the query; by default those of the texts. */
  readonly language?: string;
  /** How many typing errors a word may have; `auto`, the default: none up to 2 letters, 1 up to 5, else 2. */
  readonly fuzziness?: 0 | 1 | 2 | 'auto';
  /**
   * What finds: the words (`text`, the default), vectors of fields near to that of the query (`vector`: what means the same in other
   * words), or both in one order (`hybrid`). Vectors need a field that has some, by the search settings. By vector the 200 nearest
   * nodes are found; `hybrid` finds all that the words match besides.
   */
  readonly mode?: 'text' | 'vector' | 'hybrid';
  /** The vector that is looked for, in all fields with as many dimensions; by default that of the words, made by the provider. */
  readonly vector?: readonly number[];
  /** Of a `hybrid` score the share of the words, 0 to 1: 0.5 unless told. The rest is the vector's. */
  readonly weight?: number;
  /**
   * How `hybrid` makes one order of two. `weighted`, the default: the score of the words as a share of the best one, and the
   * cosine, are added up by their weights. `rrf`: the ranks on both sides count, not the scores (reciprocal rank fusion).
   */
  readonly ranking?: 'weighted' | 'rrf';
  /** The least cosine of what is found by its vector, 0 to 1: 0 unless told. */
  readonly similarityMin?: number;
  readonly sort?: 'relevance' | 'recent' | 'oldest';
  /** The score halves with each so many days of age. */
  readonly timeDecay?: { readonly halfLifeDays: number };
  readonly skip?: number;
  /** 10 unless told; at most 1,000. */
  readonly take?: number;
  /** Tells of each hit what its score is made of. */
  readonly explain?: boolean;
}

/** A field that nodes of these types have. `Type` and `Timestamp` are among them. */
export type SearchFieldName<T extends NodeTypeName> =
  NodeOf<T> extends infer N ? (N extends unknown ? keyof N & string : never) : never;

type FilterValue = string | number | boolean | readonly (string | number | boolean)[];

export interface SearchFilter<T extends NodeTypeName = NodeTypeName> {
  readonly field: SearchFieldName<T>;
  /** `=` unless told. */
  readonly op?: Comparison;
  readonly value?: unknown;
}

/** A node, and when not any edge will do, of which type. */
export type Related =
  | NodeReference
  | { readonly node: NodeReference; readonly edge?: EdgeTypeName };

/** What is counted over all hits, not only those of the page. The most frequent values come first. */
export type FacetRequest<T extends NodeTypeName = NodeTypeName> =
  | { readonly field: SearchFieldName<T> | '*'; readonly take?: number; readonly name?: string }
  | {
      /** The neighbours over these edges, one after the other. */
      readonly related: EdgeTypeName | readonly EdgeTypeName[];
      readonly direction?: 'out' | 'in';
      readonly take?: number;
      readonly name?: string;
    }
  | {
      /** Of their timestamps, in UTC; in the order of time. */
      readonly time: 'year' | 'month' | 'week' | 'day' | 'hour';
      readonly from?: Moment;
      readonly to?: Moment;
      readonly name?: string;
    };

export interface FacetCount {
  /** The value as text; of a related node its UID; of a time its beginning, ISO 8601. */
  readonly value: string;
  /** Of a related node, what names it for people. */
  readonly label?: string;
  readonly count: number;
}

/**
 * Where the words were found: passages of the text, and in them what to mark, in UTF-16 units. Of a hit by its vector alone: how the
 * most similar piece of text begins, with nothing marked.
 */
export interface Highlight {
  readonly field: string;
  readonly snippets: readonly {
    readonly text: string;
    /** Of the passage in the field's text. */
    readonly start: number;
    readonly matches: readonly { readonly start: number; readonly end: number }[];
    /** Which of the texts, where the field is a list. */
    readonly item?: number;
  }[];
}

export interface SearchHit<N extends NodeBase = NodeOf> {
  readonly node: N;
  /** 0 in an order by time. */
  readonly score: number;
  /** Whether the words, the vector, or both found it. */
  readonly from: 'text' | 'vector' | 'both';
  readonly highlights: readonly Highlight[];
  /** Of a file, a node of the type `_FileEntry`: the node that it belongs to. */
  readonly fileOf?: NodeBase;
  readonly explain?: HitExplanation;
}

export interface HitExplanation {
  readonly score: number;
  /** What the words found. Without vectors their sum, times the decay, is the score. */
  readonly parts: readonly {
    readonly field: string;
    /** As it is in the index. */
    readonly term: string;
    /** The word of the query; with how it became this term. */
    readonly word: string;
    readonly origin: 'word' | 'typo' | 'prefix' | 'synonym';
    /** What it gives to the score, before decay. */
    readonly score: number;
  }[];
  /** The factor of `timeDecay`. */
  readonly decay?: number;
  /** What the words give to a score with vectors, which is the sum of both sides. */
  readonly text?: SideScore;
  /** What the vector gives; and which one is the most similar. */
  readonly vector?: SideScore & {
    readonly field: string;
    readonly model: string;
    /** Cosine. */
    readonly similarity: number;
  };
}

/** What one side gives to the score of a hit: weight and decay are in it. */
export interface SideScore {
  readonly score: number;
  /** Of words, `weighted`: what they give alone to the best hit, before decay; the parts count as shares of it. */
  readonly best?: number;
  /** `rrf`: from 1 on; absent of words that rank too low to count. */
  readonly rank?: number;
}

export interface SearchAnswer<N extends NodeBase = NodeOf> {
  readonly hits: readonly SearchHit<N>[];
  /** How many there are, over all pages. */
  readonly total: number;
  /** By the name of the facet: its own, or that of its field, `related` or `time`. */
  readonly facets: { readonly [name: string]: readonly FacetCount[] };
  readonly tookMs: number;
}

export interface SuggestRequest {
  /** As it is typed: its last word is completed. */
  readonly query: string;
  readonly types?: readonly NodeTypeName[];
  /** 8 unless told; at most 50. */
  readonly take?: number;
}

export interface Suggestion {
  /** The query with its last word completed. */
  readonly query: string;
  readonly word: string;
  /** Nodes that have it, in any of its forms. */
  readonly count: number;
}
