import type {
  Edge,
  EdgeTypeName,
  FieldName,
  FieldValue,
  GeoPoint,
  NodeOf,
  NodeReference,
  NodeTypeName,
  UID,
} from './nodes.ts';

/**
 * How a field is compared. `contains` looks into a text or a list; `in` takes a list of values;
 * `exists` takes none.
 */
export type Comparison =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'exists';

/** What a field of this kind is compared with: one value or, for `in`, several. */
export type Operand<V> =
  Exclude<V, undefined> extends readonly (infer E)[]
    ? E | readonly E[]
    : Exclude<V, undefined> | readonly Exclude<V, undefined>[];

/** A moment: ISO 8601, or milliseconds since 1970 UTC. */
export type Moment = string | number;

/** Where a query begins. */
export interface QueryStart {
  /** All nodes of a type, newest first; or those with the given key or keys. */
  startAt<T extends NodeTypeName>(type: T, keys?: string | readonly string[]): Query<NodeOf<T>>;
  /** These nodes, by their UIDs or as they are named elsewhere, in this order. */
  startAtUids(nodes: NodeReference | readonly NodeReference[]): Query<NodeOf>;
  /** The nodes of a type whose field compares so. */
  startWhere<T extends NodeTypeName, F extends FieldName<NodeOf<T>>>(
    type: T,
    field: F,
    compare: Comparison,
    value?: Operand<FieldValue<NodeOf<T>, F>>,
  ): Query<NodeOf<T>>;
  /** The nodes of a type whose GeoPoint field lies within so many kilometres of a point. */
  startNear<T extends NodeTypeName>(
    type: T,
    field: FieldName<NodeOf<T>>,
    point: GeoPoint,
    km: number,
  ): Query<NodeOf<T>>;
  /**
   * The nodes of a type whose field has these words, the best first; see `SearchRequest.query` for
   * what the text may say. `scored()` gives their scores.
   */
  startSearch<T extends NodeTypeName>(
    type: T,
    field: FieldName<NodeOf<T>>,
    text: string,
  ): Query<NodeOf<T>>;
  /**
   * The nodes whose text means most nearly the same, the best first: up to `count`, 50 unless you
   * say otherwise and at most 1,000, of these types or of any that have vectors. `scored()` gives
   * the similarities. Throws the problem `embeddings_not_configured` or `embeddings_unavailable`
   * when there is nobody to make a vector of the text.
   */
  startAtSimilarText<T extends NodeTypeName = NodeTypeName>(
    text: string,
    count?: number,
    types?: T | readonly T[],
    options?: SimilarityOptions<T>,
  ): Query<NodeOf<T>>;
  /**
   * The nodes that are the most similar to one of these, up to 100, by their vectors; not these
   * themselves. The best first, as `startAtSimilarText` does. Nodes without vectors are similar to
   * nothing.
   */
  startAtSimilar<T extends NodeTypeName = NodeTypeName>(
    nodes: NodeReference | readonly NodeReference[],
    count?: number,
    types?: T | readonly T[],
    options?: SimilarityOptions<T>,
  ): Query<NodeOf<T>>;
  /** Limits the query to what `CurrentUser` may see. */
  asUser(): QueryStart;
}

export interface SimilarityOptions<T extends NodeTypeName = NodeTypeName> {
  /** Only the vectors of these fields are compared. */
  readonly fields?: readonly FieldName<NodeOf<T>>[];
  /** How similar they must be at least: a cosine, -1 to 1. */
  readonly similarityMin?: number;
}

/**
 * A query over a set of nodes. Each step gives a new query; nothing is read before one of the ends
 * is called. A set is ordered and holds each node once.
 */
