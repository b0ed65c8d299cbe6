import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { formatUid, keyedUid } from '#base/uid.ts';
import type { CommitResult, WriterOperation, NodeReference, NodeWrite } from '../operations.ts';

/** The fixed schema of the model. */
export const MODEL_SCHEMA: SchemaDocument = {
  nodes: [
    { type: 'A', key: 'Name', fields: { N: 'Int', S: 'String', At: 'Time' }, timestamp: 'At' },
    { type: 'B', fields: { N: 'Long[]', S: 'String' } },
  ],
  edges: [
    { type: 'E', inverse: 'F' },
    { type: 'G', inverse: 'G', fields: { W: 'Int' } },
    { type: 'H', fields: { W: 'Int' } },
  ],
};

const INVERSE: Readonly<Record<string, string>> = { E: 'F', F: 'E', G: 'G' };

export interface ModelNode {
  readonly type: string;
  readonly key: string | undefined;
  fields: Record<string, unknown>;
  timestamp: number;
  version: number;
  aliases: readonly string[];
}

export interface ModelEdge {
  readonly from: string;
  readonly edge: string;
  readonly to: string;
  timestamp: number;
  fields: Record<string, unknown>;
}

/** Thrown where the real graph refuses the whole commit. */
export class Refusal extends Error {
  readonly code: string;
  readonly index: number;
  constructor(code: string, index: number) {
    super(`${code} at ${index}`);
    this.code = code;
    this.index = index;
  }
}

/** A graph, written as simply as possible: nodes by UID, edges by their ends and type. */
export class GraphModel {
  nodes = new Map<string, ModelNode>();
  edges = new Map<string, ModelEdge>();
  #now = 0;
  #created = 0;
  #index = 0;

