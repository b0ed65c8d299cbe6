import { must } from '#base/assert.ts';
import type { NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** What an administrator decides about a tool (open-shapes, section 7). */
export interface ToolSettings {
  readonly description: string;
  readonly endpoint: string;
  readonly access: 'users' | 'admins';
  readonly enabled: boolean;
}

export interface StoredTool extends ToolSettings {
  readonly UID: string;
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Of the node, for optimistic changes. */
  readonly nodeVersion: number;
}

/** The node type in which tools are stored: see `#graph/system-schema.ts`. */
export const TOOL_TYPE = '_Tool';

/** Reads the tools that administrators have made. */
export class ToolStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  find(name: string): StoredTool | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: TOOL_TYPE, key: name });
    return id === undefined ? undefined : this.#read(id);
  }

  /** By name. */
  all(): StoredTool[] {
    this.#reader.refresh();
    return [...this.#reader.idsOfType(TOOL_TYPE)]
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #read(id: number): StoredTool {
    const node = must(this.#reader.node(id), 'the node of a tool');
    return {
      UID: node.UID,
      name: String(node.Id),
      description: String(node['Description'] ?? ''),
      endpoint: String(node['Endpoint'] ?? ''),
      access: node['Access'] === 'admins' ? 'admins' : 'users',
      enabled: node['Enabled'] === true,
      updatedAt: node.Timestamp,
      nodeVersion: must(this.#reader.version(id), 'the version of a node'),
    };
  }
}

/** The way there: nothing else writes these nodes. */
export function toolFields(tool: ToolSettings): NonNullable<NodeWrite['fields']> {
  return {
    Description: tool.description,
    Endpoint: tool.endpoint,
    Access: tool.access,
    Enabled: tool.enabled,
  };
}
