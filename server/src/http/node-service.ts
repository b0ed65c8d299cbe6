import type { Caller } from '#access/caller.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  ManyFields,
  NodeObject,
  NodeQuery,
  NodeSelection,
  NodeVersion,
} from '@trellis/contract/shapes/node.ts';
import type { Awaitable } from './answer.ts';

/** What the caller may not see is nowhere in what these answer. */
export interface NodeService {
  /** Throws `node_not_found`. */
  get(caller: Caller, uid: string): Awaitable<NodeObject>;
  /** Newest first. Throws `node_not_found`. */
  history(caller: Caller, uid: string, page: Page): Awaitable<List<NodeVersion>>;
  /** Throws `invalid_request` for a type that there is not, as do the exports, which know fields as well. */
  query(caller: Caller, query: NodeQuery): Awaitable<List<NodeObject>>;
  many(caller: Caller, uids: readonly string[]): Awaitable<readonly (NodeObject | null)[]>;
  /** By UID. Throws `invalid_request` for a template that cannot be read. */
  manyFields(caller: Caller, wanted: ManyFields): Awaitable<Readonly<Record<string, unknown>>>;
  export(caller: Caller, selection: NodeSelection): Promise<NodeExport>;
  /** Apart for each type of node. */
  exportByType(caller: Caller, selection: NodeSelection): Promise<readonly NodeExport[]>;
}

export interface NodeExport {
  /** Of all its nodes, when they have one type. */
  readonly type: string | undefined;
  /** In the order of their columns, which follow those of `EXPORT_COLUMNS`. */
  readonly fields: readonly string[];
  /** By type of node and name of field. */
  readonly fieldTypes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The nodes; a piece is read when it is asked for. */
  readonly pieces: AsyncIterable<readonly ExportedNode[]>;
}

export interface ExportedNode {
  readonly node: NodeObject;
  /** Edges from it and to it that the caller may see. */
  readonly edgeCount: number;
}
