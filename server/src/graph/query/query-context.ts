import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { Problem } from '#base/problem.ts';
import { ANY_EDGE, NeighborList } from '../adjacency.ts';
import type { Direction } from '../adjacency.ts';
import { TAG } from '../field-types.ts';
import { IdList } from '../id-list.ts';
import type { PackedRows } from '../rows/packed-rows.ts';
import { didYouMean, shorten } from '../names.ts';
import { concealsType, isTellableField, isTellableType, tellsOfEdges } from '../tellable-names.ts';
import type { Visibility } from '../reader.ts';
import type { EdgeType, NodeType, SchemaRegistry } from '../schema-registry.ts';
import type { StateReader } from '../state-reader.ts';
import type { IndexAdvice, Similarity } from './plan.ts';

/**
 * A set on its way through a query: its ids, each once, in order, in pieces. A piece is valid until
 * the next one is asked for. Pieces are made only as they are asked for, and the first ones are
 * small, so that `take` reads little.
 */
export type IdPieces = Iterable<IdList>;

export interface WantedText {
  readonly type: string;
  readonly field: string;
  readonly text: string;
}

export interface FoundNode {
  readonly id: number;
  readonly score: number;
}

/** Finds nodes by words, of those that somebody may see: `search` implements it. The best first. */
export type FindByText = (
  wanted: WantedText,
  visibility: Visibility | undefined,
) => readonly FoundNode[];

/**
 * What is to be found similar to: vectors by model, as `startAtVectors` has them, or nodes, which
 * are not found themselves.
 */
export type SimilarTo =
  | { readonly vectors: Readonly<Record<string, string>> }
  | { readonly ids: readonly number[] };

export type WantedSimilarity = Similarity & SimilarTo & { readonly count: number };

/** Finds nodes by their vectors likewise; the scores are cosines. */
export type FindSimilar = (
  wanted: WantedSimilarity,
  visibility: Visibility | undefined,
) => readonly FoundNode[];

/** What `search` does for queries. */
export interface Finders {
  readonly findByText?: FindByText | undefined;
  readonly findSimilar?: FindSimilar | undefined;
}

const NO_ROWS = 'none';

export const PIECE_IDS_MIN = 16;
export const PIECE_IDS_MAX = 4_096;

/** What every node shows besides its own fields. */
const COMMON_FIELD_TAGS: ReadonlyMap<string, number> = new Map([
  ['UID', TAG.String],
  ['Type', TAG.String],
  ['Timestamp', TAG.Time],
  ['Id', TAG.String],
]);

/** Whoever sees a node sees these, whatever else is withheld. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['UID', 'Type', 'Timestamp']);

/**
 * One run of a query. All that the query learns about nodes and edges it learns here, so that what
 * the reader may not see is left out in one place: nodes, fields of nodes, edges of some types, and
 * edges to nodes.
 */
export class QueryContext {
  readonly reader: StateReader;
  readonly registry: SchemaRegistry;
  /** Undefined when the query sees everything. */
  readonly visibility: Visibility | undefined;
  readonly #finders: Finders;
  readonly #signal: AbortSignal | undefined;
  /** Made when it is first needed: most queries follow no edge. */
  #neighbors: NeighborList | undefined;
  /**
   * By number: the edge types that the reader may not see, and the node types that withhold fields,
   * once asked.
   */
  readonly #hiddenEdges: readonly boolean[];
  #rows: PackedRows | typeof NO_ROWS | undefined;
  #seesAllEdges: boolean | undefined;
  #scores: Map<number, number> | undefined;
  #withholding: boolean[] | undefined;
  #concealed: Map<string | undefined, boolean> | undefined;
  /** The tag of the value that `read` answered last. */
  tag: number = TAG.String;
  /** Keys, nodes and edges that steps have read so far; for `explain()`. */
  rowsRead = 0;
  /** The indexes that would have spared some of it. */
  readonly advice: IndexAdvice[] = [];

  constructor(
    reader: StateReader,
    visibility: Visibility | undefined,
    signal: AbortSignal | undefined,
    finders: Finders = {},
  ) {
    this.reader = reader;
    this.registry = reader.registry;
    this.visibility = visibility;
    this.#signal = signal;
    this.#finders = finders;
    this.#hiddenEdges = hiddenEdges(this.registry, visibility);
  }

  /** Throws the signal's reason when the query was aborted. Called once a piece. */
  checkpoint(): void {
    this.#signal?.throwIfAborted();
  }

  sees(id: number): boolean {
    return this.visibility === undefined || this.visibility.canSee(id);
  }

  /** The nodes that words were found in, the best first; their scores are kept. */
  findByText(wanted: WantedText): IdList {
    return this.#keepScores(this.#finders.findByText?.(wanted, this.visibility));
  }

