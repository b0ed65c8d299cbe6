import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { turns } from '#base/turns.ts';
import type { NodeColumns } from '#graph/node-columns.ts';
import type { NodeRows } from '#graph/node-rows.ts';
import type { GraphReader, NodeHistory, Visibility } from '#graph/reader.ts';
import type { AccessIndex } from './access-index.ts';
import { budgetKey, type Caller } from './caller.ts';
import { SEES_EVERYTHING } from './visibility.ts';
import { NODES_ANSWER_CHARACTERS_MAX, NODES_AT_ONE_COMMIT } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

export interface NodeReads {
  readonly reader: GraphReader;
  readonly access: AccessIndex;
}

/** The graph at the newest commit, as one caller sees it: good for one turn of the event loop. */
export class NodeView {
  readonly #reader: GraphReader;
  readonly #visibility: Visibility;
  /** Null where there are none. */
  #columnsOfTurn: NodeColumns | null | undefined;
  #keyNames: ReadonlyMap<string, string | undefined> | undefined;

  private constructor(reader: GraphReader, visibility: Visibility) {
    this.#reader = reader;
    this.#visibility = visibility;
  }

  static open({ reader, access }: NodeReads, caller: Caller): NodeView {
    reader.refresh();
    return new NodeView(reader, access.visibilityFor(caller));
  }

  /** In the next turn of the caller; meanwhile others had theirs. */
  static async next(reads: NodeReads, caller: Caller): Promise<NodeView> {
    await turns.next(budgetKey(caller));
    return NodeView.open(reads, caller);
  }

  get seesEverything(): boolean {
    return this.#visibility === SEES_EVERYTHING;
  }

  canSee(id: number, type?: string): boolean {
    return this.#visibility.canSee(id, type);
  }

  canSeeEdge(type: string): boolean {
    return this.#visibility.canSeeEdge(type);
  }

  /** Undefined for what does not exist as well as for what is not to be seen. */
  find(uid: string): number | undefined {
    const id = this.#reader.id({ uid });
    return id !== undefined && this.#visibility.canSee(id) ? id : undefined;
  }

  typeOf(id: number): string | undefined {
    return this.#reader.typeOf(id);
  }

  /** The node with a UID, when it can be seen. */
  nodeByUid(uid: string): NodeObject | undefined {
    const id = this.#reader.id({ uid });
    const node = id === undefined ? undefined : this.#reader.node(id);
    if (id === undefined || node === undefined) return undefined;
    return this.#visibility.canSee(id, node.Type) ? this.#visibility.present(id, node) : undefined;
  }

  /** The version of a node that can be seen. */
  version(uid: string): number | undefined {
    const id = this.find(uid);
    return id === undefined ? undefined : this.#reader.version(id);
  }

  /** A node that can be seen; undefined when it is gone. */
  node(id: number): NodeObject | undefined {
    const node = this.#reader.node(id);
    return node && this.#visibility.present(id, node);
  }

