/**
 * A query as data: a start, steps, an end (open-shapes, section 5, "Query operators"). It is built
 * by `q()` in endpoint code, crosses a thread as JSON, and is run set at a time by `run.ts`. The
 * names are those of the operators.
 *
 * A set is ordered and holds each node once: a step that follows edges keeps the order of
 * discovery.
 */
export const COMPARISONS = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'contains',
  'startsWith',
  'endsWith',
  'exists',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Which nodes count as similar. */
export interface Similarity {
  readonly count?: number;
  /** The types of the nodes that are found. */
  readonly types?: readonly string[];
  /** Whose vectors are compared. */
  readonly fields?: readonly string[];
  /** Cosine, -1 to 1. */
  readonly similarityMin?: number;
}

export type QueryStep =
  | { readonly op: 'startAt'; readonly type: string; readonly keys?: readonly string[] }
  | { readonly op: 'startAtUids'; readonly uids: readonly string[] }
  | {
      readonly op: 'startWhere';
      readonly type: string;
      readonly field: string;
      readonly compare: Comparison;
      readonly value?: unknown;
    }
  | {
      readonly op: 'startNear';
      readonly type: string;
      readonly field: string;
      readonly point: { readonly lat: number; readonly lon: number };
      readonly km: number;
    }
  /** The nodes whose field has these words (see open-shapes, section 6), the best first. */
  | {
      readonly op: 'startSearch';
      readonly type: string;
      readonly field: string;
      readonly text: string;
    }
  /** The nodes that are the most similar to vectors of some models; the best first. */
  | ({
      readonly op: 'startAtVectors';
      /** By model: base64 of little-endian 32-bit floats. */
      readonly vectors: Readonly<Record<string, string>>;
    } & Similarity)
  /** Those that are the most similar to these nodes, without them; the best first. */
  | ({ readonly op: 'startAtSimilar'; readonly uids: readonly string[] } & Similarity)
  | { readonly op: 'out' | 'in'; readonly type?: string; readonly edge?: string }
  | {
      readonly op: 'outMany';
      readonly hops: number;
      readonly types?: readonly string[];
      readonly edges?: readonly string[];
    }
  | {
      readonly op: 'where';
      readonly field: string;
      readonly compare: Comparison;
      readonly value?: unknown;
    }
  | { readonly op: 'whereTime'; readonly from?: string | number; readonly to?: string | number }
  /**
   * What comes after a node of this timestamp, newest first, as nodes of one type come: of the
   * UIDs, the first that there is counts. When there is none, nodes of that time are kept, too.
   */
  | { readonly op: 'after'; readonly timestamp: string | number; readonly uids: readonly string[] }
  | { readonly op: 'isRelatedTo'; readonly uid: string; readonly edge?: string }
  | { readonly op: 'union' | 'except' | 'intersect'; readonly steps: readonly QueryStep[] }
  | { readonly op: 'distinct' }
  /** As `startAtSimilar`, of the nodes of the set. */
  | ({ readonly op: 'similar' } & Similarity)
  | { readonly op: 'sortBy'; readonly field: string; readonly direction?: 'asc' | 'desc' }
  | { readonly op: 'sortByTimestamp'; readonly direction?: 'asc' | 'desc' }
  | { readonly op: 'sortByConnectivity'; readonly direction?: 'asc' | 'desc' }
  | { readonly op: 'skip' | 'take'; readonly count: number }
  | { readonly op: 'asUser' };

export type QueryEnd =
  /** The nodes, flat; `fields` limits them to some. */
  | { readonly end: 'nodes'; readonly fields?: readonly string[] }
  | { readonly end: 'uids' }
  | { readonly end: 'count' }
  /** `{node, score}[]`; 1 where no step scored. */
  | { readonly end: 'scored' }
  /**
   * `{UID?, type, from, to, timestamp, ...fields}[]`: the edges that leave the set, or with `in`
   * those that lead to it; all of them, or one page.
   */
  | {
      readonly end: 'edges';
      readonly edge?: string;
      readonly direction?: 'out' | 'in';
      readonly skip?: number;
      readonly take?: number;
    }
  /** `{[type]: count}` of the set. */
  | { readonly end: 'summary' }
  /** `{[edge]: count}` of the edges that leave the set, or with `in` of those that lead to it. */
  | { readonly end: 'neighborsSummary'; readonly direction?: 'out' | 'in' }
  /** `{value, count}[]`, most frequent first. */
  | { readonly end: 'groupBy'; readonly field: string }
  /** How the steps were carried out, after all of their nodes were found: see `trace.ts`. */
  | { readonly end: 'explain' }
  /**
   * From the set's first node to another: `{nodes, edges}`, or null within `maxHops`; edges are
   * followed both ways unless `edges`/`direction` say otherwise.
   */
  | {
      readonly end: 'shortestPath';
      readonly to: string;
      readonly maxHops?: number;
      readonly edges?: readonly string[];
      readonly direction?: 'out' | 'in' | 'both';
    }
  /**
   * All that are as short as the shortest, each `{nodes, edges}`, up to `take`; they differ in
   * their nodes.
   */
  | {
      readonly end: 'shortestPaths';
      readonly to: string;
      readonly take: number;
      readonly maxHops?: number;
      readonly edges?: readonly string[];
      readonly direction?: 'out' | 'in' | 'both';
    };

export interface Query {
  readonly steps: readonly QueryStep[];
  readonly end: QueryEnd;
}

/** An index that a query would use (open-shapes, section 9). */
export interface IndexAdvice {
  readonly type: string;
  readonly field: string;
  readonly why: string;
}