  /**
   * Applies a commit, or throws a refusal and changes nothing. `randomUid` returns the UID of a
   * node without a key.
   */
  commit(
    operations: readonly WriterOperation[],
    now: number,
    randomUid: (index: number) => string,
  ): Omit<CommitResult, 'sequence'> {
    const before = { nodes: structuredClone(this.nodes), edges: structuredClone(this.edges) };
    this.#now = now;
    const outcomes: { uid: string | null; changed: boolean }[] = [];
    let nodes = 0;
    let edges = 0;
    this.#created = 0;
    try {
      operations.forEach((operation, index) => {
        this.#index = index;
        const done = this.#apply(operation, () => randomUid(index));
        nodes += done.nodes;
        edges += done.edges;
        outcomes.push({ uid: done.uid, changed: done.nodes + done.edges > 0 });
      });
    } catch (error) {
      Object.assign(this, before);
      throw error;
    }
    return { nodes, created: this.#created, edges, splits: 0, outcomes };
  }

  #apply(operation: WriterOperation, randomUid: () => string): Done {
    switch (operation.op) {
      case 'addOrUpdate':
      case 'tryAdd':
      case 'update':
        return this.#write(operation, randomUid);
      case 'delete':
        return this.#delete(operation);
      case 'link': {
        const from = this.#existing(operation.from);
        const to = this.#existing(operation.to);
        const inverse = operation.inverse ?? INVERSE[operation.edge];
        let edges = this.#link(from, operation.edge, to, operation);
        if (inverse !== undefined) edges += this.#link(to, inverse, from, operation);
        return { uid: null, nodes: 0, edges };
      }
      case 'unlink': {
        const inverse = operation.inverse ?? INVERSE[operation.edge];
        const edges = this.#unlink(
          uidOf(operation.from),
          operation.edge,
          uidOf(operation.to),
          inverse,
        );
        return { uid: null, nodes: 0, edges };
      }
      case 'unlinkExcept': {
        const inverse = operation.inverse ?? INVERSE[operation.edge];
        const kept = new Set(operation.keep.map(uidOf));
        const from = uidOf(operation.from);
        let edges = 0;
        for (const edge of this.edges.values()) {
          if (edge.from !== from || edge.edge !== operation.edge || kept.has(edge.to)) continue;
          edges += this.#unlink(from, operation.edge, edge.to, inverse);
        }
        return { uid: null, nodes: 0, edges };
      }
      default:
        throw new Error(`the model does not know ${operation.op}`);
    }
  }

  #write(operation: NodeWrite, randomUid: () => string): Done {
    const { op, type, fields = {} } = operation;
    const shown = type === 'A' ? fields['Name'] : undefined;
    const key = operation.key ?? (typeof shown === 'string' ? shown : undefined);
    const uid =
      operation.uid ?? (key === undefined ? undefined : formatUid(keyedUid(type ?? '', key)));
    const node = uid === undefined ? undefined : this.nodes.get(uid);
    if (op === 'update' && uid === undefined) throw this.#refuse();
    this.#checkVersion(operation.ifVersion, node?.version ?? 0);
    if (op === 'tryAdd' && node !== undefined) return { uid: uid ?? null, nodes: 0, edges: 0 };
    if (node === undefined && (op === 'update' || operation.uid !== undefined))
      throw this.#refuse();
    const changed: ModelNode = node
      ? structuredClone(node)
      : { type: type ?? '', key, fields: {}, timestamp: this.#now, version: 0, aliases: [] };
    this.#setFields(changed, operation);
    if (node !== undefined && JSON.stringify(node) === JSON.stringify(changed)) {
      return { uid: uid ?? null, nodes: 0, edges: 0 };
    }
    changed.version++;
    const written = uid ?? randomUid();
    this.nodes.set(written, changed);
    if (node === undefined) this.#created++;
    return { uid: written, nodes: 1, edges: 0 };
  }

  #setFields(node: ModelNode, { fields = {}, timestamp, aliases }: NodeWrite): void {
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'Name' && node.type === 'A') {
        if (value !== node.key) throw this.#refuse();
        continue;
      }
      const { [name]: _, ...others } = node.fields;
      const isGood =
        value === null ||
        (name === 'N' && node.type === 'A' && Number.isInteger(value)) ||
        (name === 'N' && node.type === 'B' && Array.isArray(value)) ||
        (name === 'S' && typeof value === 'string') ||
        (name === 'At' && node.type === 'A' && typeof value === 'string');
      if (!isGood) throw this.#refuse();
      // In a fixed order, so that equal nodes print the same.
      const next: Record<string, unknown> = value === null ? others : { ...others, [name]: value };
      node.fields = Object.fromEntries(
        ['N', 'S', 'At'].filter((known) => known in next).map((known) => [known, next[known]]),
      );
      if (name === 'At' && value !== null) node.timestamp = Date.parse(String(value));
    }
    if (timestamp !== undefined) node.timestamp = Number(timestamp);
    if (aliases !== undefined) node.aliases = aliases;
  }

  #delete(operation: Extract<WriterOperation, { op: 'delete' }>): Done {
    const { type = '', key = '' } = operation;
    const uid = operation.uid ?? formatUid(keyedUid(type, key));
    const node = this.nodes.get(uid);
    this.#checkVersion(operation.ifVersion, node?.version ?? 0);
    if (node === undefined) return { uid: null, nodes: 0, edges: 0 };
    this.nodes.delete(uid);
    let edges = 0;
    for (const [name, { from, to }] of this.edges) {
      if (from === uid || to === uid) {
        this.edges.delete(name);
        edges++;
      }
    }
    return { uid, nodes: 1, edges };
  }

  #link(
    from: string,
    edge: string,
    to: string,
    { fields, timestamp }: Extract<WriterOperation, { op: 'link' }>,
  ): number {
    const known = this.edges.get(nameOf(from, edge, to));
    const changed = known
      ? structuredClone(known)
      : { from, edge, to, timestamp: this.#now, fields: {} };
    if (timestamp !== undefined) changed.timestamp = Number(timestamp);
    const weight = fields?.['W'];
    if (weight !== undefined && (edge === 'G' || edge === 'H')) {
      changed.fields = weight === null ? {} : { W: weight };
    }
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(changed)) return 0;
    this.edges.set(nameOf(from, edge, to), changed);
    return 1;
  }

  #unlink(from: string, edge: string, to: string, inverse: string | undefined): number {
    let removed = Number(this.edges.delete(nameOf(from, edge, to)));
    if (inverse !== undefined) removed += Number(this.edges.delete(nameOf(to, inverse, from)));
    return removed;
  }

  #existing(reference: NodeReference): string {
    const uid = uidOf(reference);
    if (!this.nodes.has(uid)) throw this.#refuse();
    return uid;
  }

  #checkVersion(expected: number | undefined, actual: number): void {
    if (expected !== undefined && expected !== actual) {
      throw new Refusal('version_conflict', this.#index);
    }
  }

  #refuse(): Refusal {
    return new Refusal('invalid_operation', this.#index);
  }
}

/** What one operation did: to how many nodes and edges. */
interface Done {
  readonly uid: string | null;
  readonly nodes: number;
  readonly edges: number;
}

function nameOf(from: string, edge: string, to: string): string {
  return `${from} ${edge} ${to}`;
}

export function uidOf(reference: NodeReference): string {
  if (typeof reference === 'string') return reference;
  return reference.uid ?? formatUid(keyedUid(reference.type, reference.key));
}
