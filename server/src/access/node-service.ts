import { NODE_COUNT_SCAN_MAX, NODE_SCAN_TURN_NODES } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { NodeObject } from '#graph/reader.ts';
import type { Caller } from './caller.ts';
import { NodeExporter, type NodeExport, type NodeSelection } from './node-export.ts';
import { checkNodeType } from './node-types.ts';
import { fillTemplate, parseTemplate } from './node-template.ts';
import { NodeView, type NodeReads } from './node-view.ts';

export interface NodeQuery {
  readonly uids?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly skip: number;
  readonly take: number;
}

export interface NodeList {
  readonly items: readonly NodeObject[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

/** What to read of several nodes: a field, or a text made of several (see `node-template.ts`). */
export interface FieldsWanted {
  readonly uids: readonly string[];
  readonly field?: string | undefined;
  readonly template?: string | undefined;
}

/** What a field that the caller may not read answers (specification, section 2.6). */
const BLOCKED = 'BLOCKED';

/** Nodes as callers may see them (open-shapes, section 4): what they may not see is as good as not there. */
export class NodeService {
  readonly #reads: NodeReads;
  readonly #exporter: NodeExporter;

  constructor(reads: NodeReads) {
    this.#reads = reads;
    this.#exporter = new NodeExporter(reads);
  }

  /** Throws `node_not_found`. */
  get(caller: Caller, uid: string): NodeObject {
    const view = this.#view(caller);
    const id = view.find(uid);
    const node = id === undefined ? undefined : view.node(id);
    if (node === undefined) throw new Problem('node_not_found', 'There is no such node.');
    return node;
  }

  /** Those with the given UIDs, each once, in their order; or those of a type, newest first; or both. */
  async query(caller: Caller, query: NodeQuery): Promise<NodeList> {
    const { uids, type, skip, take } = query;
    const view = this.#view(caller);
    if (type !== undefined) checkNodeType(this.#reads.reader, type);
    if (uids === undefined) return this.#ofType(caller, type ?? '', skip, take);
    const found = [...new Set(uids)]
      .map((uid) => view.find(uid))
      .filter((id) => id !== undefined)
      .filter((id) => type === undefined || view.typeOf(id) === type);
    const items = found.slice(skip, skip + take).map((id) => view.node(id));
    const total = found.length;
    return { items: items.filter((node) => node !== undefined), total, skip, take };
  }

  /** In the order of the UIDs; null for what the caller may not see. */
  many(caller: Caller, uids: readonly string[]): (NodeObject | null)[] {
    const nodes = this.#each(caller, uids, (view, id) => view.node(id) ?? null);
    return uids.map((uid) => nodes.get(uid) ?? null);
  }

  /** By UID: null where there is no value, or no node that the caller may see, and `BLOCKED` for what they may not read. */
  manyFields(
    caller: Caller,
    { uids, field, template }: FieldsWanted,
  ): Readonly<Record<string, unknown>> {
    const read = template === undefined ? readField(field ?? '') : readTemplate(template);
    return Object.fromEntries(this.#each(caller, uids, read));
  }

  /** Throws `invalid_request` for a type or a field that there is not. */
  export(caller: Caller, selection: NodeSelection): Promise<NodeExport> {
    return this.#exporter.all(caller, selection);
  }

  /** The same, apart for each type. */
  exportByType(caller: Caller, selection: NodeSelection): Promise<readonly NodeExport[]> {
    return this.#exporter.byType(caller, selection);
  }

  #view(caller: Caller): NodeView {
    return NodeView.open(this.#reads, caller);
  }

  /** All at one commit; each node is read once however often it is asked for. */
  #each<T>(
    caller: Caller,
    uids: readonly string[],
    read: (view: NodeView, id: number) => T,
  ): Map<string, T | null> {
    const view = this.#view(caller);
    const values = new Map<string, T | null>();
    for (const uid of uids) {
      if (values.has(uid)) continue;
      const id = view.find(uid);
      values.set(uid, id === undefined ? null : read(view, id));
    }
    return values;
  }

  /** A type can be too large for one turn of the event loop: then each turn reads on at its own commit. */
  async #ofType(caller: Caller, type: string, skip: number, take: number): Promise<NodeList> {
    const walk = this.#reads.reader.walkType(type);
    const items: NodeObject[] = [];
    let seen = 0;
    let scanned = 0;
    for (let view = this.#view(caller); ; view = await NodeView.next(this.#reads, caller)) {
      const ids = walk.next(NODE_SCAN_TURN_NODES);
      for (const id of ids) {
        if (!view.canSee(id, type)) continue;
        const node = seen >= skip && items.length < take ? view.node(id) : undefined;
        if (node !== undefined) items.push(node);
        seen++;
      }
      scanned += ids.length;
      if (ids.length < NODE_SCAN_TURN_NODES) return { items, total: seen, skip, take };
      if (items.length < take) continue;
      if (view.seesEverything) {
        return { items, total: this.#reads.reader.countOfType(type), skip, take };
      }
      if (scanned >= NODE_COUNT_SCAN_MAX) return { items, total: seen, skip, take };
    }
  }
}

function readField(field: string): (view: NodeView, id: number) => unknown {
  return (view, id) => (view.canRead(id, field) ? (view.field(id, field) ?? null) : BLOCKED);
}

/** A text that lacks a part for a reason the caller must not know would tell of it: so it is blocked as a whole. */
function readTemplate(template: string): (view: NodeView, id: number) => string {
  const parsed = parseTemplate(template);
  return (view, id) =>
    parsed.fields.every((field) => view.canRead(id, field))
      ? fillTemplate(parsed, (field) => view.field(id, field))
      : BLOCKED;
}
