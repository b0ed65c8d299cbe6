import { NODE_SCAN_TURN_NODES } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { NodeObject } from '#graph/reader.ts';
import type { Caller } from './caller.ts';
import { NodeExporter, type NodeExport, type NodeSelection } from './node-export.ts';
import { listVersions, type NodeVersionList } from './node-history.ts';
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
    const node = this.#view(caller).nodeByUid(uid);
    if (node === undefined) throw nodeNotFound();
    return node;
  }

  /** Throws `node_not_found`. */
  history(caller: Caller, uid: string, page: Pick<NodeQuery, 'skip' | 'take'>): NodeVersionList {
    const view = this.#view(caller);
    const id = view.find(uid);
    if (id === undefined) throw nodeNotFound();
    return listVersions(view, id, page);
  }

  /** Those with the given UIDs, each once, in their order; or those of a type, newest first; or both. */
  async query(caller: Caller, query: NodeQuery): Promise<NodeList> {
    const { uids, type, skip, take } = query;
    const view = this.#view(caller);
    if (type !== undefined) this.#checkType(caller, type);
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
    const nodes = this.#each(caller, uids, (view, uid) => view.nodeByUid(uid) ?? null);
    return uids.map((uid) => nodes.get(uid) ?? null);
  }

  /** By UID: null where there is no value, or no node that the caller may see, and `BLOCKED` for what they may not read. */
  manyFields(
    caller: Caller,
    { uids, field, template }: FieldsWanted,
  ): Readonly<Record<string, unknown>> {
    const parsed = template === undefined ? undefined : parseTemplate(template);
    const names = parsed?.fields ?? [field ?? ''];
    const values = this.#each(caller, uids, (view, uid) => {
      const found = view.fieldsByUid(uid, names);
      if (found === undefined) return null;
      // A text that lacks a part for a reason the caller must not know would tell of it: so it is blocked as a whole.
      if (found === 'withheld') return BLOCKED;
      return parsed === undefined ? (found[0] ?? null) : fillTemplate(parsed, found);
    });
    return Object.fromEntries(values);
  }

  /** Throws `invalid_request` for a type or a field that there is not. */
  export(caller: Caller, selection: NodeSelection): Promise<NodeExport> {
    return this.#exporter.all(caller, selection);
  }

  /** The same, apart for each type. */
  exportByType(caller: Caller, selection: NodeSelection): Promise<readonly NodeExport[]> {
    return this.#exporter.byType(caller, selection);
  }

  #checkType(caller: Caller, type: string): void {
    const { reader, access } = this.#reads;
    checkNodeType(reader, access.visibilityFor(caller), type);
  }

  #view(caller: Caller): NodeView {
    return NodeView.open(this.#reads, caller);
  }

  /** All at one commit; each node is read once however often it is asked for. */
  #each<T>(
    caller: Caller,
    uids: readonly string[],
    read: (view: NodeView, uid: string) => T,
  ): Map<string, T> {
    const view = this.#view(caller);
    const values = new Map<string, T>();
    for (const uid of uids) if (!values.has(uid)) values.set(uid, read(view, uid));
    return values;
  }

  /** What is skipped can be too much for one turn of the event loop: then each turn reads on at its own commit. */
  async #ofType(caller: Caller, type: string, skip: number, take: number): Promise<NodeList> {
    const walk = this.#reads.reader.walkType(type);
    const items: NodeObject[] = [];
    let seen = 0;
    for (let view = this.#view(caller); ; view = await NodeView.next(this.#reads, caller)) {
      const ids = walk.next(NODE_SCAN_TURN_NODES);
      for (const id of ids) {
        if (!view.canSee(id, type)) continue;
        const node = seen >= skip && items.length < take ? view.node(id) : undefined;
        if (node !== undefined) items.push(node);
        seen++;
        if (items.length >= take) break;
      }
      const total = view.countOfType(type);
      if (items.length >= take || seen >= total || ids.length < NODE_SCAN_TURN_NODES) {
        return { items, total, skip, take };
      }
    }
  }
}

function nodeNotFound(): Problem {
  return new Problem('node_not_found', 'There is no such node.');
}
