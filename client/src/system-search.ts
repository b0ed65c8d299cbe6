import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';

type Value = string | number | boolean;

export type SearchMode = 'text' | 'vector' | 'hybrid';

/**
 * Everything may be left out: without a query, all that passes the filters is found (open-shapes,
 * section 6).
 */
export interface SearchRequest {
  readonly query?: string;
  readonly types?: readonly string[];
  readonly fields?: readonly string[];
  /**
   * A field, `Type`, or others; `*` is every field that is a facet and that the caller may read.
   */
  readonly facets?: readonly (string | FacetRequest)[];
  /** All are to be met: comparisons, or values by field. */
  readonly filters?:
    | readonly { readonly field: string; readonly op?: string; readonly value?: unknown }[]
    | Readonly<Record<string, Value | readonly Value[]>>;
  /** Only neighbours of all of these. */
  readonly relatedTo?: Related | readonly Related[];
  readonly targetUids?: readonly NodeReference[];
  /** Two letters, of the query. */
  readonly language?: string;
  readonly fuzziness?: 0 | 1 | 2 | 'auto';
  /** Words when left out; vectors need a field that has some. */
  readonly mode?: SearchMode;
  /** The vector that is looked for; that of the words when left out. */
  readonly vector?: readonly number[];
  /** The share of the words in a hybrid score, 0 to 1; 0.5 when left out. */
  readonly weight?: number;
  /** How one order is made of two; `weighted` when left out. */
  readonly ranking?: 'weighted' | 'rrf';
  /** The least cosine of what is found by its vector, 0 to 1; 0 when left out. */
  readonly similarityMin?: number;
  readonly sort?: 'relevance' | 'recent' | 'oldest';
  readonly timeDecay?: { readonly halfLifeDays: number };
  readonly skip?: number;
  /** 10 when left out, at most 1,000. */
  readonly take?: number;
  readonly explain?: boolean;
}

type Related = NodeReference | { readonly node: NodeReference; readonly edge?: string };

/** What is counted over all hits: values of a field, nodes over edges, or times, ISO 8601. */
export type FacetRequest =
  | { readonly field: string; readonly take?: number; readonly name?: string }
  | {
      readonly related: string | readonly string[];
      readonly direction?: 'out' | 'in';
      readonly take?: number;
      readonly name?: string;
    }
  | {
      readonly time: 'year' | 'month' | 'week' | 'day' | 'hour';
      readonly from?: string;
      readonly to?: string;
      readonly name?: string;
    };

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Over all pages. */
  readonly total: number;
  /** By the name of the facet: its own, or that of its field, `related` or `time`. */
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  readonly tookMs: number;
}

export interface FacetCount {
  /** The UID of a related node, or the beginning of a time. */
  readonly value: string;
  readonly label?: string;
  readonly count: number;
}

export interface SearchHit {
  readonly node: NodeObject;
  readonly score: number;
  readonly from: 'text' | 'vector' | 'both';
  /** Passages, and in them what to mark, in UTF-16 units. */
  readonly highlights: readonly {
    readonly field: string;
    readonly snippets: readonly {
      readonly text: string;
      readonly start: number;
      readonly matches: readonly { readonly start: number; readonly end: number }[];
      /** Which of the texts, where the field is a list. */
      readonly item?: number;
    }[];
  }[];
  /** The node that a file, a node of the type `_FileEntry`, belongs to. */
  readonly fileOf?: NodeObject;
  /** When it was asked for. */
  readonly explain?: HitExplanation;
}

export interface HitExplanation {
  readonly score: number;
  /** What the words found; without vectors their sum, times the decay, is the score. */
  readonly parts: readonly {
    readonly field: string;
    readonly term: string;
    readonly word: string;
    readonly origin: 'word' | 'typo' | 'prefix' | 'synonym';
    readonly score: number;
  }[];
  readonly decay?: number;
  /** With vectors, the score is the sum of the two. */
  readonly text?: SideScore;
  readonly vector?: SideScore & {
    readonly field: string;
    readonly model: string;
    /** Cosine. */
    readonly similarity: number;
  };
}

export interface SideScore {
  readonly score: number;
  /** The score of the best text; parts count as shares of it. */
  readonly best?: number;
  /** Where ranks count. */
  readonly rank?: number;
}

export interface SuggestRequest {
  /** Its last word is completed. */
  readonly query: string;
  readonly types?: readonly string[];
  /** 8 when left out, at most 50. */
  readonly take?: number;
}

export interface Suggestion {
  readonly query: string;
  readonly word: string;
  /** Nodes that have the word in any of its forms. */
  readonly count: number;
}
