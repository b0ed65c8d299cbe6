import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';

/** What names a node in another workspace: type and key, or its UID where it has no key. */
export interface NodeName {
  readonly uid: string;
  readonly type: string;
  readonly key: string | undefined;
}

/** A node as the reader of an export may see it. The fields are without the key. */
export interface ExportedNode extends NodeName {
  readonly timestamp: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly aliases: readonly string[];
}

export interface ExportedEdge {
  readonly type: string;
  readonly from: NodeName;
  readonly to: NodeName;
  readonly timestamp: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Writes a graph as text in one format. The calls come in this order: `begin`, `schema`, all
 * nodes, then the edges; `schema` again wherever an edge type was not told of before; `end`.
 */
export interface GraphForm {
  begin(): void;
  /** Types that later nodes and edges have. */
  schema(schema: SchemaDocument): void;
  node(node: ExportedNode): void;
  edge(edge: ExportedEdge): void;
  end(): void;
  readonly isEmpty: boolean;
  /** Whether it should be taken before more is written. */
  readonly isFull: boolean;
  /** What was written since the last call: a view, valid until more is written. */
  take(): Uint8Array;
}
