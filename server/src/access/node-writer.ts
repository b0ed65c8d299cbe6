import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { FieldValue } from '#graph/field-types.ts';
import type { CommitPort, CommitResult, WriterOperation } from '#graph/operations.ts';
import type {
  NewNode,
  NodeChangeDocument,
  NodeLinksDocument,
  NodeMatch,
  NodeRecordDocument,
  NodeRestoration,
  NodeTypesDocument,
  WrittenNode,
} from '@trellis/contract/shapes/node-write.ts';
import { type AuditAction, type AuditTrail, deed, type Doer } from './audit-event.ts';
import type { Caller } from './caller.ts';
import { describeNode } from './node-description.ts';
import {
  checkMayLink,
  checkMayWrite,
  linkOperation,
  nodeNotFound,
  type Placed,
  uidNow,
} from './node-operations.ts';
import { typesFor } from './node-types.ts';
import { valuesToRestore } from './node-versions.ts';
import { type NodeReads, NodeView } from './node-view.ts';

export interface NodeWriterParts {
  readonly reads: NodeReads;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
}

/** What the writer says of a new node whose key is taken: by one that the caller sees, or not. */
const TAKEN: ReadonlySet<string> = new Set(['version_conflict', 'node_not_found']);

/** The node of a request, and the versions of it that the header `If-Match` names. */
interface NamedNode extends NodeMatch {
  readonly uid: string;
}

/** A node, by the UID and the type that the caller sees. */
interface Found {
  readonly uid: string;
  readonly type: string;
}

/**
 * Nodes as people write them (docs/data.md): each change is one commit with the rights of its
 * caller, and has its event in the audit trail. What is checked here makes good answers; the writer
 * has the last word (see `graph/writer-rights.ts`).
 */
export class NodeWriter {
  readonly #parts: NodeWriterParts;

  constructor(parts: NodeWriterParts) {
    this.#parts = parts;
  }

  types(caller: Caller): NodeTypesDocument {
    const { reader, access } = this.#parts.reads;
    reader.refresh();
    return typesFor(reader, access.visibilityFor(caller), (type) => access.mayWrite(caller, type));
  }

  /** Throws `node_not_found`. */
  record(caller: Caller, uid: string): Promise<NodeRecordDocument> {
    return describeNode(this.#parts.reads, caller, uid);
  }

