/** A search as endpoint code asks for it: see `search.ts` of `@trellis/endpoint`. */
export interface SearchRequest {
  readonly query: string;
  /** Undefined: all that can be searched. */
  readonly types: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly facets: readonly FacetRequest[];
  readonly filters: readonly FieldFilter[];
  readonly relatedTo: readonly RelatedFilter[];
  readonly targetUids: readonly string[] | undefined;
  readonly language: string | undefined;
  readonly fuzziness: 0 | 1 | 2 | 'auto';
  readonly mode: SearchMode;
  /** The share of the words in a hybrid score, 0 to 1. */
  readonly weight: number;
  readonly ranking: SearchRanking;
  /** Cosine, 0 to 1: what is less similar is not found by its vector. */
  readonly similarityMin: number;
  /** The vector that is looked for, in all fields whose vectors have as many dimensions. */
  readonly vector: readonly number[] | undefined;
  /** Those of the query's words by model. */
  readonly queryVectors: ReadonlyMap<string, Float32Array>;
  readonly sort: 'relevance' | 'recent' | 'oldest';
  readonly halfLifeMs: number | undefined;
  readonly skip: number;
  readonly take: number;
  readonly explain: boolean;
}

export const SEARCH_MODES = ['text', 'vector', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

export const SEARCH_RANKINGS = ['weighted', 'rrf'] as const;
export type SearchRanking = (typeof SEARCH_RANKINGS)[number];

export interface FieldFilter {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

export interface RelatedFilter {
  readonly node: NodeReference;
  readonly edge: string | undefined;
}

export type NodeReference =
  | { readonly uid: string; readonly type?: undefined; readonly key?: undefined }
  | { readonly type: string; readonly key: string; readonly uid?: undefined };

export type FacetRequest = FieldFacet | RelatedFacet | TimeFacet;

export interface FieldFacet {
  readonly kind: 'field';
  readonly name: string;
  readonly field: string;
  readonly take: number;
}

export interface RelatedFacet {
  readonly kind: 'related';
  readonly name: string;
  readonly edges: readonly string[];
  readonly direction: 'out' | 'in';
  readonly take: number;
}

export interface TimeFacet {
  readonly kind: 'time';
  readonly name: string;
  readonly unit: TimeUnit;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

export const TIME_UNITS = ['year', 'month', 'week', 'day', 'hour'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];
