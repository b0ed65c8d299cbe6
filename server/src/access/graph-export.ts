import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Problem } from '#base/problem.ts';
import { turns } from '#base/turns.ts';
import type {
  ExportedEdge,
  ExportedNode,
  GraphForm,
  NodeName,
} from '#graph/interchange/graph-form.ts';
import { isSystemName } from '#graph/names.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import { budgetKey, type Caller } from './caller.ts';
import { userCaller } from './explain.ts';
import { typesFor } from './node-types.ts';
import type { NodeReads } from './node-view.ts';
import { SEES_EVERYTHING } from './visibility.ts';

/** So many edges are looked at before the time of the turn is. */
const EDGES_AT_ONE_COMMIT = 64;

/** What is exported, and for whom. */
export interface ExportRequest {
  readonly caller: Caller;
  /** The UID or the name of the user who is to see it; the caller when there is none. */
  readonly as: string | undefined;
}

/**
 * The whole graph on its way out, however large: all nodes first, each once, then the edges between
 * them. Nodes and edges of system types are left out, and so is who may see what.
 *
 * What is read in one turn of the event loop is of the newest commit, as it may be seen then. A
 * node that comes while the export runs is not in it, and nor are its edges: no edge leads to a
 * node that is missing.
 */
export class GraphExport {
  readonly #form: GraphForm;
  readonly #turns: ExportTurns;
  readonly #end: number;
  /** A bit for each node that was written. */
  readonly #written: Uint8Array;
  /** The edge types that were told of. */
  readonly #toldEdges = new Set<string>();
  #schema: SchemaDocument | undefined;

  /** Throws `user_not_found`. */
  constructor(reads: NodeReads, form: GraphForm, request: ExportRequest) {
    this.#form = form;
    this.#turns = new ExportTurns(reads, request);
    this.#end = reads.reader.nextId;
    this.#written = new Uint8Array(Math.ceil(this.#end / 8));
  }

  /**
   * The graph in pieces of about 128 KiB, each a view that is valid until the next one is asked
   * for. Throws `schema_conflict` when names that were written are not those of the schema any
   * more.
   */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const form = this.#form;
    const walk = this.#turns;
    form.begin();
    this.#tellSchema();
    for (let id = 1; id < this.#end; id++) {
      if (form.isFull) {
        yield form.take();
        await this.#nextTurn();
      } else if (turns.isSpent) await this.#nextTurn();
      const node = walk.view.node(id);
      if (node === undefined) continue;
      form.node(node);
      this.#written[id >> 3]! |= 1 << (id & 7);
    }
    for (let id = 1; id < this.#end; id++) {
      if (!this.#isWritten(id)) continue;
      if (turns.isSpent) await this.#nextTurn();
      const { to, types } = walk.view.outgoing(id);
      for (let i = 0; i < to.length; i++) {
        if (form.isFull) {
          yield form.take();
          await this.#nextTurn();
        } else if (i % EDGES_AT_ONE_COMMIT === EDGES_AT_ONE_COMMIT - 1 && turns.isSpent) {
          await this.#nextTurn();
        }
        if (this.#isWritten(to[i]!)) this.#writeEdge(id, types[i]!, to[i]!);
      }
    }
    form.end();
    if (!form.isEmpty) yield form.take();
  }

  #writeEdge(from: number, type: string, to: number): void {
    const edge = this.#turns.view.edge(from, type, to);
    if (edge === undefined) return;
    if (!this.#toldEdges.has(type)) {
      this.#toldEdges.add(type);
      this.#form.schema({ nodes: [], edges: this.#turns.view.edgeType(type) });
    }
    this.#form.edge(edge);
  }

  #isWritten(id: number): boolean {
    return (this.#written[id >> 3]! & (1 << (id & 7))) !== 0;
  }

  async #nextTurn(): Promise<void> {
    await this.#turns.next();
    if (this.#turns.view.schema === this.#schema) return;
    if (this.#schema !== undefined && !covers(this.#turns.view.schema, this.#schema)) {
      throw new Problem('schema_conflict', 'A name of the schema was changed during the export.', {
        hint: 'Export again.',
      });
    }
    this.#tellSchema();
  }

  #tellSchema(): void {
    const { view } = this.#turns;
    this.#schema = view.schema;
    const told = view.schemaAsSeen();
    for (const { type } of told.edges) this.#toldEdges.add(type);
    this.#form.schema(told);
  }
}

/** Whether every name of a former schema is in the present one. */
function covers(present: SchemaDocument, former: SchemaDocument): boolean {
  const namesOf = ({ nodes, edges }: SchemaDocument): string[] =>
    [...nodes.map((one) => ({ ...one, kind: 'node' })), ...edges].flatMap(
      ({ type, fields = {}, ...one }) => {
        const name = 'kind' in one ? `node ${type}` : `edge ${type}`;
        return [name, ...Object.keys(fields).map((field) => `${name} ${field}`)];
      },
    );
  const known = new Set(namesOf(present));
  return namesOf(former).every((name) => known.has(name));
}

