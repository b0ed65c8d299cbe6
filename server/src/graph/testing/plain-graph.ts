import { formatUid, keyedUid } from '#base/uid.ts';

/**
 * A small graph as plain lists. A node is identified by its index in the list; ids have the same
 * order.
 */
export interface PlainGraph {
  readonly nodes: readonly PlainNode[];
  readonly edges: readonly PlainEdge[];
}

export interface PlainNode {
  readonly type: string;
  readonly key: string;
  readonly timestamp: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface PlainEdge {
  readonly from: number;
  readonly edge: string;
  readonly to: number;
}

/** What a user may not see: nodes, one field of the nodes of some types, and edges of one type. */
export interface Hidden {
  readonly nodes: ReadonlySet<number>;
  readonly field: string;
  readonly types: readonly string[];
  readonly edge: string | undefined;
}

export const EDGE_ORDER = ['E0', 'E1', 'E2'];

export function plainUid({ type, key }: PlainNode): string {
  return formatUid(keyedUid(type, key));
}

/** What one reader may see of a plain graph. */
export class PlainView {
  readonly nodes: readonly PlainNode[];
  readonly #visible: ReadonlySet<number>;
  readonly #edges: readonly PlainEdge[];
  readonly #hidden: Hidden | undefined;

  constructor(graph: PlainGraph, hidden: Hidden | undefined) {
    this.nodes = graph.nodes;
    this.#hidden = hidden;
    this.#visible = new Set(graph.nodes.keys().filter((i) => hidden?.nodes.has(i) !== true));
    this.#edges = graph.edges.filter(
      ({ from, edge, to }) =>
        edge !== hidden?.edge && this.#visible.has(from) && this.#visible.has(to),
    );
  }

  ofType(type: string): number[] {
    return [...this.#visible]
      .filter((id) => this.nodes[id]!.type === type)
      .toSorted((a, b) => this.time(b) - this.time(a) || b - a);
  }

  lookUp(uids: readonly string[]): number[] {
    return uids
      .map((uid) => this.nodes.findIndex((node) => plainUid(node) === uid))
      .filter((id) => this.#visible.has(id));
  }

  edgesAt(id: number, direction: 'out' | 'in', edges: readonly string[]): PlainEdge[] {
    const [here, there] =
      direction === 'out' ? (['from', 'to'] as const) : (['to', 'from'] as const);
    return this.#edges
      .filter((each) => each[here] === id && edges.includes(each.edge))
      .toSorted(
        (a, b) => EDGE_ORDER.indexOf(a.edge) - EDGE_ORDER.indexOf(b.edge) || a[there] - b[there],
      );
  }

  neighbors(
    ids: readonly number[],
    direction: 'out' | 'in',
    edges: readonly string[],
    type: string | undefined,
  ): number[] {
    const reached = ids.flatMap((id) =>
      this.edgesAt(id, direction, edges).map(({ from, to }) => (direction === 'out' ? to : from)),
    );
    return reached.filter((id) => type === undefined || this.nodes[id]!.type === type);
  }

  /** An edge from a node to itself counts twice. */
  degree(id: number): number {
    const leaving = this.#edges.filter(({ from }) => from === id).length;
    return leaving + this.#edges.filter(({ to }) => to === id).length;
  }

  time(id: number): number {
    return this.nodes[id]!.timestamp;
  }

  key(id: number): string {
    return this.nodes[id]!.key;
  }

  show(id: number, fields: readonly string[] | undefined): Record<string, unknown> {
    const node = this.nodes[id]!;
    const all: Record<string, unknown> = {
      UID: plainUid(node),
      Type: node.type,
      Timestamp: new Date(node.timestamp).toISOString(),
      Id: node.key,
      ...(node.type === 'P' ? { K: node.key } : {}),
      ...node.fields,
    };
    const shown = Object.entries(all).filter(
      ([name]) =>
        !(name === this.#hidden?.field && this.#hidden.types.includes(node.type)) &&
        (fields === undefined || ['UID', 'Type', 'Timestamp', 'Id', ...fields].includes(name)),
    );
    return Object.fromEntries(shown);
  }

  read(id: number, field: string): unknown {
    return this.show(id, undefined)[field];
  }

  meets(id: number, field: string, compare: string, operand: unknown): boolean {
    const value = this.read(id, field);
    if (compare === 'exists') return (value !== undefined) === (operand !== false);
    if (compare === '!=') return !this.meets(id, field, '=', operand);
    if (value === undefined) return false;
    if (Array.isArray(value)) {
      const item = compare === 'contains' ? '=' : compare;
      return value.some((each) => meetsItem(each, item, operand));
    }
    return meetsItem(value, compare, operand);
  }
}

function meetsItem(value: unknown, compare: string, operand: unknown): boolean {
  // The generator compares only numbers with numbers and texts with texts.
  const [a, b] = [value as string, operand as string];
  switch (compare) {
    case '=':
      return a === b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case 'in':
      return (operand as unknown[]).includes(value);
    case 'contains':
      return a.includes(b);
    case 'startsWith':
      return a.startsWith(b);
    default:
      return a.endsWith(b);
  }
}