  /**
   * Fields as `nodeByUid` shows them, the key under its own name too; `withheld` when any of them
   * may not be read.
   */
  fieldsByUid(uid: string, names: readonly string[]): readonly unknown[] | 'withheld' | undefined {
    const id = this.#reader.id({ uid });
    const found = id === undefined ? undefined : this.#reader.fields(id, names);
    if (id === undefined || found === undefined) return undefined;
    const { type, values } = found;
    if (!this.#visibility.canSee(id, type)) return undefined;
    if (
      this.#visibility.withholdsFields(type) &&
      !names.every((name) => this.#visibility.canReadField(id, name))
    ) {
      return 'withheld';
    }
    const key = this.#keyNameOf(type);
    return values.map((value, i) =>
      value === undefined && names[i] === key ? this.#reader.field(id, 'Id') : value,
    );
  }

  /** Undefined for nodes of system types, too: theirs is not kept. */
  history(id: number): NodeHistory | undefined {
    return this.#reader.history(id);
  }

  /** The type of a node that can be seen; `type` where the caller knows it already. */
  visibleType(id: number, type = this.#typeOf(id)): string | undefined {
    return type !== undefined && this.canSee(id, type) ? type : undefined;
  }

  /** Adds the row of a node that can be seen; false when it is gone. */
  writeRow(id: number, type: string, edgeCount: number, rows: NodeRows): boolean {
    if (!this.#visibility.withholdsFields(type)) return this.#reader.writeRow(id, rows, edgeCount);
    const readable = new Set(rows.fields.filter((field) => this.canReadField(id, field)));
    return this.#reader.writeRow(id, rows, edgeCount, (field) => readable.has(field));
  }

  /**
   * The number of edges of a node, in both directions, that can be seen; undefined where there are
   * more than `most`, or it is not known without much reading.
   */
  countFewEdges(id: number, most: number, hiddenEdges: ReadonlySet<string>): number | undefined {
    const degree = this.#columns?.degreeOf(id);
    if (this.seesEverything) return degree ?? this.#reader.degree(id);
    if (degree === undefined || degree > most) return undefined;
    let count = 0;
    for (const direction of ['out', 'in'] as const) {
      const ids = this.#columns?.neighbors(id, direction, hiddenEdges);
      if (ids === undefined) return undefined;
      count += this.count(ids);
    }
    return count;
  }

  get #columns(): NodeColumns | undefined {
    this.#columnsOfTurn ??= this.#reader.columns() ?? null;
    return this.#columnsOfTurn ?? undefined;
  }

  #typeOf(id: number): string | undefined {
    return this.#columns?.typeOf(id) ?? this.#reader.typeOf(id);
  }

  canReadField(id: number, field: string): boolean {
    return this.#visibility.canReadField(id, field);
  }

  /** Whether no field that nodes of its type may have is withheld. */
  readsAllFields(id: number): boolean {
    const name = this.#reader.typeOf(id);
    if (name === undefined || !this.#visibility.withholdsFields(name)) return true;
    const type = this.#reader.schema().nodes.find((one) => one.type === name);
    return Object.keys(type?.fields ?? {}).every((field) => this.canReadField(id, field));
  }

  countOfType(type: string): number {
    return this.#reader.countOfType(type) - this.#visibility.hiddenOfType(type);
  }

  /** How many of some nodes can be seen. */
  count(ids: readonly number[]): number {
    if (this.seesEverything) return ids.length;
    let count = 0;
    for (const id of ids) if (this.#visibility.canSee(id, this.#columns?.typeOf(id))) count++;
    return count;
  }

  /**
   * The nodes at the other ends of edges, in either direction, once for each edge; for one edge
   * type, or for all.
   */
  *neighbors(id: number, edge?: string): Generator<readonly number[]> {
    yield this.#reader.neighbors(id, 'out', edge);
    yield this.#reader.neighbors(id, 'in', edge);
  }

  #keyNameOf(type: string): string | undefined {
    this.#keyNames ??= new Map(this.#reader.schema().nodes.map((node) => [node.type, node.key]));
    return this.#keyNames.get(type);
  }
}

/**
 * Reads for one caller in turns (see `Turns`), each at the newest commit, as the caller may see it
 * then. What few nodes tell belongs together: so a turn has `NODES_AT_ONE_COMMIT` of them, however
 * little time is left.
 */
export class NodeTurns {
  view: NodeView;
  readonly #reads: NodeReads;
  readonly #caller: Caller;
  #nodes = 0;

  constructor(reads: NodeReads, caller: Caller) {
    this.#reads = reads;
    this.#caller = caller;
    this.view = NodeView.open(reads, caller);
  }

  /** To be asked before each node: then `next` should follow. */
  get isSpent(): boolean {
    return ++this.#nodes > NODES_AT_ONE_COMMIT && turns.isSpent;
  }

  async next(): Promise<void> {
    this.#nodes = 1;
    this.view = await NodeView.next(this.#reads, this.#caller);
  }
}

/** Limits how much one answer of JSON holds: it is in memory as a whole. */
export class AnswerSize {
  #left = NODES_ANSWER_CHARACTERS_MAX;

  /** Characters that the answer may still get. */
  get left(): number {
    return this.#left;
  }

  /** Counts a value. Throws `invalid_request` when the answer is too large with it. */
  add(value: unknown): void {
    this.#left -= textLength(value);
    if (this.#left < 0) throw tooLarge();
  }
}

export function tooLarge(): Problem {
  const message = `The answer would be larger than ${NODES_ANSWER_CHARACTERS_MAX} characters.`;
  return new Problem('invalid_request', message, {
    hint: 'Ask for fewer nodes at a time, or for some of their fields; a download has no limit.',
  });
}

/** About how many characters a value of JSON takes: enough to tell the large from the small. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let length = 0;
  if (Array.isArray(value)) {
    for (const one of value) length += 1 + textLength(one);
    return length;
  }
  for (const name in value) length += 1 + textLength((value as Record<string, unknown>)[name]);
  return length;
}
