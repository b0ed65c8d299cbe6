import { type SchemaDocument, schemaDocument } from '@trellis/contract/shapes/schema-document.ts';

type NodeType = SchemaDocument['nodes'][number];
type EdgeType = SchemaDocument['edges'][number];

/** The types that a file tells of before the nodes and edges that have them. */
export class ToldSchema {
  readonly #nodes = new Map<string, NodeType>();
  readonly #edges = new Map<string, EdgeType>();
  readonly #known: SchemaDocument;
  #isPending = false;

  /** `known` is what the server has already, for files that tell of no types. */
  constructor(known: SchemaDocument = { nodes: [], edges: [] }) {
    this.#known = known;
  }

  /** Throws an `Error` that says what is wrong. */
  add(value: unknown): void {
    const { success, data, error } = schemaDocument.safeParse(value);
    if (!success) {
      const [issue] = error.issues;
      throw new Error(`no schema: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    }
    for (const type of data.nodes)
      this.#nodes.set(type.type, merged(this.#nodes.get(type.type), type));
    for (const type of data.edges)
      this.#edges.set(type.type, merged(this.#edges.get(type.type), type));
    this.#isPending = true;
  }

  /** All that was told, when something was since the last call. */
  take(): SchemaDocument | undefined {
    if (!this.#isPending) return undefined;
    this.#isPending = false;
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }

  nodeType(name: string): NodeType | undefined {
    return this.#nodes.get(name) ?? this.#known.nodes.find(({ type }) => type === name);
  }

  edgeType(name: string): EdgeType | undefined {
    return this.#edges.get(name) ?? this.#known.edges.find(({ type }) => type === name);
  }
}

function merged<Type extends { readonly fields?: object | undefined }>(
  before: Type | undefined,
  now: Type,
): Type {
  return before === undefined
    ? now
    : { ...before, ...now, fields: { ...before.fields, ...now.fields } };
}
