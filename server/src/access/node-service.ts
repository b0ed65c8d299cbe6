import { must } from '#base/assert.ts';
import { NODE_SCAN_IDS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { NodeObject, NodeQuery } from '@trellis/contract/shapes/node.ts';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import type { ExportFormat } from '@trellis/contract/shapes/graph-export.ts';
import { graphForm } from '#graph/interchange/form-of-format.ts';
import type { Caller } from './caller.ts';
import { type ExportRequest, GraphExport } from './graph-export.ts';
import { type NodeExport, NodeExporter, type SelectedNodes } from './node-export.ts';
import { typeAsSeen } from './node-types.ts';
import { listVersions, type NodeVersionList } from './node-versions.ts';
import { AnswerSize, type NodeReads, NodeTurns, NodeView, tooLarge } from './node-view.ts';

export interface NodeList {
  readonly items: readonly NodeObject[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

/** Nodes by their UIDs, of one type, or both. */
export type QueriedNodes = Omit<NodeQuery, 'uids'> & { readonly uids?: readonly string[] };

/** What to read of several nodes: a field, or a text made of several (see `node-template.ts`). */
export interface FieldsWanted {
  readonly uids: readonly string[];
  readonly field?: string | undefined;
  readonly template?: string | undefined;
}

/** What a field that the caller may not read answers (specification, section 2.6). */
const BLOCKED = 'BLOCKED';

/**
 * Nodes as callers may see them (open-shapes, section 4): what they may not see is as good as not
 * there.
 */
export class NodeService {
  readonly #reads: NodeReads;
  readonly #exporter: NodeExporter;

  constructor(reads: NodeReads) {
    this.#reads = reads;
    this.#exporter = new NodeExporter(reads);
  }

  /** Throws `node_not_found`. */
  get(caller: Caller, uid: string): NodeObject {
    return this.read(caller, uid).node;
  }

  /** The UIDs that references name; a text that is none where no node can have it. */
  uidsOf(references: readonly NodeReference[]): string[] {
    const { reader } = this.#reads;
    reader.refresh();
    return references.map((reference) => reader.uidOf(reference));
  }

  /** Throws `node_not_found`. */
  read(caller: Caller, uid: string): { readonly node: NodeObject; readonly version: number } {
    const view = this.#view(caller);
    const node = view.nodeByUid(uid);
    if (node === undefined) throw nodeNotFound();
    return { node, version: must(view.version(uid), 'the version of a node that is there') };
  }

  /** The whole graph in a format. Throws `user_not_found`. */
  exportGraph(format: ExportFormat, request: ExportRequest): AsyncIterable<Uint8Array> {
    return new GraphExport(this.#reads, graphForm(format), request).pieces();
  }

  /** Throws `node_not_found`. */
  history(caller: Caller, uid: string, page: Pick<NodeQuery, 'skip' | 'take'>): NodeVersionList {
    const view = this.#view(caller);
    const id = view.find(uid);
    if (id === undefined) throw nodeNotFound();
    const { access } = this.#reads;
    const mayWrite = access.mayWrite(caller, view.typeOf(id) ?? '');
    return listVersions(view, id, page, mayWrite);
  }

  /**
   * Those with the given UIDs, each once, in their order; or those of a type, newest first; or
   * both.
   */
  async query(caller: Caller, query: QueriedNodes): Promise<NodeList> {
    const { uids, skip, take } = query;
    if (query.type !== undefined) this.#checkType(caller, query.type);
    const type = query.type && this.#reads.reader.typeNamed(query.type);
    if (uids === undefined) return this.#ofType(caller, type ?? '', skip, take);
    const walk = new NodeTurns(this.#reads, caller);
    const size = new AnswerSize();
    const items: NodeObject[] = [];
    let total = 0;
    for (const uid of new Set(uids)) {
      if (walk.isSpent) await walk.next();
      const id = walk.view.find(uid);
      if (id === undefined || (type !== undefined && walk.view.typeOf(id) !== type)) continue;
      const isOnPage = total >= skip && total < skip + take;
      const node = isOnPage ? walk.view.node(id) : undefined;
      total++;
      if (node === undefined) continue;
      size.add(node);
      items.push(node);
    }
    return { items, total, skip, take };
  }

  /** In the order of the UIDs; null for what the caller may not see. */
  async many(caller: Caller, uids: readonly string[]): Promise<(NodeObject | null)[]> {
    const nodes = await this.#each(caller, uids, (view, uid) => view.nodeByUid(uid) ?? null);
    return uids.map((uid) => nodes.get(uid) ?? null);
  }

  /**
   * By UID: null where there is no value, or no node that the caller may see, and `BLOCKED` for
   * what they may not read.
   */
  async manyFields(
    caller: Caller,
    { uids, field, template }: FieldsWanted,
  ): Promise<Readonly<Record<string, unknown>>> {
    const parsed = template === undefined ? undefined : parseTemplate(template);
    const names = parsed?.fields ?? [field ?? ''];
    const values = await this.#each(caller, uids, (view, uid, size) => {
      const found = view.fieldsByUid(uid, names);
      if (found === undefined) return null;
      // A text that lacks a part for a reason the caller must not know would tell of it: so it is
      // blocked as a whole.
      if (found === 'withheld') return BLOCKED;
      return parsed === undefined ? (found[0] ?? null) : fillTemplate(parsed, found, size.left);
    });
    return Object.fromEntries(values);
  }

  /** Throws `invalid_request` for a type or a field that there is not. */
  export(caller: Caller, selection: SelectedNodes): Promise<NodeExport> {
    return this.#exporter.all(caller, selection);
  }

  /** The same, apart for each type. */
  exportByType(caller: Caller, selection: SelectedNodes): Promise<readonly NodeExport[]> {
    return this.#exporter.byType(caller, selection);
  }

  #checkType(caller: Caller, type: string): void {
    const { reader, access } = this.#reads;
    typeAsSeen(reader, access.visibilityFor(caller), type);
  }

  #view(caller: Caller): NodeView {
    return NodeView.open(this.#reads, caller);
  }

  /** Each node is read once however often it is asked for. A list has each node as often. */
  async #each<T>(
    caller: Caller,
    uids: readonly string[],
    read: (view: NodeView, uid: string, size: AnswerSize) => T,
  ): Promise<Map<string, T>> {
    const walk = new NodeTurns(this.#reads, caller);
    const size = new AnswerSize();
    const values = new Map<string, T>();
    for (const uid of uids) {
      const known = values.get(uid);
      if (known === undefined && walk.isSpent) await walk.next();
      const value = known === undefined ? read(walk.view, uid, size) : known;
      size.add(value);
      values.set(uid, value);
    }
    return values;
  }

  /** What is skipped can be too much for one turn: then each turn reads on at its own commit. */
  async #ofType(caller: Caller, type: string, skip: number, take: number): Promise<NodeList> {
    const ids = this.#reads.reader.walkType(type);
    const walk = new NodeTurns(this.#reads, caller);
    const size = new AnswerSize();
    const items: NodeObject[] = [];
    let seen = 0;
    for (;;) {
      const some = ids.next(NODE_SCAN_IDS);
      for (const id of some) {
        if (walk.isSpent) await walk.next();
        if (!walk.view.canSee(id, type)) continue;
        const node = seen >= skip && items.length < take ? walk.view.node(id) : undefined;
        seen++;
        if (node === undefined) continue;
        size.add(node);
        items.push(node);
        if (items.length >= take) break;
      }
      const total = walk.view.countOfType(type);
      if (items.length >= take || seen >= total || some.length < NODE_SCAN_IDS) {
        return { items, total, skip, take };
      }
    }
  }
}

function nodeNotFound(): Problem {
  return new Problem('node_not_found', 'There is no such node.');
}

/** Text, and names of fields whose values stand between. */
interface NodeTemplate {
  /** One text more than there are fields. */
  readonly texts: readonly string[];
  readonly fields: readonly string[];
}

/** A brace that is written twice, a name in braces, or a brace that is neither. */
const BRACES = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/**
 * Reads `{FirstName} {LastName}`; a brace itself is written twice. Throws `invalid_request` for one
 * that stands alone.
 */
export function parseTemplate(template: string): NodeTemplate {
  const texts: string[] = [];
  const fields: string[] = [];
  let text = '';
  let end = 0;
  for (const { 0: found, 1: name, index } of template.matchAll(BRACES)) {
    text += template.slice(end, index);
    end = index + found.length;
    if (name !== undefined) {
      texts.push(text);
      fields.push(name.trim());
      text = '';
    } else if (found.length === 2) {
      text += found[0];
    } else {
      throw loneBrace(found, index);
    }
  }
  return { texts: [...texts, text + template.slice(end)], fields };
}

/**
 * `values` in the order of the template's fields. Throws `invalid_request` for a text of more than
 * `max` characters.
 */
export function fillTemplate(
  { texts }: NodeTemplate,
  values: readonly unknown[],
  max: number,
): string {
  return texts.reduce((text, next, i) => {
    const value = textOf(values[i - 1]);
    if (text.length + value.length > max) throw tooLarge();
    return text + value + next;
  });
}

/** Text as it is, nothing as no text, and lists and the like as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function loneBrace(brace: string, index: number): Problem {
  const message = `a "${brace}" at position ${index} stands alone`;
  return new Problem('invalid_request', `body, template: ${message}`, {
    hint: 'Put the names of fields in braces, and write a brace itself twice.',
    details: { fields: [{ path: 'template', message }] },
  });
}
