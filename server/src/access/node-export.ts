import { DOWNLOAD_COLUMNS, type NodeSelection } from '@trellis/contract/shapes/node.ts';
import { NODE_SCAN_IDS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { shorten } from '#graph/names.ts';
import { NodeRows, type RowForm } from '#graph/node-rows.ts';
import type { Caller } from './caller.ts';
import { fieldsOf, hasField, type NodeType, takesAnyField, typeAsSeen } from './node-types.ts';
import { type NodeReads, NodeTurns, type NodeView } from './node-view.ts';

/**
 * Nodes on their way out, in as many pieces as it takes: however many they are, few are held at a
 * time.
 */
export interface NodeExport {
  /** The type of all its nodes, when they have one. */
  readonly type: string | undefined;
  /**
   * A row for each node, in pieces of about 128 KiB; of CSV with the line of headings. What is
   * read in one turn of the event loop is of the newest commit, as the caller may see it then. A
   * piece is a view, valid until the next one is asked for.
   */
  rows(form: Omit<RowForm, 'fields'>): AsyncIterable<Uint8Array>;
}

/** The nodes that are asked for, by their UIDs. */
export type SelectedNodes = Omit<NodeSelection, 'uids'> & { readonly uids?: readonly string[] };

/** A field with one of these names gives way to it. */
const IS_COLUMN: ReadonlySet<string> = new Set(DOWNLOAD_COLUMNS);
/** Neighbours are looked at in groups of so many. */
const GROUP_SIZE = 256;

/** Returns the next ids, of which the caller may not see all; undefined at the end. */
type IdSource = (view: NodeView) => readonly number[] | undefined;

/** Nodes for a download (open-shapes, section 4). */
export class NodeExporter {
  readonly #reads: NodeReads;

  constructor(reads: NodeReads) {
    this.#reads = reads;
  }

  /** Throws `invalid_request` for a type or a field that there is not. */
  async all(caller: Caller, { uids, type, fields }: SelectedNodes): Promise<NodeExport> {
    const types = this.#typesFor(caller, type, fields);
    if (uids === undefined) return this.#ofType(caller, types, fields);
    const unique = [...new Set(uids)];
    const columns =
      fields ?? fieldsOf([...(await this.#groupByType(caller, unique, types)).keys()]);
    const source = sourceOfUids(unique, type);
    return this.#export(caller, undefined, columns, source);
  }

  /** The same, one export for each type that has a node which the caller may see. */
  async byType(
    caller: Caller,
    { uids, type, fields }: SelectedNodes,
  ): Promise<readonly NodeExport[]> {
    const types = this.#typesFor(caller, type, fields);
    if (uids === undefined) return [this.#ofType(caller, types, fields)];
    const groups = await this.#groupByType(caller, [...new Set(uids)], types);
    return [...groups].map(([one, own]) => {
      const columns = fields?.filter((field) => hasField(one, field)) ?? fieldsOf([one]);
      return this.#export(caller, one.type, columns, sourceOfUids(own, one.type));
    });
  }

  /** The type that is asked for, or every type there is. */
  #typesFor(
    caller: Caller,
    type: string | undefined,
    fields: readonly string[] = [],
  ): readonly NodeType[] {
    const { reader, access } = this.#reads;
    reader.refresh();
    const visibility = access.visibilityFor(caller);
    const types =
      type === undefined ? reader.schema().nodes : [typeAsSeen(reader, visibility, type)];
    const faults = fields.flatMap((field, i) =>
      IS_COLUMN.has(field) || types.some((one) => hasField(one, field))
        ? []
        : [{ path: `fields.${i}`, message: `"${shorten(field)}" is not a field of these nodes` }],
    );
    const [first] = faults;
    if (first === undefined || takesAnyField(reader, visibility, type)) return types;
    throw new Problem('invalid_request', `body, ${first.path}: ${first.message}`, {
      details: { fields: faults },
    });
  }

  #ofType(
    caller: Caller,
    types: readonly NodeType[],
    fields: readonly string[] = fieldsOf(types),
  ): NodeExport {
    const type = types[0]?.type ?? '';
    const walk = this.#reads.reader.walkType(type);
    let isOver = false;
    return this.#export(caller, type, fields, () => {
      if (isOver) return undefined;
      const ids = walk.next(NODE_SCAN_IDS);
      isOver = ids.length < NODE_SCAN_IDS;
      return ids;
    });
  }

  #export(
    caller: Caller,
    type: string | undefined,
    columns: readonly string[],
    source: IdSource,
  ): NodeExport {
    const fields = [...new Set(columns)].filter((field) => !IS_COLUMN.has(field));
    return {
      type,
      rows: (form) => this.#rows(caller, source, new NodeRows({ ...form, fields }), type),
    };
  }

  /** Which of the nodes can be seen, by their types in the order of the schema. */
  async #groupByType(
    caller: Caller,
    uids: readonly string[],
    types: readonly NodeType[],
  ): Promise<ReadonlyMap<NodeType, readonly string[]>> {
    const groups = new Map(types.map(({ type }) => [type, [] as string[]]));
    const walk = new NodeTurns(this.#reads, caller);
    for (const uid of uids) {
      if (walk.isSpent) await walk.next();
      const id = walk.view.find(uid);
      if (id !== undefined) groups.get(walk.view.typeOf(id) ?? '')?.push(uid);
    }
    const found = types.map((type) => [type, groups.get(type.type) ?? []] as const);
    return new Map(found.filter(([, own]) => own.length > 0));
  }

  async *#rows(
    caller: Caller,
    source: IdSource,
    rows: NodeRows,
    known: string | undefined,
  ): AsyncGenerator<Uint8Array> {
    const walk = new ExportTurns(this.#reads, caller);
    for (let ids = source(walk.view); ids !== undefined; ids = source(walk.view)) {
      for (const id of ids) {
        if (rows.isFull) {
          yield rows.take();
          await walk.next();
        } else if (walk.isSpent) await walk.next();
        let type = walk.view.visibleType(id, known);
        if (type === undefined) continue;
        let edgeCount = walk.countFewEdges(id);
        if (edgeCount === undefined) {
          edgeCount = await walk.countEdges(id);
          // Meanwhile it may have gone, or been hidden.
          type = walk.view.visibleType(id, known);
        }
        if (type !== undefined) walk.view.writeRow(id, type, edgeCount, rows);
      }
    }
    if (!rows.isEmpty) yield rows.take();
  }
}