export interface Query<N> extends AsyncIterable<N> {
  /** To the nodes that edges lead to: of one type, over one kind of edge, when given. */
  out(): Query<NodeOf>;
  out<T extends NodeTypeName>(type: T, edge?: EdgeTypeName): Query<NodeOf<T>>;
  /** To the nodes that edges come from. */
  in(): Query<NodeOf>;
  in<T extends NodeTypeName>(type: T, edge?: EdgeTypeName): Query<NodeOf<T>>;
  /** To everything within so many hops along outgoing edges. */
  outMany<T extends NodeTypeName = NodeTypeName>(
    hops: number,
    types?: readonly T[],
    edges?: readonly EdgeTypeName[],
  ): Query<NodeOf<T>>;
  /** Keeps the nodes whose field compares so; this one runs beside the data. */
  where<F extends FieldName<N>>(
    field: F,
    compare: Comparison,
    value?: Operand<FieldValue<N, F>>,
  ): Query<N>;
  /**
   * Keeps the nodes for which the function answers true; every node is handed to it, so narrow the
   * set before.
   */
  where(predicate: (node: N) => boolean): Query<N>;
  /**
   * Keeps the nodes whose timestamp lies between two moments, both included; null for an open end.
   */
  whereTime(from?: Moment | null, to?: Moment | null): Query<N>;
  /**
   * Keeps the nodes that come after one of this timestamp and UID, newest first, as `startAt`
   * gives them: the next page, however many pages there were. Of several UIDs, the first counts
   * that there still is; when there is none, nodes of that timestamp are kept, too.
   */
  after(timestamp: Moment, node: NodeReference | readonly NodeReference[]): Query<N>;
  /** Keeps the nodes that an edge joins with this node, in either direction. */
  isRelatedTo(node: NodeReference, edge?: EdgeTypeName): Query<N>;
  /** Adds the nodes of another query. */
  union<M>(other: Query<M>): Query<N | M>;
  /** Takes away the nodes of another query. */
  except(other: Query<unknown>): Query<N>;
  /** Keeps the nodes that another query holds as well. */
  intersect(other: Query<unknown>): Query<N>;
  /** The same set, as a set holds each node once anyway. */
  distinct(): Query<N>;
  /**
   * To the nodes that are the most similar to one of the set's: see `startAtSimilar`. The set has
   * 100 nodes at most.
   */
  similar<T extends NodeTypeName = NodeTypeName>(
    count?: number,
    types?: T | readonly T[],
    options?: SimilarityOptions<T>,
  ): Query<NodeOf<T>>;
  /** By the field, `asc` unless you say otherwise; nodes without a value come last. */
  sortBy(field: FieldName<N>, direction?: 'asc' | 'desc'): Query<N>;
  /** Newest first unless you say otherwise. */
  sortByTimestamp(direction?: 'asc' | 'desc'): Query<N>;
  /**
   * By the number of edges in both directions, the most connected first unless you say otherwise.
   */
  sortByConnectivity(direction?: 'asc' | 'desc'): Query<N>;
  /** Leaves out so many nodes at the beginning. */
  skip(count: number): Query<N>;
  /** Keeps so many nodes at most. */
  take(count: number): Query<N>;
  /** Limits the query to what `CurrentUser` may see. */
  asUser(): Query<N>;

  /** The nodes; only some of their fields when named. */
  nodes(fields?: readonly FieldName<N>[]): Promise<N[]>;
  /** Only the UIDs of the nodes. */
  uids(): Promise<UID[]>;
  /** How many nodes the set has. */
  count(): Promise<number>;
  /**
   * The nodes with their scores; 1 where no step scored. A similarity is a cosine, from -1 to 1.
   */
  scored(): Promise<{ readonly node: N; readonly score: number }[]>;
  /** The edges that leave the set, or with `in` those that lead to it; all of them, or one page. */
  edges(edge?: EdgeTypeName, options?: EdgeOptions): Promise<Edge[]>;
  /** How many nodes of each type. */
  summary(): Promise<{ readonly [T in NodeTypeName]?: number }>;
  /** How many edges of each type leave the set, or with `in` lead to it. */
  neighborsSummary(direction?: 'out' | 'in'): Promise<{ readonly [E in EdgeTypeName]?: number }>;
  /** How often each value of a field occurs, the most frequent first. */
  groupBy<F extends FieldName<N>>(
    field: F,
  ): Promise<{ readonly value: FieldValue<N, F>; readonly count: number }[]>;
  /**
   * How the query is carried out: where each step takes its nodes from, and which index would spare
   * reading nodes. It runs the query.
   */
  explain(): Promise<Explanation>;
  /** From the first node of the set to another; null when there is no way within `maxHops`. */
  shortestPath(to: NodeReference, options?: PathOptions): Promise<Path | null>;
  /**
   * All that are as short as the shortest, up to `take`, which is 10 unless you say otherwise; they
   * differ in their nodes.
   */
  shortestPaths(
    to: NodeReference,
    options?: PathOptions & { readonly take?: number },
  ): Promise<Path[]>;
}

/** What `explain()` tells of a query. */
export interface Explanation {
  readonly steps: readonly ExplainedStep[];
  readonly advice: readonly IndexAdvice[];
}

export interface ExplainedStep {
  /** The operator, such as `startWhere`. */
  readonly step: string;
  /** Where its nodes come from. `scan`: they are read one by one. */
  readonly access: 'key' | 'index' | 'scan' | 'edges' | 'search' | 'vectors';
  /** The fields of the index, in order, such as `Year, Title`. */
  readonly index?: string;
  /** Nodes, edges and keys of indexes that were read for it. */
  readonly rowsRead: number;
  readonly rowsOut: number;
  readonly ms: number;
}

/** A field whose index would spare reading nodes. */
export interface IndexAdvice {
  readonly type: NodeTypeName;
  readonly field: string;
  readonly why: string;
}

export interface EdgeOptions {
  readonly direction?: 'out' | 'in';
  readonly skip?: number;
  readonly take?: number;
}

export interface PathOptions {
  readonly maxHops?: number;
  readonly edges?: readonly EdgeTypeName[];
  /** Both ways unless you say otherwise. */
  readonly direction?: 'out' | 'in' | 'both';
}

export interface Path {
  readonly nodes: NodeOf[];
  readonly edges: Edge[];
}