  /**
   * Throws `forbidden`, `node_not_found` for the end of a link, `version_conflict` for a key that
   * is taken, `not_unique`, `invalid_operation`.
   */
  async create(doer: Doer, given: NewNode): Promise<WrittenNode> {
    const { caller } = doer;
    const { type, fields, links = [], timestamp, aliases } = given;
    const view = this.#view(caller);
    checkMayWrite(this.#parts.reads, caller, type);
    const { reader } = this.#parts.reads;
    const keyName = reader.schema().nodes.find((one) => one.type === type)?.key;
    const named = keyName === undefined ? undefined : fields?.[keyName];
    const key = given.key ?? (typeof named === 'string' ? named : undefined);
    const uid = key === undefined ? formatUid(randomUid()) : reader.uidOf({ type, key });
    const node: WriterOperation = {
      op: 'addOrUpdate',
      type,
      ...(key === undefined ? { uid } : { key }),
      ...(fields === undefined ? {} : { fields: fields as Record<string, FieldValue> }),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(aliases === undefined ? {} : { aliases }),
      ifVersion: 0,
    };
    const linked = links.map((link, i) =>
      linkOperation(this.#parts.reads, view, 'link', uid, link, `links.${i}`),
    );
    const operations = [{ operation: node, at: '' }, ...linked];
    await this.#commit(doer, operations, 'node.created', { uid, type });
    return this.#written(caller, uid);
  }

  /** Throws as `create` does, and `version_conflict` for another version than `ifVersion`. */
  async update(doer: Doer, named: NamedNode, change: NodeChangeDocument): Promise<WrittenNode> {
    const { caller } = doer;
    const { uid } = named;
    const found = this.#find(caller, uid);
    checkMayWrite(this.#parts.reads, caller, found.type);
    const { fields, timestamp, aliases } = change;
    const ifVersion = this.#versionAsked(named, change.ifVersion);
    const operation: WriterOperation = {
      op: 'update',
      uid,
      ...(fields === undefined ? {} : { fields: fields as Record<string, FieldValue> }),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(aliases === undefined ? {} : { aliases }),
      ...(ifVersion === undefined ? {} : { ifVersion }),
    };
    const details = { fields: Object.keys(fields ?? {}) };
    await this.#commit(doer, [{ operation, at: '' }], 'node.changed', found, details);
    return this.#written(caller, uid);
  }

  /**
   * Gives the fields that the caller may read the values of an earlier version, as a new one.
   * Throws as `update` does, and `node_version_not_found`.
   */
  async restore(doer: Doer, named: NamedNode, wanted: NodeRestoration): Promise<WrittenNode> {
    const { caller } = doer;
    const { uid } = named;
    const found = this.#find(caller, uid);
    checkMayWrite(this.#parts.reads, caller, found.type);
    const view = this.#view(caller);
    const id = must(view.find(uid), 'a node that was found');
    const history = must(view.history(id), 'the history of a node that may be written');
    const { fields, timestamp } = valuesToRestore(history, wanted.version, (field) =>
      view.canReadField(id, field),
    );
    const operation: WriterOperation = {
      op: 'update',
      uid,
      fields: fields as Record<string, FieldValue>,
      ...(timestamp === undefined ? {} : { timestamp }),
      ifVersion: this.#versionAsked(named, wanted.ifVersion) ?? history.version,
    };
    const details = { fields: Object.keys(fields), restored: wanted.version };
    await this.#commit(doer, [{ operation, at: '' }], 'node.changed', found, details);
    return this.#written(caller, uid);
  }

  /** Throws `node_not_found`, `forbidden`, `version_conflict`. */
  async delete(doer: Doer, named: NamedNode, version: number | undefined): Promise<void> {
    const { caller } = doer;
    const { uid } = named;
    const found = this.#find(caller, uid);
    checkMayWrite(this.#parts.reads, caller, found.type);
    const ifVersion = this.#versionAsked(named, version);
    const operation: WriterOperation = {
      op: 'delete',
      // By its own UID: another one may lead to it since a merge.
      uid: uidNow(this.#parts.reads, uid),
      ...(ifVersion === undefined ? {} : { ifVersion }),
    };
    await this.#commit(doer, [{ operation, at: '' }], 'node.deleted', found);
  }

  /**
   * Throws `node_not_found`, of the other end as well, `forbidden`, `version_conflict`,
   * `invalid_operation`.
   */
  async changeLinks(
    doer: Doer,
    named: NamedNode,
    { add = [], remove = [], ifVersion }: NodeLinksDocument,
  ): Promise<{ added: number; removed: number }> {
    const { caller } = doer;
    const { uid } = named;
    const found = this.#find(caller, uid);
    const view = this.#view(caller);
    const operations = [
      ...remove.map((link, i) =>
        linkOperation(this.#parts.reads, view, 'unlink', uid, link, `remove.${i}`),
      ),
      ...add.map((link, i) =>
        linkOperation(this.#parts.reads, view, 'link', uid, link, `add.${i}`),
      ),
    ];
    for (const { operation } of operations) checkMayLink(this.#parts.reads, caller, operation);
    const edges = [...new Set([...remove, ...add].map(({ edge }) => edge))];
    const expected = this.#versionAsked(named, ifVersion);
    const { outcomes } = await this.#commit(
      doer,
      operations,
      'node.linked',
      found,
      { edges },
      expected,
    );
    const changed = outcomes.map((one) => one.changed);
    const removed = changed.slice(0, remove.length).filter(Boolean).length;
    return { added: changed.filter(Boolean).length - removed, removed };
  }

  async #commit(
    doer: Doer,
    operations: readonly Placed[],
    action: AuditAction,
    { uid, type }: Found,
    details: Readonly<Record<string, unknown>> = {},
    version?: number,
  ): Promise<CommitResult> {
    const { commits, audit, reads } = this.#parts;
    const { caller } = doer;
    const event = deed(action, doer, { kind: 'node', id: uid }, { type, ...details });
    try {
      const result = await commits.commit({
        operations: operations.map(({ operation }) => operation),
        user: must(caller.userUid, 'the user of a session'),
        ownRights: { trace: audit.operation(event) },
        ...(version === undefined ? {} : { expected: [{ uid, version }] }),
      });
      reads.reader.refresh();
      return result;
    } catch (error) {
      throw error instanceof Problem ? this.#told(caller, error, operations, uid) : error;
    }
  }

  /**
   * The problem of the writer in the words of the request. It tells of no node that the caller does
   * not see; of one that they see it shows what it is now, so that they can compare.
   */
  #told(caller: Caller, problem: Problem, operations: readonly Placed[], uid: string): Problem {
    const { index, path, uid: other, ...rest } = { ...problem.details };
    if (typeof index !== 'number') return problem;
    const view = this.#view(caller);
    const at = operations[index]?.at ?? '';
    const isNew = operations[0]?.operation.op === 'addOrUpdate';
    if (isNew && index === 0 && TAKEN.has(problem.code)) return this.#taken(view, uid);
    if (!isNew && view.find(uid) === undefined) return nodeNotFound();
    const place = [at, path].filter((part) => part !== undefined && part !== '').join('.');
    const named = typeof other === 'string' ? view.find(other) : undefined;
    const message = problem.message.replace(/^Operation \d+(?:: | at )/, place && `${place}: `);
    return new Problem(problem.code, message, {
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      details: {
        ...rest,
        ...(place === '' ? {} : { path: place }),
        ...(named === undefined ? {} : { uid: other }),
        ...(problem.code === 'version_conflict' && named !== undefined
          ? { node: view.node(named) }
          : {}),
      },
      cause: problem,
    });
  }

  /** What a caller is told of the node that has the key already: nothing, unless they see it. */
  #taken(view: NodeView, uid: string): Problem {
    const id = view.find(uid);
    const node = id === undefined ? undefined : view.node(id);
    const version = id === undefined ? undefined : this.#parts.reads.reader.version(id);
    return new Problem('version_conflict', 'There is a node of this type with this key already.', {
      hint: node === undefined ? 'Choose another key.' : 'Choose another key, or change that node.',
      ...(node === undefined ? {} : { details: { uid, version, node } }),
    });
  }

  /** The version that the node must be at, by the header and by a member of the request. */
  #versionAsked({ uid, 'if-match': tags }: NamedNode, version?: number): number | undefined {
    if (tags === undefined || tags === 'any') return version;
    if (version !== undefined) {
      if (tags.includes(version)) return version;
      throw new Problem('invalid_request', 'If-Match and ifVersion name different versions.');
    }
    const { reader } = this.#parts.reads;
    const id = reader.id({ uid });
    const current = id === undefined ? undefined : reader.version(id);
    return tags.find((tag) => tag === current) ?? tags[0];
  }

  #find(caller: Caller, uid: string): Found {
    const view = this.#view(caller);
    const id = view.find(uid);
    const type = id === undefined ? undefined : view.typeOf(id);
    if (type === undefined) throw nodeNotFound();
    return { uid, type };
  }

  #written(caller: Caller, uid: string): WrittenNode {
    const view = this.#view(caller);
    const id = view.find(uid);
    const node = id === undefined ? undefined : view.node(id);
    const version = id === undefined ? undefined : this.#parts.reads.reader.version(id);
    // Somebody else may have deleted it, or hidden it, by now.
    if (node === undefined || version === undefined) throw nodeNotFound();
    return { node, version };
  }

  #view(caller: Caller): NodeView {
    return NodeView.open(this.#parts.reads, caller);
  }
}
