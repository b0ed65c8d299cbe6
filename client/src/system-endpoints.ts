import type { SimilarNodes } from '@trellis/contract/shapes/embedding.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import type {
  SearchAnswer,
  SearchMode,
  SearchRequest,
  SuggestRequest,
  Suggestion,
} from './system-search.ts';
import type { CallOptions } from './transport.ts';

export type EdgeDirection = 'out' | 'in';

/** An edge as an endpoint gives it, with its fields. */
export interface EdgeObject {
  readonly type: string;
  /** UIDs of its nodes. */
  readonly from: string;
  readonly to: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

export interface NodeCondition {
  readonly field: string;
  readonly compare:
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
  /** None for `exists`. */
  readonly value?: unknown;
}

export type NodeSort =
  | { readonly by: 'field'; readonly field: string; readonly direction?: 'asc' | 'desc' }
  | { readonly by: 'timestamp' | 'connectivity'; readonly direction?: 'asc' | 'desc' };

/** Either of a type, all or by their keys, or one by one. */
export type NodeSource =
  | { readonly type: string; readonly keys?: readonly string[]; readonly uids?: undefined }
  | {
      readonly uids: readonly NodeReference[];
      readonly type?: undefined;
      readonly keys?: undefined;
    };

export type NodesRequest = NodeSource & {
  /** All of them are to be met. */
  readonly where?: readonly NodeCondition[];
  /** Bounds of the timestamp, ISO 8601; both are included. */
  readonly from?: string;
  readonly to?: string;
  readonly sort?: NodeSort;
  /** Those to show; all of them when left out. */
  readonly fields?: readonly string[];
  readonly skip?: number;
  /** 50 when left out, at most 1,000. */
  readonly take?: number;
  /** Whether to count them all, which may mean to read them all. */
  readonly total?: boolean;
};

export interface NodesPage {
  readonly items: readonly NodeObject[];
  readonly skip: number;
  readonly take: number;
  readonly hasMore: boolean;
  /** When it was asked for. */
  readonly total?: number;
}

/** Rows of one type (docs/data.md). */
export interface TableRequest {
  readonly type: string;
  /** Those to show; all of them when left out. */
  readonly fields?: readonly string[];
  /** All of them are to be met. */
  readonly where?: readonly NodeCondition[];
  /** Newest first when left out; rows without a value come last. */
  readonly sort?: { readonly field: string; readonly direction?: 'asc' | 'desc' };
  /** The `next` of the page before. */
  readonly after?: string;
  /** 100 when left out, at most 1,000. */
  readonly take?: number;
  /** So many rows are read for one page where no index finds them; 200,000 when left out. */
  readonly scan?: number;
  /** Whether to count the rows, up to 100,000. */
  readonly total?: boolean;
  /** Whether to tell which index finds the rows. */
  readonly plan?: boolean;
}

export interface TablePage {
  /** Fewer than asked for, or none, before the last page where only some rows were read. */
  readonly items: readonly NodeObject[];
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
  readonly total?: number;
  /** False where there are more rows than `total`. */
  readonly isTotalExact?: boolean;
  readonly plan?: {
    readonly access: 'index' | 'scan';
    /** The fields of the index. */
    readonly index?: string;
    readonly rowsRead: number;
    /** Indexes that would save reading rows. */
    readonly advice: readonly {
      readonly type: string;
      readonly field: string;
      readonly why: string;
    }[];
  };
}

export interface NeighborsRequest {
  readonly node: NodeReference;
  /** The types of the edges to follow; all of them when left out. */
  readonly edges?: readonly string[];
  /** Both when left out. */
  readonly direction?: EdgeDirection | 'both';
  readonly skip?: number;
  /** 50 when left out, at most 1,000. */
  readonly take?: number;
}

export interface Neighbor {
  readonly direction: EdgeDirection;
  readonly edge: EdgeObject;
  readonly node: NodeObject;
}

export interface NeighborsPage {
  readonly node: NodeObject;
  /** Counts of all its edges, whichever are followed. */
  readonly counts: readonly {
    readonly direction: EdgeDirection;
    readonly edge: string;
    readonly count: number;
  }[];
  readonly items: readonly Neighbor[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

export interface PathsRequest {
  readonly from: NodeReference;
  readonly to: NodeReference;
  /** The types of the edges to follow; all of them when left out. */
  readonly edges?: readonly string[];
  /** Both when left out. */
  readonly direction?: EdgeDirection | 'both';
  /** 6 when left out, at most 20. */
  readonly maxHops?: number;
  /** 10 when left out, at most 50. */
  readonly take?: number;
}

/** Similar to a node, or to a text by its meaning. */
export type SimilarNodesRequest = (
  | { readonly uid: NodeReference; readonly text?: undefined }
  | { readonly text: string; readonly uid?: undefined }
) & {
  /** Types of the nodes that are found; all of them when left out. */
  readonly types?: readonly string[];
  /** 10 when left out, at most 1,000. */
  readonly take?: number;
  /** How similar they are at least: a cosine, -1 to 1. */
  readonly similarityMin?: number;
};

/** All of them are as short as the shortest; no hops when there is none. */
export interface ShortestPaths {
  readonly hops: number | null;
  readonly paths: readonly {
    readonly nodes: readonly NodeObject[];
    readonly edges: readonly EdgeObject[];
  }[];
}

/** Runs an endpoint by its name: see `TrellisClient.runEndpointAlias`. */
export type RunByName = <T>(name: string, body: unknown, options?: CallOptions) => Promise<T>;

/**
 * The endpoints that every server brings along. They show what the user who calls may see, and
 * reject with `forbidden` when no user does; they only read, so that replicas answer.
 */
export class SystemEndpoints {
  readonly #run: RunByName;

  constructor(run: RunByName) {
    this.#run = run;
  }

  /** Nodes of a type, by keys or by UIDs, compared, sorted, page by page. */
  nodes(request: NodesRequest, options?: CallOptions): Promise<NodesPage> {
    return this.#run('system/nodes', request, options);
  }

  /** Rows of one type, compared, sorted, and page by page from where the last one ended. */
  table(request: TableRequest, options?: CallOptions): Promise<TablePage> {
    return this.#run('system/table', request, options);
  }

  /**
   * The neighbours of a node: how many by edge type, and page by page. Rejects with `not_found`
   * without the node.
   */
  neighbors(request: NeighborsRequest, options?: CallOptions): Promise<NeighborsPage> {
    return this.#run('system/neighbors', request, options);
  }

  /**
   * Words, vectors or both, with filters and facets, page by page. Rejects with `invalid_request`
   * naming the member at fault; where the query needs a vector, with `embeddings_not_configured` or
   * `embeddings_unavailable`.
   */
  search(request: SearchRequest, options?: CallOptions): Promise<SearchAnswer> {
    return this.#run('system/search', request, options);
  }

  /** The modes in which `search` can find anything now: vectors need a field that has some. */
  async searchModes(options?: CallOptions): Promise<readonly SearchMode[]> {
    const { modes } = await this.#run<{ modes: SearchMode[] }>('system/search-modes', {}, options);
    return modes;
  }

  /** Words that the last word of a query may become, the most frequent first. */
  suggest(request: SuggestRequest, options?: CallOptions): Promise<readonly Suggestion[]> {
    return this.#run('system/suggest', request, options);
  }

  /**
   * The most similar nodes, the best first. Rejects with `not_found` without the node, and of a
   * text with `embeddings_not_configured` or `embeddings_unavailable` when nobody makes a vector of
   * it.
   */
  similar(request: SimilarNodesRequest, options?: CallOptions): Promise<SimilarNodes> {
    return this.#run('system/similar', request, options);
  }

  /** The shortest paths between two nodes. Rejects with `not_found` without one of them. */
  paths(request: PathsRequest, options?: CallOptions): Promise<ShortestPaths> {
    return this.#run('system/paths', request, options);
  }
}