function sourceOfUids(uids: readonly string[], type: string | undefined): IdSource {
  let at = 0;
  return (view) => {
    if (at >= uids.length) return undefined;
    const group = uids.slice(at, (at += NODE_SCAN_IDS)).map((uid) => view.find(uid));
    const found = group.filter((id) => id !== undefined);
    return type === undefined ? found : found.filter((id) => view.typeOf(id) === type);
  };
}

class ExportTurns extends NodeTurns {
  readonly #hiddenEdges: ReadonlySet<string>;

  constructor(reads: NodeReads, caller: Caller) {
    super(reads, caller);
    const types = reads.reader.schema().edges.map(({ type }) => type);
    this.#hiddenEdges = new Set(types.filter((type) => !this.view.canSeeEdge(type)));
  }

  /** Undefined where that may take several turns. */
  countFewEdges(id: number): number | undefined {
    return this.view.countFewEdges(id, GROUP_SIZE, this.#hiddenEdges);
  }

  /** Takes several turns where a node has very many edges. */
  async countEdges(id: number): Promise<number> {
    let count = await this.#countNeighbors(this.view.neighbors(id));
    for (const hidden of this.#hiddenEdges) {
      count -= await this.#countNeighbors(this.view.neighbors(id, hidden));
    }
    return count;
  }

  async #countNeighbors(lists: Iterable<readonly number[]>): Promise<number> {
    let count = 0;
    for (const ids of lists) {
      for (let at = 0; at < ids.length; at += GROUP_SIZE) {
        if (this.isSpent && at > 0) await this.next();
        const group = ids.slice(at, at + GROUP_SIZE);
        count += this.view.count(group);
      }
    }
    return count;
  }
}