  /** The same for nodes that are similar. */
  findSimilar(wanted: WantedSimilarity): IdList {
    return this.#keepScores(this.#finders.findSimilar?.(wanted, this.visibility));
  }

  #keepScores(found: readonly FoundNode[] | undefined): IdList {
    if (found === undefined) throw invalidQuery('There is no search here', { path: 'steps' });
    const ids: number[] = [];
    for (const { id, score } of found) {
      // It may be gone since the search took it in.
      if (this.typeId(id) === 0) continue;
      ids.push(id);
      (this.#scores ??= new Map()).set(id, score);
    }
    return IdList.of(ids);
  }

  /** The score of a node, where a step has scored it. */
  scoreOf(id: number): number | undefined {
    return this.#scores?.get(id);
  }

  /** The id of a node that exists and is visible. */
  idOfUid(uid: string): number | undefined {
    const id = this.reader.id({ uid });
    return id !== undefined && this.sees(id) ? id : undefined;
  }

  /** The neighbours of a node that are visible, with the edge types; valid until the next call. */
  neighbors(id: number, direction: Direction, edge: number): NeighborList {
    const list = (this.#neighbors ??= new NeighborList());
    list.length = 0;
    const rows = this.packedRows;
    if (rows === undefined || !rows.collect(id, direction, edge, list)) {
      this.reader.adjacency.collect(id, direction, edge, list);
    }
    this.rowsRead += list.length;
    if (this.visibility === undefined) return list;
    let kept = 0;
    for (let i = 0; i < list.length; i++) {
      if (this.#hiddenEdges[list.edgeAt(i)] || !this.visibility.canSee(list.at(i))) continue;
      list.values[kept] = list.values[i]!;
      list.edges[kept++] = list.edges[i]!;
    }
    list.length = kept;
    return list;
  }

  /** Undefined where the keys tell who is connected. A query that follows no edge need not ask. */
  get packedRows(): PackedRows | undefined {
    this.#rows ??= this.reader.packedRows() ?? NO_ROWS;
    return this.#rows === NO_ROWS ? undefined : this.#rows;
  }

  /** The number of edges of a node that are visible, in both directions together. */
  degree(id: number): number {
    if (this.seesAllEdges) {
      this.rowsRead++;
      return this.packedRows?.degreeOf(id) ?? this.reader.degree(id);
    }
    const out = this.neighbors(id, 'out', ANY_EDGE).length;
    return out + this.neighbors(id, 'in', ANY_EDGE).length;
  }

  /** Whether no edge is hidden, nor any node that one may lead to. */
  get seesAllEdges(): boolean {
    const { visibility, registry } = this;
    this.#seesAllEdges ??=
      visibility === undefined ||
      (!this.#hiddenEdges.includes(true) &&
        registry.notWatched.nodeTypes.every(({ name }) => !visibility.mayHideOfType(name)));
    return this.#seesAllEdges;
  }

  /** The number of a node's type. */
  typeId(id: number): number {
    // Asked for only where it is at hand: for one node the record costs less.
    const rows = this.#rows === NO_ROWS ? undefined : this.#rows;
    return rows?.typeOf(id) ?? this.reader.record(id)?.typeId ?? 0;
  }

  timestampMs(id: number): number {
    return this.reader.record(id)?.timestampMs ?? 0;
  }

  node(id: number): NodeObject | undefined {
    const node = this.reader.node(id);
    return node === undefined || this.visibility === undefined
      ? node
      : this.visibility.present(id, node);
  }

  /**
   * A field as the reader may see it; undefined when there is none. `tag` is its stored form then.
   */
  read(id: number, name: string): unknown {
    if (this.#withholds(id, name)) return undefined;
    const common = COMMON_FIELD_TAGS.get(name);
    if (common !== undefined) {
      this.tag = common;
      return this.reader.field(id, name);
    }
    const record = this.reader.record(id);
    const field = record && this.reader.nodeTypeOf(record).byName.get(name);
    if (field === undefined) return undefined;
    this.tag = field.tag;
    return record?.value(field);
  }

  /** Whether the field may be read of every node of a type. */
  readsOfType(type: NodeType, field: string): boolean {
    const { visibility } = this;
    if (visibility === undefined || ALWAYS_SHOWN.has(field)) return true;
    if (!visibility.withholdsFields(type.name)) return true;
    const isKey = field === type.key || field === 'Id';
    const names = isKey ? ['Id', type.key ?? 'Id'] : [field];
    return names.every((name) => visibility.canReadFieldOfType(type.name, name));
  }

  /** Whether every node of a type is seen. */
  seesAllOf(type: NodeType): boolean {
    return this.visibility === undefined || !this.visibility.mayHideOfType(type.name);
  }

  #withholds(id: number, name: string): boolean {
    const { visibility } = this;
    if (visibility === undefined || ALWAYS_SHOWN.has(name)) return false;
    const type = this.typeId(id);
    if (type === 0) return true;
    const withholding = (this.#withholding ??= []);
    withholding[type] ??= visibility.withholdsFields(this.registry.nodeTypeById(type).name);
    return withholding[type] && !visibility.canReadField(id, name);
  }

  /** See `concealsType`. */
  conceals(type: string | undefined): boolean {
    const { reader, registry, visibility } = this;
    const concealed = (this.#concealed ??= new Map());
    const known = concealed.get(type);
    const present = type === undefined ? undefined : (registry.nodeType(type)?.name ?? type);
    const isConcealed =
      known ?? concealsType(reader, visibility, present, registry.nodeTypeNames());
    concealed.set(type, isConcealed);
    return isConcealed;
  }

  nodeType(name: string, path: string): NodeType {
    const type = this.registry.nodeType(name);
    if (type !== undefined) return type;
    const { reader, registry, visibility } = this;
    const isEdge = registry.edgeType(name) !== undefined && tellsOfEdges(visibility);
    const hint = isEdge ? `"${name}" is an edge type.` : undefined;
    const known = [...registry.nodeTypeNames()].filter((one) =>
      isTellableType(reader, visibility, one),
    );
    throw invalidName(`"${name}" is not a node type`, path, name, known, hint);
  }

  edgeType(name: string, path: string): EdgeType {
    const type = this.registry.edgeType(name);
    if (type !== undefined) return type;
    const known = tellsOfEdges(this.visibility) ? this.registry.edgeTypeNames() : [];
    throw invalidName(`"${name}" is not an edge type`, path, name, known);
  }

  /**
   * The stored forms that a field has, in one type or in any; none when its name must not be told
   * from one that there is not.
   */
  fieldTags(name: string, type: NodeType | undefined, path: string): number[] {
    const common = COMMON_FIELD_TAGS.get(name);
    if (common !== undefined) return [common];
    const tags = tagsOf(type === undefined ? this.registry.nodeTypesWith(name) : [type], name);
    if (tags.length > 0 || this.conceals(type?.name)) return tags;
    const { reader, visibility } = this;
    const types = type === undefined ? this.registry.presentNodeTypes : [type];
    const told = types.flatMap(({ name: owner, byName }) =>
      [...byName.keys()].filter((one) => isTellableField(reader, visibility, owner, one)),
    );
    const known = [...COMMON_FIELD_TAGS.keys(), ...told];
    const owner = type === undefined ? 'No node type has' : `"${type.name}" has not`;
    throw invalidName(`${owner} the field "${name}"`, path, name, known);
  }

  /** Those of `fieldTags` that the reader may know of. */
  toldTags(name: string, type: NodeType | undefined): number[] {
    const common = COMMON_FIELD_TAGS.get(name);
    if (common !== undefined) return [common];
    const types = type === undefined ? this.registry.nodeTypesWith(name) : [type];
    const told = types.filter(({ byName, name: one }) => byName.has(name) && !this.conceals(one));
    return tagsOf(told, name);
  }
}

function tagsOf(types: readonly NodeType[], field: string): number[] {
  return [...new Set(types.flatMap(({ byName }) => byName.get(field)?.tag ?? []))];
}

const NONE_HIDDEN: readonly boolean[] = [];

/** By the numbers of the edge types. */
function hiddenEdges(
  registry: SchemaRegistry,
  visibility: Visibility | undefined,
): readonly boolean[] {
  if (visibility === undefined) return NONE_HIDDEN;
  const hidden: boolean[] = [];
  for (const { id, name } of registry.notWatched.edgeTypes)
    hidden[id] = !visibility.canSeeEdge(name);
  return hidden;
}

export function invalidQuery(
  message: string,
  at: { readonly path: string; readonly hint?: string },
): Problem {
  const { path, hint } = at;
  return new Problem('invalid_query', shorten(message), {
    ...(hint === undefined ? {} : { hint }),
    details: { path },
  });
}

function invalidName(
  message: string,
  path: string,
  name: string,
  known: Iterable<string>,
  hint?: string,
): Problem {
  const nearest = hint === undefined ? didYouMean(name, known) : { hint };
  return invalidQuery(message, { path, ...nearest });
}

/** Everything at once, for steps that need all of it. */
export function collectAll(context: QueryContext, pieces: IdPieces): IdList {
  const all = new IdList();
  for (const piece of pieces) {
    context.checkpoint();
    for (let i = 0; i < piece.length; i++) all.push(piece.at(i));
  }
  return all;
}