/** Turns at the newest commit, each as the graph may be seen then. */
class ExportTurns {
  view: ExportView;
  readonly #reads: NodeReads;
  readonly #request: ExportRequest;

  constructor(reads: NodeReads, request: ExportRequest) {
    this.#reads = reads;
    this.#request = request;
    this.view = this.#open();
  }

  async next(): Promise<void> {
    await turns.next(budgetKey(this.#request.caller));
    this.view = this.#open();
  }

  #open(): ExportView {
    const { reader, access } = this.#reads;
    const { caller, as } = this.#request;
    reader.refresh();
    const seer = as === undefined ? caller : userCaller(reader, as);
    return new ExportView(reader, access.visibilityFor(seer));
  }
}

/** The graph at one commit, as somebody sees it: good for one turn of the event loop. */
class ExportView {
  readonly schema: SchemaDocument;
  readonly #reader: GraphReader;
  readonly #visibility: Visibility;
  readonly #keyNames: ReadonlyMap<string, string | undefined>;
  /** Of the ends of edges: the same ones come again and again. */
  readonly #names = new Map<number, NodeName | undefined>();

  constructor(reader: GraphReader, visibility: Visibility) {
    this.#reader = reader;
    this.#visibility = visibility;
    this.schema = reader.schema();
    this.#keyNames = new Map(this.schema.nodes.map(({ type, key }) => [type, key]));
  }

  /** Of edge types only what those may know who may know of all. */
  schemaAsSeen(): SchemaDocument {
    if (this.#visibility !== SEES_EVERYTHING) {
      const { types } = typesFor(this.#reader, this.#visibility, () => false);
      return {
        nodes: types.map(({ count: _c, mayWrite: _m, indexes: _i, ...type }) => type),
        edges: [],
      };
    }
    const { nodes, edges } = this.schema;
    return {
      nodes: nodes
        .filter(({ type }) => !isSystemName(type))
        .map(({ indexes = [], ...type }) => ({
          ...type,
          ...(indexes.length > 0 && {
            indexes: indexes.map(({ state: _s, entries: _e, ...index }) => index),
          }),
        })),
      edges: edges.filter(({ type }) => !isSystemName(type)),
    };
  }

  edgeType(name: string): SchemaDocument['edges'] {
    return this.schema.edges
      .filter(({ type }) => type === name)
      .map(({ type, fields }) => ({ type, ...(fields !== undefined && { fields }) }));
  }

  node(id: number): ExportedNode | undefined {
    const stored = this.#reader.node(id);
    if (stored === undefined || !this.#isIn(id, stored.Type)) return undefined;
    const node = this.#visibility.present(id, stored);
    const isWhole = this.#visibility === SEES_EVERYTHING;
    return {
      ...this.#named(node),
      timestamp: node.Timestamp,
      fields: this.#fieldsOf(node),
      // The node itself does not show them.
      aliases: isWhole ? this.#reader.aliases(id) : [],
    };
  }

  outgoing(id: number): ReturnType<GraphReader['outgoing']> {
    return this.#reader.outgoing(id);
  }

  /** Undefined for what is gone as well as for what is not to be seen. */
  edge(from: number, type: string, to: number): ExportedEdge | undefined {
    if (isSystemName(type) || !this.#visibility.canSeeEdge(type)) return undefined;
    const [start, end] = [this.#nameOf(from), this.#nameOf(to)];
    if (start === undefined || end === undefined) return undefined;
    const edge = this.#reader.edgeBetween(from, type, to, start.uid, end.uid);
    if (edge === undefined) return undefined;
    const { type: _type, from: _from, to: _to, timestamp, ...fields } = edge;
    return { type, from: start, to: end, timestamp, fields };
  }

  #nameOf(id: number): NodeName | undefined {
    const known = this.#names.get(id);
    if (known !== undefined || this.#names.has(id)) return known;
    const name = this.#readName(id);
    this.#names.set(id, name);
    return name;
  }

  #readName(id: number): NodeName | undefined {
    const stored = this.#reader.fields(id, NAMING_FIELDS);
    if (stored === undefined || !this.#isIn(id, stored.type)) return undefined;
    const [uid, key] = stored.values;
    const isKeyed = typeof key === 'string' && this.#visibility.canReadField(id, 'Id');
    return { uid: String(uid), type: stored.type, key: isKeyed ? key : undefined };
  }

  #isIn(id: number, type: string): boolean {
    return !isSystemName(type) && this.#visibility.canSee(id, type);
  }

  #named({ UID, Type, Id }: NodeObject): NodeName {
    return { uid: UID, type: Type, key: typeof Id === 'string' ? Id : undefined };
  }

  #fieldsOf(node: NodeObject): Record<string, unknown> {
    const keyName = this.#keyNames.get(node.Type);
    const fields: Record<string, unknown> = {};
    for (const name in node) {
      if (!OF_EVERY_NODE.has(name) && name !== keyName) fields[name] = node[name];
    }
    return fields;
  }
}

/** What names a node, without its other fields. */
const NAMING_FIELDS = ['UID', 'Id'] as const;
const OF_EVERY_NODE: ReadonlySet<string> = new Set(['UID', 'Type', 'Timestamp', 'Id']);
